/// What a change of an animatable property begins by itself.
public enum LayerAction: Sendable {
  /// Nothing: the change is seen at once.
  case none
  /// A movement from what is on screen to the new value, with the transaction's duration and timing function, and without
  /// one there `TimingFunction.default`.
  case implicit
  /// This animation. What it leaves open comes from the transaction, a missing `from` from what is on screen.
  case animation(BasicAnimation)
}
