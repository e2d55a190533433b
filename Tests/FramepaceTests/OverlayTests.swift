import Framepace
import FramepaceTesting
import TestLength
import XCTest

@preconcurrency @MainActor final class OverlayTests: XCTestCase {
  private static let (width, height) = (200, 140)
  private static let folder = String("\(#filePath)".dropLast("/OverlayTests.swift".count)) + "/Goldens"

  /// A card with a title and a dot, which moves.
  @MainActor private struct Card {
    let stage: ManualStage<VirtualDisplay>
    let card = Layer(frame: Rect(x: 20, y: 30, width: 120, height: 80))
    let dot = Layer(frame: Rect(x: 10, y: 40, width: 20, height: 20))
    let title = TextLayer()

    init() throws {
      stage = try ManualStage(width: width, height: height, rate: .hertz60)
      stage.root.backgroundColor = Color(hex: 0x203040)
      card.name = "card"
      card.backgroundColor = Color(hex: 0x607080)
      card.cornerRadius = 8
      card.opacity = 0.9
      dot.name = "dot"
      dot.backgroundColor = Color(hex: 0xE0E040)
      dot.transform = Transform3D(.rotation(0.3))
      (title.string, title.font) = ("Title", try SystemFonts.font(.sans, size: 14))
      title.frame = Rect(x: 10, y: 8, width: 60, height: 20)
      card.addSublayer(dot)
      card.addSublayer(title)
      stage.root.addSublayer(card)
    }

    /// Moves the dot and waits for the frame.
    func step() throws -> Image {
      Transaction.withoutActions { dot.position.x += 7 }
      stage.run(for: .milliseconds(50))
      return try stage.display.capture()
    }
  }

  /// The rectangle around the pixels in which two pictures differ.
  private func difference(_ one: Image, _ other: Image) -> IntRect {
    var box = IntRect.zero
    for y in 0..<one.height {
      let rows = (
        one.row(y).assumingMemoryBound(to: UInt32.self), other.row(y).assumingMemoryBound(to: UInt32.self)
      )
      for x in 0..<one.width where rows.0[x] != rows.1[x] { box = box.union(IntRect(x: x, y: y, width: 1, height: 1)) }
    }
    return box
  }

  /// Everything that is known of the frames of some random edits, seen through these overlays.
  private func frames(seed: UInt64, _ overlays: Set<FrameOverlay>) throws -> [String] {
    let stage = try ManualStage(width: Self.width, height: Self.height, rate: .hertz60)
    let layers = RandomLayers(
      in: stage.root, seed: seed, count: 10, images: try RandomLayers.images(seed: 1),
      font: try SystemFonts.font(.sans, size: 14))
    stage.engine.waitsForDrawings = true
    try stage.engine.show(overlays)
    for _ in 0..<60 {
      layers.edit()
      stage.run(for: .milliseconds(20))
    }
    defer { stage.engine.invalidate() }
    return stage.frames.map { "\($0)" }
  }

  /// The overlays are neither damage nor work: every figure of every frame is the same with them.
  func testFiguresAreTheSameWithOverlays() throws {
    for seed in some(2, of: 1...20 as ClosedRange<UInt64>) {
      let plain = try frames(seed: seed, [])
      XCTAssertGreaterThan(plain.count, 3)
      XCTAssertEqual(try frames(seed: seed, Set(FrameOverlay.allCases)), plain, "seed \(seed)")
    }
  }

  /// The compositor's picture stays below the overlays, on every buffer: without them it is seen again.
  func testNothingOfAnOverlayStays() throws {
    let (plain, shown) = (try Card(), try Card())
    for overlays in FrameOverlay.allCases.map({ [$0] }) + [Set(FrameOverlay.allCases)] {
      try shown.stage.engine.show(overlays)
      for _ in 0..<3 { XCTAssertFalse(difference(try plain.step(), try shown.step()).isEmpty, "\(overlays)") }
      try shown.stage.engine.show([])
      for _ in 0..<3 { XCTAssertEqual(difference(try plain.step(), try shown.step()), .zero, "\(overlays)") }
    }
  }

  /// The tint lies on the rectangle of the dot, before and after its move, and nowhere else.
  func testDamageIsDrawnWhereItIs() throws {
    let (plain, shown) = (try Card(), try Card())
    try shown.stage.engine.show([.damage])
    for _ in 0..<3 { _ = (try plain.step(), try shown.step()) }
    let before = try XCTUnwrap(shown.dot.convert(shown.dot.bounds, to: shown.stage.root))
    let difference = difference(try plain.step(), try shown.step())
    let after = try XCTUnwrap(shown.dot.convert(shown.dot.bounds, to: shown.stage.root))
    XCTAssertEqual(difference, IntRect(covering: before.union(after)))
  }

  /// On a display that is mounted sideways the labels are upright for the viewer.
  func testOverlaysAreTurnedWithThePicture() throws {
    func picture(_ rotation: DisplayRotation) throws -> Image {
      let sideways = rotation.isSideways
      let stage = try ManualStage(
        width: sideways ? Self.height : Self.width, height: sideways ? Self.width : Self.height, rate: .hertz60)
      stage.display.rotation = rotation
      try stage.engine.show([.borders, .damage, .overdraw])
      stage.root.backgroundColor = Color(hex: 0x203040)
      let box = Layer(frame: Rect(x: 24, y: 32, width: 64, height: 40))
      box.backgroundColor = Color(hex: 0xE0E040)
      stage.root.addSublayer(box)
      stage.run(for: .milliseconds(100))
      Transaction.withoutActions { box.position.x += 16 }
      stage.run(for: .milliseconds(100))
      return try stage.display.capture()
    }
    let upright = try picture(.none)
    for rotation in [DisplayRotation.right, .half, .left] {
      let back = DisplayRotation(rawValue: 360 - rotation.rawValue) ?? .none
      let turned = try picture(rotation).turned(back)
      XCTAssertEqual(turned.width, upright.width)
      // Text is antialiased for its direction: the legend may differ, and nothing above it.
      XCTAssertLessThanOrEqual(difference(upright, turned).height, 30, "\(rotation)")
    }
  }

  func testGoldenDamageAndReasons() throws {
    let card = try Card()
    _ = try card.step()
    try card.stage.engine.show([.damage, .reasons])
    _ = try card.step()
    Transaction.withoutActions { card.title.string = "Other" }
    try GoldenImage.check(card.step(), against: Self.folder + "/overlay-reasons.png")
  }

  func testGoldenBordersAndOverdraw() throws {
    let card = try Card()
    try card.stage.engine.show([.borders, .overdraw])
    for _ in 0..<3 { _ = try card.step() }
    try GoldenImage.check(card.step(), against: Self.folder + "/overlay-overdraw.png")
  }
}
