import FrameTiming
import FramepaceTesting
import Geometry
import LinuxSystem
import Presentation
import Raster
import RenderTree
import TestLength
import XCTest

@testable import Framepace

/// The overlay `meter`, and the pixels and the stillness that overlays leave alone.
@preconcurrency @MainActor final class MeterOverlayTests: XCTestCase {
  private static let folder = String("\(#filePath)".dropLast("/MeterOverlayTests.swift".count)) + "/Goldens"

  /// Compares each buffer with what it held before and with the picture below the overlays.
  private final class CheckedPainter: FramePainter {
    private let painter: OverlayPainter
    private let panel: IntRect
    private var held: [Int: [UInt32]] = [:]
    private(set) var frames = 0
    private(set) var faults: [String] = []

    init(_ painter: OverlayPainter, panel: IntRect) {
      (self.painter, self.panel) = (painter, panel)
    }

    func canvas(for buffer: PresentationBuffer) -> Bitmap? { painter.canvas(for: buffer) }

    func draw(over frame: InspectedFrame) -> DamageRegion {
      let written = painter.draw(over: frame)
      guard let bitmap = frame.buffer.target.bitmap, let canvas = painter.canvas(for: frame.buffer) else { return written }
      frames += 1
      let (pixels, picture) = (Self.pixels(of: bitmap), Self.pixels(of: canvas))
      let before = held.updateValue(pixels, forKey: frame.buffer.index)
      func pixel(_ index: Int) -> IntRect {
        IntRect(x: index % bitmap.width, y: index / bitmap.width, width: 1, height: 1)
      }
      for index in pixels.indices {
        if let before, before[index] != pixels[index], !written.intersects(pixel(index)) {
          faults.append("frame \(frames): the change of \(pixel(index)) was not told")
        }
        if pixels[index] != picture[index], !panel.intersects(pixel(index)), !frame.damage.intersects(pixel(index)) {
          faults.append("frame \(frames): \(pixel(index)) is not the picture's")
        }
      }
      return written
    }

    private static func pixels(of bitmap: Bitmap) -> [UInt32] {
      (0..<bitmap.height).flatMap { y in
        UnsafeBufferPointer(start: bitmap.row(y).assumingMemoryBound(to: UInt32.self), count: bitmap.width)
      }
    }
  }

  /// The picture below the overlays of a buffer's last frame is there again, the display is told of all that was written, and around the
  /// meter and the damage all pixels are the picture's; on a turned display, too.
  func testOnlyThePanelAndTheDamageAreDrawnOver() throws {
    for (rotation, overlays) in [
      (DisplayRotation.none, Set([FrameOverlay.meter])), (.none, [.damage]), (.none, [.meter, .damage]),
      (.left, [.meter, .damage]),
    ] {
      for seed in some(1, of: 1...10 as ClosedRange<UInt64>) {
        let stage = try ManualStage(width: 280, height: 270, rate: .hertz60)
        stage.display.rotation = rotation
        let layers = RandomLayers(
          in: stage.root, seed: seed, count: 10, images: try RandomLayers.images(seed: 1),
          font: try SystemFonts.font(.sans, size: 14))
        let (engine, output) = (stage.engine, stage.engine.output)
        let meter = overlays.contains(.meter) ? try MeterPanel(of: output, clock: stage.loop.clock) : nil
        stage.run(for: .milliseconds(20))
        let view = OverlayView(width: 280, height: 270, geometry: output.geometry)
        let panel = meter.map { IntRect(covering: view.toOutput.boundingBox(of: $0.box(in: view))) }
        let painter = CheckedPainter(
          try OverlayPainter(
            overlays, names: LayerNames(of: engine.context), workers: engine.workers, geometry: { output.geometry },
            meter: meter), panel: panel ?? .zero)
        output.inspector = .painter(painter)
        for _ in 0..<20 {
          layers.edit()
          stage.run(for: .milliseconds(20))
        }
        XCTAssertGreaterThan(painter.frames, 1, "seed \(seed)")
        XCTAssertEqual(painter.faults.prefix(3), [], "seed \(seed), \(overlays), \(rotation)")
        engine.invalidate()
      }
    }
  }

  /// Its figures tell what a stop of the process missed from what the program did.
  func testItKnowsAStopOfTheProcess() throws {
    let stage = try ManualStage(width: 280, height: 120, rate: .hertz60)
    let output = stage.engine.output
    var resumed: MonotonicTime?
    let meter = try MeterPanel(of: output, clock: stage.loop.clock) { resumed }
    output.inspector = .painter(
      try OverlayPainter(
        [.meter], names: LayerNames(of: stage.engine.context), workers: stage.engine.workers, geometry: { output.geometry },
        meter: meter))
    var count = 0
    let link = stage.engine.makeDisplayLink { _ in
      count += 1
      stage.root.backgroundColor = count % 2 == 0 ? .white : .black
      guard count == 30 else { return }
      stage.clock.advance(by: .milliseconds(500))
      resumed = stage.clock.now
    }
    stage.run(for: .seconds(2))
    XCTAssertGreaterThan(meter.report.missedWhileStopped, 25)
    XCTAssertEqual(meter.report.missed, meter.report.missedWhileStopped)
    XCTAssertEqual(meter.report.hitchTime, .zero)
    link.invalidate()
    stage.engine.invalidate()
  }

