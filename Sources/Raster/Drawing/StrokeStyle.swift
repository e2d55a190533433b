/// Which side of crossing outlines is inside.
public enum FillRule: Hashable, Sendable {
  /// Inside is what the outline winds around, counting clockwise turns against counterclockwise ones.
  case nonZero
  /// Inside is what a ray outwards leaves after an odd number of crossings.
  case evenOdd
}

/// How the pen draws a path.
public struct StrokeStyle: Hashable, Sendable {
  public enum Cap: Hashable, Sendable {
    /// Ends at the point.
    case butt
    /// Ends in a half circle around the point.
    case round
    /// Ends half a width behind the point.
    case square
  }

  public enum Join: Hashable, Sendable {
    /// A sharp corner, or a bevel where it would reach further than the miter limit allows.
    case miter
    case round
    case bevel
  }

  /// In points. Nothing is drawn unless it is above 0.
  public var width: Double
  public var cap: Cap
  public var join: Join
  /// The greatest ratio of a miter's length to the line's width; at least 1.
  public var miterLimit: Double
  /// Lengths of dashes and gaps in turn, in points; an odd number of them is gone through twice. A solid line when empty,
  /// and also when one of them is negative or not finite, or their sum is 0.
  public var dash: [Double]
  /// How far into the dashes the line begins, in points.
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

  /// How far from the path the stroke can reach, in points.
  var reach: Double {
    guard width > 0 else { return 0 }
    let corner = join == .miter ? max(miterLimit, 1) : 1
    let end = cap == .square ? 2.0.squareRoot() : 1
    return width / 2 * max(corner, end)
  }

  /// Whether `dash` can be drawn.
  var isDashed: Bool {
    var sum = 0.0
    for length in dash {
      guard length >= 0, length.isFinite else { return false }
      sum += length
    }
    return sum > 0 && sum.isFinite && dashPhase.isFinite
  }
}
