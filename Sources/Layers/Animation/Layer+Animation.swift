public import LinuxSystem

/// An animation of a layer, with the choices that were made when it was added.
struct RunningAnimation {
  let key: String?
  let animation: BasicAnimation
  var timed: TimedAnimation
  /// The transaction's completion that waits for its end, if any.
  var group: CompletionGroup?
  /// True once its end has been reported. It may stay, for the value that it fills.
  var isReported = false

  @MainActor
  mutating func report(finished: Bool) {
    guard !isReported else { return }
    isReported = true
    animation.completion?(finished)
    group?.leave()
    group = nil
  }
}

extension Layer {
  /// Begins an animation at the next commit, or at its `beginTime`. Later ones are seen over earlier ones of the same
  /// property.
  ///
  /// - Parameter key: a name to find it by; it takes the place of an animation with the same one. Animations without a
  ///   name run beside each other.
  public func add(_ animation: BasicAnimation, forKey key: String? = nil) {
    add(animation, forKey: key, defaultTiming: .linear)
  }

  private func add(_ animation: BasicAnimation, forKey key: String?, defaultTiming: TimingFunction) {
    var animation = animation
    if animation.track.isOpen { animation.track = animation.track.beginning(presentation) }
    let timed = TimedAnimation(
      animation, duration: animation.duration ?? Transaction.animationDuration,
      timingFunction: animation.timingFunction ?? Transaction.animationTimingFunction ?? defaultTiming)
    var running = RunningAnimation(key: key, animation: animation, timed: timed)
    if context != nil, let group = Transaction.group {
      group.enter()
      running.group = group
    }
    if let key, let index = animations.firstIndex(where: { $0.key == key }) {
      let replaced = animations.remove(at: index)
      animations.append(running)
      end(replaced)
    } else {
      animations.append(running)
    }
    markAnimations()
  }

  /// Ends an animation: the next commit shows the layer's own value.
  public func removeAnimation(forKey key: String) {
    guard let index = animations.firstIndex(where: { $0.key == key }) else { return }
    end(animations.remove(at: index))
    markAnimations()
  }

  /// Ends all animations of this layer.
  public func removeAllAnimations() {
    guard !animations.isEmpty else { return }
    let removed = animations
    animations.removeAll()
    for animation in removed { end(animation) }
    markAnimations()
  }

  /// The animation that was added under this key and has not been removed, as it was given.
  public func animation(forKey key: String) -> BasicAnimation? {
    animations.first { $0.key == key }?.animation
  }

  /// The keys of the animations that have one, in the order in which they were added.
  public var animationKeys: [String] { animations.compactMap(\.key) }

  /// The values that are shown, at the time for which the context's tree was evaluated last.
  public var presentation: AnimatableValues {
    guard let context else { return values }
    return presentation(at: context.currentTime)
  }

  /// The values that are shown at a time, animations that the next commit begins included.
  public func presentation(at time: MonotonicTime) -> AnimatableValues {
    var result = values
    for animation in animations { animation.timed.apply(to: &result, at: time) }
    return result
  }

  /// The action that a change of the property begins by itself: the delegate's, else the one in `actions`, else the one of
  /// `defaultAction(forKey:)`.
  public func action(forKey property: AnimatableProperty) -> LayerAction {
    delegate?.action(for: self, forKey: property) ?? actions?[property] ?? Self.defaultAction(forKey: property)
  }

  /// Begins the action of a property that was changed while `shown` was on screen.
  func runAction<Value>(for key: AnimatableKey<Value>, from shown: AnimatableValues) {
    switch action(forKey: key.property) {
    case .none:
      break
    case .implicit:
      add(BasicAnimation(key, from: shown[key]), forKey: key.property.rawValue, defaultTiming: .default)
    case .animation(var animation):
      animation.track = animation.track.beginning(shown)
      add(animation, forKey: key.property.rawValue, defaultTiming: .default)
    }
  }

  func markAnimations() {
    areAnimationsChanged = true
    markRecord()
  }

  /// Reports that the animation did not come to its end: at the next commit, or at once in a layer without a context.
  private func end(_ animation: RunningAnimation) {
    guard !animation.isReported else { return }
    if let context {
      context.removedAnimations.append(animation)
    } else {
      var animation = animation
      animation.report(finished: false)
    }
  }
}
