public import LinuxSystem

/// Finds the number of refresh intervals in which an application can make a frame, from the frames that it made. A pure value.
///
/// A steady half rate looks better than a full rate that is missed again and again. An output has one if its
/// `automaticInterval` is set, as `framepace --interval auto` does; it is fed with the records of the frames that were shown.
///
/// It becomes slower when frames have been late by their own work for two seconds, and faster when they have shown for
/// one that they would be in time. In between it stays as it is:
/// - *Overload* is when more than a tenth of the frames of half a second are late and took longer than their intervals leave
///   them. (A frame that is late for another reason would be late at any rate.) Swappy's limit is a tenth too.
/// - *Headroom* for an interval is when fewer than a twentieth of the frames of a quarter of a second would take longer than it
///   leaves them. So frames that cause an overload leave no headroom, and nothing goes to and fro.
/// - A single miss is more than its share for a moment, and changes nothing.
/// - A return that had to be taken back within a minute makes the next one take twice the proof, up to sixteen times.
public struct AutomaticInterval: BitwiseCopyable, Sendable {
  /// The number of refresh intervals from frame to frame; from 1 to `most`.
  public private(set) var intervals = 1
  /// The largest value of `intervals`, from 1 to 8.
  public let most: Int

  private var overload = LastingShare(above: 0.1, over: 0.5)
  /// The share of frames that would be late at 1, 2 … intervals.
  private var headroom: InlineArray<8, LastingShare> = .init(repeating: LastingShare(below: 0.05, over: 0.25))
  private var last: MonotonicTime?
  /// The factor by which a return takes more proof.
  private var caution = 1.0
  /// The time since the last return, in seconds.
  private var sinceReturn = Double.infinity

  /// How long an overload must last, in seconds.
  private static let overloadTime = 1.9
  /// How long headroom must last, in seconds.
  private static let headroomTime = 1.0
  /// A return that lasted this long was right, in seconds.
  private static let provenTime = 60.0

  public init(most: Int = 4) {
    self.most = min(max(most, 1), 8)
  }

  /// The longest work for a frame in so many intervals. An eighth of one is left for wake-ups and for the display's take-over, at
  /// least `FrameRecord.takeOverTime` and at most a quarter.
  static func budget(_ intervals: Int, of interval: Nanoseconds) -> Nanoseconds {
    interval * Int64(intervals) - min(max(interval / 8, FrameRecord.takeOverTime), interval / 4)
  }

  /// Learns from a frame that was seen.
  ///
  /// - Parameter interval: the display's refresh interval.
  /// - Returns: true if `intervals` has changed.
  @discardableResult
  public mutating func observe(_ record: FrameRecord, interval: Nanoseconds) -> Bool {
    observe(
      work: record.work, isLate: record.isTargetKnown && record.isLate(interval: interval), at: record.presented,
      interval: interval)
  }

  /// - Parameters:
  ///   - work: the time spent on the frame.
  ///   - isLate: true if it was seen at a later vblank than it was made for.
  ///   - time: when it was seen.
  mutating func observe(work: Nanoseconds, isLate: Bool, at time: MonotonicTime, interval: Nanoseconds) -> Bool {
    // A pause proves nothing, and neither does all of a frame that took seconds.
    let longest = min(interval.seconds * Double(2 * intervals) + work.seconds, 0.5)
    let elapsed = last.map { min(max((time - $0).seconds, 0), longest) } ?? 0
    last = time
    sinceReturn += elapsed
    if sinceReturn > Self.provenTime { caution = 1 }

    overload.note(isLate && work > Self.budget(intervals, of: interval), elapsed: elapsed)
    for count in 1...most {
      headroom[count - 1].note(work > Self.budget(count, of: interval), elapsed: elapsed)
    }
    if intervals < most, overload.duration >= Self.overloadTime { return slowDown() }
    for count in 1..<intervals where headroom[count - 1].duration >= Self.headroomTime * caution {
      return speedUp(to: count)
    }
    return false
  }

  private mutating func slowDown() -> Bool {
    if sinceReturn < Self.provenTime { caution = min(caution * 2, 16) }
    // The interval that most of the frames fit into.
    let enough = (intervals + 1..<most).first { headroom[$0 - 1].share < 0.5 }
    return change(to: enough ?? most)
  }

  private mutating func speedUp(to count: Int) -> Bool {
    sinceReturn = 0
    return change(to: count)
  }

  private mutating func change(to count: Int) -> Bool {
    intervals = count
    overload.restart()
    for index in headroom.indices { headroom[index].forgetDuration() }
    return true
  }
}

/// Measures how long the share of frames with a property has been large, or small. A pure value.
struct LastingShare: BitwiseCopyable, Sendable {
  /// The share among the latest frames.
  private(set) var share = 0.0
  /// The time for which the share has been beyond the limit, in seconds; time in which it was not is taken off again.
  private(set) var duration = 0.0
  /// The time since the last frame that kept the share beyond the limit. It counts if another one follows.
  private var uncertain = 0.0
  private let isAbove: Bool
  private let limit: Double
  /// The time over which the share is averaged, in seconds.
  private let time: Double

  init(above limit: Double, over time: Double) {
    (isAbove, self.limit, self.time) = (true, limit, time)
  }

  init(below limit: Double, over time: Double) {
    (isAbove, self.limit, self.time) = (false, limit, time)
  }

  /// Takes a frame with or without the property, `elapsed` seconds after the last one.
  mutating func note(_ happens: Bool, elapsed: Double) {
    // 1 − e^−x to 2 % for the short times that they are, and never above 1.
    let x = elapsed / time
    let weight = x / (1 + x / 2 + x * x / 12)
    share += ((happens ? 1 : 0) - share) * min(weight, 1)
    uncertain += elapsed
    if isAbove ? share <= limit : share >= limit {
      duration = max(0, duration - uncertain)
      uncertain = 0
    } else if happens == isAbove {
      duration += uncertain
      uncertain = 0
    }
  }

  mutating func forgetDuration() { (duration, uncertain) = (0, 0) }

  mutating func restart() { (share, duration, uncertain) = (0, 0, 0) }
}
