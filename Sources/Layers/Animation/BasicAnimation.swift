public import LinuxSystem

/// A movement of one property of a layer from one value to another.
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
public struct BasicAnimation: Animation {
  public let property: AnimatableProperty
  public var settings = AnimationSettings()
  /// The values that it goes between.
  @usableFromInline
  var track: AnimationTrack

  public var motion: AnimationMotion { AnimationMotion(form: .track(track, nil)) }

  /// True if the value is added to C, so that animations of the same property add up. In the table above C then is no change
  /// at all. False at first.
  public var isAdditive: Bool {
    get { track.isAdditive }
    set { track.isAdditive = newValue }
  }
  /// True if every repetition adds the last value once more, so that it goes on instead of beginning again. It has no effect on
  /// one that reverses. False at first.
  public var isCumulative: Bool {
    get { track.isCumulative }
    set { track.isCumulative = newValue }
  }

  @inlinable
  public init<Value>(
    _ key: AnimatableKey<Value>, from: Value? = nil, to: Value? = nil, by: Value? = nil,
    beginTime: MonotonicTime? = nil, duration: Nanoseconds? = nil, timingFunction: TimingFunction? = nil,
    repeatCount: Double = 1, autoreverses: Bool = false, fillMode: MediaTiming.FillMode = .removed,
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
