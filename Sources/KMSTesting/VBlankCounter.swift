import FrameTiming
import LinuxSystem

/// A CRTC's vblanks: a grid at the mode's rate that starts when the CRTC is switched on, and a count that continues. At a
/// variable rate a vblank waits for a flip, for up to three intervals.
struct VBlankCounter {
  var sequence: UInt64 = 0
  private(set) var last = MonotonicTime.zero
  private var start = MonotonicTime.zero
  private var index: Int64 = 0
  /// Nil while the CRTC is off.
  private(set) var rate: RefreshRate?
  private var isVariable = false
  /// The time at which the pending flip was requested.
  var flip: MonotonicTime?

  /// The time of the next vblank.
  var next: MonotonicTime? {
    guard let rate else { return nil }
    if !isVariable { return start + rate.offset(ofInterval: index + 1) }
    return if let flip { max(last + rate.interval, flip) } else { last + rate.interval * 3 }
  }

  mutating func vary(_ isVariable: Bool) {
    guard isVariable != self.isVariable else { return }
    self.isVariable = isVariable
    (start, index) = (last, 0)
  }

  mutating func turnOn(rate: RefreshRate?, at time: MonotonicTime) {
    (start, last, index, self.rate) = (time, time, 0, rate)
  }

  mutating func turnOff() { rate = nil }

  mutating func advance() {
    guard let next else { return }
    index += 1
    sequence += 1
    last = next
    flip = nil
  }
}

/// A request that the next vblank answers.
struct QueuedEvent {
  enum Kind {
    /// Shows the planes' settings, and sends a flip event.
    case flip
    /// Shows the planes' settings.
    case silentFlip
    /// Sends time and 64 bits of sequence.
    case sequence
    /// Sends the older event.
    case vblank

    var isFlip: Bool { self == .flip || self == .silentFlip }
  }
  let client: Int
  let token: UInt64
  let kind: Kind
}
