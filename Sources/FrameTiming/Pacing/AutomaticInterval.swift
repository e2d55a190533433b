public import LinuxSystem

/// Finds the number of refresh intervals in which an application can make a frame, from the frames that it made. A pure value.
///
/// A steady half rate looks better than a full rate that is missed again and again. An output has one if its
/// `automaticInterval` is set, as `framepace --interval auto` does; it is fed with the records of the frames that were shown.
///
/// ```swift
/// engine.output.automaticInterval = AutomaticInterval()
/// …
/// print("a frame every \(engine.output.automaticInterval?.intervals ?? 1) vblanks")
/// ```
///
/// - It becomes slower after about half a second in which all frames were late and took longer than their intervals leave them;
///   the fewer such frames, the later. Up to a tenth of them changes nothing, and neither does a single miss, however long. (A
///   frame that is late for another reason would be late at any rate. Swappy's limit is a tenth too.)
/// - It becomes faster the sooner, the more every frame would have had to spare: after 60 ms with half of the time, a fifth of a second
///   with a quarter, one and a half seconds if they would just have been in time. A return that had to be taken back within three seconds
///   makes the next one take twice the proof, up to sixteen times: nothing goes to and fro, and a load that changes every few
///   seconds is followed.
/// - It never makes the rate less than the minimum of the range that the output's link has. A link that is slower by its own range, at
///   half the rate, say, keeps its rate: what changes is the number of intervals that its frames are made for. Frames of which some need
///   one and some need two are all seen after two then, and so evenly.
public struct AutomaticInterval: BitwiseCopyable, Sendable {
  /// The number of refresh intervals from frame to frame; from 1 to 4.
  public private(set) var intervals = 1

  /// The share of late frames among those of the last quarter of a second, and the mean time that those took, in seconds.
  private var lateShare = 0.0
  private var meanWork = 0.0
  /// The time in which too many were late, weighed by their share, in seconds.
  private var overload = 0.0
  /// For 1, 2 … intervals, and each share of `headroomTimes`: the time, in seconds, for which no frame has needed more than that
  /// share of them. Nil if the last one did.
  private var headroom: InlineArray<4, InlineArray<3, Double?>> = .init(repeating: .init(repeating: nil))
  private var last: MonotonicTime?
  /// The factor by which a return takes more proof.
  private var caution = 1.0
  /// The time since the last return, in seconds.
  private var sinceReturn = Double.infinity

  private static let mostLate = 0.1
  private static let averagingTime = 0.25
  private static let longestOverload = 0.3
  /// How long frames must need no more than such a share of fewer intervals, in seconds.
  private static let headroomTimes: InlineArray<3, (share: Double, time: Double)> = [(1, 1.5), (0.75, 0.2), (0.5, 0.06)]
  /// A return that lasted this long was right, in seconds.
  private static let provenTime = 3.0

  public init() {}

  /// The longest work for a frame in so many intervals. An eighth of one is left for wake-ups and for the display's take-over, at
  /// least `FrameRecord.takeOverTime` and at most a quarter.
  static func budget(_ intervals: Int, of interval: Nanoseconds) -> Nanoseconds {
    interval * Int64(intervals) - min(max(interval / 8, FrameRecord.takeOverTime), interval / 4)
  }

  /// Learns from a frame that was seen.
  ///
  /// - Parameters:
  ///   - interval: the display's refresh interval.
  ///   - most: the most intervals that may lie between two frames.
  ///   - isCompositedBeside: true if another thread composites frames beside the work for the next ones: then the longer of the two
  ///     decides how often a frame can come, and not their sum.
  public mutating func observe(
    _ record: FrameRecord, interval: Nanoseconds, most: Int = .max, isCompositedBeside: Bool = false
  ) {
    let composite = record.phases[.composite]
    // The frame of a link with fewer ticks may be in time for its next one, and late for the vblank that it was made for.
    let due = min(record.due, record.tickTimestamp + interval * Int64(intervals))
    observe(
      work: isCompositedBeside ? max(record.work - composite, composite) : record.work,
      isLate: record.isTargetKnown && record.presented - due > interval / 2, at: record.presented, interval: interval,
      most: most, every: record.intervalsPerTick)
  }

  /// - Parameters:
  ///   - work: the time spent on the frame.
  ///   - isLate: true if it was seen at a later vblank than it may take.
  ///   - time: when it was seen.
  ///   - step: how many intervals lie between two ticks.
  mutating func observe(
    work: Nanoseconds, isLate: Bool, at time: MonotonicTime, interval: Nanoseconds, most: Int = .max, every step: Int = 1
  ) {
    let most = min(max(most, 1), headroom.count)
    if intervals > most { change(to: most) }
    // A pause proves nothing, and neither does all of a frame that took seconds.
    let longest = min(interval.seconds * Double(2 * max(intervals, step)) + work.seconds, 0.5)
    let elapsed = last.map { min(max((time - $0).seconds, 0), longest) } ?? 0
    last = time
    sinceReturn += elapsed

    // By the share before this frame, so that a single long one is none.
    let excess = lateShare - Self.mostLate
    overload = excess > 0 ? overload + excess * elapsed : max(0, overload - elapsed)
    let weight = elapsed / (elapsed + Self.averagingTime)
    let isOverload = isLate && work > Self.budget(intervals, of: interval)
    lateShare += ((isOverload ? 1 : 0) - lateShare) * weight
    meanWork += (work.seconds - meanWork) * weight
    for count in 1...headroom.count {
      let budget = Self.budget(count, of: interval).seconds
      for tier in Self.headroomTimes.indices {
        let isSpared = work.seconds <= budget * Self.headroomTimes[tier].share
        // The time before the first such frame was another's.
        headroom[count - 1][tier] = isSpared ? headroom[count - 1][tier].map { $0 + elapsed } ?? 0 : nil
      }
    }

    if overload >= Self.longestOverload, intervals < most { return slowDown(interval, most: most) }
    guard let enough = (1..<intervals).first(where: { hasHeadroom(in: $0) }) else { return }
    sinceReturn = 0
    change(to: enough)
  }

  /// True if frames have been short for long enough to come every `count` intervals.
  private func hasHeadroom(in count: Int) -> Bool {
    Self.headroomTimes.indices.contains { tier in
      headroom[count - 1][tier].map { $0 >= Self.headroomTimes[tier].time * caution } ?? false
    }
  }

  private mutating func slowDown(_ interval: Nanoseconds, most: Int) {
    caution = sinceReturn < Self.provenTime ? min(caution * 2, 16) : max(caution / 2, 1)
    let enough = (intervals + 1..<most).first { Self.budget($0, of: interval).seconds >= meanWork }
    change(to: enough ?? most)
  }

  private mutating func change(to count: Int) {
    intervals = count
    (lateShare, overload) = (0, 0)
    headroom = .init(repeating: .init(repeating: nil))
  }
}
