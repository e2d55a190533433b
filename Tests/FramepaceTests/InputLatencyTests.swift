import FrameTiming
import Framepace
import FramepaceTesting
import Metering
import XCTest

/// The latency from input to the first frame after it, on manual time at 100 Hz.
@preconcurrency @MainActor final class InputLatencyTests: XCTestCase {
  private static let rate = RefreshRate(hertz: 100) ?? .hertz60

  @MainActor
  private struct Stage {
    let stage: ManualStage<VirtualDisplay>
    let start: MonotonicTime
    let layer = Layer()
    private let meter = FPSMeter(refreshRate: InputLatencyTests.rate)

    init() throws {
      stage = try ManualStage(width: 32, height: 32, rate: InputLatencyTests.rate)
      layer.bounds = Rect(x: 0, y: 0, width: 8, height: 8)
      layer.backgroundColor = .white
      stage.root.addSublayer(layer)
      stage.engine.output.observe { [meter] in meter.record($0) }.keep()
      stage.run(for: .milliseconds(100))
      start = stage.clock.now
    }

    func move() { Transaction.withoutActions { layer.position.x += 1 } }

    /// Lets a turn run `body` so many milliseconds after the start.
    func at(_ milliseconds: Int64, _ body: @escaping @MainActor () -> Void) {
      let timer = FrameLoop.Timer(fireTime: start + .milliseconds(milliseconds), .onMain { _ in body() })
      stage.loop.add(timer, to: .common)
    }

    func time(_ milliseconds: Int64) -> MonotonicTime { start + .milliseconds(milliseconds) }

    var inputs: [MonotonicTime] { stage.frames.compactMap(\.input) }
    var report: FrameReport { meter.report() }
  }

  /// An event that arrived 2 ms before its turn is seen at the next vblank, which ends the idle time.
  func testAfterAPause() throws {
    let run = try Stage()
    defer { run.stage.engine.invalidate() }
    run.at(53) {
      run.stage.engine.inputArrived(at: run.time(51))
      run.move()
    }
    run.stage.run(for: .milliseconds(200))
    XCTAssertEqual(run.inputs, [run.time(51)])
    let frame = try XCTUnwrap(run.stage.frames.last)
    XCTAssertEqual(frame.input, run.time(51))
    let report = run.report.inputLatency
    XCTAssertEqual(report.count, 1)
    XCTAssertEqual(report.maximum, frame.presented - run.time(51))
    XCTAssertGreaterThan(try XCTUnwrap(report.maximum), .milliseconds(2))
    XCTAssertLessThanOrEqual(try XCTUnwrap(report.maximum), .milliseconds(12))
  }

  /// The first of several events between two frames counts, in one frame: the first after them, which another turn makes.
  func testSeveralEventsBeforeAFrame() throws {
    let run = try Stage()
    let link = run.stage.engine.makeDisplayLink { _ in run.move() }
    defer {
      link.invalidate()
      run.stage.engine.invalidate()
    }
    for event in [41, 43, 44] as [Int64] {
      run.at(event) {
        run.stage.engine.inputArrived(at: run.time(event - 1))
        run.move()
      }
    }
    run.stage.run(for: .milliseconds(200))
    XCTAssertEqual(run.inputs, [run.time(40)])
    let frames = run.stage.frames
    let index = try XCTUnwrap(frames.firstIndex { $0.input != nil })
    // The frame before it was begun before the last event; it was begun after it.
    XCTAssertLessThan(frames[index - 1].submitted, run.time(44))
    XCTAssertGreaterThanOrEqual(frames[index].submitted, run.time(44))
  }

  /// An event that changes nothing belongs to no frame, also not to one that comes later.
  func testAnEventThatChangesNothing() throws {
    let run = try Stage()
    defer { run.stage.engine.invalidate() }
    run.at(20) { run.stage.engine.inputArrived(at: run.time(19)) }
    run.at(70) { run.move() }
    run.stage.run(for: .milliseconds(200))
    XCTAssertEqual(run.inputs, [])
    XCTAssertEqual(run.report.inputLatency.count, 0)
    XCTAssertGreaterThanOrEqual(try XCTUnwrap(run.stage.frames.last).submitted, run.time(70))
  }

  /// Events come from the past.
  func testATimeToComeIsNow() throws {
    let run = try Stage()
    defer { run.stage.engine.invalidate() }
    run.at(20) {
      run.stage.engine.inputArrived(at: run.time(5_000))
      run.move()
    }
    run.stage.run(for: .milliseconds(100))
    XCTAssertEqual(run.inputs, [run.time(20)])
  }

  /// Each display has the event in its own next frame.
  func testOnEachDisplay() throws {
    let run = try Stage()
    defer { run.stage.engine.invalidate() }
    let display = try VirtualDisplay(
      width: 32, height: 32, source: FallbackClock(refreshRate: .hertz60, reason: "a test", clock: run.stage.loop.clock),
      reason: "a test", clock: run.stage.loop.clock)
    var mirrored: [MonotonicTime] = []
    run.stage.engine.mirror(on: display).observe { event in
      if case .presented(let frame) = event, let input = frame.input { mirrored.append(input) }
    }.keep()
    run.stage.run(for: .milliseconds(50))
    run.at(80) {
      run.stage.engine.inputArrived(at: run.time(78))
      run.move()
    }
    run.stage.run(for: .milliseconds(150))
    XCTAssertEqual(run.inputs, [run.time(78)])
    XCTAssertEqual(mirrored, [run.time(78)])
  }
}
