public import LinuxSystem

/// A movement of one property of a layer from one value to another. The layer's own value does not change: only what is
/// shown does. Give it to `Layer.add(_:forKey:)`, which takes a copy.
///
/// ```swift
/// layer.add(BasicAnimation(.rotation, from: 0, to: 2 * .pi, duration: .seconds(4), repeatCount: .infinity))
/// ```
///
/// Which values it goes between, with C for the value that the layer would show without the animation:
///
/// | given | goes |
/// | --- | --- |
/// | from, to | from → to |
/// | from, by | from → from + by |
/// | to, by | to − by → to |
/// | from | from → C |
/// | to | C → to |
/// | by | C → C + by |
/// | nothing | what was shown when it was added → C |
public struct BasicAnimation: Sendable {
  public let property: AnimatableProperty
  public internal(set) var from: AnimationValue?
  public let to: AnimationValue?
  public let by: AnimationValue?
  /// When it begins; nil for the time of the commit that first sees it.
  public var beginTime: MonotonicTime?
  /// The length of one repetition; nil for the transaction's `animationDuration`. One that is not above 0 is over at once.
  public var duration: Nanoseconds?
  /// Nil for the transaction's, and without one there `linear`.
  public var timingFunction: TimingFunction?
  /// How often it runs, fractions included; `.infinity` for ever. What is not above 0 counts as 1.
  public var repeatCount: Double
  /// Whether each repetition runs back again as well, which takes as long once more.
  public var autoreverses: Bool
  /// What is shown before the beginning and after the end.
  public var fillMode: FillMode
  /// Whether the layer forgets it at the first commit after its end.
  public var isRemovedOnCompletion: Bool
  /// Called at the first commit after its end, or after it was removed, also together with its layer; `finished` says
  /// whether it had come to its end.
  public var completion: (@MainActor @Sendable (_ finished: Bool) -> Void)?

  public enum FillMode: String, CaseIterable, Hashable, Sendable {
    /// The layer's own value before and after.
    case removed
    /// The last value after the end.
    case forwards
    /// The first value before the beginning.
    case backwards
    case both
  }

  public init<Value: Animatable>(
    _ key: AnimatableKey<Value>, from: Value? = nil, to: Value? = nil, by: Value? = nil,
    beginTime: MonotonicTime? = nil, duration: Nanoseconds? = nil, timingFunction: TimingFunction? = nil,
    repeatCount: Double = 1, autoreverses: Bool = false, fillMode: FillMode = .removed,
    isRemovedOnCompletion: Bool = true, completion: (@MainActor @Sendable (_ finished: Bool) -> Void)? = nil
  ) {
    self.init(
      property: key.property, from: from?.animationValue, to: to?.animationValue, by: by?.animationValue)
    self.beginTime = beginTime
    self.duration = duration
    self.timingFunction = timingFunction
    self.repeatCount = repeatCount
    self.autoreverses = autoreverses
    self.fillMode = fillMode
    self.isRemovedOnCompletion = isRemovedOnCompletion
    self.completion = completion
  }

  /// From `from` to the layer's own value, in the transaction's duration: what a change begins by itself.
  init(property: AnimatableProperty, from: AnimationValue? = nil, to: AnimationValue? = nil, by: AnimationValue? = nil) {
    self.property = property
    self.from = from
    self.to = to
    self.by = by
    repeatCount = 1
    autoreverses = false
    fillMode = .removed
    isRemovedOnCompletion = true
  }
}
