import Geometry
import LinuxSystem
import Testing

@testable import Layers

/// The values of an animation of the opacity from 10 to 20 over 100 ms that begins at 1,000 ms; the layer's own value is 5.
@Suite struct TimedAnimationTests {
  private func shown(
    at time: Int64, repeats: Double = 1, back: Bool = false, fill: MediaTiming.FillMode = .removed,
    duration: Nanoseconds = .milliseconds(100), timing: TimingFunction? = nil, atCommit: Bool = false
  ) -> Double {
    value(
      BasicAnimation(
        .opacity, from: 10, to: 20, beginTime: atCommit ? nil : milliseconds(1000), duration: duration,
        timingFunction: timing, repeatCount: repeats, autoreverses: back, fillMode: fill),
      at: time)
  }

  private func value(_ animation: BasicAnimation, at time: Int64) -> Double {
    var timed = TimedAnimation(animation, TimedAnimation.Defaults(duration: .milliseconds(200), timingFunction: .linear))
    timed.begin(at: milliseconds(1000))
    var values = AnimatableValues()
    values.opacity = 5
    timed.apply(to: &values, at: milliseconds(time))
    return values.opacity
  }

  @Test func once() {
    let expected: [Int64: Double] = [900: 5, 999: 5, 1000: 10, 1025: 12.5, 1050: 15, 1099: 19.9, 1100: 20, 1101: 5, 9999: 5]
    for (time, value) in expected { #expect(abs(shown(at: time) - value) < 1e-12, "\(time) ms") }
    #expect(shown(at: 900, atCommit: true) == 10, "never its new value before its beginning")
  }

  @Test func fillModes() {
    for (mode, before, after) in [
      (MediaTiming.FillMode.removed, 5.0, 5.0), (.backwards, 10, 5), (.forwards, 5, 20), (.both, 10, 20),
    ] {
      let values = [999, 1050, 1101].map { shown(at: $0, fill: mode) }
      #expect(values == [before, 15, after], "\(mode)")
    }
  }

  @Test func repetitions() {
    #expect([1100, 1175, 1249, 1250, 1251].map { shown(at: $0, repeats: 2.5) } == [10, 17.5, 14.9, 15, 5])
    #expect(shown(at: 2000, repeats: 2.5, fill: .forwards) == 15, "stays where it stopped")
    #expect(shown(at: 2000, repeats: 2, fill: .forwards) == 20, "at the end, not at a new beginning")
    #expect(shown(at: 1_000_000_000_000 + 1030, repeats: .infinity) == 13, "exact after 30 years")
    #expect(shown(at: 1050, repeats: .nan) == 15, "a count that is none is 1")
  }

  @Test func thereAndBack() {
    for (time, value) in [(1050, 15.0), (1100, 20), (1150, 15), (1199, 10.1), (1200, 10), (1201, 5)] as [(Int64, Double)] {
      #expect(abs(shown(at: time, back: true) - value) < 1e-12, "\(time) ms")
    }
    #expect(shown(at: 2000, back: true, fill: .forwards) == 10)
    #expect(shown(at: 2000, repeats: 1.5, back: true, fill: .forwards) == 20)
    // The way back is the reverse of the way there, timing function included.
    let (there, back) = (shown(at: 1030, back: true, timing: .easeIn), shown(at: 1170, back: true, timing: .easeIn))
    #expect(abs(there - back) < 1e-12)
  }

  @Test func withoutDuration() {
    for duration in [Nanoseconds.zero, .milliseconds(-5)] {
      #expect([1000, 1100, 1200, 1201].map { shown(at: $0, duration: duration) } == [10, 15, 20, 5], "the default")
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

  @Test func clockOfItsOwn() {
    var animation = BasicAnimation(.opacity, from: 10, to: 20, beginTime: milliseconds(1000), duration: .milliseconds(100))
    animation.speed = 0.1
    #expect([1000, 1500, 2000, 2001].map { value(animation, at: $0) } == [10, 15, 20, 5])
    animation.speed = .nan
    #expect(value(animation, at: 1050) == 15, "a speed that is none is 1")
    animation.speed = 1e-300
    #expect(animation.timing.endTime == .distantFuture)
    #expect(value(animation, at: 1_000_000) == 10)
    animation.speed = 0
    for (offset, shown) in [(0, 10.0), (40, 14), (100, 20), (130, 13)] as [(Int64, Double)] {
      animation.timeOffset = .milliseconds(offset)
      #expect(value(animation, at: 1_000_000) == shown, "stands at \(offset) ms")
    }
  }

  @Test func addedUp() {
    var animation = BasicAnimation(
      .opacity, from: 1, to: 3, beginTime: milliseconds(1000), duration: .milliseconds(100), repeatCount: 3)
    animation.isCumulative = true
    #expect([1050, 1150, 1300].map { value(animation, at: $0) } == [2, 5, 9], "each repetition adds the last value")
    animation.isAdditive = true
    #expect([1050, 1150, 1300].map { value(animation, at: $0) } == [7, 10, 14])
    animation.autoreverses = true
    #expect(value(animation, at: 1450) == 7, "nothing adds up there and back")
    var by = BasicAnimation(.opacity, by: 4, beginTime: milliseconds(1000), duration: .milliseconds(100))
    by.isAdditive = true
    #expect([1000, 1050].map { value(by, at: $0) } == [5, 7])
    // Many repetitions cost a few steps.
    var turn = BasicAnimation(.transform, from: .identity, to: .rotation(1), duration: .milliseconds(1))
    (turn.beginTime, turn.repeatCount, turn.isCumulative) = (.zero, .infinity, true)
    var values = AnimatableValues()
    TimedAnimation(turn, .tests).apply(to: &values, at: milliseconds(1_000_000))
    let whole = Affine.rotation(1_000_000)
    #expect(abs(values.affineTransform.a - whole.a) < 1e-6 && abs(values.affineTransform.b - whole.b) < 1e-6)
  }

  @Test func whichValues() {
    func animation(_ from: Double?, _ to: Double?, _ by: Double?) -> BasicAnimation {
      BasicAnimation(
        .opacity, from: from, to: to, by: by, duration: .milliseconds(100), fillMode: .both)
    }
    let table: [(BasicAnimation, Double, Double)] = [
      (animation(1, 3, nil), 1, 3), (animation(1, nil, 3), 1, 4), (animation(nil, 3, 1), 2, 3),
      (animation(1, nil, nil), 1, 5),
      (animation(nil, 3, nil), 5, 3), (animation(nil, nil, 3), 5, 8),
    ]
    for (animation, first, last) in table {
      #expect(value(animation, at: 1000) == first, "\(animation)")
      #expect(value(animation, at: 1100) == last, "\(animation)")
    }
  }

  @Test func kindsOfValues() {
    func half<Value: Animatable>(_ from: Value, _ to: Value) -> Value {
      #expect(from.adding(to).adding(to.negated) == from)
      return from.mixed(with: to, fraction: 0.5)
    }
    #expect(half(Point(0, 10), Point(10, 20)) == Point(5, 15))
    #expect(
      half(Rect(x: 0, y: 0, width: 10, height: 10), Rect(x: 2, y: 4, width: 20, height: 30))
        == Rect(x: 1, y: 2, width: 15, height: 20))
    #expect(half(Color.black, Color.white) == Color(white: 0.5))
    #expect(half(Color.clear, Color(red: 1, green: 0, blue: 0)) == Color(red: 1, green: 0, blue: 0, alpha: 0.5))
    #expect(half(Affine.translation(x: 2, y: 4), .identity) == .translation(x: 1, y: 2))
  }
}
