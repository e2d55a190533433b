import Glibc
import LinuxSystem
import Testing

/// The times of a thread: with a processor, without one, or blocked.
@Suite struct ThreadMeterTests {
  /// 3 ms with a processor, 5 without, 7 blocked.
  @Test func aManualThreadDoesWhatItIsTold() {
    let clock = ManualClock(start: .zero + .seconds(1))
    let meter = ThreadMeter(clock: .manual(clock))
    clock.advance(by: .milliseconds(2), thread: .runnable)
    let begin = meter.mark(at: clock.now)
    clock.advance(by: .milliseconds(3))
    clock.advance(by: .milliseconds(5), thread: .runnable)
    clock.advance(by: .milliseconds(7), thread: .blocked)
    clock.advance(by: Nanoseconds(-1), thread: .blocked)
    #expect(clock.now - begin.time == .milliseconds(15))
    var expected = ThreadUsage()
    (expected.processor, expected.runDelay) = (.milliseconds(3), .milliseconds(5))
    // The 2 ms before are a delay of the beginning.
    expected.startDelay = .milliseconds(2)
    #expect(meter.usage(since: begin, at: clock.now, lateness: .milliseconds(2)) == expected)
  }

  /// A thread that did not sleep was ready all the time, whatever the kernel counts: 2 ms of 11 are counted, and 6 were the host's. Once it
  /// sleeps, nobody knows what the rest was.
  @Test(arguments: [false, true]) func whatTheHostTakesIsADelay(_ sleeps: Bool) {
    let clock = ManualClock(start: .zero + .seconds(1))
    let meter = ThreadMeter(clock: .manual(clock))
    clock.advance(by: .milliseconds(9), thread: .blocked)
    let begin = meter.mark(at: clock.now)
    clock.advance(by: .milliseconds(3))
    clock.advance(by: .milliseconds(2), thread: .runnable)
    clock.advance(by: .milliseconds(6), thread: .stolen)
    if sleeps { clock.advance(by: .milliseconds(1), thread: .blocked) }
    let usage = meter.usage(since: begin, at: clock.now)
    #expect(usage.processor == .milliseconds(3))
    #expect(usage.runDelay == .milliseconds(sleeps ? 2 : 8))
  }

  /// An absence of half a millisecond or more is all run delay if the thread did not sleep, and what the kernel counts beyond it is the delay
  /// of the beginning. Whatever happened, no time counts twice.
  @Test func noTimeCountsTwice() {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix64(seed: seed)
    func some() -> Nanoseconds { Nanoseconds(Int64.random(in: 0...2_000_000, using: &random)) }
    for _ in 0..<2000 {
      let clock = ManualClock(start: .zero + .seconds(1))
      let meter = ThreadMeter(clock: .manual(clock))
      let (before, counted, stolen, sleep) = (some(), some(), some(), Bool.random(using: &random) ? some() : .zero)
      clock.advance(by: before, thread: .runnable)
      let begin = meter.mark(at: clock.now)
      clock.advance(by: some())
      clock.advance(by: counted, thread: .runnable)
      clock.advance(by: stolen, thread: .stolen)
      if sleep > .zero { clock.advance(by: sleep, thread: .blocked) }
      let usage = meter.usage(since: begin, at: clock.now, lateness: before)
      let absence = counted + stolen + sleep
      #expect(usage.runDelay <= absence && usage.startDelay <= before, "seed \(seed)")
      #expect(usage.startDelay + usage.runDelay <= before + counted + stolen, "seed \(seed)")
      if sleep == .zero, absence >= .microseconds(500) {
        #expect(usage.runDelay == absence && usage.startDelay == max(before - stolen, .zero), "seed \(seed)")
      }
    }
  }

  /// Reading its clock may cost a thread its processor: 6 ms after a stretch are no delay of that, but of the next one.
  @Test func aDelayAfterTheEndIsTheNextStretchs() {
    let clock = ManualClock(start: .zero + .seconds(1))
    let meter = ThreadMeter(clock: .manual(clock))
    var begin = meter.mark(at: clock.now)
    clock.advance(by: .milliseconds(1))
    let end = clock.now
    clock.advance(by: .milliseconds(6), thread: .runnable)
    let first = meter.usage(since: begin, at: end, lateness: .milliseconds(10))
    #expect(first.startDelay == .zero && first.runDelay == .zero)
    clock.advance(by: .milliseconds(2), thread: .runnable)
    begin = meter.mark(at: clock.now)
    clock.advance(by: .milliseconds(1))
    #expect(meter.usage(since: begin, at: clock.now, lateness: .milliseconds(10)).startDelay == .milliseconds(8))
  }

  /// A stretch that began 50 ms too late, 4 ms after the one before: of 10 ms without a processor, at most 4 were before it. Of 12 ms for
  /// which it was away, it waited 8 for something else.
  @Test func aDelayIsNotBeforeTheLastStretch() {
    let clock = ManualClock(start: .zero + .seconds(1))
    let meter = ThreadMeter(clock: .manual(clock))
    var begin = meter.mark(at: clock.now)
    clock.advance(by: .milliseconds(1))
    _ = meter.usage(since: begin, at: clock.now, lateness: .milliseconds(1))
    clock.advance(by: .milliseconds(4), thread: .runnable)
    begin = meter.mark(at: clock.now)
    clock.advance(by: .milliseconds(6), thread: .runnable)
    clock.advance(by: .milliseconds(6), thread: .blocked)
    var usage = meter.usage(since: begin, at: clock.now, lateness: .milliseconds(50))
    #expect(usage.startDelay == .milliseconds(4) && usage.runDelay == .milliseconds(6), "\(usage)")
    begin = meter.mark(at: clock.now)
    clock.advance(by: .milliseconds(6), thread: .runnable)
    clock.advance(by: .milliseconds(6), thread: .blocked)
    usage = meter.usage(since: begin, at: clock.now, waited: .milliseconds(8))
    #expect(usage.startDelay == .zero && usage.runDelay == .milliseconds(4), "\(usage)")
  }

