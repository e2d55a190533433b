package import CDRM
public import FrameTiming

/// One of a connector's modes: size and timing. `ModeRequest` asks for one.
public struct DisplayMode: Sendable, Equatable, CustomStringConvertible {
  /// The kernel's structure, which sets the mode.
  package let info: drmModeModeInfo

  package init(_ info: drmModeModeInfo) {
    self.info = info
  }

  /// Visible pixels in a row.
  public var width: Int { Int(info.hdisplay) }
  /// Visible rows.
  public var height: Int { Int(info.vdisplay) }
  /// True if the screen prefers this mode.
  public var isPreferred: Bool { info.type & UInt32(DRM_MODE_TYPE_PREFERRED) != 0 }
  /// True if each refresh shows every other row.
  public var isInterlaced: Bool { info.flags & UInt32(DRM_MODE_FLAG_INTERLACE) != 0 }

  /// The exact rate at which the screen refreshes; nil when the timing makes no sense.
  ///
  /// The pixel clock divided by the pixels of a whole refresh, like the kernel's `drm_mode_vrefresh`: an interlaced mode
  /// refreshes twice a frame, a double-scanned one sends each row twice, one with `vscan` that many times.
  public var refreshRate: RefreshRate? {
    var numerator = Int64(info.clock) * 1000
    var denominator = Int64(info.htotal) * Int64(info.vtotal)
    if isInterlaced { numerator *= 2 }
    if info.flags & UInt32(DRM_MODE_FLAG_DBLSCAN) != 0 { denominator *= 2 }
    if info.vscan > 1 { denominator *= Int64(info.vscan) }
    guard numerator > 0, denominator > 0 else { return nil }
    let divisor = greatestCommonDivisor(numerator, denominator)
    return RefreshRate(numerator: numerator / divisor, denominator: denominator / divisor)
  }

  /// Size and rate: "1920x1080@59.94".
  public var description: String {
    let rate = refreshRate?.description ?? "? Hz"
    return "\(width)x\(height)@\(rate.dropLast(3))\(isInterlaced ? "i" : "")"
  }
}

extension DisplayMode {
  public static func == (first: DisplayMode, second: DisplayMode) -> Bool {
    first.isSame(as: second) && first.isPreferred == second.isPreferred
  }

  /// True if size and timing are the same. Being preferred does not matter.
  package func isSame(as other: DisplayMode) -> Bool {
    var (first, second) = (info, other.info)
    (first.type, second.type) = (0, 0)
    // The kernel does not clear the bytes behind a name's end.
    (first.name, second.name) = (drmModeModeInfo().name, drmModeModeInfo().name)
    return withUnsafeBytes(of: first) { first in withUnsafeBytes(of: second) { first.elementsEqual($0) } }
  }

  /// The usable modes, best first: the preferred one, then the largest, then those that are not interlaced, then the fastest;
  /// the connector's order decides ties. Modes without sensible timing or larger than the maximum are left out.
  static func choices(among modes: [DisplayMode], maximumWidth: Int, maximumHeight: Int) -> [DisplayMode] {
    let usable = modes.filter {
      $0.refreshRate != nil && $0.width > 0 && $0.width <= maximumWidth && $0.height > 0 && $0.height <= maximumHeight
    }
    let preferred = usable.firstIndex(where: \.isPreferred)
    func rank(_ place: Int, _ mode: DisplayMode) -> (Int, Int, Int, Double, Int) {
      let rate = mode.refreshRate?.hertz ?? 0
      return (place == preferred ? 1 : 0, mode.width * mode.height, mode.isInterlaced ? 0 : 1, rate, -place)
    }
    return usable.enumerated().sorted { rank($0.offset, $0.element) > rank($1.offset, $1.element) }.map(\.element)
  }
}

private func greatestCommonDivisor(_ first: Int64, _ second: Int64) -> Int64 {
  var (large, small) = (first, second)
  while small != 0 { (large, small) = (small, large % small) }
  return large
}
