import Framepace
import FramepaceTesting
import Presentation
import XCTest

/// Outputs that show fewer frames than their display could.
@preconcurrency @MainActor final class FrameRateTests: XCTestCase {
  /// An animation at half the display's rate: a frame every second interval, none of them late, and none of those between missed.
  func testAnOutputKeepsTheRateOfItsLink() throws {
    let stage = try ManualStage(width: 32, height: 32, rate: .hertz60)
    stage.engine.output.displayLink?.preferredFrameRateRange = FrameRateRange(minimum: 30, maximum: 30)
    let layer = stage.addAnimatedSquare()
    // Another link at the full rate changes layers in between.
    let link = stage.engine.makeDisplayLink { link in
      Transaction.withoutActions { layer.position.y = Double(link.frameNumber % 16) }
    }
    var missed: UInt64 = 0
    var ticks = 0
    stage.engine.output.observe { event in
      guard case .tick(let tick) = event else { return }
      missed += tick.missed
      ticks += 1
    }.keep()
    stage.run(for: .seconds(4))
    let frames = stage.frames.dropFirst(3)
    XCTAssertEqual(Double(frames.count), 117, accuracy: 2)
    for (first, second) in zip(frames, frames.dropFirst()) {
      XCTAssertEqual((second.presented - first.presented).count, 33_333_333, accuracy: 2)
      XCTAssertEqual(second.frameNumber, first.frameNumber + 2)
    }
    for frame in frames { XCTAssertFalse(frame.isLate(interval: link.duration)) }
    XCTAssertEqual(missed, 0)
    XCTAssertEqual(Double(ticks), 120, accuracy: 2)
    stage.engine.invalidate()
  }

  /// Nothing wakes for an animation that waits for its beginning, and it begins in the frame in which it should. Also where the clock of
  /// its layer, or of a copy, is another one.
  func testADisplayRestsUntilAnAnimationBegins() throws {
    for (speed, delay) in [(1.0, Nanoseconds.zero), (0.5, .zero), (1, .milliseconds(700))] {
      let stage = try ManualStage(width: 32, height: 32, rate: .hertz60)
      let copies = ReplicatorLayer(frame: stage.root.bounds)
      let layer = Layer(frame: Rect(x: 0, y: 0, width: 8, height: 8))
      (copies.instanceCount, copies.instanceDelay, copies.instanceTransform) = (2, delay, .translation(x: 0, y: 12))
      (copies.speed, layer.backgroundColor) = (speed, .white)
      copies.addSublayer(layer)
      stage.root.addSublayer(copies)
      stage.run(for: .milliseconds(500))
      let begin = stage.clock.now + .seconds(2)
      var move = BasicAnimation(.positionX, from: 20, to: 28, duration: .milliseconds(Int64(100 * speed)))
      var starts = 0
      move.beginTime = layer.convertTime(begin, from: nil)
      move.didStart = { starts += 1 }
      layer.add(move)
      stage.run(for: .milliseconds(100))
      var ticks: [MonotonicTime] = []
      stage.engine.output.observe { if case .tick(let tick) = $0 { ticks.append(tick.delivered) } }.keep()
      let first = stage.frames.count
      stage.run(for: .seconds(4))
      let frames = stage.frames[first...]
      XCTAssertEqual(starts, 1)
      XCTAssertGreaterThan(try XCTUnwrap(ticks.first), begin - .milliseconds(150))
      // The first frame is the first that is seen at the beginning or later: six intervals, and for the copy six later ones.
      let lead = try XCTUnwrap(frames.first).target - begin
      XCTAssertGreaterThanOrEqual(lead, .zero)
      XCTAssertLessThan(lead, .milliseconds(17))
      XCTAssertEqual(Double(frames.count), delay == .zero ? 7 : 15, accuracy: 1)
      stage.engine.invalidate()
    }
  }