  /// A thread of the machine that gives its processor up by itself.
  @Test func theMachineCountsSleeps() {
    let clock = SystemClock.monotonic
    let meter = ThreadMeter(clock: clock)
    let begin = meter.mark(at: clock.now)
    // A sleep that is over before the kernel takes the processor away is none.
    for _ in 0..<1000 where meter.mark(at: clock.now).sleeps == begin.sleeps { usleep(1) }
    #expect(meter.mark(at: clock.now).sleeps > begin.sleeps)
  }

  /// A thread that was away for less than 0.5 ms is not asked for: until the sixteenth stretch, and what came in at most sixteen piles up.
  @Test func shortAbsencesAreReadNowAndThen() {
    let clock = ManualClock(start: .zero + .seconds(1))
    let meter = ThreadMeter(clock: .manual(clock))
    var delays: [Nanoseconds] = []
    for _ in 0..<32 {
      let begin = meter.mark(at: clock.now)
      clock.advance(by: .microseconds(100), thread: .runnable)
      delays.append(meter.usage(since: begin, at: clock.now).runDelay)
    }
    let expected = (1...32).map { $0 % 16 == 0 ? Nanoseconds.microseconds(100) : .zero }
    #expect(delays == expected)
  }

  /// A stretch below 0.1 ms counts as a whole, whatever the thread did; from there on its clock counts.
  @Test func aShortStretchIsNotReadTwice() {
    let clock = ManualClock(start: .zero + .seconds(1))
    let meter = ThreadMeter(clock: .manual(clock))
    func processor(_ stretch: Nanoseconds) -> Nanoseconds {
      let begin = meter.markWoken(at: clock.now)
      clock.advance(by: stretch / 2)
      clock.advance(by: stretch - stretch / 2, thread: .blocked)
      return meter.usage(since: begin, at: clock.now).processor
    }
    #expect(processor(.microseconds(99)) == .microseconds(99))
    #expect(processor(.microseconds(100)) == .microseconds(50))
    #expect(processor(.milliseconds(6)) == .milliseconds(3))
  }

  /// A thread of the machine that was woken, computes for 3 ms and is away for 10: what the kernel knew at the waking is enough to tell how
  /// long it had a processor, but for what it did since. One that computed before, without a sleep, is not taken for one that was woken.
  @Test(arguments: [true, false]) func theKernelKnowsTheTimeAtAWaking(_ sleeps: Bool) {
    let clock = SystemClock.monotonic
    let meter = ThreadMeter(clock: clock)
    _ = meter.markWoken(at: clock.now)
    // A reading of the thread's clock would bring the kernel's account up to date.
    func compute(_ time: Nanoseconds) {
      let end = clock.now + time
      while clock.now < end {}
    }
    compute(.milliseconds(3))
    if sleeps {
      let begin = meter.mark(at: clock.now)
      // A sleep that is over before the kernel takes the processor away is none.
      for _ in 0..<1000 where meter.mark(at: clock.now).sleeps == begin.sleeps { usleep(1) }
    }
    let begin = meter.markWoken(at: clock.now)
    let before = clock.threadProcessorTime
    compute(.milliseconds(3))
    usleep(10_000)
    let spent = clock.threadProcessorTime - before
    let usage = meter.usage(since: begin, at: clock.now)
    #expect(usage.processor >= spent - .microseconds(3), "\(usage)")
    #expect(usage.processor <= clock.threadProcessorTime - before + .milliseconds(1), "\(usage)")
  }

  @Test func stretchesOfOthersAreLeftOut() {
    let clock = ManualClock(start: .zero + .seconds(1))
    let meter = ThreadMeter(clock: .manual(clock))
    var begin = meter.mark(at: clock.now)
    clock.advance(by: .milliseconds(1))
    let first = meter.mark(at: clock.now)
    clock.advance(by: .milliseconds(10))
    begin.leaveOut(from: first, to: meter.mark(at: clock.now))
    clock.advance(by: .milliseconds(2))
    #expect(meter.usage(since: begin, at: clock.now).processor == .milliseconds(3))
  }

  /// A thread of the machine that computes has a processor for as long as it says, and no longer than the time that passes.
  @Test func aComputingThreadHasAProcessor() {
    let clock = SystemClock.monotonic
    let meter = ThreadMeter(clock: clock)
    let begin = meter.mark(at: clock.now)
    let end = clock.threadProcessorTime + .milliseconds(3)
    while clock.threadProcessorTime < end {}
    let now = clock.now
    let usage = meter.usage(since: begin, at: now)
    #expect(usage.processor >= .milliseconds(3))
    #expect(usage.processor + usage.runDelay <= now - begin.time + .microseconds(1) + (clock.now - now))
  }
}
