public import FrameTiming

/// A mode as a user names it: a size, and a rate if it matters.
///
/// ```swift
/// let display = try Displays.kms(mode: ModeRequest(width: 1920, height: 1080, rate: .hertz60))
/// ```
public struct ModeRequest: Equatable, Sendable, CustomStringConvertible {
  /// Visible pixels in a row.
  public var width: Int
  /// Visible rows.
  public var height: Int
  /// Nil for any.
  public var rate: RefreshRate?
  /// True if each refresh shows every other row.
  public var isInterlaced: Bool

  public init(width: Int, height: Int, rate: RefreshRate? = nil, isInterlaced: Bool = false) {
    self.width = width
    self.height = height
    self.rate = rate
    self.isInterlaced = isInterlaced
  }

  /// The largest difference of a mode's rate from the requested one, in hertz: 60 also stands for 59.94 where no mode is
  /// nearer.
  public static let tolerance = 0.5

  /// "1920x1080@59.94", "1920x1080".
  public var description: String {
    "\(width)x\(height)\(rate.map { "@\($0.description.dropLast(3))" } ?? "")\(isInterlaced ? "i" : "")"
  }

  /// The mode of this size with the nearest rate within the tolerance; nil when there is none. Without a rate it is the
  /// preferred mode, else the fastest. The connector's order decides ties.
  func choice(among modes: [DisplayMode]) -> DisplayMode? {
    func rank(_ mode: DisplayMode) -> Double? {
      guard mode.width == width, mode.height == height, mode.isInterlaced == isInterlaced, let own = mode.refreshRate?.hertz
      else { return nil }
      guard let rate else { return mode.isPreferred ? .infinity : own }
      let distance = abs(own - rate.hertz)
      return distance <= Self.tolerance ? -distance : nil
    }
    var best: (mode: DisplayMode, rank: Double)?
    for mode in modes {
      if let rank = rank(mode), rank > best?.rank ?? -.infinity { best = (mode, rank) }
    }
    return best?.mode
  }
}