  /// A program that was stopped, or busy, while an animation should have run shows its end, and hears of it.
  func testWhatIsOverWhenTheLoopWakesIsTold() throws {
    let stage = try ManualStage(width: 32, height: 32, rate: .hertz60)
    let layer = Layer(frame: Rect(x: 0, y: 0, width: 8, height: 8))
    layer.backgroundColor = .white
    stage.root.addSublayer(layer)
    stage.run(for: .milliseconds(500))
    var news: [String] = []
    var move = BasicAnimation(.positionX, from: 4, to: 28, duration: .milliseconds(500))
    (move.beginTime, move.fillMode, move.isRemovedOnCompletion) = (stage.clock.now + .seconds(1), .both, false)
    move.didStart = { news.append("start") }
    move.completion = { news.append("end, finished: \($0)") }
    layer.add(move)
    stage.run(for: .milliseconds(300))
    XCTAssertEqual(news, [])
    stage.clock.advance(to: stage.clock.now + .seconds(5))
    stage.run(for: .milliseconds(100))
    XCTAssertEqual(news, ["start", "end, finished: true"])
    let picture = try stage.display.capture()
    XCTAssertEqual(picture.row(4).load(fromByteOffset: 4 * 28, as: UInt32.self) & 0xFFFFFF, 0xFFFFFF)
    stage.engine.invalidate()
  }

  /// An animation that asks for half the display's rate has it, unless another one, or a change of a layer, needs more.
  func testAnOutputKeepsTheRateOfItsAnimations() throws {
    let stage = try ManualStage(width: 32, height: 32, rate: .hertz60)
    let layer = Layer(frame: Rect(x: 0, y: 0, width: 8, height: 8))
    layer.backgroundColor = .white
    stage.root.addSublayer(layer)
    var slow = BasicAnimation(.positionX, from: 0, to: 30, duration: .seconds(1), repeatCount: .infinity)
    slow.preferredFrameRateRange = FrameRateRange(minimum: 20, maximum: 30)
    layer.add(slow)
    @MainActor func frames(in duration: Nanoseconds) -> Double {
      let before = stage.frames.count
      stage.run(for: duration)
      return Double(stage.frames.count - before)
    }
    stage.run(for: .seconds(1))
    XCTAssertEqual(frames(in: .seconds(2)), 60, accuracy: 1)
    layer.add(BasicAnimation(.positionY, from: 0, to: 30, duration: .seconds(1), repeatCount: .infinity), forKey: "fast")
    stage.run(for: .seconds(1))
    XCTAssertEqual(frames(in: .seconds(2)), 120, accuracy: 1)
    layer.removeAnimation(forKey: "fast")
    stage.run(for: .seconds(1))
    XCTAssertEqual(frames(in: .seconds(2)), 60, accuracy: 1)
    let link = stage.engine.makeDisplayLink { link in
      Transaction.withoutActions { layer.opacity = link.frameNumber % 2 == 0 ? 1 : 0.5 }
    }
    stage.run(for: .seconds(1))
    XCTAssertEqual(frames(in: .seconds(2)), 120, accuracy: 1)
    link.invalidate()
    stage.engine.invalidate()
  }

  /// A layer that draws itself from a property is drawn for the time for which each frame is made.
  func testFramesAreDrawnForTheirTime() throws {
    let stage = try ManualStage(width: 32, height: 32, rate: .hertz60)
    let gauge = Gauge(frame: Rect(x: 0, y: 0, width: 8, height: 8))
    gauge.setNeedsDisplay()
    stage.root.addSublayer(gauge)
    stage.run(for: .milliseconds(100))
    let before = stage.frames.count
    gauge.drawn.removeAll()
    gauge.add(BasicAnimation(Gauge.level, from: 0, to: 1, duration: .seconds(1)), forKey: "level")
    stage.loop.wakeUp()
    stage.run(for: .milliseconds(500))
    let begin = try XCTUnwrap(gauge.animation(forKey: "level")?.beginTime)
    let expected = stage.frames.dropFirst(before).map { ($0.animationTime - begin).seconds }
    XCTAssertGreaterThan(expected.count, 25)
    for (drawn, expected) in zip(gauge.drawn, expected) { XCTAssertEqual(drawn, expected, accuracy: 1e-9) }
    stage.run(for: .seconds(1))
    let count = gauge.drawn.count
    stage.run(for: .seconds(1))
    XCTAssertEqual(gauge.drawn.count, count, "nothing is drawn for nothing")
    stage.engine.invalidate()
  }

