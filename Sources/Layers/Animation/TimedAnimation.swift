import LinuxSystem
import RenderTree

/// An animation with nothing left open but its beginning: says what is shown at a time of its parent's clock.
final class TimedAnimation: Sendable {
  // Evaluation reads the first ones, which lie together in few lines of the cache.
  private let show: @Sendable (_ values: inout AnimatableValues, _ step: AnimationStep) -> Void
  /// `timing` as it is evaluated.
  let active: ActiveTime
  let timingFunction: TimingFunction
  /// True if the beginning was left to the commit. An earlier time then shows the first value: otherwise the layer would jump
  /// to its new value and back.
  let beginsAtCommit: Bool
  private let hasBegun: Bool
  private let isAdditive: Bool
  private let isCumulative: Bool
  private let keepsVelocity: Bool
  private let spring: Spring.Motion?

  let form: Form
  let timing: MediaTiming

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

  convenience init(_ animation: any Animation, _ defaults: Defaults) {
    var timing = animation.timing
    let beginsAtCommit = timing.beginTime == nil
    let timingFunction: TimingFunction
    let form: Form
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
      let defaults = Defaults(duration: Nanoseconds(ActiveTime(timing).way), timingFunction: .linear)
      form = .group(animations.map { TimedAnimation($0, defaults).begun(at: .zero) })
    }
    self.init(timing, timingFunction, form, beginsAtCommit: beginsAtCommit)
  }

  private init(_ timing: MediaTiming, _ timingFunction: TimingFunction, _ form: Form, beginsAtCommit: Bool) {
    (self.timing, self.timingFunction, self.form, self.beginsAtCommit) = (timing, timingFunction, form, beginsAtCommit)
    active = ActiveTime(timing)
    hasBegun = timing.beginTime != nil
    // The form is looked at once: a `switch` in each frame would copy what it holds.
    var (track, spring) = (AnimationTrack?.none, Spring?.none)
    switch form {
    case .track(let form, let motion):
      show = form.apply
      (track, spring) = (form, motion)
    case .group(let animations):
      let (stack, way) = (AnimationStack.make(animations[...]), Nanoseconds(active.way))
      show = { values, step in stack?.apply(to: &values, at: .zero + way.scaled(by: step.progress)) }
    case .transition(let transition, let old):
      show = { values, step in values.rare.transition = transition.state(from: old, at: step.progress) }
    }
    self.spring = spring.map(Spring.Motion.init)
    isAdditive = track?.isAdditive ?? false
    isCumulative = track?.isCumulative ?? false && !active.autoreverses
    keepsVelocity = track?.keepsVelocity ?? false
  }

  /// The same animation, which begins at this time unless its beginning is known.
  func begun(at time: MonotonicTime) -> TimedAnimation {
    guard !hasBegun else { return self }
    var timing = timing
    timing.beginTime = time
    return TimedAnimation(timing, timingFunction, form, beginsAtCommit: beginsAtCommit)
  }

  /// True if it has come to its end by `time`. It may still show its last value.
  func isOver(at time: MonotonicTime) -> Bool {
    hasBegun && time >= active.end && active.end != .distantFuture
  }

  /// True if it may show another value later than at `time`, on a clock that runs backwards earlier.
  func changes(from time: MonotonicTime, backwards: Bool) -> Bool {
    let hasBegun = time >= active.begin
    if backwards { return hasBegun }
    return active.stands ? !hasBegun : time <= active.end
  }

  /// Puts the value at `time` into `values`, which hold the values that would be shown without this animation.
  ///
  /// - Parameter isLate: true in a copy of the layer whose clock is behind: the time before the beginning is seen there, and shows what the
  ///   fill mode says.
  func apply(to values: inout AnimatableValues, at time: MonotonicTime, isLate: Bool = false) {
    let isBefore = beginsAtCommit && !isLate && (!hasBegun || time < active.begin)
    guard let moment = active.moment(at: isBefore ? active.begin : time) else { return }
    var (progress, push) = (timingFunction.progress(at: moment.progress), 0.0)
    if let spring {
      let seconds = progress * Nanoseconds(active.way).seconds
      progress = spring.position(at: seconds)
      if keepsVelocity { push = spring.push(at: seconds) * 1000 }
    }
    let rounds = isCumulative ? moment.iteration : 0
    show(&values, AnimationStep(progress: progress, push: push, rounds: rounds, isAdditive: isAdditive))
  }
}
