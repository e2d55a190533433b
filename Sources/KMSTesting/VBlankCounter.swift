import FrameTiming
import LinuxSystem

/// A CRTC's vblanks: a grid at the mode's rate from the moment when it was switched on, and a count that goes on from there.
/// With a variable rate a vblank waits for a flip, for up to three intervals.
struct VBlankCounter {
  var sequence: UInt64 = 0
  private(set) var last = MonotonicTime.zero
  private var start = MonotonicTime.zero
  private var index: Int64 = 0
  /// Nil while the CRTC is off.
  private(set) var rate: RefreshRate?
  private var isVariable = false
  /// When a flip was asked for that is not done.
  var flip: MonotonicTime?

  /// When the next one is due.
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

/// What a vblank is to do or tell.
struct VBlankRequest {
  enum Kind {
    /// Shows what is set, and says so.
    case flip
    /// Shows what is set.
    case silentFlip
    /// Tells time and 64 bits of sequence.
    case sequence
    /// Tells them as the older event does.
    case vblank

    var isFlip: Bool { self == .flip || self == .silentFlip }
  }
  let client: Int
  let token: UInt64
  let kind: Kind
}
