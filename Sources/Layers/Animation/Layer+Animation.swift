public import LinuxSystem

/// An animation of a layer, with the choices that were made when it was added.
struct RunningAnimation {
  let key: String?
  /// Its place among all animations that were ever added. The callbacks of a commit come in this order.
  let order: UInt64
  private(set) var animation: any Animation
  private(set) var timed: TimedAnimation
  /// The transaction's completion that waits for its end, if any.
  var group: CompletionGroup?
  private(set) var report: Report
  /// From the commit that begins it to its beginning.
  private let delay: Nanoseconds
  /// True once a committed tree has it: it can be seen to end.
  private(set) var isCommitted = false
  /// True if it may move the sublayers against the layer.
  let movesSublayers: Bool

  /// The last news of the animation that the application was told, and if it still holds.
  enum Report {
    case nothing
    case start
    /// The end. The animation may stay, for the value that it fills.
    case end
    /// The end, but its clock has gone back before it since: the animation is under way again.
    case resumed
  }

  @MainActor private static var lastOrder: UInt64 = 0

  @MainActor
  init(key: String?, animation: any Animation, timed: TimedAnimation, delay: Nanoseconds) {
    Self.lastOrder += 1
    order = Self.lastOrder
    self.delay = delay
    self.key = key
    self.animation = animation
    self.timed = timed
    report = animation.didStart == nil ? .start : .nothing
    movesSublayers = AnimatableProperty.movingSublayers.contains { animation.changes($0) }
    resolve()
  }

  /// - Returns: true unless its beginning was known.
  @discardableResult
  mutating func begin(at time: MonotonicTime) -> Bool {
    guard timed.timing.beginTime == nil else { return false }
    timed = timed.begun(at: time + delay)
    resolve()
    return true
  }

  /// Notes that the committed tree has the animation, and begins it at this time of the layer's clock.
  ///
  /// - Parameter shown: the time of the layer's clock that is on screen.
  /// - Returns: true unless its beginning was known.
  mutating func commit(at time: MonotonicTime, shown: MonotonicTime) -> Bool {
    isCommitted = true
    let begins = begin(at: time)
    if report == .end, !timed.isOver(at: shown) { report = .resumed }
    return begins
  }

  /// Writes the timing that was left open into `animation`, where the application reads it back.
  private mutating func resolve() {
    animation.timing = timed.timing
    animation.timingFunction = timed.timingFunction
  }

  /// Notes a report that a copy of this animation makes.
  mutating func setReported(_ report: Report) { self.report = report }

  private var hasToldEnd: Bool { report == .end || report == .resumed }

  /// True if the application is still to hear of its end.
  var isAwaited: Bool { !hasToldEnd && (group != nil || animation.completion != nil) }

  @MainActor
  func reportStart() {
    if report == .nothing { animation.didStart?() }
  }

  /// Reports ends. Completions of transactions come before those of the animations that they waited for, as in Core Animation.
  @MainActor
  static func reportEnds(_ ended: [(animation: RunningAnimation, finished: Bool)]) {
    let ended = ended.filter { !$0.animation.hasToldEnd }
    for end in ended where end.finished { end.animation.reportStart() }
    let groups = ended.compactMap(\.animation.group).filter { $0.leave() }
    for group in groups { group.complete() }
    for end in ended { end.animation.animation.completion?(end.finished) }
  }
}

extension Layer {
  /// Begins an animation at the next commit, or at its `beginTime`. Later ones are seen over earlier ones of the same
  /// property.
  ///
  /// - Parameter key: a name to find it by; it takes the place of an animation with the same one. Animations without a
  ///   name run beside each other.
  public func add(_ animation: any Animation, forKey key: String? = nil) {
    add(animation, forKey: key, defaultTiming: .linear, from: shownValues(for: animation))
  }

