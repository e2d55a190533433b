public import Geometry

// The pixels that a rectangle under a transform covers: for diff and compositor, a whole frame and a part of one, the same.

extension Affine {
  /// The map without the whole pixels by which it moves, and these. What is painted with the rest looks the same wherever it is shown.
  ///
  /// The rest is a multiple of 2⁻²⁰ pixels, so that a sum of places rounds to the same one after a move. A move beyond 2²⁸ pixels
  /// stays in the map.
  package var withoutWholePixels: (rest: Affine, dx: Int32, dy: Int32) {
    func split(_ distance: Double) -> (rest: Double, whole: Int32) {
      guard abs(distance) < 0x1p28 else { return (distance, 0) }
      let whole = Self.wholeNumber(notAbove: (distance * 0x1p20 + 0.5).rounded(.down) * 0x1p-20)
      return (((distance - Double(whole)) * 0x1p20).rounded() * 0x1p-20, whole)
    }
    let (x, y) = (split(tx), split(ty))
    return (Affine(a: a, b: b, c: c, d: d, tx: x.rest, ty: y.rest), x.whole, y.whole)
  }

  /// The distance in pixels by which an edge may be moved onto the border between pixels: too small to change a coverage by
  /// half of 1/255.
  package static let edgeTolerance = 1.0 / 512

  /// The pixels of a rectangle: exact where its edges lie between pixels, otherwise all that it touches.
  @usableFromInline
  package func pixels(of rect: Rect) -> IntRect { wholePixels(of: rect) ?? touchedPixels(of: rect) }

  /// The pixels that a layer may paint itself, but for shadows: see `pixels(of:)`.
  package func pixels(of record: RenderRecord, _ bounds: Rect) -> IntRect {
    pixels(of: bounds).widened(by: Int32(record.reachInPixels))
  }

  /// The pixels that a layer may paint itself, if it paints any part of them in these bounds.
  package func touchedPixels(of record: RenderRecord, _ bounds: Rect) -> IntRect {
    touchedPixels(of: bounds).widened(by: Int32(record.reachInPixels))
  }

  /// The pixels of which a rectangle may cover any part, whatever its corners.
  package func touchedPixels(of rect: Rect) -> IntRect {
    guard !rect.isEmpty else { return .zero }
    if isScaleAndTranslation {
      guard a != 0, d != 0 else { return .zero }
      return Self.pixelsWithCenters(in: boundingBox(of: rect).insetBy(dx: -0.5, dy: -0.5))
    }
    guard let inverse = inverted else { return .zero }
    let unitU = (inverse.a * inverse.a + inverse.c * inverse.c).squareRoot()
    let unitV = (inverse.b * inverse.b + inverse.d * inverse.d).squareRoot()
    return Self.pixelsWithCenters(in: boundingBox(of: rect.insetBy(dx: -0.5 * unitU, dy: -0.5 * unitV)))
  }

  /// The pixels of an upright rectangle whose edges lie between pixels; nil for any other.
  package func wholePixels(of rect: Rect) -> IntRect? {
    guard !rect.isEmpty else { return .zero }
    let isUpright =
      max(abs(b) * rect.width, abs(c) * rect.height) < Self.edgeTolerance
      || max(abs(a) * rect.width, abs(d) * rect.height) < Self.edgeTolerance
    guard isUpright else { return nil }
    let box = boundingBox(of: rect)
    let pixels = IntRect(
      minX: Self.wholeNumber(notAbove: box.minX + 0.5), minY: Self.wholeNumber(notAbove: box.minY + 0.5),
      maxX: Self.wholeNumber(notAbove: box.maxX + 0.5), maxY: Self.wholeNumber(notAbove: box.maxY + 0.5))
    guard abs(box.minX - Double(pixels.minX)) < Self.edgeTolerance,
      abs(box.minY - Double(pixels.minY)) < Self.edgeTolerance,
      abs(box.maxX - Double(pixels.maxX)) < Self.edgeTolerance,
      abs(box.maxY - Double(pixels.maxY)) < Self.edgeTolerance
    else { return nil }
    return pixels
  }

  /// A pixel that reaches less than a thousandth of a pixel into the rectangle is left out: 255 steps do not show it.
  private static func pixelsWithCenters(in rect: Rect) -> IntRect {
    let slack = 1.0 / 1024
    let result = IntRect(
      minX: wholeNumber(notBelow: rect.minX - 0.5 + slack), minY: wholeNumber(notBelow: rect.minY - 0.5 + slack),
      maxX: wholeNumber(notAbove: rect.maxX - 0.5 - slack) + 1, maxY: wholeNumber(notAbove: rect.maxY - 0.5 - slack) + 1)
    return result.isEmpty ? .zero : result
  }

  /// The largest whole number that is not above `value`, within ±2³⁰; 0 for NaN. (The standard library's rounding calls a
  /// function of libm on processors without SSE 4.1.)
  @inline(__always)
  private static func wholeNumber(notAbove value: Double) -> Int32 {
    guard value > -0x1p30 else { return value.isNaN ? 0 : -1 << 30 }
    guard value < 0x1p30 else { return 1 << 30 }
    let truncated = Int32(value)
    return Double(truncated) > value ? truncated - 1 : truncated
  }

  /// The smallest whole number that is not below `value`.
  @inline(__always)
  private static func wholeNumber(notBelow value: Double) -> Int32 { -wholeNumber(notAbove: -value) }
}
