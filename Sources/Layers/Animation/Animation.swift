public import LinuxSystem

/// A movement of properties of a layer: what ``BasicAnimation``, ``SpringAnimation``, ``KeyframeAnimation``
/// and ``AnimationGroup`` have in common.
///
/// An animation is a value: `Layer.add(_:forKey:)` takes a copy of it, which later changes do not reach. The layer's own values
/// do not change: only those do that are shown.
///
/// ```swift
/// var turn = BasicAnimation(.rotation, from: 0, to: 2 * .pi)
/// turn.duration = .seconds(4)
/// turn.repeatCount = .infinity
/// layer.add(turn, forKey: "turn")
/// ```
public protocol Animation: Sendable {
  /// The properties that all kinds of animations have; each is a property of the animation too.
  var settings: AnimationSettings { get set }
  /// The change of the layer's values. Only the kinds of animations of this module can make one.
  var motion: AnimationMotion { get }
}

/// The properties that all kinds of animations have.
public struct AnimationSettings: Sendable {
  public var timing = MediaTiming()
  /// Bends the time of each repetition. Nil for the transaction's, and without one there `linear`.
  public var timingFunction: TimingFunction?
  /// True if the layer forgets it at the first commit after its end.
  public var isRemovedOnCompletion = true
  /// How often the animation is to be shown in a second; the display's rate at first. Where several animations run the fastest
  /// rate holds for all, and a change of a layer is shown at the display's. That of an animation in a group has no effect.
  public var preferredFrameRateRange = FrameRateRange.default
  /// Called at the end of the first commit after its beginning. Those of several animations come in the order in which these
  /// were added, whatever layers have them; so do the completions of those that came to their end.
  public var didStart: (@MainActor @Sendable () -> Void)?
  /// Called at the first commit after its end, or after it was removed, also together with its layer; `finished` says
  /// whether it had come to its end.
  public var completion: (@MainActor @Sendable (_ finished: Bool) -> Void)?

  public init() {}
}

extension Animation {
  public var timing: MediaTiming {
    get { settings.timing }
    set { settings.timing = newValue }
  }
  /// See `MediaTiming.beginTime`. It can be read back by `Layer.animation(forKey:)` when the layer has resolved it.
  public var beginTime: MonotonicTime? {
    get { timing.beginTime }
    set { timing.beginTime = newValue }
  }
  /// See `MediaTiming.duration`.
  public var duration: Nanoseconds? {
    get { timing.duration }
    set { timing.duration = newValue }
  }
  /// See `MediaTiming.speed`.
  public var speed: Double {
    get { timing.speed }
    set { timing.speed = newValue }
  }
  /// See `MediaTiming.timeOffset`.
  public var timeOffset: Nanoseconds {
    get { timing.timeOffset }
    set { timing.timeOffset = newValue }
  }
  /// See `MediaTiming.repeatCount`.
  public var repeatCount: Double {
    get { timing.repeatCount }
    set { timing.repeatCount = newValue }
  }
  /// See `MediaTiming.repeatDuration`.
  public var repeatDuration: Nanoseconds {
    get { timing.repeatDuration }
    set { timing.repeatDuration = newValue }
  }
  /// See `MediaTiming.autoreverses`.
  public var autoreverses: Bool {
    get { timing.autoreverses }
    set { timing.autoreverses = newValue }
  }
  /// See `MediaTiming.fillMode`.
  public var fillMode: MediaTiming.FillMode {
    get { timing.fillMode }
    set { timing.fillMode = newValue }
  }
  /// See `AnimationSettings.timingFunction`.
  public var timingFunction: TimingFunction? {
    get { settings.timingFunction }
    set { settings.timingFunction = newValue }
  }
  /// See `AnimationSettings.isRemovedOnCompletion`.
  public var isRemovedOnCompletion: Bool {
    get { settings.isRemovedOnCompletion }
    set { settings.isRemovedOnCompletion = newValue }
  }
  /// See `AnimationSettings.preferredFrameRateRange`.
  public var preferredFrameRateRange: FrameRateRange {
    get { settings.preferredFrameRateRange }
    set { settings.preferredFrameRateRange = newValue }
  }
  /// See `AnimationSettings.didStart`.
  public var didStart: (@MainActor @Sendable () -> Void)? {
    get { settings.didStart }
    set { settings.didStart = newValue }
  }
  /// See `AnimationSettings.completion`.
  public var completion: (@MainActor @Sendable (_ finished: Bool) -> Void)? {
    get { settings.completion }
    set { settings.completion = newValue }
  }
}

extension Animation {
  /// True if it, or one of a group, is an animation of that property.
  func changes(_ property: AnimatableProperty) -> Bool {
    switch motion.form {
    case .track(let track, _): track.property == property
    case .group(let animations): animations.contains { $0.changes(property) }
    case .transition: false
    }
  }
}
