import FrameTiming
import FramepaceTesting
import Metering
import XCTest

@testable import Framepace

/// The costs of layers, and the advice that follows, on manual time.
@preconcurrency @MainActor final class LayerCostsTests: XCTestCase {
  private static let interval = Nanoseconds.milliseconds(10)

  /// Draws for a time in each frame: on the main thread, or on a worker, whose time is none of the main thread's.
  private final class Chart: Layer {
    private let clock: ManualClock
    private let isAsynchronous: Bool
    var time = Nanoseconds.zero

    init(clock: ManualClock, isAsynchronous: Bool = false) {
      self.clock = clock
      self.isAsynchronous = isAsynchronous
      super.init()
      bounds = Rect(x: 0, y: 0, width: 8, height: 4)
    }

    override func makeDrawing() -> (any Drawing)? { isAsynchronous ? Nothing() : nil }
    override func draw(in context: DrawingContext) { clock.advance(by: time) }

    private struct Nothing: Drawing {
      func draw(in context: DrawingContext) {}
    }
  }

  private struct Stage {
    let stage: ManualStage<VirtualDisplay>
    let chart: Chart
    let link: DisplayLink
    let costs: LayerCosts

    @MainActor
    init(isAsynchronous: Bool = false, scale: Double = 1, time: Nanoseconds) throws {
      let stage = try ManualStage(
        width: 32, height: 32, rate: RefreshRate(hertz: 100) ?? .hertz60, scale: scale)
      let chart = Chart(clock: stage.clock, isAsynchronous: isAsynchronous)
      (chart.name, chart.time) = ("chart", time)
      stage.root.addSublayer(chart)
      (self.stage, self.chart) = (stage, chart)
      costs = stage.engine.measureLayers()
      link = stage.engine.makeDisplayLink { _ in chart.setNeedsDisplay() }
    }

    @MainActor
    func end() {
      link.invalidate()
      stage.engine.invalidate()
    }
  }

  /// 8 × 4 points at scale 2 are 16 × 8 pixels; each drawing takes 3 ms of 10.
  func testWhatALayerCosts() throws {
    let run = try Stage(scale: 2, time: .milliseconds(3))
    defer { run.end() }
    run.stage.run(for: .milliseconds(505))
    let row = try XCTUnwrap(run.costs.summary.rows.first)
    XCTAssertEqual(row.layer, "chart")
    XCTAssertEqual(row.work, .drawing)
    XCTAssertEqual(row.mean, .milliseconds(3))
    XCTAssertEqual(row.maximum, .milliseconds(3))
    XCTAssertEqual(row.time, .milliseconds(3) * Int64(row.count))
    XCTAssertEqual(row.pixels, 128 * row.count)
    XCTAssertGreaterThan(row.count, 40)
    let frame = try XCTUnwrap(run.stage.frames.last)
    XCTAssertEqual(frame.slowestLayer, FrameRecord.LayerTime(layer: run.chart.id, phase: .display, time: .milliseconds(3)))
    XCTAssertEqual(Array(frame.layerTimes), [try XCTUnwrap(frame.slowestLayer)])
    XCTAssertEqual(run.costs.summary.name(of: run.chart.id), "chart")
    XCTAssertNil(run.costs.summary.name(of: .max))
  }

  /// Following the advice helps by at least half of what it says: it says 3.1 ms, and display takes 3.1 ms less.
  func testAdviceHelps() throws {
    func display(isAsynchronous: Bool) throws -> (Nanoseconds, [LayerCosts.Advice]) {
      let run = try Stage(isAsynchronous: isAsynchronous, time: .microseconds(3_100))
      defer { run.end() }
      run.stage.run(for: .milliseconds(505))
      let frames = run.stage.frames
      let time = frames.dropFirst(2).map { $0.phases[.display] }.max() ?? .zero
      return (time, run.costs.summary.advice(frames: frames.count, budget: Self.interval))
    }
    let (before, advice) = try display(isAsynchronous: false)
    XCTAssertEqual(advice.map(\.layer), ["chart"])
    let saving = try XCTUnwrap(advice.first?.saving)
    XCTAssertEqual(saving, .microseconds(3_100))
    XCTAssertTrue(advice[0].text.hasPrefix("'chart' is drawn on the main thread: makeDrawing() would take 3.1 ms out of"))
    let (after, rest) = try display(isAsynchronous: true)
    XCTAssertGreaterThanOrEqual(before - after, saving / 2)
    XCTAssertTrue(rest.isEmpty)
  }

  /// A drawing of less than a twentieth of the budget, and one in few frames, are not worth it.
  func testNoAdviceWithoutFigures() throws {
    let run = try Stage(time: .microseconds(499))
    defer { run.end() }
    run.stage.run(for: .milliseconds(505))
    let frames = run.stage.frames.count
    XCTAssertTrue(run.costs.summary.advice(frames: frames, budget: Self.interval).isEmpty)
    XCTAssertEqual(run.costs.summary.advice(frames: frames, budget: .microseconds(9_980)).count, 1)
    XCTAssertTrue(run.costs.summary.advice(frames: frames * 11, budget: .microseconds(9_980)).isEmpty)
  }

  /// Two frames whose drawing takes 12 ms are late in display of the layer, and the verdict names it.
  func testTheVerdictNamesTheLayer() throws {
    let run = try Stage(time: .milliseconds(2))
    defer { run.end() }
    run.stage.run(for: .milliseconds(300))
    for _ in 0..<2 {
      run.chart.time = .milliseconds(12)
      run.stage.run(for: .milliseconds(10))
      run.chart.time = .milliseconds(2)
      run.stage.run(for: .milliseconds(100))
    }
    var profile = PhaseProfile(refreshRate: RefreshRate(hertz: 100) ?? .hertz60)
    for frame in run.stage.frames { profile.add(frame) }
    XCTAssertEqual(profile.lateFrames, 2)
    XCTAssertTrue(
      profile.verdict { run.costs.summary.name(of: $0) }.hasSuffix("frames late: both in display of layer 'chart'"),
      profile.verdict { run.costs.summary.name(of: $0) })
    XCTAssertTrue(profile.verdict().hasSuffix("frames late: both in display"))
  }
}
