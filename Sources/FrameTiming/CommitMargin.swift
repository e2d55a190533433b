public import LinuxSystem

/// How long before a vblank a frame must be handed over for the display to take it for that vblank. Learned from frames that
/// were handed over before it and missed it.
///
/// A pure value. It begins with `FrameRecord.takeOverTime` and is never less. One miss says nothing: displays hiccup. The
/// second within 600 frames says that the smaller of the two leads is too small; the margin becomes that and a tenth of
/// a millisecond at once. What is more than the beginning is halved within 6000 frames without a miss, which at 60 Hz is a
/// minute and a half.
public struct CommitMargin: BitwiseCopyable, Sendable {
  public private(set) var value = FrameRecord.takeOverTime

  private static let allowance = Nanoseconds.microseconds(100)
  private static let memory = 600
  private static let decay: Int64 = 8_192

  /// The lead of the last frame that missed its vblank, and how many frames ago that was.
  private var missed: (lead: Nanoseconds, age: Int)?

  public init() {}

  /// A frame was seen.
  ///
  /// - Parameters:
  ///   - lead: how long before its target it was handed over.
  ///   - isMissed: whether it was seen later than that, and at a vblank.
  ///   - interval: a lead of half of it or more is not what a miss is due to.
  public mutating func observe(lead: Nanoseconds, isMissed: Bool, interval: Nanoseconds) {
    value = value - (value - FrameRecord.takeOverTime) / Self.decay
    missed?.age += 1
    guard isMissed, lead >= .zero, lead < interval / 2 else { return }
    if let missed, missed.age <= Self.memory { value = max(value, min(lead, missed.lead) + Self.allowance) }
    missed = (lead, 0)
  }
}
