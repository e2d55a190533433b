public import LinuxSystem

/// The way of an animation through time: when it begins, how fast it goes, how often, and what it shows outside of that. The
/// rules are those of Core Animation's media timing.
///
/// A time of the parent's clock, which is the layer's or the group's, becomes the animation's own by
/// `(time − beginTime) · speed + timeOffset`. The animation is in effect from its beginning to its end, the end included.
///
/// ```swift
/// var timing = MediaTiming()
/// timing.duration = .milliseconds(200)
/// timing.repeatCount = 1.5
/// let moment = timing.moment(at: .zero + .milliseconds(250))      // progress 0.25 of the repetition after the first
/// ```
public struct MediaTiming: Hashable, Sendable {
  /// The beginning, on the parent's clock. Nil for the time of the commit that first sees the animation, in a group for the
  /// group's beginning.
  public var beginTime: MonotonicTime?
  /// The length of one repetition, on the animation's own clock. Nil, or one that is not above 0, for that of the transaction,
  /// in a group for that of the group.
  public var duration: Nanoseconds?
  /// The animation's own time that passes in one second of the parent's. A clock that runs backwards begins and ends at its
  /// first value; at 0 the animation stands still at `timeOffset`, for ever. One that is not finite counts as 1.
  public var speed = 1.0
  /// The time on the animation's own clock at which it begins. It wraps around the duration and makes the animation no shorter.
  public var timeOffset = Nanoseconds.zero
  /// The number of repetitions, fractions included; `.infinity` for ever. A number that is not above 0 counts as 1.
  public var repeatCount = 1.0
  /// The length of all repetitions together, on the animation's own clock. If it is above 0, `repeatCount` does not count.
  public var repeatDuration = Nanoseconds.zero
  /// True if each repetition runs back again as well, which takes as long once more.
  public var autoreverses = false
  /// The values shown before the beginning and after the end.
  public var fillMode = FillMode.removed

  /// The times outside of the active time at which an animation still gives its value.
  public enum FillMode: String, CaseIterable, Hashable, Sendable {
    /// The layer's own value before and after.
    case removed
    /// The last value after the end.
    case forwards
    /// The first value before the beginning.
    case backwards
    case both
  }

  /// A place in an animation.
  public struct Moment: Hashable, BitwiseCopyable, Sendable {
    /// The part of the way, 0…1, before the timing function. On the way back it falls.
    public var progress: Double
    /// The number of the repetition; the first one is 0. It may be negative on a clock that runs backwards.
    public var iteration: Int
  }

  public init() {}

  /// The place in the animation at a time of the parent's clock; nil while the animation is not in effect. An animation
  /// without a beginning begins at 0, one without a duration takes a quarter of a second.
  public func moment(at time: MonotonicTime) -> Moment? { ActiveTime(self).moment(at: time) }

  /// The end on the parent's clock, to the nanosecond; `distantFuture` without one.
  public var endTime: MonotonicTime { ActiveTime(self).end }
}

/// A timing as the numbers by which it is evaluated: they are the same at all times.
struct ActiveTime: BitwiseCopyable, Sendable {
  /// The beginning on the parent's clock.
  let begin: MonotonicTime
  /// The end on the parent's clock, to the nanosecond; `distantFuture` without one.
  let end: MonotonicTime
  /// The length of one way in nanoseconds; 0 only if the transaction's duration was.
  let way: Int64
  /// The length of all ways on the animation's own clock; `forever` without an end.
  private let length: Nanoseconds
  private let pace: Double
  private let timeOffset: Nanoseconds
  let autoreverses: Bool
  private let fillsBefore: Bool
  private let fillsAfter: Bool

  init(_ timing: MediaTiming) {
    begin = timing.beginTime ?? .zero
    way = max((timing.duration ?? .milliseconds(250)).count, 0)
    pace = timing.speed.isFinite ? timing.speed : 1
    timeOffset = timing.timeOffset
    autoreverses = timing.autoreverses
    fillsBefore = timing.fillMode == .backwards || timing.fillMode == .both
    fillsAfter = timing.fillMode == .forwards || timing.fillMode == .both
    if timing.repeatDuration > .zero {
      length = timing.repeatDuration
    } else if way > 0 {
      let length = Double(way) * (timing.repeatCount > 0 ? timing.repeatCount : 1) * (autoreverses ? 2 : 1)
      self.length = length < 0x1p62 ? Nanoseconds(Int64(length.rounded())) : .forever
    } else {
      length = .zero
    }
    end = length == .forever || pace == 0 ? .distantFuture : begin + length.scaled(by: 1 / abs(pace))
  }

  /// True if the animation shows the same from its beginning on.
  var stands: Bool { pace == 0 }

  /// See `MediaTiming.moment(at:)`.
  @inline(__always)
  func moment(at time: MonotonicTime) -> MediaTiming.Moment? {
    var own = Nanoseconds.zero
    if time < begin {
      guard fillsBefore else { return nil }
    } else if time > end {
      guard fillsAfter else { return nil }
      own = length
    } else {
      own = min((time - begin).scaled(by: abs(pace)), length)
    }
    guard way > 0 else { return MediaTiming.Moment(progress: autoreverses ? 0 : 1, iteration: 0) }
    let basic = (pace < 0 ? timeOffset - own : timeOffset + own).count
    var index = basic / way
    var rest = basic % way
    if rest < 0 {
      rest += way
      index -= 1
    }
    // A boundary between two repetitions belongs to the next one; the end has none.
    let isEnd = pace == 0 ? basic == length.count : pace > 0 && own == length
    if isEnd && rest == 0 && index > 0 {
      rest = way
      index -= 1
    }
    let part = Double(rest) / Double(way)
    guard autoreverses else { return MediaTiming.Moment(progress: part, iteration: Int(index)) }
    return MediaTiming.Moment(progress: index & 1 == 0 ? part : 1 - part, iteration: Int(index >> 1))
  }
}

extension Nanoseconds {
  /// Longer than every other duration.
  static let forever = Nanoseconds(.max)

  /// The duration times `factor`, to the nearest nanosecond and limited to the range. It is exact for a factor of 1.
  func scaled(by factor: Double) -> Nanoseconds {
    if factor == 1 { return self }
    let scaled = (Double(count) * factor).rounded()
    return Nanoseconds(Int64(exactly: scaled) ?? (scaled < 0 ? .min : .max))
  }
}
