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

  /// The width in points. Nothing is drawn unless it is above 0.
  public var width: Double
  public var cap: Cap
  public var join: Join
  /// The greatest ratio of a miter's length to the line's width; at least 1.
  public var miterLimit: Double
  /// The lengths of dashes and gaps in turn, in points. An odd number of lengths is repeated once to make it even. The line
  /// is solid if the list is empty, if a length is negative or not finite, if their sum is 0, or if it would have more than about
  /// 100,000 dashes.
  public var dash: [Double]
  /// The distance into the dashes at which the line begins, in points.
  public var dashPhase: Double

  public init(
    width: Double = 1, cap: Cap = .butt, join: Join = .miter, miterLimit: Double = 10, dash: [Double] = [],
    dashPhase: Double = 0
  ) {
    self.width = width
    self.cap = cap
    self.join = join
    self.miterLimit = miterLimit
    self.dash = dash
    self.dashPhase = dashPhase
  }

  /// The greatest distance from the path that the stroke can reach, in points.
  var reach: Double {
    guard width > 0 else { return 0 }
    let corner = join == .miter ? max(miterLimit, 1) : 1
    let end = cap == .square ? 2.0.squareRoot() : 1
    return width / 2 * max(corner, end)
  }

  /// True if `dash` can be drawn along a line of this length in points. Cairo makes every dash, those beside the bitmap too.
  func isDashed(along lineLength: Double) -> Bool {
    var sum = 0.0
    for length in dash {
      guard length >= 0, length.isFinite else { return false }
      sum += length
    }
    let count = lineLength / sum * Double(dash.count)
    return sum > 0 && sum.isFinite && dashPhase.isFinite && count <= 100_000
  }
}
