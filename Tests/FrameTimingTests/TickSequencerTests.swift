import LinuxSystem
import TestLength
import Testing

@testable import FrameTiming

@Suite struct TickSequencerTests {
  static let rates: [RefreshRate] = [.hertz(60), .hertz(60000, over: 1001), .hertz(24000, over: 1001), .hertz(144)]

  /// The properties of a run of ticks, however bad the vblanks were.
  private struct Ledger {
    let rate: RefreshRate
    var ticks: UInt64 = 0
    var misses: UInt64 = 0
    var first: UInt64?
    var last: (vblank: VBlank, number: UInt64)?
    var faults: [String] = []

    /// - Parameter periods: the interval as it was believed before and after, which may have been measured wrong.
    mutating func note(_ vblank: VBlank, _ number: UInt64, now: MonotonicTime, periods: [Double] = []) {
      let intervals = [rate.interval] + periods.map { Nanoseconds.seconds($0 / 1e9) }
      let (shortest, longest) = (intervals.min() ?? .zero, intervals.max() ?? .zero)
      ticks += 1
      if first == nil { first = number }
      if let last {
        if number <= last.number {
          faults.append("number \(number) after \(last.number)")
        } else {
          misses += number - last.number - 1
        }
        if vblank.timestamp - last.vblank.timestamp <= shortest / 2 { faults.append("two ticks in one interval") }
      }
      // A forecast that follows correlated stamps returns to the grid step by step: two places may be further apart than an interval.
      let oldest = longest + longest / 8
      if now - vblank.timestamp > oldest { faults.append("stamp \(now - vblank.timestamp) old, more than \(oldest)") }
      if vblank.timestamp - now > longest { faults.append("stamp in the future") }
      last = (vblank, number)
    }
  }

  /// A driver without sequences: the number is that of the display's interval by the stamps alone.
  @Test(arguments: rates) func frameNumbersCountIntervalsByTheStamps(_ rate: RefreshRate) {
    let seed: UInt64 = 4711
    var random = SplitMix64(seed: seed)
    let T = rate.interval.count
    var sequencer = TickSequencer(refreshRate: rate)
    var ledger = Ledger(rate: rate)
    var k: Int64 = 0
    let steps = isLongRun ? 250_000 : 25_000
    for step in 0..<steps {
      if step > 0 { k += Int64.random(in: 0...9, using: &random) == 0 ? Int64.random(in: 0...40, using: &random) : 1 }
      let jitter = Int64.random(in: -T / 5...T / 5, using: &random)
      let stamp = MonotonicTime(nanoseconds: 1_000_000_000) + rate.offset(ofInterval: k) + Nanoseconds(jitter)
      let sequence: UInt64 = step % 3 == 0 ? 0 : random.next()
      let outcome = sequencer.advance(to: VBlank(timestamp: stamp, sequence: sequence), now: stamp, rate: rate)
      guard case .tick(let tick, let number) = outcome else { continue }
      ledger.note(tick, number, now: stamp)
      if number != UInt64(k) + 1 { ledger.faults.append("step \(step): number \(number) for \(k)") }
    }
    #expect(ledger.faults.isEmpty, "seed \(seed): \(ledger.faults.prefix(3))")
    #expect(ledger.ticks > steps * 4 / 5)
  }

