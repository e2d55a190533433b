public import Framepace

/// The line of a chart through evenly spaced samples, of which there may be many more than pixels.
///
/// Where samples are close to each other, each column of pixels is filled from the least to the greatest value that the line has
/// in it, so that no spike is lost. The cost is one comparison a sample in view, and some rectangles a column: 100,000 samples in
/// 1,000 columns take 1 to 1.5 ms, twice as many columns 2 to 5 ms. Where samples are far apart, the line is stroked from sample to sample.
///
/// NaN is a gap; a sample between two gaps is a dot. What lies beyond the bounds, infinite values too, is cut at them. Nothing is
/// drawn if `bounds`, `offset`, `zoom`, `bottom`, `top` or `lineWidth` is of no use.
///
/// A chart that scrolls is calm if it moves by whole columns: then a column has the same samples wherever it is shown.
public struct LineStrip: Drawing {
  public var samples: [Float]
  /// The layer's bounds in points.
  public var bounds: Rect
  /// The index of the sample at the left edge; it may lie between two samples, or before the first.
  public var offset: Double
  /// The points from a sample to the next; above 0.
  public var zoom: Double
  /// The value at the lower edge of the bounds.
  public var bottom: Double
  /// The value at the upper edge; any finite one but `bottom`.
  public var top: Double
  /// The width of the line in points; above 0. In columns it is rounded to half pixels, and each column costs four spans more for a pixel of
  /// it: it is meant for thin lines.
  public var lineWidth: Double
  public var color: Color

  /// - Parameter zoom: nil for one with which all samples fill the width.
  public init(
    _ samples: [Float], in bounds: Rect, offset: Double = 0, zoom: Double? = nil, bottom: Double = 0, top: Double = 1,
    lineWidth: Double = 1, color: Color = .white
  ) {
    (self.samples, self.bounds, self.offset, self.bottom, self.top) = (samples, bounds, offset, bottom, top)
    self.zoom = zoom ?? bounds.width / Double(max(samples.count - 1, 1))
    (self.lineWidth, self.color) = (lineWidth, color)
  }

  public func draw(in context: DrawingContext) {
    guard let grid = Grid(self, scale: context.scale) else { return }
    context.withSavedState {
      context.translate(x: bounds.minX, y: bounds.minY)
      context.scale(x: 1 / context.scale, y: 1 / context.scale)
      samples.withUnsafeBufferPointer { samples in
        // Closer lines than these take the stroker longer than columns do, and look no better.
        if grid.spacing < 4 { drawColumns(samples, grid, context) } else { drawLine(samples, grid, context) }
      }
    }
  }

  private func drawLine(_ samples: UnsafeBufferPointer<Float>, _ grid: Grid, _ context: DrawingContext) {
    // With a neighbour beyond each edge, to which the line leads.
    let first = grid.border(at: -grid.pen, samples).index - 1
    let last = grid.border(at: grid.width + grid.pen, samples).index
    var path = Path()
    var isDown = false
    for index in max(first, 0)..<min(last + 1, samples.count) {
      let place = Point((Double(index) - grid.offset) * grid.spacing, grid.y(of: samples[index]))
      if !place.y.isNaN {
        // A line to the point itself makes a dot of a sample without neighbours.
        if !isDown { path.move(to: place) }
        path.line(to: place)
      }
      isDown = !place.y.isNaN
    }
    context.clip(Rect(x: 0, y: 0, width: grid.width, height: grid.height))
    context.stroke(path, StrokeStyle(width: grid.pen, cap: .round, join: .round), color: color)
  }

