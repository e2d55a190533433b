package import FrameTiming
import LinuxSystem

/// Counts frames by the refresh interval that the display had when a tick asked for them, in fixed memory. A pure value.
///
/// A tick promises the vblank of the next one, which is predicted from vblanks that were: so the interval is the real one also where the
/// display's mode or the desktop tells another, and where a window moves to another output. Intervals that differ by less than a
/// twentieth are one, their mean, as predictions wander; a mean within 3 % of the told interval is that, as for a mode that is called
/// 60 Hz and has 59.94.
struct RefreshIntervals: BitwiseCopyable, Sendable {
  struct Count {
    var interval: Nanoseconds
    var frames = 0
    var isTold: Bool
  }

  private struct Place: BitwiseCopyable {
    var mean = Nanoseconds.zero
    var frames = 0
  }

  /// No display refreshes that often: a file is damaged.
  private static let shortest = Nanoseconds.microseconds(100)

  /// Displays have few rates in a run: those of most frames have a place.
  private var places: InlineArray<8, Place> = .init(repeating: Place())
  private let told: Nanoseconds
  /// The place of the last frame's interval; nil before the first frame that a tick asked for.
  private var last: Int?
  /// The frames that a tick asked for.
  private(set) var frames = 0

  /// - Parameter told: the interval of the display's mode, or that the desktop tells.
  init(told: Nanoseconds) { self.told = told }

  /// Counts a frame.
  ///
  /// - Returns: its interval; of one that no tick asked for that of the frame before, and before all others the told one.
  mutating func add(_ frame: FrameRecord) -> Nanoseconds {
    let distance = (frame.promised ?? frame.tickTimestamp) - frame.tickTimestamp
    let interval = distance / Int64(max(frame.intervalsPerTick, 1))
    // A promise that was a guess, as at a variable rate, tells of no interval.
    if frame.isTargetKnown, interval >= Self.shortest {
      let place = place(of: interval)
      places[place].frames += 1
      places[place].mean += (interval - places[place].mean) / Int64(places[place].frames)
      (last, frames) = (place, frames + 1)
    }
    return last.map { count(places[$0]).interval } ?? told
  }

  private func count(_ place: Place) -> Count {
    let isTold = place.mean.isNear(told, part: 0.03)
    return Count(interval: isTold ? told : place.mean, frames: place.frames, isTold: isTold)
  }

  /// The place of an interval; a new one takes that of the fewest frames.
  private mutating func place(of interval: Nanoseconds) -> Int {
    var fewest = 0
    for index in places.indices {
      let place = places[index]
      if place.frames > 0, interval.isNear(place.mean, part: 0.05) { return index }
      if place.frames < places[fewest].frames { fewest = index }
    }
    places[fewest] = Place(mean: interval)
    return fewest
  }

  /// All of them, those of most frames first, the longer one of equally many.
  var all: [Count] {
    let counts = places.indices.map { count(places[$0]) }.filter { $0.frames > 0 }
    let frames = counts.filter(\.isTold).reduce(0) { $0 + $1.frames }
    let asTold = frames > 0 ? [Count(interval: told, frames: frames, isTold: true)] : []
    return (counts.filter { !$0.isTold } + asTold).sorted { ($0.frames, $0.interval) > ($1.frames, $1.interval) }
  }

  /// The interval of most frames; the told one without any.
  var usual: Count { all.first ?? Count(interval: told, isTold: true) }

  /// True if a twentieth of the frames or more had another interval than `usual`: more than the first ones of a window have, whose
  /// compositor has not told of a vblank yet.
  var haveChanged: Bool { (frames - usual.frames) * 20 >= frames && frames > usual.frames }
}

extension Nanoseconds {
  fileprivate func isNear(_ other: Nanoseconds, part: Double) -> Bool {
    abs(Double(count) - Double(other.count)) <= Double(other.count) * part
  }
}

extension RefreshRate {
  /// The rate that a display has by a tick of it: this one, or else that of the tick's interval, if it differs by more than a display's rate
  /// may differ from its mode's.
  ///
  /// - Parameter last: the one by the ticks before. It stays while the interval is near it: a measured one wanders.
  /// - Returns: nil for a tick of the clock that ticks once a second while nobody can see the display.
  package func followed(by tick: DisplayLink.Tick, after last: RefreshRate) -> RefreshRate? {
    let second = Nanoseconds.seconds(1)
    if tick.duration >= second, interval < second { return nil }
    if let known = [self, last].first(where: { tick.duration.isNear($0.interval, part: 0.03) }) { return known }
    return RefreshRate(numerator: 1_000_000_000, denominator: tick.duration.count) ?? self
  }
}
