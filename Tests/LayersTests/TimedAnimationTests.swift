import Geometry
import LinuxSystem
import Testing

@testable import Layers

/// The edges of the values of an animation, beside those in `MediaTimingTableTests` and the facts. The animation takes the opacity from
/// 10 to 20 over 100 ms and begins at 1,000 ms; the layer's own value is 5.
@Suite struct TimedAnimationTests {
  private let animation = BasicAnimation(
    .opacity, from: 10, to: 20, beginTime: milliseconds(1000), duration: .milliseconds(100))

  private func value(at time: Int64, _ change: (inout BasicAnimation) -> Void) -> Double {
    var animation = animation
    change(&animation)
    let timed = TimedAnimation(animation, TimedAnimation.Defaults(duration: .milliseconds(200), timingFunction: .linear))
      .begun(at: milliseconds(1000))
    var values = AnimatableValues()
    values.opacity = 5
    timed.apply(to: &values, at: milliseconds(time))
    return values.opacity
  }

  @Test func whatTheCommitBeginsNeverShowsTheNewValueBefore() {
    #expect(value(at: 900) { $0.beginTime = nil } == 10)
  }

  @Test func repetitions() {
    #expect(value(at: 1_000_000_000_000 + 1030) { $0.repeatCount = .infinity } == 13, "exact after 30 years")
    #expect(value(at: 1050) { $0.repeatCount = .nan } == 15, "a count that is none is 1")
  }

  @Test func withoutDuration() {
    for duration in [Nanoseconds.zero, .milliseconds(-5)] {
      let values = [1000, 1100, 1200, 1201].map { value(at: $0) { $0.duration = duration } }
      #expect(values == [10, 15, 20, 5], "the default")
    }
    // The transaction has no duration either.
    var still = MediaTiming()
    (still.duration, still.repeatCount) = (.zero, .infinity)
    #expect(still.moment(at: .zero)?.progress == 1)
    #expect(still.moment(at: milliseconds(1)) == nil, "over at once, also for ever")
    still.fillMode = .forwards
    #expect(still.moment(at: milliseconds(1))?.progress == 1)
    still.autoreverses = true
    #expect(still.moment(at: milliseconds(1))?.progress == 0)
  }

  @Test func speedsThatAreNone() {
    #expect(value(at: 1050) { $0.speed = .nan } == 15, "counts as 1")
    #expect(value(at: 1_000_000) { $0.speed = 1e-300 } == 10, "no end that could be told")
  }

  /// Maps do not commute: what is added comes after what it is added to.
  @Test func addedMaps() {
    var values = AnimatableValues()
    values.affineTransform = .translation(x: 10, y: 0)
    var grow = BasicAnimation(.transform, from: .scale(2), to: .scale(2), duration: .milliseconds(100))
    (grow.beginTime, grow.isAdditive) = (.zero, true)
    TimedAnimation(grow, .tests).apply(to: &values, at: milliseconds(50))
    #expect(values.affineTransform == Affine.translation(x: 10, y: 0).concatenating(.scale(2)))
    var climb = BasicAnimation(
      .transform, from: .translation(x: 4, y: 0), to: .scale(2), duration: .milliseconds(100), repeatCount: 3)
    (climb.beginTime, climb.isCumulative) = (.zero, true)
    TimedAnimation(climb, .tests).apply(to: &values, at: milliseconds(200))
    #expect(values.affineTransform == Affine.translation(x: 4, y: 0).concatenating(.scale(4)))
  }

  /// As one after the other, by maps that do not commute.
  @Test func severalAreSeenInTheirOrder() {
    let animations = (0..<9).map { index in
      let map = index % 2 == 0 ? Affine.scale(2) : .translation(x: Double(index), y: 0)
      var animation = BasicAnimation(.transform, from: Transform3D(map), to: Transform3D(map))
      animation.isAdditive = true
      return TimedAnimation(animation, .tests).begun(at: .zero)
    }
    for count in 0...animations.count {
      var (values, expected) = (AnimatableValues(), AnimatableValues())
      AnimationStack.make(animations[..<count])?.apply(to: &values, at: milliseconds(50))
      for animation in animations[..<count] { animation.apply(to: &expected, at: milliseconds(50)) }
      #expect(values.affineTransform == expected.affineTransform)
      #expect(AnimationStack.make(animations[..<count])?.contains { $0 === animations[8] } ?? false == (count == 9))
    }
  }

  @Test func veryManyAreNoDeepRecursion() {
    let animation = TimedAnimation(animation, .tests)
    var values = AnimatableValues()
    AnimationStack.make(Array(repeating: animation, count: 200_000)[...])?.apply(to: &values, at: milliseconds(1050))
    #expect(values.opacity == 15)
  }

  /// Many repetitions that add up cost a few steps.
  @Test func manyRepetitionsAddUp() {
    var turn = BasicAnimation(.transform, from: .identity, to: .rotation(1), duration: .milliseconds(1))
    (turn.beginTime, turn.repeatCount, turn.isCumulative) = (.zero, .infinity, true)
    var values = AnimatableValues()
    TimedAnimation(turn, .tests).apply(to: &values, at: milliseconds(1_000_000))
    let whole = Affine.rotation(1_000_000)
    #expect(abs(values.affineTransform.a - whole.a) < 1e-6 && abs(values.affineTransform.b - whole.b) < 1e-6)
  }
}
