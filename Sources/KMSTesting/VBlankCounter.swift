import FrameTiming
import LinuxSystem

/// A CRTC's vblanks: a grid at the mode's rate from the moment when it was switched on, and a count that goes on from there.
struct VBlankCounter {
  var sequence: UInt64 = 0
  private(set) var last = MonotonicTime.zero
  private var start = MonotonicTime.zero
  private var index: Int64 = 0
  /// Nil while the CRTC is off.
  private(set) var rate: RefreshRate?

  /// When the next one is due.
  var next: MonotonicTime? { rate.map { start + $0.offset(ofInterval: index + 1) } }

  mutating func turnOn(rate: RefreshRate?, at time: MonotonicTime) {
    (start, last, index, self.rate) = (time, time, 0, rate)
  }

  mutating func turnOff() { rate = nil }

  mutating func advance() {
    guard let next else { return }
    index += 1
    sequence += 1
    last = next
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
