package import LinuxSystem

/// Learns how long before a vblank a frame must be handed over for the display to show it at that vblank.
///
/// A pure value. The margin begins with `FrameRecord.takeOverTime`, and is never less.
///
/// A miss proves nothing by itself: displays hiccup, whatever the lead of a frame. A margin is too small if misses are common
/// at the smallest leads and rare at larger ones. So frames are counted by their leads, in steps of 2 to 3 %: a missed one as
/// four, one in time as minus one. The leads that are too small end where the sum from the smallest lead on is largest: up
/// to there more than a fifth of the frames missed, beyond it fewer. The sum must be as large as that of three misses. All
/// counts are halved after 256 frames, so that three are more than the miss budget. Hiccups come with more frames in time
/// than that, at any lead, and raise nothing.
///
/// As long as larger leads than the margin are too small, each miss raises it to the end of those, but at most by an eighth of
/// itself: it is not known how the display takes frames at leads that were never tried. The second of two misses in a row
/// raises it by the eighth: where all frames take the same time, there is nothing to tell how large a lead must be.
/// After 4096 frames without a raise, a minute at 60 Hz, as much is taken back: what was learned is tried again.
package struct CommitMargin: BitwiseCopyable, Sendable {
  package var value: Nanoseconds { Self.lead(ofStep: step) }

  private static let weight: Int16 = 4
  private static let fewestMisses: Int16 = 3
  private static let memory = 256
  /// In steps; an eighth at most.
  private static let rise = 4
  private static let trial = 4_096

  private var step = 0
  /// The number of frames since the last raise or trial.
  private var age = 0
  /// The number of frames since the counts were halved.
  private var counted = 0
  private var wasMissed = false
  /// The score of each step of leads, from `lead(ofStep:)` to the next one: four times the missed frames, less those in time.
  private var scores = InlineArray<176, Int16>(repeating: 0)

  package init() {}

  /// Learns from a frame that was seen.
  ///
  /// - Parameters:
  ///   - lead: how long before its target it was handed over.
  ///   - isMissed: true if it was seen later than that, and at a vblank.
  ///   - interval: the refresh interval. A longer lead is not the cause of a miss.
  package mutating func observe(lead: Nanoseconds, isMissed: Bool, interval: Nanoseconds) {
    age += 1
    if age == Self.trial { (step, age) = (max(step - Self.rise, 0), 0) }
    guard lead >= FrameRecord.takeOverTime, lead < interval else { return }
    counted += 1
    if counted == Self.memory {
      counted = 0
      for index in scores.indices { scores[index] /= 2 }
    }
    scores[min(Self.step(ofLead: lead), scores.count - 1)] += isMissed ? Self.weight : -1
    if isMissed { raise() }
    wasMissed = isMissed
  }

  private mutating func raise() {
    var (sum, largest, enough) = (Int16(0), Self.weight * Self.fewestMisses - 1, 0)
    for index in scores.indices {
      sum += scores[index]
      if sum > largest { (largest, enough) = (sum, index + 1) }
    }
    guard enough > step else { return }
    let most = min(step + Self.rise, scores.count)
    (step, age) = (wasMissed ? most : min(enough, most), 0)
  }

  // MARK: - Steps

  /// From 1 ms by 1/32 ms, from 2 ms by 1/16 ms, from 4 ms by 1/8 ms, and so on.
  private static func lead(ofStep step: Int) -> Nanoseconds {
    FrameRecord.takeOverTime / 32 * (Int64(32 + step % 32) << Int64(step / 32))
  }

  /// The last step whose lead is at most `lead`, which is at least the first one's.
  private static func step(ofLead lead: Nanoseconds) -> Int {
    let parts = lead.count / (FrameRecord.takeOverTime / 32).count
    let doublings = parts.bitWidth - parts.leadingZeroBitCount - 6
    return 32 * doublings + Int(parts >> Int64(doublings)) - 32
  }
}
