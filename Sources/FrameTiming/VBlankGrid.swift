import LinuxSystem

/// A display's vblanks, counted on from one that is known at the nominal rate. A pure value.
struct VBlankGrid {
  /// The vblank that is counted from.
  let origin: VBlank
  /// The number of the interval that begins with it.
  let frameNumber: UInt64

  /// How many intervals a count is good for: CTA-861 lets a pixel clock be off by 0.5 %, which in 50 intervals makes a
  /// quarter of one.
  static let reach: Int64 = 50

  /// Whether what is said of `time` can be right; nothing is lost by counting backwards.
  func reaches(_ time: MonotonicTime, rate: RefreshRate) -> Bool {
    time - origin.timestamp <= rate.offset(ofInterval: Self.reach)
  }

  /// The first vblank later than `time`.
  func vblank(after time: MonotonicTime, rate: RefreshRate) -> MonotonicTime {
    let start = origin.timestamp
    return start + rate.offset(ofInterval: rate.intervals(in: time - start) + 1)
  }

  /// The number of the interval in which `time` lies; 0 for times before frame 0.
  func frameNumber(at time: MonotonicTime, rate: RefreshRate) -> UInt64 {
    let intervals = rate.intervals(in: time - origin.timestamp)
    if intervals >= 0 { return frameNumber + UInt64(intervals) }
    let before = intervals.magnitude
    return before > frameNumber ? 0 : frameNumber - before
  }
}
