import LinuxSystem

/// What happened in each of the last refresh intervals, in fixed memory: interval n is in the slot n modulo the capacity.
struct IntervalRing {
  struct Interval: BitwiseCopyable {
    /// The number of the interval that the slot holds; `.max` while it holds none.
    var number = UInt64.max
    var isTicked = false
    var isMissed = false
    var isLeftOut = false
    /// Whether it is known what became of it, apart from its frames.
    var isAccounted: Bool { isTicked || isMissed || isLeftOut }
    /// Frames handed over for the tick of this interval.
    var frames: UInt16 = 0
    /// Frames that were seen from this interval's vblank on.
    var presented: UInt16 = 0
    var late: UInt16 = 0
    var tickLateness = Nanoseconds.zero
    /// Of the last frame.
    var work = Nanoseconds.zero
    /// Of the last frame seen; zero where there is none.
    var frameInterval = Nanoseconds.zero
    var hitchTime = Nanoseconds.zero
  }

  private var slots: [Interval]
  private let mask: UInt64

  /// Holds at least `count` intervals.
  init(holding count: Int) {
    var capacity = 1
    while capacity < count { capacity *= 2 }
    slots = Array(repeating: Interval(), count: capacity)
    mask = UInt64(capacity - 1)
  }

  var capacity: Int { slots.count }

  /// The interval, or nil if nothing happened in it or it left the ring.
  func interval(_ number: UInt64) -> Interval? {
    let slot = slots[Int(number & mask)]
    return slot.number == number ? slot : nil
  }

  /// Changes an interval, which takes its slot if it is newer than what is there. One that left the ring is not touched.
  @inline(__always)
  mutating func update(_ number: UInt64, _ body: (inout Interval) -> Void) {
    let index = Int(number & mask)
    if slots[index].number != number {
      guard slots[index].number == .max || slots[index].number < number else { return }
      slots[index] = Interval()
      slots[index].number = number
    }
    body(&slots[index])
  }
}
