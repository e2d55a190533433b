import Geometry
import LinuxSystem
import XCTest

@testable import Layers

/// How often animations ask to be shown.
@preconcurrency @MainActor final class AnimationRateTests: XCTestCase {
  func testTheFastestCounts() {
    let stage = Stage()
    let (one, other) = (Layer(), Layer())
    stage.root.add(one, other)
    stage.turn()
    func rate(after milliseconds: Int64 = 0) -> FrameRateRange {
      stage.turn(after: milliseconds)
      return stage.context.frameRateRange
    }
    XCTAssertEqual(rate(), .default)
    let slow = FrameRateRange(minimum: 20, maximum: 30, preferred: 24)
    let fast = FrameRateRange(minimum: 10, maximum: 60, preferred: 50)
    let both = FrameRateRange(minimum: 20, maximum: 60, preferred: 50)
    one.add(Self.fade(fast), forKey: "a")
    XCTAssertEqual(rate(), fast)
    one.add(Self.fade(slow), forKey: "b")
    XCTAssertEqual(rate(), both, "of one layer")
    one.removeAnimation(forKey: "a")
    XCTAssertEqual(rate(), slow)
    other.add(Self.fade(fast), forKey: "a")
    XCTAssertEqual(rate(), both, "of several")
    one.removeAllAnimations()
    one.add(Self.fade(slow), forKey: "b")
    stage.root.add(Self.fade(.default), forKey: "a")
    XCTAssertEqual(rate(), .default.union(both))
    stage.root.removeAllAnimations()
    XCTAssertEqual(rate(), both)
    XCTAssertEqual(rate(after: 2000), .default)
  }

  /// One that stays for the value that it fills asks for no frames once it is over.
  func testOneThatIsOverDoesNotCount() {
    let stage = Stage()
    stage.turn()
    let slow = FrameRateRange(minimum: 20, maximum: 30)
    stage.root.add(Self.fade(slow), forKey: "slow")
    var kept = Self.fade(.default)
    (kept.duration, kept.fillMode, kept.isRemovedOnCompletion) = (.milliseconds(100), .forwards, false)
    stage.root.add(kept, forKey: "kept")
    stage.turn()
    XCTAssertEqual(stage.context.frameRateRange, FrameRateRange.default.union(slow))
    stage.turn(after: 200)
    XCTAssertEqual(stage.root.animationKeys, ["slow", "kept"])
    XCTAssertEqual(stage.context.frameRateRange, slow)
  }

  /// One that was over counts again when its clock goes back, until it is over once more; nobody is told of that.
  func testOneWhoseClockGoesBackCountsAgain() {
    for speed in [1.0, -1] {
      let (stage, layer) = Stage.showing(Layer())
      let (slow, log) = (FrameRateRange(minimum: 20, maximum: 30), Log())
      let both = FrameRateRange.default.union(slow)
      var long = Self.fade(slow)
      long.duration = .seconds(60)
      stage.root.add(long)
      var kept = Self.fade(.default)
      (kept.duration, kept.fillMode, kept.isRemovedOnCompletion) = (.milliseconds(100), .forwards, false)
      kept.completion = { log.append("end \($0)") }
      layer.add(kept, forKey: "kept")
      stage.turn()
      stage.turn(after: 200)
      XCTAssertEqual(stage.context.frameRateRange, slow)
      (layer.beginTime, layer.timeOffset, layer.speed) = (stage.now, .milliseconds(speed > 0 ? 50 : 150), speed)
      stage.turn()
      XCTAssertEqual(stage.context.frameRateRange, both, "speed \(speed)")
      _ = stage.tree(after: 49)
      XCTAssertFalse(stage.context.isDirty, "speed \(speed)")
      _ = stage.tree(after: 50)
      XCTAssertEqual(stage.context.isDirty, speed > 0, "its end is to be seen")
      stage.turn(after: 50)
      XCTAssertEqual(stage.context.frameRateRange, speed > 0 ? slow : both, "speed \(speed)")
      layer.removeAnimation(forKey: "kept")
      stage.turn()
      XCTAssertEqual(stage.context.frameRateRange, slow, "speed \(speed)")
      XCTAssertEqual(log.entries, ["end true"], "speed \(speed)")
    }
  }

  /// The clock of a layer above may be the one that goes back.
  func testOneUnderAClockThatGoesBackCountsAgain() {
    let (stage, outer) = Stage.showing(Layer())
    let inner = Layer()
    outer.addSublayer(inner)
    let slow = FrameRateRange(minimum: 20, maximum: 30)
    var kept = Self.fade(slow)
    (kept.duration, kept.fillMode, kept.isRemovedOnCompletion) = (.milliseconds(100), .forwards, false)
    inner.add(kept, forKey: "kept")
    stage.turn()
    stage.turn(after: 200)
    XCTAssertEqual(stage.context.frameRateRange, .default)
    (outer.beginTime, outer.timeOffset, outer.speed) = (stage.now, .zero + (stage.now - .zero), -1)
    stage.turn()
    XCTAssertEqual(stage.context.frameRateRange, slow)
    stage.turn(after: 150)
    XCTAssertNotEqual(inner.presentation(at: stage.now).opacity, 1)
    XCTAssertEqual(stage.context.frameRateRange, slow)
  }

  private static func fade(_ range: FrameRateRange) -> BasicAnimation {
    var fade = BasicAnimation(.opacity, from: 0, to: 1, duration: .seconds(1))
    fade.preferredFrameRateRange = range
    return fade
  }
}
