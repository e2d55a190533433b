/// A rectangle of whole pixels: from (`minX`, `minY`) up to, without, (`maxX`, `maxY`).
public struct IntRect: Hashable, BitwiseCopyable, Sendable {
  public var minX: Int32
  public var minY: Int32
  public var maxX: Int32
  public var maxY: Int32

  public init(minX: Int32, minY: Int32, maxX: Int32, maxY: Int32) {
    self.minX = minX
    self.minY = minY
    self.maxX = maxX
    self.maxY = maxY
  }

  public init(x: Int, y: Int, width: Int, height: Int) {
    self.init(
      minX: Int32(clamping: x), minY: Int32(clamping: y), maxX: Int32(clamping: x + width), maxY: Int32(clamping: y + height)
    )
  }

  /// The pixels that `rect` touches, even in part. Edges beyond ±2³⁰ become that; NaN becomes 0.
  public init(covering rect: Rect) {
    func pixel(_ value: Double) -> Int32 {
      let limit = Double(1 << 30)
      return value.isNaN ? 0 : Int32(min(max(value, -limit), limit))
    }
    self.init(
      minX: pixel(rect.minX.rounded(.down)), minY: pixel(rect.minY.rounded(.down)),
      maxX: pixel(rect.maxX.rounded(.up)), maxY: pixel(rect.maxY.rounded(.up)))
  }

  public static let zero = IntRect(minX: 0, minY: 0, maxX: 0, maxY: 0)

  public var width: Int { Int(maxX) - Int(minX) }
  public var height: Int { Int(maxY) - Int(minY) }
  public var isEmpty: Bool { maxX <= minX || maxY <= minY }
  /// The number of pixels; 0 when empty.
  public var area: Int { isEmpty ? 0 : width * height }

  public func intersection(_ other: IntRect) -> IntRect {
    let result = IntRect(
      minX: max(minX, other.minX), minY: max(minY, other.minY), maxX: min(maxX, other.maxX), maxY: min(maxY, other.maxY))
    return result.isEmpty ? .zero : result
  }

  public func intersects(_ other: IntRect) -> Bool {
    max(minX, other.minX) < min(maxX, other.maxX) && max(minY, other.minY) < min(maxY, other.maxY)
  }

  /// The smallest rectangle around both; an empty one adds nothing.
  public func union(_ other: IntRect) -> IntRect {
    if isEmpty { return other }
    if other.isEmpty { return self }
    return IntRect(
      minX: min(minX, other.minX), minY: min(minY, other.minY), maxX: max(maxX, other.maxX), maxY: max(maxY, other.maxY))
  }

  /// True if every pixel of `other` is in this one; an empty `other` is.
  public func contains(_ other: IntRect) -> Bool {
    other.isEmpty || (minX <= other.minX && minY <= other.minY && maxX >= other.maxX && maxY >= other.maxY)
  }

  /// The rectangle with a frame of one pixel around it.
  package var framed: IntRect { IntRect(minX: minX - 1, minY: minY - 1, maxX: maxX + 1, maxY: maxY + 1) }

  /// The rectangle with a frame of so many pixels around it; an empty one stays so.
  package func widened(by pixels: Int32) -> IntRect {
    isEmpty || pixels == 0
      ? self : IntRect(minX: minX &- pixels, minY: minY &- pixels, maxX: maxX &+ pixels, maxY: maxY &+ pixels)
  }

  /// Calls `body` for the up to four parts that lie outside of `hole`: full-width strips above and below, the rest left and right.
  package func forEachPart(outside hole: IntRect, _ body: (IntRect) -> Void) {
    func visit(_ part: IntRect) {
      if !part.isEmpty { body(part) }
    }
    let inner = intersection(hole)
    if inner.isEmpty { return visit(self) }
    visit(IntRect(minX: minX, minY: minY, maxX: maxX, maxY: inner.minY))
    visit(IntRect(minX: minX, minY: inner.maxY, maxX: maxX, maxY: maxY))
    visit(IntRect(minX: minX, minY: inner.minY, maxX: inner.minX, maxY: inner.maxY))
    visit(IntRect(minX: inner.maxX, minY: inner.minY, maxX: maxX, maxY: inner.maxY))
  }

  public func offsetBy(dx: Int32, dy: Int32) -> IntRect {
    IntRect(minX: minX + dx, minY: minY + dy, maxX: maxX + dx, maxY: maxY + dy)
  }
}

extension Rect {
  /// The rectangle that these pixels fill.
  package init(_ pixels: IntRect) {
    self.init(
      x: Double(pixels.minX), y: Double(pixels.minY), width: Double(pixels.width), height: Double(pixels.height))
  }
}
