import LinuxSystem

/// Animations in the order in which they are seen, later ones over earlier ones, as they are evaluated.
///
/// Constants that lead from one to the next: an array would be held, and each animation taken out of it. It is the middle one with
/// those below and above it, so that very many are no deep recursion.
final class AnimationStack: Sendable {
  private let below: AnimationStack?
  private let animation: TimedAnimation
  private let above: AnimationStack?

  /// Returns nil for none. (An initializer that returns nil has allocated all the same.)
  static func make(_ animations: ArraySlice<TimedAnimation>) -> AnimationStack? {
    animations.isEmpty ? nil : AnimationStack(animations)
  }

  private init(_ animations: ArraySlice<TimedAnimation>) {
    let middle = (animations.startIndex + animations.endIndex) / 2
    below = Self.make(animations[..<middle])
    animation = animations[middle]
    above = Self.make(animations[(middle + 1)...])
  }

  /// Puts what they show at `time` into `values`. See `TimedAnimation.apply(to:at:isLate:)`.
  func apply(to values: inout AnimatableValues, at time: MonotonicTime, isLate: Bool = false) {
    below?.apply(to: &values, at: time, isLate: isLate)
    animation.apply(to: &values, at: time, isLate: isLate)
    above?.apply(to: &values, at: time, isLate: isLate)
  }

  func contains(where isWanted: (TimedAnimation) -> Bool) -> Bool {
    below?.contains(where: isWanted) ?? false || isWanted(animation) || above?.contains(where: isWanted) ?? false
  }
}
