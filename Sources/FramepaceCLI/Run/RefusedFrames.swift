/// Decides when a display that refuses frames is given up. One may be busy for a moment, and the output tries again at each
/// tick.
struct RefusedFrames {
  /// How many frames in a row a display may refuse.
  static let limit = 10

  private var inARow = 0

  mutating func accepted() { inARow = 0 }

  /// - Returns: whether that was one too many.
  mutating func refused() -> Bool {
    inARow += 1
    return inARow > Self.limit
  }
}
