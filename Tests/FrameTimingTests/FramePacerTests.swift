import FrameTiming
import LinuxSystem
import Testing

@Suite struct FramePacerTests {
  private let interval = Nanoseconds.milliseconds(16)
  private let vblank = MonotonicTime.zero + .seconds(100)
  private var target: MonotonicTime { vblank + interval }

  /// A frame that took so long, and was seen so many intervals after its target.
  private func frame(_ work: Nanoseconds, lead: Nanoseconds = .milliseconds(3), late: Int64 = 0) -> FrameRecord {
    var record = FrameRecord()
    record.tickTimestamp = vblank
    record.target = target
    record.submitted = target - lead
    record.delivered = record.submitted - work
    record.start = record.delivered
    record.presented = target + interval * late
    return record
  }

  /// Work of 3 ms and 20 µs · (k + 4 / 64), where k is 1 − 56 / 1000; the latency of nobody's wake-up is 0.5 ms, the
  /// display's time 1 ms.
  private func trained(_ policy: FramePolicy = .lateStart) -> FramePacer {
    var pacer = FramePacer(policy: policy)
    for _ in 0..<64 { pacer.observe(frame(.milliseconds(3)), interval: interval) }
    return pacer
  }
  private let budget = Nanoseconds.microseconds(4_500) + .seconds(0.000_02 * (1 - 56 * 0.001 + 4.0 / 64))

  private func start(_ pacer: FramePacer, isTargetKnown: Bool = true, now: MonotonicTime? = nil) -> MonotonicTime {
    pacer.start(
      for: target, isTargetKnown: isTargetKnown, vblank: vblank, now: now ?? vblank + .microseconds(50),
      interval: interval)
  }

  @Test func atTheVBlankUnlessLaterIsAskedForAndPossible() {
    #expect(start(trained(.vblank)) == vblank)
    #expect(start(trained(), isTargetKnown: false) == vblank)
    var few = FramePacer(policy: .lateStart)
    for _ in 0..<7 { few.observe(frame(.milliseconds(3)), interval: interval) }
    #expect(start(few) == vblank)
    few.observe(frame(.milliseconds(3)), interval: interval)
    #expect(start(few) > vblank)
    var slow = FramePacer(policy: .lateStart)
    for _ in 0..<64 { slow.observe(frame(.milliseconds(15)), interval: interval) }
    #expect(start(slow) == vblank)
  }

  @Test func aDeadlineThatHasComeOrIsNearIsNow() {
    let deadline = target - budget
    for early in [Nanoseconds.zero, Nanoseconds(1), .microseconds(199)] {
      #expect(start(trained(), now: deadline - early) == deadline - early)
    }
    #expect(start(trained(), now: deadline - .microseconds(200)) == deadline)
    // The plan is told all the same, so that lateness can be.
    #expect(start(trained(), now: deadline + .milliseconds(1)) == deadline)
  }

  @Test func eachPartLearnsFromItsOwn() throws {
    let before = trained()
    var late = before
    for _ in 0..<8 {
      late.tickWasDelivered(at: vblank + .milliseconds(9), start: vblank + .milliseconds(7), wasDelayed: true)
    }
    #expect(late.work.value == before.work.value)
    #expect(late.commitMargin.value == before.commitMargin.value)
    #expect(try #require(late.wakeUpLatency.value) >= .milliseconds(2))
    #expect(start(late) < start(before) - .milliseconds(1))

    var missed = before
    for _ in 0..<3 { missed.observe(frame(.milliseconds(3), lead: .milliseconds(2), late: 1), interval: interval) }
    #expect(missed.commitMargin.value == .microseconds(1_125))
    #expect(missed.wakeUpLatency.value == nil)
    // k has fallen three times.
    #expect(abs((try #require(missed.work.value) - (try #require(before.work.value))).count) < 100)
  }

  /// Neither a frame whose target was a guess, nor one where there was no vblank.
  /// A target that is chosen by the worst of unsteady durations would be several intervals ahead.
  @Test func theReserveOfATargetIsAnInterval() throws {
    #expect(trained().usualBudget(interval: interval) == budget)
    var disturbed = FramePacer(policy: .vblank)
    for index in 0..<64 {
      disturbed.observe(frame(.milliseconds(index % 3 == 0 ? 45 : 5)), interval: interval)
    }
    let (longest, usual) = try (
      #require(disturbed.budget(interval: interval)), #require(disturbed.usualBudget(interval: interval))
    )
    #expect(longest > interval * 5)
    #expect(usual == .milliseconds(5) + interval + .microseconds(500) + disturbed.commitMargin.value)
    var few = FramePacer(policy: .vblank)
    few.observe(frame(.milliseconds(3)), interval: interval)
    #expect(few.usualBudget(interval: interval) == nil)
  }

  @Test func onlyAVBlankCanBeMissed() {
    var pacer = trained()
    for _ in 0..<5 {
      var guess = frame(.milliseconds(3), lead: .milliseconds(2), late: 1)
      guess.isTargetKnown = false
      pacer.observe(guess, interval: interval)
      var between = frame(.milliseconds(3), lead: .milliseconds(2), late: 1)
      between.presented = between.presented - interval / 2 + .milliseconds(1)
      pacer.observe(between, interval: interval)
    }
    #expect(pacer.commitMargin.value == .milliseconds(1))
  }

  @Test func afterAPauseAtOnce() {
    var pacer = trained()
    pacer.pauseEnded(at: vblank - .milliseconds(5), after: .milliseconds(50), interval: interval)
    #expect(start(pacer) == vblank)
    pacer = trained()
    pacer.pauseEnded(at: vblank - interval - Nanoseconds(1), after: .milliseconds(50), interval: interval)
    #expect(start(pacer) == target - budget)
  }

  @Test func afterALongPauseTheClocksAreSlow() {
    var pacer = trained()
    let end = vblank - interval * 8
    pacer.pauseEnded(at: end, after: interval * 100 - Nanoseconds(1), interval: interval)
    #expect(start(pacer) == target - budget)
    pacer.pauseEnded(at: end, after: interval * 100, interval: interval)
    #expect(start(pacer) == vblank)
    for _ in 0..<5 {
      var cold = frame(.milliseconds(12))
      cold.delivered = end + interval * 8
      cold.submitted = cold.delivered + .milliseconds(12)
      cold.presented = cold.target
      pacer.observe(cold, interval: interval)
    }
    #expect(pacer.budget(interval: interval) == budget)
    // The next vblank is a warm one's.
    let next = pacer.start(
      for: target + interval, vblank: target, now: target, interval: interval)
    #expect(next == target + interval - budget)
  }

  /// A latency that leaves no time is not observed any more; it is forgotten, and tried again.
  @Test func aLatencyIsNotBelievedForEver() {
    var pacer = trained()
    for _ in 0..<64 {
      pacer.tickWasDelivered(at: vblank + .milliseconds(14), start: vblank, wasDelayed: true)
    }
    #expect(start(pacer) == vblank)
    for _ in 0..<(16 * 57 - 1) { pacer.tickWasDelivered(at: vblank, start: vblank, wasDelayed: false) }
    #expect(start(pacer) == vblank)
    pacer.tickWasDelivered(at: vblank, start: vblank, wasDelayed: false)
    #expect(start(pacer) == target - budget)
  }
}
