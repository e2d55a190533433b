import Framepace
import FramepaceTesting
import XCTest

@testable import Presentation

/// Displays that are turned, that nobody can see, and that are copied.
@preconcurrency @MainActor final class DisplayGeometryTests: XCTestCase {
  /// Every frame of a turned display equals that of an upright one, pixel for pixel, whatever part of it was painted.
  func testATurnedDisplayShowsThePictureTurned() throws {
    for rotation in DisplayRotation.allCases {
      let size = rotation.isSideways ? (width: 40, height: 64) : (width: 64, height: 40)
      let upright = try ManualStage(width: size.width, height: size.height, rate: .hertz60)
      let turned = try ManualStage(width: 64, height: 40, rate: .hertz60)
      turned.display.rotation = rotation
      XCTAssertEqual(turned.root.bounds.size, Size(Double(size.width), Double(size.height)))
      for stage in [upright, turned] { try Self.fill(stage) }
      for _ in 0..<30 {
        for stage in [upright, turned] { stage.run(for: .milliseconds(50)) }
        let (expected, found) = (try upright.display.capture(), try turned.display.capture())
        XCTAssertNil(Self.difference(expected, found, rotation), "turned by \(rotation.rawValue)")
      }
      XCTAssertEqual(upright.frames.count, turned.frames.count, accuracy: 2)
      XCTAssertTrue(turned.frames.contains { $0.paintedPixels < 64 * 40 })
      for stage in [upright, turned] { stage.engine.invalidate() }
    }
  }

  /// A mirror is turned by itself, and placed on what one sees.
  func testAMirrorIsTurnedByItself() throws {
    let stages = try (0..<2).map { _ in try ManualStage(width: 32, height: 32, rate: .hertz60) }
    let mirrors = try [(40, 64), (64, 40)].enumerated().map { index, size in
      let display = try VirtualDisplay(
        width: size.0, height: size.1, refreshRate: .hertz60, reason: "a test", clock: .manual(stages[index].clock))
      if index == 1 { display.rotation = .right }
      stages[index].engine.mirror(on: display)
      return display
    }
    for stage in stages {
      try Self.fill(stage)
      stage.run(for: .milliseconds(500))
    }
    XCTAssertNil(Self.difference(try mirrors[0].capture(), try mirrors[1].capture(), .right))
    for stage in stages { stage.engine.invalidate() }
  }

  func testADisplayThatIsTurnedTellsAndPaintsAll() throws {
    let stage = try ManualStage(width: 64, height: 40, rate: .hertz60)
    stage.root.backgroundColor = .white
    var told: [DisplayGeometry] = []
    stage.display.observe { if case .geometryChanged(let geometry) = $0 { told.append(geometry) } }.keep()
    stage.run(for: .milliseconds(100))
    stage.display.rotation = .left
    stage.turn()
    stage.run(for: .milliseconds(100))
    XCTAssertEqual(told, [DisplayGeometry(width: 64, height: 40, rotation: .left)])
    XCTAssertEqual(stage.root.bounds, Rect(x: 0, y: 0, width: 40, height: 64))
    XCTAssertEqual(stage.frames.map(\.paintedPixels), [64 * 40, 64 * 40])
    stage.engine.invalidate()
  }

  /// Nothing is drawn, the loop hardly wakes, and animations end in time.
  func testAHiddenDisplayDrawsNothing() throws {
    let stage = try ManualStage(width: 64, height: 40, rate: .hertz60)
    try Self.fill(stage)
    var (states, wakeUps, hasEnded): ([DisplayState], Int, Bool) = ([], 0, false)
    stage.display.observe { if case .stateChanged(let state) = $0 { states.append(state) } }.keep()
    let observer = FrameLoop.Observer(.afterWaiting, .onMain { _, _ in wakeUps += 1 })
    stage.loop.add(observer, to: .default)
    Transaction.setCompletion { hasEnded = true }
    stage.root.add(BasicAnimation(.opacity, from: 0, to: 1, duration: .seconds(2)))
    stage.run(for: .milliseconds(500))
    stage.display.isHidden = true
    stage.turn()
    let frames = stage.frames.count
    wakeUps = 0
    stage.run(for: .seconds(3))
    XCTAssertEqual(stage.frames.count, frames)
    XCTAssertLessThan(wakeUps, 8)
    XCTAssertTrue(hasEnded)
    stage.display.isHidden = false
    stage.run(for: .milliseconds(500))
    XCTAssertGreaterThan(stage.frames.count, frames + 25)
    XCTAssertEqual(states, [.waiting(.hidden), .showing])
    observer.invalidate()
    stage.engine.invalidate()
  }

  /// Each frame is delivered, at its time, whether it differs from the one before or not.
  func testPicturesComeAtAFixedRate() throws {
    let root = Layer()
    root.backgroundColor = .white
    let still = try OfflineRenderer(root: root, width: 16, height: 8, rate: .hertz60, frames: 3)
    var numbers: [Int] = []
    while let frame = try still.nextFrame() {
      numbers.append(frame.number)
      XCTAssertEqual(frame.time, still.start + RefreshRate.hertz60.offset(ofInterval: Int64(frame.number)))
      XCTAssertEqual(frame.image.row(7).load(fromByteOffset: 60, as: UInt32.self), 0xFFFF_FFFF)
    }
    XCTAssertEqual(numbers, [0, 1, 2])
    still.invalidate()

    let moving = try OfflineRenderer(root: root, width: 16, height: 8, rate: .hertz60, frames: 10)
    moving.engine.makeDisplayLink { link in
      Transaction.withoutActions { root.backgroundColor = link.frameNumber % 2 == 0 ? .white : .black }
    }
    var colors: [UInt32] = []
    while let frame = try moving.nextFrame() { colors.append(frame.image.row(0).load(as: UInt32.self)) }
    for (color, next) in zip(colors, colors.dropFirst()) { XCTAssertNotEqual(color, next) }
    XCTAssertEqual(colors.count, 10)
    moving.invalidate()
  }