  /// Stamps and sequences that mean nothing: what a tick promises holds all the same, and the sequencer is never stuck.
  @Test func anyStampsKeepThePromises() throws {
    let seed: UInt64 = 99
    var random = SplitMix64(seed: seed)
    let rate = RefreshRate.hertz60
    var sequencer = TickSequencer(refreshRate: rate)
    var ledger = Ledger(rate: rate)
    var now = MonotonicTime(nanoseconds: 1 << 40)
    let steps = isLongRun ? 1_000_000 : 50_000
    for _ in 0..<steps {
      let requested = now
      now += Nanoseconds(Int64.random(in: 0...40_000_000, using: &random))
      let wild = Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 0...50, using: &random)
      let vblank = VBlank(
        timestamp: now + Nanoseconds(wild), sequence: random.next() >> UInt64.random(in: 0...63, using: &random))
      let period = sequencer.model.period
      let outcome = sequencer.advance(to: vblank, requested: requested, now: now, rate: rate)
      if case .tick(let tick, let number) = outcome {
        ledger.note(tick, number, now: now, periods: [period, sequencer.model.period])
      }
    }
    #expect(ledger.faults.isEmpty, "seed \(seed): \(ledger.faults.prefix(3))")
    let last = try #require(ledger.last)
    #expect(ledger.ticks + ledger.misses == last.number)
    #expect(ledger.ticks > steps / 10)
    #expect(last.vblank.timestamp > now - .milliseconds(500))
  }

  @Test func theHalfIntervalDecides() throws {
    let rate = RefreshRate.hundred
    var sequencer = TickSequencer(refreshRate: rate)
    _ = sequencer.advance(to: VBlank(timestamp: at(100), sequence: 7), now: at(100), rate: rate)
    #expect(sequencer.last?.frameNumber == 1)
    let half = VBlank(timestamp: at(105), sequence: 8)
    #expect(sequencer.advance(to: half, now: at(105), rate: rate) == .duplicate)
    let more = VBlank(timestamp: at(105) + Nanoseconds(1), sequence: 8)
    #expect(sequencer.advance(to: more, now: at(106), rate: rate) == .tick(more, frameNumber: 2))
    let back = VBlank(timestamp: at(90), sequence: 9)
    #expect(sequencer.advance(to: back, now: at(110), rate: rate) == .duplicate)
    let future = VBlank(timestamp: at(131), sequence: 9)
    // The event proves that there was a vblank, but its stamp does not tell when.
    guard case .tick(let placed, 3) = sequencer.advance(to: future, now: at(120), rate: rate) else {
      Issue.record("the vblank of a stamp in the future was swallowed")
      return
    }
    #expect(placed.timestamp <= at(120) && placed.timestamp > at(110))
  }

  /// After the vblank at 200 ms the next one is requested, and so much later the display tells of it and of the two before it no more.
  @Test func vblanksThatTheDisplayDidNotTellOf() throws {
    let rate = RefreshRate.hertz(100)
    func lost(requested: Int64, told: Int64, read: Int64) -> UInt64? {
      var sequencer = TickSequencer(refreshRate: rate)
      for k in 0...10 as ClosedRange<Int64> {
        let vblank = VBlank(timestamp: at(100 + 10 * k), sequence: UInt64(7 + k))
        _ = sequencer.advance(to: vblank, requested: at(91 + 10 * k), now: at(100 + 10 * k), rate: rate)
      }
      let vblank = VBlank(timestamp: at(told), sequence: UInt64(told / 10 - 3))
      guard case .tick = sequencer.advance(to: vblank, requested: at(requested), now: at(read), rate: rate) else {
        return nil
      }
      return sequencer.lostVBlanks
    }
    #expect(lost(requested: 204, told: 210, read: 211) == 0)
    #expect(lost(requested: 204, told: 230, read: 231) == 2)
    // Requested after the first of them, or told in time and read late.
    #expect(lost(requested: 214, told: 230, read: 231) == 1)
    #expect(lost(requested: 224, told: 230, read: 231) == 0)
    #expect(lost(requested: 204, told: 210, read: 231) == 0)
    #expect(lost(requested: 204, told: 220, read: 231) == 1)
  }

  private func at(_ milliseconds: Int64) -> MonotonicTime { .zero + .milliseconds(milliseconds) }

  /// A source without sequences, or an event without one, that comes intervals late: none is invented.
  @Test(arguments: [0, 4000] as [UInt64]) func aLateEventWithoutASequenceInventsNone(_ first: UInt64) {
    var sequencer = TickSequencer(refreshRate: .hertz60)
    let start = MonotonicTime(nanoseconds: 1_000_000_000)
    func stamp(_ k: UInt64) -> MonotonicTime { start + RefreshRate.hertz60.offset(ofInterval: Int64(k)) }
    for k: UInt64 in 0..<70 {
      _ = sequencer.advance(
        to: VBlank(timestamp: stamp(k), sequence: first == 0 ? 0 : first + k), now: stamp(k) + .milliseconds(1),
        rate: .hertz60)
    }
    let late = VBlank(timestamp: stamp(70), sequence: 0)
    let expected = VBlank(timestamp: stamp(73), sequence: first == 0 ? 0 : first + 73)
    #expect(
      sequencer.advance(to: late, now: stamp(73) + .milliseconds(2), rate: .hertz60) == .tick(expected, frameNumber: 74))
  }

  /// The first vblank of another source comes late: its sequence is counted on, and not that of the source before, which is another
  /// counter.
  @Test(arguments: [true, false]) func aLateFirstVBlankOfAnotherSourceKeepsItsSequence(_ isDisplay: Bool) {
    var sequencer = TickSequencer(refreshRate: .hertz60)
    let start = MonotonicTime(nanoseconds: 1_000_000_000)
    func stamp(_ k: UInt64) -> MonotonicTime { start + RefreshRate.hertz60.offset(ofInterval: Int64(k)) }
    for k: UInt64 in 0..<70 {
      _ = sequencer.advance(
        to: VBlank(timestamp: stamp(k), sequence: 4000 + k), now: stamp(k) + .milliseconds(1), rate: .hertz60)
    }
    sequencer.change(to: .hertz60, isVariable: false, isMeasured: true, isDisplay: isDisplay)
    let late = VBlank(timestamp: stamp(75), sequence: 10)
    guard
      case .tick(let tick, 78) = sequencer.advance(to: late, now: stamp(77) + .milliseconds(2), rate: .hertz60)
    else {
      Issue.record("the first vblank of the other source was no tick")
      return
    }
    #expect(tick.timestamp - stamp(77) < .microseconds(1) && stamp(77) - tick.timestamp < .microseconds(1))
    #expect(tick.sequence == 12)
  }

  /// A compositor tells a clock's window of its vblanks, of a display that is slower than it says: nobody knows of a vblank between the
  /// request and the next one, so that there was none. A loop that asks late has missed what was before.
  @Test func theFirstVBlanksOfAnotherSourceThatCountsNone() {
    var sequencer = TickSequencer(refreshRate: .hertz60)
    var time = MonotonicTime(nanoseconds: 1_000_000_000)
    for k: UInt64 in 0..<10 {
      time += RefreshRate.hertz60.interval
      _ = sequencer.advance(
        to: VBlank(timestamp: time, sequence: 100 + k), requested: time - .microseconds(1), now: time, rate: .hertz60)
    }
    sequencer.change(to: .hertz60, isVariable: false, isMeasured: false, isDisplay: true)
    /// The intervals that are known to have passed.
    func passed(requestedAfter wait: Nanoseconds, shownAfter more: Nanoseconds) -> UInt64 {
      let before = sequencer.last?.frameNumber ?? 0
      let requested = time + wait
      time = requested + more
      let vblank = VBlank(timestamp: time, sequence: 0)
      _ = sequencer.advance(to: vblank, requested: requested, now: time, rate: .hertz60)
      return (sequencer.last?.frameNumber ?? 0) - before - sequencer.unknownIntervals
    }
    #expect(passed(requestedAfter: .milliseconds(13), shownAfter: .milliseconds(16)) == 1)
    #expect(passed(requestedAfter: .milliseconds(1), shownAfter: .milliseconds(28)) == 1)
    #expect(passed(requestedAfter: .milliseconds(36), shownAfter: .milliseconds(20)) == 3)
    #expect(sequencer.lostVBlanks == 0)
  }
}