  /// Fills the line as a square pen leaves it, a column of pixels at a time. Its sides are antialiased by two places of the pen in
  /// each column: one pixel has the mean of both. Rows are antialiased by the rectangles' own edges.
  private func drawColumns(_ samples: UnsafeBufferPointer<Float>, _ grid: Grid, _ context: DrawingContext) {
    let columns = Int(grid.width.rounded(.up))
    // In quarters of a column, which are as fine as the places of the pen.
    let reach = Int(min(max((grid.pen * 2).rounded(), 1), 4_000))
    var spans: [Span] = []
    spans.reserveCapacity(4 * columns + 2 * reach)
    var start = grid.border(at: Double(-reach) / 4, samples)
    for quarter in -reach..<4 * columns + reach {
      let end = grid.border(at: Double(quarter + 1) / 4, samples)
      var span = grid.span(of: samples, from: start.index, to: end.index)
      span.include(start.y)
      span.include(end.y)
      spans.append(span)
      start = end
    }
    let faint = color.withAlpha(color.alpha / 2)
    for column in 0..<columns {
      if column & 63 == 0 && context.isCancelled { return }
      func pen(at quarter: Int) -> Span {
        var span = Span()
        for other in spans[quarter..<quarter + 2 * reach] { span.formUnion(other) }
        return span.padded(by: grid.pen / 2)
      }
      func fill(_ top: Double, _ bottom: Double, _ color: Color) {
        let (top, bottom) = (max(top, 0), min(bottom, grid.height))
        guard top < bottom else { return }
        context.fill(Rect(x: Double(column), y: top, width: 1, height: bottom - top), color: color)
      }
      let (left, right) = (pen(at: 4 * column + 1), pen(at: 4 * column + 3))
      var (top, bottom) = (max(left.top, right.top), min(left.bottom, right.bottom))
      guard top < bottom else {
        fill(left.top, left.bottom, faint)
        fill(right.top, right.bottom, faint)
        continue
      }
      let (highest, lowest) = (min(left.top, right.top), max(left.bottom, right.bottom))
      // Whole rows have no seam, and Cairo fills them faster. A difference of less than a row is one edge in the middle.
      if top - highest > 1 {
        top = top.rounded()
        fill(highest.rounded(), top, faint)
      } else {
        top = (top + highest) / 2
      }
      if lowest - bottom > 1 {
        bottom = max(bottom.rounded(), top.rounded(.up))
        fill(bottom, lowest.rounded(), faint)
      } else {
        bottom = (bottom + lowest) / 2
      }
      fill(top, bottom, color)
    }
  }
}

/// The rows that a part of the line takes, in pixels; none if `top` is below `bottom`.
private struct Span: BitwiseCopyable {
  var top = Double.infinity
  var bottom = -Double.infinity

  /// NaN changes nothing.
  mutating func include(_ y: Double) {
    if y < top { top = y }
    if y > bottom { bottom = y }
  }

  mutating func formUnion(_ other: Span) {
    top = min(top, other.top)
    bottom = max(bottom, other.bottom)
  }

  func padded(by length: Double) -> Span { Span(top: top - length, bottom: bottom + length) }
}

/// Maps samples to pixels, whose origin is the upper left corner of the bounds.
private struct Grid {
  let width: Double
  let height: Double
  let offset: Double
  /// The pixels from a sample to the next.
  let spacing: Double
  let pen: Double
  private let bottom: Double
  private let pixelsPerUnit: Double

  /// Nil if there is nothing that can be drawn.
  init?(_ strip: LineStrip, scale: Double) {
    (width, height) = (strip.bounds.width * scale, strip.bounds.height * scale)
    (offset, spacing) = (strip.offset, strip.zoom * scale)
    (pen, bottom) = (strip.lineWidth * scale, strip.bottom)
    pixelsPerUnit = height / (strip.top - strip.bottom)
    let most = Double(Bitmap.maximumSide)
    guard width > 0, width <= most, height > 0, height <= most, strip.bounds.minX.isFinite, strip.bounds.minY.isFinite,
      offset.isFinite, spacing > 0, spacing.isFinite, pen > 0, pen.isFinite,
      bottom.isFinite, pixelsPerUnit.isFinite, pixelsPerUnit != 0
    else { return nil }
  }

  /// The row of a value; NaN is kept.
  func y(of value: Float) -> Double {
    let y = height - (Double(value) - bottom) * pixelsPerUnit
    // Infinity is far enough away for a line to it to be upright.
    return y < -1e6 ? -1e6 : y > 1e6 ? 1e6 : y
  }

  /// The index of the first sample at a place or after it, and the row in which the line passes the place, or NaN.
  func border(at x: Double, _ samples: UnsafeBufferPointer<Float>) -> (index: Int, y: Double) {
    let place = offset + x / spacing
    let index = Int(min(max(place.rounded(.up), 0), Double(samples.count)))
    guard index > 0, index < samples.count else { return (index, .nan) }
    let (before, after) = (y(of: samples[index - 1]), y(of: samples[index]))
    return (index, before + (after - before) * (place - Double(index - 1)))
  }

  /// The rows of samples by themselves.
  func span(of samples: UnsafeBufferPointer<Float>, from first: Int, to end: Int) -> Span {
    var (least, greatest, index) = (Float.infinity, -Float.infinity, first)
    // Comparisons with NaN are false. In a debug build a loop over a slice takes seven times as long.
    while index < end {
      let value = samples[index]
      if value < least { least = value }
      if value > greatest { greatest = value }
      index += 1
    }
    var span = Span()
    guard least <= greatest else { return span }
    span.include(y(of: least))
    span.include(y(of: greatest))
    return span
  }
}
