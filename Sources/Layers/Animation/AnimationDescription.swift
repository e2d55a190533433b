package import LinuxSystem

/// A running animation taken apart, for what writes it down: nothing in it is left open any more, and callbacks are left out.
package struct AnimationDescription: Sendable {
  package enum Content: Sendable {
    case track(AnimationTrack, Spring?)
    case group([AnimationDescription])
    case transition(Transition)
  }

  package let key: String?
  package let timing: MediaTiming
  /// Nil where it is left open, and for the linear one of a running animation.
  package let timingFunction: TimingFunction?
  /// True if the commit, or the beginning of its group, was its beginning, rather than a time that it was given.
  package let beginsByItself: Bool
  package let isRemovedOnCompletion: Bool
  package let preferredFrameRateRange: FrameRateRange
  package let content: Content

  /// An animation as it was made, before any layer has it.
  package init(open animation: any Animation) {
    key = nil
    timing = animation.timing
    timingFunction = animation.timingFunction
    beginsByItself = animation.timing.beginTime == nil
    isRemovedOnCompletion = animation.isRemovedOnCompletion
    preferredFrameRateRange = animation.preferredFrameRateRange
    switch animation.motion.form {
    case .track(let track, let spring): content = .track(track, spring)
    case .group(let animations):
      // A transition has no effect there.
      content = .group(animations.filter { $0.motion.transition == nil }.map { AnimationDescription(open: $0) })
    case .transition(let transition): content = .transition(transition)
    }
  }

  init(
    _ timed: TimedAnimation, key: String? = nil, isRemovedOnCompletion: Bool = true,
    preferredFrameRateRange: FrameRateRange = .default
  ) {
    // A transition always has the same one.
    if case .transition = timed.form { self.key = nil } else { self.key = key }
    timing = timed.timing
    timingFunction = timed.timingFunction == .linear ? nil : timed.timingFunction
    beginsByItself = timed.beginsAtCommit
    self.isRemovedOnCompletion = isRemovedOnCompletion
    self.preferredFrameRateRange = preferredFrameRateRange
    switch timed.form {
    case .track(let track, let spring): content = .track(track, spring)
    case .group(let animations): content = .group(animations.map { AnimationDescription($0) })
    case .transition(var transition, let old):
      transition.from = old
      content = .transition(transition)
    }
  }
}

extension Layer {
  /// The animations of this layer in the order in which they were added.
  package var animationDescriptions: [AnimationDescription] {
    animations.map { running in
      AnimationDescription(
        running.timed, key: running.key, isRemovedOnCompletion: running.animation.isRemovedOnCompletion,
        preferredFrameRateRange: running.animation.preferredFrameRateRange)
    }
  }

  /// Adds an animation as `add(_:forKey:)` does. If it has no `beginTime`, it is taken for one that the commit at this time of the
  /// layer's clock began.
  package func add(_ animation: any Animation, forKey key: String?, begunAt time: MonotonicTime) {
    let isOpen = if case .track(let track, _) = animation.motion.form { track.isOpen } else { false }
    add(animation, forKey: key, defaultTiming: .linear, from: isOpen ? shownValues(withVelocity: false) : nil)
    beginLastAnimation(at: time)
  }

  /// Begins the animation that was added last, as a commit at this time of the layer's clock would.
  func beginLastAnimation(at time: MonotonicTime) {
    animations.beginLast(at: time)
  }
}