  func add(
    _ animation: any Animation, forKey key: String?, defaultTiming: TimingFunction, from shown: ShownValues?,
    delay: Nanoseconds = .zero
  ) {
    let transition = animation.motion.transition
    let key = transition == nil ? key : Transition.key
    let defaults = TimedAnimation.Defaults(
      duration: Transaction.animationDuration,
      timingFunction: Transaction.animationTimingFunction ?? defaultTiming, shown: shown,
      old: transition.map { $0.from ?? oldPicture })
    var running = RunningAnimation(key: key, animation: animation, timed: TimedAnimation(animation, defaults), delay: delay)
    if context == nil {
      Transaction.animatesOutside(self)
    } else if let group = Transaction.group {
      group.enter()
      running.group = group
    }
    if let key, let index = animations.firstIndex(where: { $0.key == key }) {
      let replaced = animations.remove(at: index)
      animations.append(running)
      end(CollectionOfOne(replaced))
    } else {
      animations.append(running)
    }
    markAnimations()
  }

  /// Ends an animation: the next commit shows the layer's own value.
  public func removeAnimation(forKey key: String) {
    guard let index = animations.firstIndex(where: { $0.key == key }) else { return }
    end(CollectionOfOne(animations.remove(at: index)))
    markAnimations()
  }

  /// Ends all animations of this layer.
  public func removeAllAnimations() {
    guard !animations.isEmpty else { return }
    let removed = animations
    animations.removeAll()
    end(removed)
    markAnimations()
  }

  /// The animation that was added under this key and has not been removed. What it left open is filled in: duration and timing
  /// function at once, the beginning by the commit.
  public func animation(forKey key: String) -> (any Animation)? {
    animations.first { $0.key == key }?.animation
  }

  /// The keys of the animations that have one, in the order in which they were added.
  public var animationKeys: [String] { animations.compactMap(\.key) }

  /// The values that are shown, at the time for which the context's tree was evaluated last. While the layer draws itself from
  /// properties of `needsDisplay(forKey:)`, the values that it is drawn for.
  public var presentation: AnimatableValues {
    guard let context else { return values }
    if let drawing = context.drawing, drawing.layer === self { return drawing.values }
    return presentation(at: context.times.current)
  }

  /// The values that are shown at a time, animations that the next commit begins included.
  public func presentation(at time: MonotonicTime) -> AnimatableValues {
    var result = values
    if let stack = animations.stack() { stack.apply(to: &result, at: self.time(at: time, of: nil)) }
    return result
  }

  /// The values that are shown at a time of the layer's clock.
  private func presentation(atOwn time: MonotonicTime) -> AnimatableValues {
    var result = values
    animations.stack()?.apply(to: &result, at: time)
    return result
  }

  /// The values on screen, as far as an animation that is to be added needs them.
  func shownValues(for animation: any Animation) -> ShownValues? {
    let motion = animation.motion
    return motion.beginsAtShown ? shownValues(withVelocity: motion.keepsVelocity, speed: animation.speed) : nil
  }

  /// The values on screen, or those at a time of the display's clock.
  ///
  /// - Parameter speed: the speed, against the layer's clock, of the one on which the velocity is measured.
  func shownValues(at time: MonotonicTime? = nil, withVelocity: Bool, speed: Double = 1) -> ShownValues {
    // A layer in no tree shows its own values, and they stand still.
    guard let time = time ?? context?.times.current else { return ShownValues(now: values) }
    let own = self.time(at: time, of: nil)
    let later = own + Nanoseconds.milliseconds(1).scaled(by: 1 / speed)
    return ShownValues(
      now: presentation(atOwn: own), later: withVelocity && speed > 0 ? presentation(atOwn: later) : nil)
  }

  func markAnimations() {
    areAnimationsChanged = true
    forgetHitBox()
    markRecord()
  }

  /// Reports that the animations did not come to their end: at the next commit, or at once in a layer without a context.
  private func end(_ removed: some Sequence<RunningAnimation>) {
    if let context {
      context.removedAnimations += removed
    } else {
      RunningAnimation.reportEnds(removed.map { ($0, false) })
    }
  }

  /// Ends the animations of a layer that came into no tree: they begin and end without having been seen.
  func endAnimationsOutside() {
    let ended = animations
    animations.removeAll()
    for animation in ended { animation.reportStart() }
    RunningAnimation.reportEnds(ended.map { ($0, false) })
  }
}