  /// The meter waits for frames that come anyway: a still program makes none, and its loop does not wake more often.
  func testAStillProgramStaysStill() throws {
    func run(_ overlays: Set<FrameOverlay>) throws -> (frames: UInt64, turns: Int) {
      let stage = try ManualStage(width: 300, height: 120, rate: .hertz60)
      try stage.engine.show(overlays)
      var turns = 0
      let turn = FrameLoop.Observer([.afterWaiting], order: 0, .onMain { _, _ in turns += 1 })
      stage.loop.add(turn, to: .common)
      stage.run(for: .seconds(1))
      Transaction.withoutActions { stage.root.backgroundColor = .white }
      stage.run(for: .seconds(1))
      let frames = stage.display.shownFrames
      stage.run(for: .seconds(100))
      XCTAssertEqual(stage.display.shownFrames, frames)
      XCTAssertEqual(stage.engine.output.displayLink?.isPaused, true)
      turn.invalidate()
      stage.engine.invalidate()
      return (frames, turns)
    }
    let (plain, metered) = (try run([]), try run([.meter, .damage]))
    XCTAssertEqual(metered.frames, plain.frames)
    XCTAssertEqual(metered.turns, plain.turns)
  }

  /// A bar for each frame, as high as its work; a gap where nothing was wanted; the oldest make room.
  func testBars() {
    let interval = Nanoseconds.milliseconds(10)
    func frame(_ number: Int, work: Int64, late: Int64 = 0) -> FrameEvent {
      var record = FrameRecord()
      record.target = .zero + interval * Int64(number)
      record.presented = record.target + .milliseconds(late)
      record.phases[.layout] = .milliseconds(work)
      return .presented(record)
    }
    var bars = MeterBars()
    bars.record(.idle, interval: interval)
    for event in [frame(1, work: 5), frame(2, work: 20, late: 10), .idle, .idle, frame(9, work: 1, late: 5)] {
      bars.record(event, interval: interval)
    }
    XCTAssertEqual(
      (0..<bars.count).map { bars[$0] },
      [.frame(work: 0.5, isLate: false), .frame(work: 2, isLate: true), .pause, .frame(work: 0.1, isLate: false)])
    for number in 10..<130 { bars.record(frame(number, work: Int64(number)), interval: interval) }
    XCTAssertEqual(bars.count, 120)
    XCTAssertEqual(bars[0], .frame(work: 1, isLate: false))
    XCTAssertEqual(bars[119], .frame(work: 12.9, isLate: false))
  }

  /// A frame of a link that is called at every second vblank has two intervals, in its bar and in the meter's budget.
  func testTheBudgetIsThatOfTheLink() throws {
    let stage = try ManualStage(width: 280, height: 120, rate: .hertz60)
    let output = stage.engine.output
    let meter = try MeterPanel(of: output, clock: stage.loop.clock)
    output.inspector = .painter(
      try OverlayPainter(
        [.meter], names: LayerNames(of: stage.engine.context), workers: stage.engine.workers, geometry: { output.geometry },
        meter: meter))
    XCTAssertEqual(meter.budget, RefreshRate.hertz60.interval)
    var count = 0
    let link = stage.engine.makeDisplayLink { link in
      count += 1
      stage.clock.advance(by: .milliseconds(20))
      Transaction.withoutActions { stage.root.backgroundColor = count % 2 == 0 ? .white : .black }
    }
    link.preferredFrameRateRange = FrameRateRange(minimum: 30, maximum: 30, preferred: 30)
    output.displayLink?.preferredFrameRateRange = link.preferredFrameRateRange
    stage.run(for: .seconds(3))
    XCTAssertEqual(meter.budget, RefreshRate.hertz60.offset(ofInterval: 2))
    guard case .frame(let work, let isLate) = meter.bars[meter.bars.count - 1] else { return XCTFail("no bar") }
    XCTAssertEqual(work, 0.6, accuracy: 0.001)
    XCTAssertFalse(isLate)
    link.invalidate()
    stage.engine.invalidate()
  }

  func testWhatTheEnvironmentAsksFor() throws {
    for (text, overlays) in [
      ("", []), ("0", []), ("1", [.meter, .damage]), ("meter", [.meter]), ("borders,damage", [.borders, .damage]),
    ] as [(String, Set<FrameOverlay>)] {
      XCTAssertEqual(try EnvironmentOverlays.parse(text), overlays, text)
    }
    for text in ["2", "yes", "meter,", "meter, damage", "METER", "meter\u{1B}[31m"] {
      XCTAssertThrowsError(try EnvironmentOverlays.parse(text), text) { error in
        XCTAssertEqual(
          "\(error)",
          "FRAMEPACE_HUD is '\(text == "meter\u{1B}[31m" ? "meter [31m" : text)'; it takes 1 for the meter and the damage, 0 for nothing, "
            + "or some of damage, borders, reasons, overdraw, meter, with commas between them")
      }
    }
  }

  /// Two seconds of frames of which some are late, a pause, and more frames.
  func testGoldenMeter() throws {
    let stage = try ManualStage(width: 480, height: 140, rate: .hertz60)
    stage.root.backgroundColor = Color(hex: 0x2A4A7A)
    let dot = Layer(frame: Rect(x: 20, y: 60, width: 24, height: 24))
    dot.backgroundColor = Color(hex: 0xE0E040)
    stage.root.addSublayer(dot)
    try stage.engine.show([.meter, .damage])
    var step = 0
    func move() -> DisplayLink {
      stage.engine.makeDisplayLink { [clock = stage.clock] _ in
        step += 1
        clock.advance(by: .microseconds(step % 31 == 0 ? 21_000 : 3_000 + Int64(step % 7) * 900))
        Transaction.withoutActions { dot.position.x = 32 + Double(step * 3 % 160) }
      }
    }
    let link = move()
    stage.run(for: .milliseconds(2_500))
    link.invalidate()
    stage.run(for: .milliseconds(500))
    _ = move()
    stage.run(for: .milliseconds(400))
    try GoldenImage.check(stage.display.capture(), against: Self.folder + "/overlay-meter.png")
  }
}
