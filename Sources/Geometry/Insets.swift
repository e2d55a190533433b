/// Points on the four sides of a rectangle, all 0 at first.
public struct Insets: Hashable, BitwiseCopyable, Sendable {
  public var top = 0.0
  public var left = 0.0
  public var bottom = 0.0
  public var right = 0.0

  public init() {}

  public init(top: Double, left: Double, bottom: Double, right: Double) {
    (self.top, self.left, self.bottom, self.right) = (top, left, bottom, right)
  }

  /// The same on all sides.
  public init(all inset: Double) {
    self.init(top: inset, left: inset, bottom: inset, right: inset)
  }
}
