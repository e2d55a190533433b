public import LinuxSystem

/// Finds every how many refresh intervals an application can make a frame, from the frames that it made: a steady half rate
/// looks better than a full one that is missed again and again. A pure value, fed with records.
///
/// It becomes slower when frames have been late by their own work for two seconds, and faster when they have shown for
/// one that they would be in time. In between it stays as it is:
/// - *Overload* is when more than a tenth of the frames of half a second are late and took longer than their intervals leave
///   them. (A frame that is late for another reason would be so at any rate.) Swappy's limit is a tenth too.
/// - *Headroom* for an interval is when fewer than a twentieth of the frames of a quarter of a second would take longer than it
///   leaves them. So what is slow enough for an overload has no headroom, and nothing goes to and fro.
/// - A single miss is more than its share for a moment, and changes nothing.
/// - A return that had to be taken back within a minute makes the next one take twice the proof, up to sixteen times.
public struct AutomaticInterval: BitwiseCopyable, Sendable {
  /// Every how many refresh intervals a frame is to be made; from 1 to `most`.
  public private(set) var intervals = 1
  /// As slow as it may become, from 1 to 8.
  public let most: Int

  private var overload = LastingShare(above: 0.1, over: 0.5)
  /// Whether frames would be in time at 1, 2 … intervals: the share of those that would not.
  private var headroom: InlineArray<8, LastingShare> = .init(repeating: LastingShare(below: 0.05, over: 0.25))
  private var last: MonotonicTime?
  /// By how much more proof a return takes.
  private var caution = 1.0
  /// How long it has been since the last return, in seconds.
  private var sinceReturn = Double.infinity

  /// How long an overload must last, in seconds.
  private static let overloadTime = 1.9
  /// How long headroom must last, in seconds.
  private static let headroomTime = 1.0
  /// A return that lasted so long was right, in seconds.
  private static let provenTime = 60.0

  public init(most: Int = 4) {
    self.most = min(max(most, 1), 8)
  }

  /// What a frame may take in so many intervals. An eighth of one is left for wake-ups and for the display to take it over, at
  /// least `FrameRecord.takeOverTime` and at most a quarter.
  static func budget(_ intervals: Int, of interval: Nanoseconds) -> Nanoseconds {
    interval * Int64(intervals) - min(max(interval / 8, FrameRecord.takeOverTime), interval / 4)
  }

  /// A frame was seen.
  ///
  /// - Parameter interval: the display's refresh interval.
  /// - Returns: whether `intervals` has changed.
  @discardableResult
  public mutating func observe(_ record: FrameRecord, interval: Nanoseconds) -> Bool {
    observe(
      work: record.work, isLate: record.isTargetKnown && record.isLate(interval: interval), at: record.presented,
      interval: interval)
  }

  /// - Parameters:
  ///   - work: what the frame took, from its tick to its handing over, without the time in which nothing was done.
  ///   - isLate: whether it was seen at a later vblank than it was made for.
  ///   - time: when it was seen.
  mutating func observe(work: Nanoseconds, isLate: Bool, at time: MonotonicTime, interval: Nanoseconds) -> Bool {
    // A pause is no time in which anything lasted, and neither is all of a frame that took seconds.
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
    // As slow as most of the frames need.
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

/// How long a share of what happens has been large, or small. A pure value.
struct LastingShare: BitwiseCopyable, Sendable {
  /// Of what happened lately.
  private(set) var share = 0.0
  /// For how long the share has been as it is to be, in seconds; time in which it was not is taken off again.
  private(set) var duration = 0.0
  /// Time since what happened last would have kept the share as it is. It counts if that goes on.
  private var uncertain = 0.0
  private let isAbove: Bool
  private let limit: Double
  /// Over which time the share is averaged, in seconds.
  private let time: Double

  init(above limit: Double, over time: Double) {
    (isAbove, self.limit, self.time) = (true, limit, time)
  }

  init(below limit: Double, over time: Double) {
    (isAbove, self.limit, self.time) = (false, limit, time)
  }

  /// It happened or did not, `elapsed` seconds after the last time.
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
