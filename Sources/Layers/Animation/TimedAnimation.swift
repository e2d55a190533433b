import LinuxSystem
import RenderTree

/// An animation with nothing left open but its beginning: a value that says what is shown at a time of its parent's clock.
struct TimedAnimation: Sendable {
  private(set) var timing: MediaTiming
  let timingFunction: TimingFunction
  let form: Form
  /// True if the beginning was left to the commit. An earlier time then shows the first value: otherwise the layer would jump
  /// to its new value and back.
  let beginsAtCommit: Bool

  enum Form {
    case track(AnimationTrack, Spring?)
    case group([TimedAnimation])
    case transition(Transition, from: OldPicture)
  }

  /// The values of what an animation leaves open.
  struct Defaults {
    var duration: Nanoseconds
    var timingFunction: TimingFunction
    /// The values on screen at which the animation is to begin, unless it says where it begins; nil where it begins at the
    /// layer's own value.
    var shown: ShownValues?
    /// The picture at which a transition is to begin.
    var old: OldPicture?
  }

  init(_ animation: any Animation, _ defaults: Defaults) {
    timing = animation.timing
    beginsAtCommit = timing.beginTime == nil
    let isOpen = timing.duration.map { $0 <= .zero } ?? true
    switch animation.motion.form {
    case .track(let track, let spring):
      if isOpen { timing.duration = spring?.settlingDuration ?? defaults.duration }
      timingFunction = animation.timingFunction ?? (spring == nil ? defaults.timingFunction : .linear)
      form = .track(defaults.shown.map(track.begun) ?? track, spring)
    case .transition(let transition):
      if isOpen { timing.duration = defaults.duration }
      timingFunction = animation.timingFunction ?? defaults.timingFunction
      form = defaults.old.map { .transition(transition, from: $0) } ?? .group([])
    case .group(let animations):
      if isOpen { timing.duration = defaults.duration }
      timingFunction = animation.timingFunction ?? .linear
      let defaults = Defaults(duration: Nanoseconds(timing.way), timingFunction: .linear)
      form = .group(
        animations.map { animation in
          var timed = TimedAnimation(animation, defaults)
          timed.begin(at: .zero)
          return timed
        })
    }
  }

  mutating func begin(at time: MonotonicTime) {
    if timing.beginTime == nil { timing.beginTime = time }
  }

  /// True if it has come to its end by `time`. It may still show its last value.
  func isOver(at time: MonotonicTime) -> Bool {
    timing.beginTime != nil && time >= timing.endTime && timing.endTime != .distantFuture
  }

  /// True if it may show another value later than at `time`, on a clock that runs backwards earlier.
  func changes(from time: MonotonicTime, backwards: Bool) -> Bool {
    let hasBegun = time >= timing.beginTime ?? .zero
    if backwards { return hasBegun }
    return timing.stands ? !hasBegun : time <= timing.endTime
  }

  /// Puts the value at `time` into `values`, which hold the values that would be shown without this animation.
  func apply(to values: inout AnimatableValues, at time: MonotonicTime) {
    let begin = timing.beginTime ?? .zero
    let isBefore = beginsAtCommit && (timing.beginTime == nil || time < begin)
    guard let moment = timing.moment(at: isBefore ? begin : time) else { return }
    let part = timingFunction.progress(at: moment.progress)
    switch form {
    case .track(let track, let spring):
      let seconds = part * Nanoseconds(timing.way).seconds
      let rounds = track.isCumulative && !timing.autoreverses ? moment.iteration : 0
      let push = track.keepsVelocity ? spring?.push(at: seconds) ?? 0 : 0
      let step = AnimationStep(
        progress: spring?.position(at: seconds) ?? part, push: push * 1000, rounds: rounds, isAdditive: track.isAdditive)
      track.apply(&values, step)
    case .transition(let transition, let old):
      values.rare.transition = transition.state(from: old, at: part)
    case .group(let animations):
      let time = MonotonicTime.zero + Nanoseconds(timing.way).scaled(by: part)
      for animation in animations { animation.apply(to: &values, at: time) }
    }
  }
}
