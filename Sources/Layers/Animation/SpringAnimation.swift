/// A movement of one property of a layer as by a spring, between the values of a ``BasicAnimation``.
///
/// ```swift
/// layer.add(SpringAnimation(.position, to: Point(200, 80), spring: Spring(perceptualDuration: .milliseconds(500), bounce: 0.2)))
/// ```
///
/// Without a `duration` of its own it takes the spring's `settlingDuration`; a shorter one cuts it off, and does not make it
/// faster. Only a `timingFunction` of its own bends its time.
public struct SpringAnimation: Animation {
  public let property: AnimatableProperty
  public var settings = AnimationSettings()
  public var spring: Spring
  /// The values that it goes between.
  @usableFromInline
  var track: AnimationTrack

  public var motion: AnimationMotion { AnimationMotion(form: .track(track, spring)) }

  /// See `BasicAnimation.isAdditive`.
  public var isAdditive: Bool {
    get { track.isAdditive }
    set { track.isAdditive = newValue }
  }

  /// True to begin at the value on screen, unless another beginning is given, and with the velocity that it has there, in every
  /// direction; `spring.initialVelocity` comes on top. A movement that is interrupted then turns round without a jerk. False at
  /// first, as in Core Animation, which begins at rest. It has no effect on an animation in a group, nor on an additive one.
  public var keepsVelocity: Bool {
    get { track.keepsVelocity }
    set { track.keepsVelocity = newValue }
  }

  /// See ``BasicAnimation`` for the values that are not given.
  @inlinable
  public init<Value>(
    _ key: AnimatableKey<Value>, from: Value? = nil, to: Value? = nil, by: Value? = nil, spring: Spring = Spring()
  ) {
    property = key.property
    self.spring = spring
    track = AnimationTrack(key, from: from, to: to, by: by)
  }

  /// A spring that begins with a known velocity: the change in a millisecond.
  package init<Value>(
    _ key: AnimatableKey<Value>, from: Value?, to: Value?, by: Value?, velocity: Value?, spring: Spring
  ) {
    property = key.property
    self.spring = spring
    track = AnimationTrack(key, from: from, to: to, by: by, velocity: velocity)
  }
}
