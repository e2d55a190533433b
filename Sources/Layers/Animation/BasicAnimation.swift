public import LinuxSystem

/// A movement of one property of a layer from one value to another. The layer's own value does not change: only the shown one
/// does. `Layer.add(_:forKey:)` takes a copy of it.
///
/// ```swift
/// layer.add(BasicAnimation(.rotation, from: 0, to: 2 * .pi, duration: .seconds(4), repeatCount: .infinity))
/// ```
///
/// It goes between these values, with C for the value that the layer would show without the animation:
///
/// | given | goes |
/// | --- | --- |
/// | from, to | from → to |
/// | from, by | from → from + by |
/// | to, by | to − by → to |
/// | from | from → C |
/// | to | C → to |
/// | by | C → C + by |
/// | nothing | the value shown when it was added → C |
public struct BasicAnimation: Sendable {
  public let property: AnimatableProperty
  /// The values that it goes between.
  @usableFromInline
  var track: AnimationTrack
  /// When it begins; nil for the time of the commit that first sees it.
  public var beginTime: MonotonicTime?
  /// The length of one repetition; nil for the transaction's `animationDuration`. One that is not above 0 is over at once.
  public var duration: Nanoseconds?
  /// Nil for the transaction's, and without one there `linear`.
  public var timingFunction: TimingFunction?
  /// The number of repetitions, fractions included; `.infinity` for ever. A number that is not above 0 counts as 1.
  public var repeatCount: Double
  /// True if each repetition runs back again as well, which takes as long once more.
  public var autoreverses: Bool
  /// The value shown before the beginning and after the end.
  public var fillMode: FillMode
  /// True if the layer forgets it at the first commit after its end.
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

  @inlinable
  public init<Value>(
    _ key: AnimatableKey<Value>, from: Value? = nil, to: Value? = nil, by: Value? = nil,
    beginTime: MonotonicTime? = nil, duration: Nanoseconds? = nil, timingFunction: TimingFunction? = nil,
    repeatCount: Double = 1, autoreverses: Bool = false, fillMode: FillMode = .removed,
    isRemovedOnCompletion: Bool = true, completion: (@MainActor @Sendable (_ finished: Bool) -> Void)? = nil
  ) {
    property = key.property
    track = AnimationTrack(key, from: from, to: to, by: by)
    self.beginTime = beginTime
    self.duration = duration
    self.timingFunction = timingFunction
    self.repeatCount = repeatCount
    self.autoreverses = autoreverses
    self.fillMode = fillMode
    self.isRemovedOnCompletion = isRemovedOnCompletion
    self.completion = completion
  }
}

/// The values of one property from the beginning to the end of an animation, whatever their type.
@usableFromInline
struct AnimationTrack: Sendable {
  /// True while neither `from` nor `to` nor `by` is given.
  @usableFromInline
  let isOpen: Bool
  /// Puts the value at a progress into `values`, which hold the value that would be shown without the animation.
  @usableFromInline
  let apply: @Sendable (_ values: inout AnimatableValues, _ progress: Double) -> Void
  /// The same track, which begins at the value in `shown` unless its beginning is known.
  @usableFromInline
  let beginning: @Sendable (_ shown: AnimatableValues) -> AnimationTrack

  // Inlinable: the compiler makes code for the type of the values where it is known, which is 40 times as fast.
  @inlinable
  init<Value>(_ key: AnimatableKey<Value>, from: Value?, to: Value?, by: Value?) {
    isOpen = from == nil && to == nil && by == nil
    apply = { values, progress in
      let current = values[key]
      let (first, last): (Value, Value) =
        switch (from, to, by) {
        case (let from?, let to?, _): (from, to)
        case (let from?, nil, let by?): (from, from.adding(by))
        case (nil, let to?, let by?): (to.adding(by.negated), to)
        case (let from?, nil, nil): (from, current)
        case (nil, let to?, nil): (current, to)
        case (nil, nil, let by?): (current, current.adding(by))
        case (nil, nil, nil): (current, current)
        }
      // Ends are given back as they are, without rounding.
      values[key] = progress == 0 ? first : progress == 1 ? last : first.mixed(with: last, fraction: progress)
    }
    beginning = { shown in
      let isKnown = from != nil || (to != nil && by != nil)
      return AnimationTrack(key, from: isKnown ? from : shown[key], to: to, by: by)
    }
  }
}

/// The animation that a change of an animatable property begins by itself.
public enum LayerAction: Sendable {
  /// Nothing: the change is seen at once.
  case none
  /// A movement from the value on screen to the new one, with the transaction's duration and timing function, and without
  /// one there `TimingFunction.default`.
  case implicit
  /// This animation. The transaction fills in what it leaves open; a missing `from` is the value on screen.
  case animation(BasicAnimation)
}
