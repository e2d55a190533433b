/// The rule that says which areas of overlapping outlines are inside.
public enum FillRule: Hashable, Sendable {
  /// A point is inside unless the outline winds around it equally often in both directions.
  case nonZero
  /// A point is inside if a ray from it crosses the outline an odd number of times.
  case evenOdd
}

/// The pen that draws a path: its width, ends, corners and dashes.
public struct StrokeStyle: Hashable, Sendable {
  /// The shape of the ends of an open line, and of its dashes.
  public enum Cap: Hashable, Sendable {
    /// The line ends at the point.
    case butt
    /// The line ends in a half circle around the point.
    case round
    /// The line ends half a width behind the point.
    case square
  }

  /// The shape of a corner.
  public enum Join: Hashable, Sendable {
    /// A sharp corner, or a bevel where the miter limit is exceeded.
    case miter
    case round
    case bevel
  }

  /// The measure of a pen.
  public enum Unit: String, CaseIterable, Hashable, Sendable {
    /// The path's own: what scales, turns or flattens the path does so with the pen.
    case points
    /// Pixels of the output, or of the bitmap. The pen is the same under every transform.
    case pixels
  }

  /// The width in the pen's unit. Nothing is drawn unless it is above 0. A line is at most some 28,000 pixels wide.
  public var width: Double
  /// The unit of width, dashes and phase: points at first.
  public var unit: Unit
  public var cap: Cap
  public var join: Join
  /// The greatest ratio of a miter's length to the line's width; at least 1. A miter that would reach more than 20,000 pixels
  /// is a bevel.
  public var miterLimit: Double
  /// The lengths of dashes and gaps in turn, in the pen's unit. An odd number of lengths is repeated once to make it even. The line
  /// is solid if the list is empty, if a length is negative or not finite, if twice their sum is 0 or not finite, or if it would
  /// have more dashes than anybody sees: 10,000,000 divided by its width in pixels, which counts ten times with round caps and as
  /// 100 at least. A dash that is longer than 130,000 pixels is drawn wrongly.
  public var dash: [Double]
  /// The distance into the dashes at which the line begins, in the pen's unit.
  public var dashPhase: Double

  public init(
    width: Double = 1, cap: Cap = .butt, join: Join = .miter, miterLimit: Double = 10, dash: [Double] = [],
    dashPhase: Double = 0, unit: Unit = .points
  ) {
    self.width = width
    self.unit = unit
    self.cap = cap
    self.join = join
    self.miterLimit = miterLimit
    self.dash = dash
    self.dashPhase = dashPhase
  }

  /// A line that is one pixel wide, however the path is scaled.
  public static let hairline = StrokeStyle(width: 1, unit: .pixels)

  /// The greatest distance from the path that the stroke can reach, in the pen's unit.
  package var reach: Double {
    guard width > 0 else { return 0 }
    let corner = join == .miter ? drawnMiterLimit : 1
    let end = cap == .square ? 2.0.squareRoot() : 1
    return width / 2 * max(corner, end)
  }

  /// The miter limit with which it is drawn: 1 for one below it, and for one that is not a number.
  var drawnMiterLimit: Double { miterLimit >= 1 ? miterLimit : 1 }

  /// The same pen, so thin and with so short miters that it reaches at most so far, in its unit.
  func limited(toReach reach: Double) -> StrokeStyle {
    var pen = self
    pen.width = min(width, reach * 2.0.squareRoot())
    pen.miterLimit = min(drawnMiterLimit, 2 * reach / pen.width)
    return pen
  }

  /// True if `dash` can be drawn along a line of this length, in the pen's unit, of so many pixels each. Cairo makes every dash, those beside the bitmap too, looks at
  /// all in each row that they cross, and makes a polygon of each round cap.
  func isDashed(along lineLength: Double, pixelsPerUnit: Double) -> Bool {
    var sum = 0.0
    for length in dash {
      guard length >= 0, length.isFinite else { return false }
      sum += length
    }
    let count = lineLength / sum * Double(dash.count)
    let cost = width * pixelsPerUnit * (cap == .round ? 10 : 1)
    // Cairo repeats an odd number of lengths, and looks for ever for a phase in an infinite sum.
    return sum > 0 && (2 * sum).isFinite && dashPhase.isFinite && count * max(cost, 100) <= 10_000_000
  }
}
