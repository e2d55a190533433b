/// The width and height of a picture in pixels.
public struct PixelSize: Hashable, Sendable, CustomStringConvertible {
  public var width: Int
  public var height: Int

  public init(width: Int, height: Int) {
    (self.width, self.height) = (width, height)
  }

  public var description: String { "\(width)x\(height)" }

  /// The largest size with the same ratio of its sides that fits into `box`, rounded to the nearest, and at most this size. A
  /// side is never below 1.
  public func fitting(_ box: PixelSize) -> PixelSize {
    let box = PixelSize(width: max(box.width, 1), height: max(box.height, 1))
    guard width > box.width || height > box.height else { return self }
    // In double precision, since the sides of the box may be of any length.
    let scale = min(Double(box.width) / Double(width), Double(box.height) / Double(height))
    func side(_ length: Int) -> Int { min(max(Int((Double(length) * scale).rounded()), 1), length) }
    return PixelSize(width: side(width), height: side(height))
  }

  var pixels: Int { width * height }

  /// The size with its sides exchanged if `condition` holds.
  func turned(if condition: Bool) -> PixelSize { condition ? PixelSize(width: height, height: width) : self }
}
