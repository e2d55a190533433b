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

  /// Never more than the absence, and never less than what the kernel counts of it; all of it, if the thread did not sleep and was away for
  /// half a millisecond or more.
  @Test func theDelayOfAnyStretch() {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix64(seed: seed)
    for _ in 0..<2000 {
      let absence = Nanoseconds(Int64.random(in: 0...2_000_000, using: &random))
      let counted = Nanoseconds(Int64.random(in: 0...2_000_000, using: &random))
      let least = min(counted, absence)
      #expect(ThreadMeter.runDelay(counted: counted, absence: absence, hasSlept: true) == least, "seed \(seed)")
      let delay = ThreadMeter.runDelay(counted: counted, absence: absence, hasSlept: false)
      #expect(delay == (absence >= .microseconds(500) ? absence : least), "seed \(seed)")
    }
  }

  /// A thread of the machine that gives its processor up by itself.
  @Test func theMachineCountsSleeps() {
    let clock = SystemClock.monotonic
    let meter = ThreadMeter(clock: clock)
    let begin = meter.mark(at: clock.now)
    usleep(1)
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
