package import CDRM
public import FrameTiming

/// One of a connector's modes: size and timing.
public struct DisplayMode: Sendable, CustomStringConvertible {
  /// What goes back to the kernel to set the mode.
  package let info: drmModeModeInfo

  package init(_ info: drmModeModeInfo) {
    self.info = info
  }

  /// Visible pixels in a row.
  public var width: Int { Int(info.hdisplay) }
  /// Visible rows.
  public var height: Int { Int(info.vdisplay) }
  /// Whether the display asks for this one.
  public var isPreferred: Bool { info.type & UInt32(DRM_MODE_TYPE_PREFERRED) != 0 }
  /// Whether a refresh shows every other row.
  public var isInterlaced: Bool { info.flags & UInt32(DRM_MODE_FLAG_INTERLACE) != 0 }

  /// How often the display refreshes, exactly; nil when the timing makes no sense.
  ///
  /// The pixel clock over the pixels of a whole refresh, as the kernel's `drm_mode_vrefresh` has it: an interlaced mode
  /// refreshes twice a frame, a double-scanned one sends each row twice, `vscan` of them `vscan` times.
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
  /// Whether size and timing are the same; which one is preferred does not matter.
  func isSame(as other: DisplayMode) -> Bool {
    var (first, second) = (info, other.info)
    (first.type, second.type) = (0, 0)
    // The kernel leaves what is behind a name's end as it is.
    (first.name, second.name) = (drmModeModeInfo().name, drmModeModeInfo().name)
    return withUnsafeBytes(of: first) { first in withUnsafeBytes(of: second) { first.elementsEqual($0) } }
  }

  /// The modes that can be used, best first: the preferred one, then the largest, of those what is not interlaced, of those the
  /// fastest; the connector's order decides ties. Modes without sensible timing or larger than the maximum do not count.
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