  /// Frames that take 1.3 intervals: after two seconds one is made every second interval, in time for it; and when they take
  /// less again, at every one.
  func testAnOutputBecomesSlowerAndFaster() throws {
    for isAutomatic in [true, false] {
      let stage = try ManualStage(width: 32, height: 32, rate: .hertz60)
      if isAutomatic { stage.engine.output.automaticInterval = AutomaticInterval() }
      _ = stage.addAnimatedSquare()
      let load = Load()
      stage.engine.output.observe { if case .tick = $0 { stage.clock.advance(by: load.work) } }.keep()
      let lateFrames = { (duration: Nanoseconds) -> (late: Int, all: Int) in
        let before = stage.frames.count
        stage.run(for: duration)
        let frames = stage.frames.dropFirst(before)
        return (frames.filter { $0.isLate(interval: .milliseconds(16)) }.count, frames.count)
      }
      stage.run(for: .seconds(3))
      XCTAssertEqual(lateFrames(.seconds(2)).all, 120)

      load.work = .microseconds(21_667)
      stage.run(for: .milliseconds(2300))
      let heavy = lateFrames(.seconds(2))
      XCTAssertEqual(Double(heavy.all), 60, accuracy: 1)
      XCTAssertEqual(heavy.late, isAutomatic ? 0 : heavy.all)
      XCTAssertEqual(stage.engine.output.automaticInterval?.intervals, isAutomatic ? 2 : nil)
      XCTAssertEqual(stage.engine.output.displayLink?.intervalsPerTick, isAutomatic ? 2 : 1)

      load.work = .milliseconds(4)
      stage.run(for: .milliseconds(2100))
      let light = lateFrames(.seconds(2))
      XCTAssertEqual(light.all, 120)
      XCTAssertEqual(light.late, 0)
      stage.engine.invalidate()
    }
  }

  /// An output that may not be slower than its link's minimum is not, however late its frames are; and neither is another link.
  func testAnOutputIsNotSlowerThanItsMinimum() throws {
    for (minimum, intervals) in [(60.0, 1), (30, 2), (0, 3)] {
      let stage = try ManualStage(width: 32, height: 32, rate: .hertz60)
      stage.engine.output.automaticInterval = AutomaticInterval()
      stage.engine.output.displayLink?.preferredFrameRateRange = FrameRateRange(minimum: minimum, maximum: 60)
      _ = stage.addAnimatedSquare()
      let quick = stage.engine.makeDisplayLink { _ in }
      quick.preferredFrameRateRange = FrameRateRange(minimum: 30)
      stage.engine.output.observe { if case .tick = $0 { stage.clock.advance(by: .milliseconds(40)) } }.keep()
      stage.run(for: .seconds(5))
      XCTAssertEqual(stage.engine.output.automaticInterval?.intervals, intervals, "at least \(minimum) Hz")
      XCTAssertEqual(stage.engine.output.displayLink?.intervalsPerTick, intervals, "at least \(minimum) Hz")
      XCTAssertEqual(quick.intervalsPerTick, min(intervals, 2), "at least \(minimum) Hz")
      // The minimum rises while the output is slow.
      stage.engine.output.displayLink?.preferredFrameRateRange = FrameRateRange(minimum: 60)
      stage.run(for: .seconds(1))
      XCTAssertEqual(stage.engine.output.automaticInterval?.intervals, 1)
      XCTAssertEqual(stage.engine.output.displayLink?.intervalsPerTick, 1)
      stage.engine.invalidate()
    }
  }

  /// Other work of the loop now and then takes longer than an interval of a fixed half rate: a frame after it is late at most, no frame
  /// comes between those of two ticks, and none is seen before the vblank that it was made for.
  func testOtherWorkLeavesAFixedRateEven() throws {
    for work in [12, 20, 30, 45] as [Int64] {
      let stage = try ManualStage(width: 32, height: 32, rate: .hertz60)
      stage.engine.output.displayLink?.preferredFrameRateRange = FrameRateRange(minimum: 30, maximum: 30)
      _ = stage.addAnimatedSquare()
      let timer = FrameLoop.Timer(
        fireTime: stage.clock.now + .milliseconds(200), interval: .milliseconds(370),
        .onMain { _ in stage.clock.advance(by: .milliseconds(work)) })
      stage.loop.add(timer, to: .common)
      stage.run(for: .seconds(6))
      let frames = stage.frames.dropFirst()
      XCTAssertGreaterThan(frames.count, 150, "\(work) ms")
      for (first, second) in zip(frames, frames.dropFirst()) {
        XCTAssertGreaterThan(second.presented - first.presented, .milliseconds(16), "\(work) ms")
        XCTAssertNotNil(second.promised, "\(work) ms")
      }
      for frame in frames { XCTAssertFalse(frame.isEarly(interval: .milliseconds(16)), "\(work) ms: \(frame)") }
      stage.engine.invalidate()
    }
  }

