import LinuxSystem

/// Animations in the order in which they are seen, later ones over earlier ones, as they are evaluated.
///
/// Constants that lead from one to the next: an array would be held, and each animation taken out of it. A single one has nothing around
/// it, and very many are halves of halves, so that they are no deep recursion.
enum AnimationStack: Sendable {
  case one(TimedAnimation)
  indirect case two(below: AnimationStack, above: AnimationStack)

  /// Returns nil for none.
  static func make(_ animations: ArraySlice<TimedAnimation>) -> AnimationStack? {
    let middle = (animations.startIndex + animations.endIndex) / 2
    guard let below = middle > animations.startIndex ? make(animations[..<middle]) : nil,
      let above = make(animations[middle...])
    else { return animations.first.map(Self.one) }
    return .two(below: below, above: above)
  }

  /// Puts what they show at `time` into `values`. See `TimedAnimation.apply(to:at:isLate:)`.
  func apply(to values: inout AnimatableValues, at time: MonotonicTime, isLate: Bool = false) {
    switch self {
    case .one(let animation): animation.apply(to: &values, at: time, isLate: isLate)
    case .two(let below, let above):
      below.apply(to: &values, at: time, isLate: isLate)
      above.apply(to: &values, at: time, isLate: isLate)
    }
  }

  func contains(where isWanted: (TimedAnimation) -> Bool) -> Bool {
    switch self {
    case .one(let animation): isWanted(animation)
    case .two(let below, let above): below.contains(where: isWanted) || above.contains(where: isWanted)
    }
  }
}
