import FrameTiming
import Framepace
import FramepaceTesting
import Presentation
import XCTest

@testable import FramepaceCLI
import RenderTree

/// `SceneMirrors` on virtual displays. These are XCTests because an engine belongs to the main thread.
@preconcurrency @MainActor final class SceneMirrorsTests: XCTestCase {
  /// Two mirrors at 50 and 30 Hz are named with their clocks, and each has its own figures.
  func testEachMirrorHasItsOwnFigures() throws {
    let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
    let displays = try [50.0, 30].map { hertz in
      try VirtualDisplay(
        width: Int(hertz), height: 40, refreshRate: try XCTUnwrap(RefreshRate(hertz: hertz)), reason: "a test",
        clock: .manual(stage.clock))
    }
    let mirrors = try SceneMirrors(of: stage.engine, on: displays, refused: ["DP-3 cannot be driven"])
    XCTAssertEqual(
      mirrors.heading,
      [
        "mirrored on virtual display 50x40@50.00", "fallback clock 50.00 Hz: a test",
        "mirrored on virtual display 30x40@30.00", "fallback clock 30.00 Hz: a test",
        "not mirrored: DP-3 cannot be driven",
      ])
    XCTAssertEqual(
      mirrors.names.map(\.line),
      [50, 30].map {
        "{\"display\":\"virtual display \($0)x40@\($0).00\",\"clock\":\"fallback clock \($0).00 Hz: a test\",\"refused\":[]}"
      })
    let start = stage.clock.now
    Self.animate(stage)
    stage.run(for: .seconds(2))
    let text = mirrors.summary(at: stage.clock.now, width: 80)
    let lines = mirrors.summaries(from: start, to: stage.clock.now).map(\.line)
    for (mirror, hertz) in zip(mirrors.mirrors, [50, 30]) {
      let report = mirror.meter.report(at: stage.clock.now)
      XCTAssertEqual(report.presented, 2 * hertz, accuracy: 2)
      let name = "virtual display \(hertz)x40@\(hertz).00"
      XCTAssertTrue(
        text.contains(
          "\nmirrored on \(name)\nframes    \(report.frames) made, \(report.presented) presented, 1 pending, 0 late"),
        text)
      XCTAssertTrue(
        lines.contains {
          $0.hasPrefix("{\"display\":\"\(name)\",\"summary\":{\"time\":2.000,\"refreshRate\":\(hertz).000,")
            && $0.contains("\"presented\":\(report.presented),")
        }, "\(lines)")
    }
    stage.engine.invalidate()
  }

  /// A mirror that refuses its frames is removed with a sentence, and the scene goes on.
  func testAMirrorThatRefusesFramesIsRemoved() throws {
    let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
    let display = try RefusingDisplay(clock: stage.clock)
    let mirrors = try SceneMirrors(of: stage.engine, on: [display], refused: [])
    var sentences: [String] = []
    mirrors.onChange = { sentences.append($0) }
    Self.animate(stage)
    stage.run(for: .seconds(2))
    XCTAssertEqual(sentences, ["no longer mirrored on refusing: present: Invalid argument (22)"])
    XCTAssertEqual(display.refused, RefusedFrames.limit + 1)
    XCTAssertEqual(stage.engine.outputs.count, 1)
    XCTAssertEqual(stage.frames.count, 120, accuracy: 2)
    stage.engine.invalidate()
  }

  /// After a mirror is lost, its figures count idle time and no missed frames.
  func testALostMirrorMissesNothing() throws {
    try onMirror { stage, display, mirror in
      stage.run(for: .seconds(2))
      display.observers.notify(.lost(SystemError(call: "present", errno: 19)))
      stage.run(for: .seconds(5))
      let report = mirror.meter.report(at: stage.clock.now)
      XCTAssertEqual(report.missed, 0)
      XCTAssertEqual(report.hitchTime, .zero)
      XCTAssertEqual(report.idle, 300, accuracy: 2)
      XCTAssertEqual(report.frames, 120, accuracy: 2)
    }
  }

  /// The settings of a run apply to its mirrors too.
  func testMirrorsStartTheirFramesLateToo() throws {
    try onMirror(OutputSettings(policy: .lateStart)) { stage, _, mirror in
      XCTAssertEqual(mirror.output.policy, .lateStart)
      stage.run(for: .seconds(2))
      let report = mirror.meter.report(at: stage.clock.now)
      XCTAssertLessThan(try XCTUnwrap(report.latency.p50), .milliseconds(4))
      XCTAssertEqual(report.late, 0)
    }
  }

  func testTheHeadingSaysWhyThereIsNoMirror() throws {
    let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
    XCTAssertEqual(
      try SceneMirrors(of: stage.engine, on: [], refused: []).heading, ["not mirrored: there is no other screen"])
    XCTAssertEqual(try SceneMirrors(of: stage.engine, session: nil).heading, ["not mirrored: there is no screen"])
    stage.engine.invalidate()
  }

  /// Runs `body` with a moving scene and one mirror of it at 60 Hz.
  private func onMirror(
    _ settings: OutputSettings = OutputSettings(),
    _ body: @MainActor (ManualStage<VirtualDisplay>, VirtualDisplay, SceneMirrors.Mirror) throws -> Void
  ) throws {
    try onMain {
      let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
      let display = try VirtualDisplay(
        width: 64, height: 48, refreshRate: .hertz60, reason: "a test", clock: .manual(stage.clock))
      let mirrors = try SceneMirrors(of: stage.engine, on: [display], refused: [], settings: settings)
      Self.animate(stage)
      try body(stage, display, try XCTUnwrap(mirrors.mirrors.first))
      XCTAssertEqual(mirrors.mirrors.count, 1)
      stage.engine.invalidate()
    }
  }

  private static func animate(_ stage: ManualStage<VirtualDisplay>) {
    let layer = Layer(frame: Rect(x: 0, y: 0, width: 8, height: 8))
    layer.backgroundColor = .white
    stage.root.addSublayer(layer)
    layer.add(BasicAnimation(.position, from: Point(0, 0), to: Point(60, 40), duration: .seconds(10)))
  }
}

/// A display whose presenter refuses every frame.
@MainActor
private final class RefusingDisplay: Display, Presenter {
  let name = "refusing"
  let reason = "a test"
  let ticker: DisplayTicker
  let observers = Observers<DisplayEvent>()
  var onEvent: (@MainActor (PresenterEvent) -> Void)?
  let width = 16
  let height = 16
  private(set) var refused = 0
  private let buffer: PresentationBuffer

  init(clock: ManualClock) throws {
    ticker = DisplayTicker(source: FallbackClock(refreshRate: .hertz60, reason: "a test", clock: .manual(clock)))
    buffer = PresentationBuffer(target: try Bitmap(width: 16, height: 16), index: 0)
  }

  var presenter: any Presenter { self }
  func add(to loop: FrameLoop, mode: FrameLoop.Mode) {}
  func acquireBuffer() -> PresentationBuffer? { buffer }
  func present(_ buffer: PresentationBuffer, damage: DamageRegion, target: MonotonicTime?) throws {
    refused += 1
    throw SystemError(call: "present", errno: 22)
  }
  func invalidate() { ticker.invalidate() }
}
