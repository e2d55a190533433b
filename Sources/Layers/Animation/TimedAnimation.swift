import LinuxSystem
import RenderTree

/// An animation with nothing left open but its beginning: says what is shown at a time of its parent's clock.
struct TimedAnimation: Sendable {
  /// A reference, so that evaluation copies nothing of an animation.
  private var resolved: Resolved

  var timing: MediaTiming { resolved.timing }
  /// `timing` as it is evaluated.
  var active: ActiveTime { resolved.active }
  var timingFunction: TimingFunction { resolved.timingFunction }
  var form: Form { resolved.form }
  /// True if the beginning was left to the commit. An earlier time then shows the first value: otherwise the layer would jump
  /// to its new value and back.
  var beginsAtCommit: Bool { resolved.beginsAtCommit }

  enum Form {
    case track(AnimationTrack, Spring.Motion?)
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
    var timing = animation.timing
    let beginsAtCommit = timing.beginTime == nil
    let timingFunction: TimingFunction
    let form: Form
    let isOpen = timing.duration.map { $0 <= .zero } ?? true
    switch animation.motion.form {
    case .track(let track, let spring):
      if isOpen { timing.duration = spring?.settlingDuration ?? defaults.duration }
      timingFunction = animation.timingFunction ?? (spring == nil ? defaults.timingFunction : .linear)
      form = .track(defaults.shown.map(track.begun) ?? track, spring.map(Spring.Motion.init))
    case .transition(let transition):
      if isOpen { timing.duration = defaults.duration }
      timingFunction = animation.timingFunction ?? defaults.timingFunction
      form = defaults.old.map { .transition(transition, from: $0) } ?? .group([])
    case .group(let animations):
      if isOpen { timing.duration = defaults.duration }
      timingFunction = animation.timingFunction ?? .linear
      let defaults = Defaults(duration: Nanoseconds(ActiveTime(timing).way), timingFunction: .linear)
      form = .group(
        animations.map { animation in
          var timed = TimedAnimation(animation, defaults)
          timed.begin(at: .zero)
          return timed
        })
    }
    resolved = Resolved(timing, timingFunction, form, beginsAtCommit: beginsAtCommit)
  }

  mutating func begin(at time: MonotonicTime) {
    var timing = timing
    guard timing.beginTime == nil else { return }
    timing.beginTime = time
    resolved = Resolved(timing, timingFunction, form, beginsAtCommit: beginsAtCommit)
  }

  /// True if it has come to its end by `time`. It may still show its last value.
  func isOver(at time: MonotonicTime) -> Bool {
    timing.beginTime != nil && time >= active.end && active.end != .distantFuture
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
    resolved.apply(to: &values, at: time, isLate: isLate)
  }
}

extension TimedAnimation {
  /// Puts a value into `values`.
  private typealias Show =
    @Sendable (_ values: inout AnimatableValues, _ part: Double, _ iteration: Int) -> Void

  private final class Resolved: Sendable {
    let timing: MediaTiming
    let active: ActiveTime
    let timingFunction: TimingFunction
    let form: Form
    let beginsAtCommit: Bool
    private let show: Show

    init(_ timing: MediaTiming, _ timingFunction: TimingFunction, _ form: Form, beginsAtCommit: Bool) {
      self.timing = timing
      active = ActiveTime(timing)
      self.timingFunction = timingFunction
      self.form = form
      self.beginsAtCommit = beginsAtCommit
      show = Self.show(form, active)
    }

    func apply(to values: inout AnimatableValues, at time: MonotonicTime, isLate: Bool) {
      let isBefore = beginsAtCommit && !isLate && (timing.beginTime == nil || time < active.begin)
      guard let moment = active.moment(at: isBefore ? active.begin : time) else { return }
      show(&values, timingFunction.progress(at: moment.progress), moment.iteration)
    }

    /// The form is looked at once: a `switch` in each frame would copy what it holds.
    private static func show(_ form: Form, _ active: ActiveTime) -> Show {
      let way = Nanoseconds(active.way)
      switch form {
      case .track(let track, let spring):
        let (apply, isAdditive, keepsVelocity) = (track.apply, track.isAdditive, track.keepsVelocity)
        let isCumulative = track.isCumulative && !active.autoreverses
        return { values, part, iteration in
          var (progress, push) = (part, 0.0)
          if let spring {
            let seconds = part * way.seconds
            progress = spring.position(at: seconds)
            if keepsVelocity { push = spring.push(at: seconds) * 1000 }
          }
          let rounds = isCumulative ? iteration : 0
          apply(&values, AnimationStep(progress: progress, push: push, rounds: rounds, isAdditive: isAdditive))
        }
      case .transition(let transition, let old):
        return { values, part, _ in values.rare.transition = transition.state(from: old, at: part) }
      case .group(let animations):
        return { values, part, _ in
          let time = MonotonicTime.zero + way.scaled(by: part)
          for animation in animations { animation.apply(to: &values, at: time) }
        }
      }
    }
  }
}