  /// Over black a picture without a background is the one that is black where no layer is. What moves leaves no trace.
  func testPicturesMayBeTransparentWhereNoLayerIs() throws {
    func frames(isOpaque: Bool) throws -> [Image] {
      let (root, card) = (Layer(), Layer(frame: Rect(x: 8, y: 8, width: 20, height: 16)))
      (card.backgroundColor, card.opacity, card.cornerRadius) = (Color(hex: 0x3366CC), 0.5, 5)
      (card.shadowOpacity, card.shadowRadius, card.shadowOffset) = (0.8, 3, Size(0, 2))
      root.addSublayer(card)
      let renderer = try OfflineRenderer(
        root: root, width: 64, height: 40, rate: .hertz60, frames: 5, isOpaque: isOpaque)
      card.add(BasicAnimation(.positionX, from: 18, to: 46, duration: .seconds(1)))
      defer { renderer.invalidate() }
      return try (0..<5).compactMap { _ in try renderer.nextFrame()?.image }
    }
    for (picture, opaque) in zip(try frames(isOpaque: false), try frames(isOpaque: true)) {
      XCTAssertEqual([picture.isOpaque, opaque.isOpaque], [false, true])
      var covered = 0
      for y in 0..<40 {
        for x in 0..<64 {
          let own = picture.row(y).load(fromByteOffset: x * 4, as: UInt32.self)
          let other = opaque.row(y).load(fromByteOffset: x * 4, as: UInt32.self)
          for shift in [0, 8, 16] as [UInt32] {
            XCTAssertEqual(Int(own >> shift & 255), Int(other >> shift & 255), accuracy: 1, "\(x), \(y)")
          }
          if own != 0 { covered += 1 }
          if other == 0xFF00_0000 { XCTAssertEqual(own & 0xFF_FFFF, 0, "\(x), \(y)") }
        }
      }
      XCTAssertTrue((300...900).contains(covered), "\(covered) pixels")
    }
  }

  /// Frame 0 shows the beginning of animations that were added before it, at any rate.
  func testAnimationsAddedBeforeTheFirstFrameBeginWithIt() throws {
    for (rate, step) in [(RefreshRate.hertz60, 20), (try XCTUnwrap(RefreshRate(numerator: 10, denominator: 1)), 120)] {
      let (root, layer) = (Layer(), Layer(frame: Rect(x: 0, y: 0, width: 1, height: 1)))
      root.addSublayer(layer)
      let renderer = try OfflineRenderer(root: root, width: 400, height: 1, rate: rate, frames: 3)
      layer.add(BasicAnimation(.positionX, from: 0.5, to: 1200.5, duration: .seconds(1)))
      layer.backgroundColor = .white
      var places: [Int] = []
      while let frame = try renderer.nextFrame() {
        places.append(
          try XCTUnwrap((0..<400).first { frame.image.row(0).load(fromByteOffset: 4 * $0, as: UInt32.self) == .max }))
        XCTAssertEqual(
          layer.presentation(at: frame.time).position.x, Double(frame.number * step) + 0.5, accuracy: 1e-4)
      }
      XCTAssertEqual(places, [0, step, 2 * step])
      XCTAssertEqual(layer.convertTime(renderer.start, from: nil), renderer.start)
      renderer.invalidate()
    }
  }

  private static func fill(_ stage: ManualStage<VirtualDisplay>) throws {
    stage.root.backgroundColor = Color(hex: 0x204060)
    let bitmap = try Bitmap(width: 7, height: 5)
    for y in 0..<5 {
      for x in 0..<7 {
        bitmap.row(y).storeBytes(of: 0xFF00_0000 | UInt32(x * 35 << 16 | y * 50), toByteOffset: 4 * x, as: UInt32.self)
      }
    }
    let image = Layer(frame: Rect(x: 3, y: 11, width: 7, height: 5))
    image.contents = bitmap.freeze(isOpaque: true)
    let moving = Layer(frame: Rect(x: 0, y: 0, width: 9, height: 4))
    moving.backgroundColor = Color(hex: 0xFFB84D).withAlpha(0.5)
    for layer in [image, moving] { stage.root.addSublayer(layer) }
    stage.engine.makeDisplayLink { link in
      let step = Double(link.frameNumber % 20)
      Transaction.withoutActions { moving.position = Point(4.5 + step, 2 + step) }
    }
  }

  /// The first pixel at which `found` is not `expected` turned.
  private static func difference(_ expected: Image, _ found: Image, _ rotation: DisplayRotation) -> String? {
    for y in 0..<expected.height {
      for x in 0..<expected.width {
        let (column, row) =
          switch rotation {
          case .none: (x, y)
          case .right: (found.width - 1 - y, x)
          case .half: (found.width - 1 - x, found.height - 1 - y)
          case .left: (y, found.height - 1 - x)
          }
        let pixel = expected.row(y).load(fromByteOffset: 4 * x, as: UInt32.self)
        let other = found.row(row).load(fromByteOffset: 4 * column, as: UInt32.self)
        if pixel != other { return "(\(x), \(y)) is \(String(other, radix: 16)), not \(String(pixel, radix: 16))" }
      }
    }
    return nil
  }
}
