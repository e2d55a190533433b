/// Animations of one layer that go together, on the group's clock.
///
/// ```swift
/// var rise = BasicAnimation(.positionY, by: -40)
/// var fade = BasicAnimation(.opacity, to: 0)
/// (fade.beginTime, fade.duration) = (.zero + .milliseconds(200), .milliseconds(300))
/// var leave = AnimationGroup([rise, fade])
/// leave.duration = .milliseconds(500)
/// layer.add(leave, forKey: "leave")
/// ```
///
/// The group's clock is at 0 at its beginning, and a repetition begins there again: `beginTime` counts from there, and the
/// group's speed and timing function hold for all. An animation without a duration takes the group's; a longer one is cut off.
/// Outside of the group's time none has an effect, whatever its fill mode. Only the group's own `didStart` and `completion` are
/// called.
public struct AnimationGroup: Animation {
  public var settings = AnimationSettings()
  /// Later ones are seen over earlier ones of the same property.
  public var animations: [any Animation]

  public var motion: AnimationMotion { AnimationMotion(form: .group(animations)) }

  public init(_ animations: [any Animation]) {
    self.animations = animations
  }
}