  /// Frames of a fixed half rate of which some take more than one interval: each is seen two after the one before, and the rate stays.
  func testAFixedRateIsEven() throws {
    for policy in FramePolicy.allCases {
      let stage = try ManualStage(width: 32, height: 32, rate: .hertz60)
      stage.engine.output.policy = policy
      stage.engine.output.displayLink?.preferredFrameRateRange = FrameRateRange(minimum: 30, maximum: 30)
      stage.addUnevenWork()
      for _ in 0..<50 {
        stage.run(for: .milliseconds(100))
        XCTAssertEqual(stage.engine.output.displayLink?.intervalsPerTick, 2, "\(policy)")
      }
      let before = stage.frames.count
      stage.run(for: .seconds(5))
      let frames = stage.frames.dropFirst(before)
      XCTAssertEqual(Double(frames.count), 150, accuracy: 1, "\(policy)")
      let seen = frames.map(\.presented)
      for (first, second) in zip(seen, seen.dropFirst()) {
        XCTAssertEqual((second - first).count, 33_333_333, accuracy: 2, "\(policy)")
      }
      for frame in frames { XCTAssertEqual(frame.animationTime, frame.presented, "\(policy): \(frame)") }
      stage.engine.invalidate()
    }
  }

  /// Frames of which some take much less than others, at every second interval: each is seen two intervals after the one
  /// before, at the vblank that it was made for, however early it was ready.
  func testASlowerOutputIsEven() throws {
    for policy in FramePolicy.allCases {
      let stage = try ManualStage(width: 32, height: 32, rate: .hertz60)
      stage.engine.output.policy = policy
      stage.addUnevenWork()
      stage.run(for: .seconds(5))
      XCTAssertEqual(stage.engine.output.automaticInterval?.intervals, 2)
      let before = stage.frames.count
      stage.run(for: .seconds(5))
      let frames = stage.frames.dropFirst(before)
      XCTAssertEqual(Double(frames.count), 150, accuracy: 1, "\(policy)")
      let seen = frames.map(\.presented)
      for (first, second) in zip(seen, seen.dropFirst()) {
        XCTAssertEqual((second - first).count, 33_333_333, accuracy: 2, "\(policy)")
      }
      for frame in frames {
        XCTAssertEqual(frame.lateness.count, 0, accuracy: 2, "\(policy): \(frame)")
        XCTAssertEqual(frame.animationTime, frame.target, "\(policy): \(frame)")
        let isQuick = frame.work < .milliseconds(5)
        XCTAssertEqual(frame.heldBack > .zero, isQuick, "\(policy): \(frame)")
        XCTAssertLessThanOrEqual(frame.target - frame.submitted, .microseconds(16_667), "\(policy): \(frame)")
      }
      stage.engine.invalidate()
    }
  }
}

extension ManualStage {
  /// Lets frames of a moving square, at every second interval, take long or short times.
  func addUnevenWork() {
    engine.output.automaticInterval = AutomaticInterval()
    _ = addAnimatedSquare()
    var count = 0
    engine.output.observe { [clock] event in
      guard case .tick = event else { return }
      count += 1
      clock.advance(by: .microseconds(count % 5 < 2 ? 21_667 : 4_000))
    }.keep()
  }
}

/// A layer as high as its level.
private final class Gauge: Layer {
  static let level = AnimatableKey("level", default: 0.5)
  var drawn: [Double] = []

  override class func needsDisplay(forKey property: AnimatableProperty) -> Bool { property == level.property }

  override func draw(in context: DrawingContext) {
    let level = presentation[Self.level]
    drawn.append(level)
    context.fill(Rect(x: 0, y: 0, width: 8, height: 8), color: Color(red: level, green: 1, blue: 0))
  }
}

/// The work at each tick of an output.
@MainActor
private final class Load {
  var work = Nanoseconds.milliseconds(4)
}
