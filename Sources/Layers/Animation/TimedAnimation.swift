import LinuxSystem

/// An animation with nothing left open but its beginning: a value that says what is shown at a time.
struct TimedAnimation {
  let track: AnimationTrack
  let timingFunction: TimingFunction
  /// The length of one way; at least 0.
  let duration: Int64
  /// The length of all repetitions; `.max` without an end.
  let length: Int64
  let autoreverses: Bool
  let fillsForwards: Bool
  let fillsBackwards: Bool
  /// Nil until the commit that begins it.
  private(set) var begin: MonotonicTime?
  /// True if `begin` was left to the commit. An earlier time then shows the first value: otherwise the layer would jump to
  /// its new value and back.
  private let beginsAtCommit: Bool

  init(_ animation: BasicAnimation, duration: Nanoseconds, timingFunction: TimingFunction) {
    track = animation.track
    self.timingFunction = timingFunction
    let way = max(duration.count, 0)
    self.duration = way
    autoreverses = animation.autoreverses
    let count = animation.repeatCount > 0 ? animation.repeatCount : 1
    let length = Double(way) * count * (animation.autoreverses ? 2 : 1)
    self.length = way == 0 ? 0 : length < 0x1p62 ? Int64(length.rounded()) : .max
    fillsForwards = animation.fillMode == .forwards || animation.fillMode == .both
    fillsBackwards = animation.fillMode == .backwards || animation.fillMode == .both
    begin = animation.beginTime
    beginsAtCommit = animation.beginTime == nil
  }

  mutating func begin(at time: MonotonicTime) {
    if begin == nil { begin = time }
  }

  /// The time at which it is over; nil while it has not begun.
  var end: MonotonicTime? {
    guard let begin else { return nil }
    return length == .max ? .distantFuture : begin + Nanoseconds(length)
  }

  func isOver(at time: MonotonicTime) -> Bool {
    guard let end else { return false }
    return length != .max && time >= end
  }

  /// The part of the way that is covered at `time`, by the timing function; nil when the layer's own value is shown.
  func progress(at time: MonotonicTime) -> Double? {
    guard let begin else { return 0 }
    var elapsed = (time - begin).count
    if elapsed < 0 {
      guard fillsBackwards || beginsAtCommit else { return nil }
      elapsed = 0
    }
    if elapsed >= length && length != .max {
      guard fillsForwards else { return nil }
      if duration == 0 { return autoreverses ? 0 : 1 }
      return lastProgress
    }
    return progress(way: elapsed / duration, part: Double(elapsed % duration) / Double(duration))
  }

  /// The progress at the very end: the end of the last way, not the beginning of one that does not come.
  private var lastProgress: Double {
    let way = length / duration
    let rest = length % duration
    return rest == 0 ? progress(way: way - 1, part: 1) : progress(way: way, part: Double(rest) / Double(duration))
  }

  private func progress(way: Int64, part: Double) -> Double {
    let isBack = autoreverses && !way.isMultiple(of: 2)
    return timingFunction.progress(at: isBack ? 1 - part : part)
  }

  /// Puts the value at `time` into `values`, which hold the values that would be shown without this animation.
  func apply(to values: inout AnimatableValues, at time: MonotonicTime) {
    if let progress = progress(at: time) { track.apply(&values, progress) }
  }
}
