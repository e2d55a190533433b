import FrameTiming
import LinuxSystem
import Metering
import Testing

@Suite struct PhaseProfileTests {
  private let interval = Nanoseconds.milliseconds(10)

  /// A frame at 100 Hz; what is not said is in time: 1 ms of callbacks, 3 ms of composite, handed over after 4 ms.
  private func frame(
    _ change: (inout FrameRecord) -> Void = { _ in }
  ) -> FrameRecord {
    var record = FrameRecord()
    record.tickTimestamp = .zero + .milliseconds(100)
    record.start = record.tickTimestamp
    record.target = record.tickTimestamp + interval
    record.submitted = record.tickTimestamp + .milliseconds(4)
    record.presented = record.target
    record.phases[.callbacks] = .milliseconds(1)
    record.phases[.composite] = .milliseconds(3)
    change(&record)
    return record
  }

  /// Shown one interval late, handed over after `submitted` milliseconds of the interval.
  private func late(submitted: Int64, _ change: (inout FrameRecord) -> Void = { _ in }) -> FrameRecord {
    frame { record in
      record.submitted = record.tickTimestamp + .milliseconds(submitted)
      record.presented = record.target + interval
      change(&record)
    }
  }

  @Test(arguments: FrameRecord.Phase.allCases) func thePhaseThatExceedsItsUsualTimeMost(_ phase: FrameRecord.Phase) {
    var classifier = LateFrameClassifier()
    for _ in 0..<50 { _ = classifier.causes(of: frame(), interval: interval) }
    let record = late(submitted: 15) { record in
      // Composite is 5 ms, 2 more than usual; the phase is 8 ms more.
      record.phases[.composite] += .milliseconds(2)
      record.phases[phase] += .milliseconds(8)
    }
    #expect(classifier.causes(of: record, interval: interval)?.main == .phase(phase))
  }

  @Test func withoutAnyFrameInTimeTheLongestPhaseIsToBlame() {
    var classifier = LateFrameClassifier()
    for _ in 0..<10 {
      let record = late(submitted: 14) { record in
        record.phases[.display] = .milliseconds(6)
        record.phases[.composite] = .milliseconds(7)
      }
      #expect(classifier.causes(of: record, interval: interval)?.main == .phase(.composite))
    }
  }

  @Test func aFrameOutOfIdleWithTooMuchWorkIsNotUsual() {
    var classifier = LateFrameClassifier()
    // In time, since nothing was due, although its layout took longer than an interval.
    let first = frame { record in
      record.phases[.layout] = .milliseconds(12)
      record.isTargetKnown = false
      record.target = record.tickTimestamp + interval * 2
      record.presented = record.target
    }
    _ = classifier.causes(of: first, interval: interval)
    let record = late(submitted: 14) { $0.phases[.layout] = .milliseconds(11) }
    #expect(classifier.causes(of: record, interval: interval)?.main == .phase(.layout))
  }

  /// At half the rate a frame has two intervals, and what it usually takes may be more than one.
  @Test func framesOfSeveralIntervalsAreLearnedFrom() {
    var classifier = LateFrameClassifier()
    for _ in 0..<50 {
      let usual = frame { record in
        record.target = record.tickTimestamp + interval * 2
        record.presented = record.target
        record.phases[.composite] = .milliseconds(14)
      }
      #expect(classifier.causes(of: usual, interval: interval) == nil)
    }
    let record = late(submitted: 25) { record in
      record.target = record.tickTimestamp + interval * 2
      record.presented = record.target + interval
      record.phases[.composite] = .milliseconds(14)
      record.phases[.layout] = .milliseconds(10)
    }
    #expect(classifier.causes(of: record, interval: interval)?.main == .phase(.layout))
  }

  /// A wait of 4 ms in every frame is the program's way; in a frame that waits for 5 ms another millisecond is not what made it late.
  @Test func aWaitIsUsualWhereFramesInTimeHaveIt() {
    func waiting(_ record: inout FrameRecord) { record.phases[.wait] = .milliseconds(4) }
    let record = late(submitted: 12) { record in
      record.phases[.wait] = .milliseconds(5)
      record.phases[.layout] = .milliseconds(3)
    }
    var classifier = LateFrameClassifier()
    for _ in 0..<50 { _ = classifier.causes(of: frame(waiting), interval: interval) }
    #expect(classifier.causes(of: record, interval: interval)?.main == .phase(.layout))
    var other = LateFrameClassifier()
    for _ in 0..<50 { _ = other.causes(of: frame(), interval: interval) }
    #expect(other.causes(of: record, interval: interval)?.main == .phase(.wait))
  }

  @Test func theTable() throws {
    var profile = PhaseProfile(refreshRate: try #require(RefreshRate(numerator: 100, denominator: 1)))
    #expect(profile.rows.allSatisfy { $0.p50 == nil && $0.maximum == nil && $0.share == nil })
    // Composite takes 0.02, 0.04, … 2 ms.
    for step in 1...100 as ClosedRange<Int64> {
      profile.add(
        frame { record in
          record.phases[.callbacks] = .microseconds(500)
          record.phases[.composite] = .microseconds(20 * step)
        })
    }
    for _ in 0..<3 { profile.add(late(submitted: 15) { $0.phases[.display] = .milliseconds(20) }) }
    profile.add(late(submitted: 5))
    #expect(profile.frames == 104)
    #expect(profile.lateFrames == 4)
    #expect(profile.lateCauses.map(\.cause) == [.phase(.display), .scanOut])
    #expect(profile.lateCauses.map(\.frames) == [3, 1])
    #expect(profile.rows.map(\.phase) == FrameRecord.Phase.allCases)
    let callbacks = profile.rows[1]
    // A bucket at 0.5 ms is 0.5 µs wide.
    #expect(abs((try #require(callbacks.p50) - .microseconds(500)).count) <= 512)
    #expect(callbacks.maximum == .milliseconds(1))
    // 100 · 0.5 ms + 4 · 1 ms in 104 frames of 10 ms.
    #expect(abs(try #require(callbacks.share) - 54.0 / 1040) < 1e-9)
    let composite = profile.rows[Int(FrameRecord.Phase.composite.rawValue)]
    // Position 0.95 · 103 = 97.85 of 0.02 … 2 and four times 3: between 1.96 and 1.98.
    #expect(abs((try #require(composite.p95) - .microseconds(1977)).count) <= 4000)
    #expect(composite.maximum == .milliseconds(3))
    #expect(profile.rows[2].maximum == 0)
    let shares = profile.rows.compactMap(\.share).reduce(0, +)
    #expect(abs(try #require(profile.total.share) - shares) < 1e-9)
    #expect(profile.total.maximum == .milliseconds(24))
  }

  // MARK: - Verdict

  private func profile(_ frames: [FrameRecord], budget: Nanoseconds? = nil) throws -> PhaseProfile {
    var profile = PhaseProfile(refreshRate: try #require(RefreshRate(hertz: 100)), budget: budget)
    for frame in frames { profile.add(frame) }
    return profile
  }

  /// Frames of 4 ms in 10 ms leave 60 %; the 99th percentile of 200 frames with two of 9 ms is 4.05 ms.
  @Test func theVerdictSaysWhatIsToSpare() throws {
    #expect(try profile([]).verdict() == "no frames")
    // The first frame draws everything: alone it says nothing of those that follow.
    var first = try profile([frame()])
    #expect(first.verdict().hasSuffix("no vblank waits for it; a budget is for the frames after it"))
    first.addLost()
    #expect(
      first.verdict().hasSuffix("for the frames after it; 1 more was never seen: the display was away, or refused them"))
    #expect(try profile([frame(), frame()]).verdict() == "fits 100 Hz with 60 % to spare; no frame late")
    let long = frame { $0.phases[.layout] = .milliseconds(5) }
    let few = try profile(Array(repeating: frame(), count: 98) + [long])
    #expect(few.verdict() == "fits 100 Hz with 10 % to spare; no frame late", "below 100 frames the longest counts")
    let many = try profile(Array(repeating: frame(), count: 198) + [long, long])
    #expect(many.verdict() == "fits 100 Hz with 59 % to spare; no frame late")
    #expect(
      try profile([frame(), frame()], budget: .milliseconds(5)).verdict() == "fits 5.00 ms with 20 % to spare; no frame late"
    )
  }

  @Test func theVerdictSaysWhatDoesNotFit() throws {
    let slow = frame { $0.phases[.layout] = .milliseconds(8) }
    let all = try profile(Array(repeating: slow, count: 10))
    #expect(all.verdict() == "does not fit 100 Hz: the median frame takes 12.00 of 10.00 ms; no frame late")
    for (time, text) in [(Nanoseconds.milliseconds(6), ", and a processor for 6.00 ms"), (.milliseconds(7), "")] {
      var waiting = slow
      waiting.processorTime = time
      #expect(
        try profile(Array(repeating: waiting, count: 10)).verdict()
          == "does not fit 100 Hz: the median frame takes 12.00 of 10.00 ms\(text); no frame late")
    }
    let some = try profile(Array(repeating: frame(), count: 95) + Array(repeating: slow, count: 5))
    #expect(some.verdict() == "does not always fit 100 Hz: 5 of 100 frames take more than 10.00 ms; no frame late")
    #expect(some.framesOverBudget == 5)
  }

  /// A frame of a link that ticks at every so many intervals.
  private func frame(every intervals: Int, work: Nanoseconds) -> FrameRecord {
    frame { record in
      record.intervalsPerTick = intervals
      record.promised = record.tickTimestamp + interval * Int64(intervals)
      record.phases[.layout] += work - record.work
    }
  }

  /// 25 ms fit a scene that asks for a third of 100 Hz, and not one that asks for half.
  @Test func theBudgetIsThatOfTheRateThatWasAskedFor() throws {
    let third = try profile(Array(repeating: frame(every: 3, work: .milliseconds(25)), count: 10))
    #expect(third.budget == .milliseconds(30) && third.framesOverBudget == 0)
    #expect(third.verdict() == "fits 33.33 Hz with 16 % to spare; no frame late")
    #expect(try abs(#require(third.total.share) - 25.0 / 30) < 1e-9)
    let half = try profile(Array(repeating: frame(every: 2, work: .milliseconds(25)), count: 10))
    #expect(half.budget == .milliseconds(20) && half.framesOverBudget == 10)
    #expect(half.verdict() == "does not fit 50 Hz: the median frame takes 25.00 of 20.00 ms; no frame late")
    // One that was given stays.
    let fixed = try profile(
      Array(repeating: frame(every: 3, work: .milliseconds(25)), count: 10), budget: .milliseconds(8))
    #expect(fixed.budget == .milliseconds(8) && fixed.framesOverBudget == 10)
    #expect(fixed.verdict().hasPrefix("does not fit 8.00 ms: "))
    let whole = try profile(Array(repeating: frame(every: 2, work: .milliseconds(4)), count: 2), budget: interval)
    #expect(whole.verdict().hasPrefix("fits 100 Hz with 60 % "))
    // A frame that no tick asked for tells of no rate.
    var first = frame(every: 1, work: .milliseconds(25))
    first.promised = nil
    #expect(try profile([first, first, frame(every: 2, work: .milliseconds(4))]).budget == .milliseconds(20))
  }

  /// Rates that change in a run, against counts that keep all frames: the rate of most frames gives the budget, the higher of two.
  @Test func theRateOfMostFramesGivesTheBudget() throws {
    let seed = UInt64.random(in: 0...999_999)
    print("budgets of changing rates, seed \(seed)")
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      let rate = try #require(RefreshRate(numerator: 60_000, denominator: random.chance(0.5) ? 1001 : 1000))
      let distances = (0..<Int.random(in: 1...8, using: &random)).map { _ in Int.random(in: 1...12, using: &random) }
      var frames: [FrameRecord] = []
      for _ in 0..<Int.random(in: 1...60, using: &random) {
        let intervals = distances.randomElement(using: &random) ?? 1
        let work = Nanoseconds(Int64.random(in: 0...250_000_000, using: &random))
        // Some take exactly as long as they may.
        let exact = rate.offset(ofInterval: Int64.random(in: 1...12, using: &random))
        var frame = frame(every: intervals, work: random.chance(0.3) ? exact : work)
        frame.promised = frame.tickTimestamp + rate.offset(ofInterval: Int64(intervals))
        frames.append(frame)
      }
      var profile = PhaseProfile(refreshRate: rate)
      for frame in frames { profile.add(frame) }
      let counts = Dictionary(grouping: frames, by: \.intervalsPerTick).mapValues(\.count)
      let usual = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? 1
      #expect(profile.intervalsPerTick == usual, "seed \(seed)")
      #expect(profile.budget == rate.offset(ofInterval: Int64(usual)), "seed \(seed)")
      #expect(profile.framesOverBudget == frames.count { $0.work > profile.budget }, "seed \(seed)")
    }
  }

  @Test func theVerdictNamesTheCausesOfLateFrames() throws {
    let usual = Array(repeating: frame(), count: 97)
    func slow(_ phase: FrameRecord.Phase) -> FrameRecord { late(submitted: 15) { $0.phases[phase] += .milliseconds(11) } }
    #expect(try profile(usual + [slow(.display)]).verdict().hasSuffix("; 1 of 98 frames late: in display"))
    #expect(
      try profile(usual + [slow(.display), slow(.display)]).verdict().hasSuffix("; 2 of 99 frames late: both in display"))
    let three = try profile(usual + [slow(.display), slow(.layout), slow(.display)])
    #expect(three.verdict().hasSuffix("; 3 of 100 frames late: 2 in display, 1 in layout"))
    // Handed over in time, and shown an interval later.
    #expect(try profile(usual + [late(submitted: 4)]).verdict().hasSuffix("late: by scan-out"))
  }

  /// Two frames behind one that was late are late by it: it comes first.
  @Test func whatFollowsFromOthersComesLast() throws {
    let usual = Array(repeating: frame(), count: 97)
    let slow = late(submitted: 15) { $0.phases[.display] += .milliseconds(11) }
    let stuffed = frame { record in
      record.promised = record.target
      record.target += interval
      record.presented = record.target
    }
    let profile = try profile(usual + [slow, stuffed, stuffed])
    #expect(profile.lateCauses.map(\.cause) == [.phase(.display), .stuffing])
    #expect(profile.lateCauses.map(\.frames) == [1, 2])
  }

  @Test func theVerdictTellsOfLostFrames() throws {
    var profile = try profile([frame(), frame()])
    profile.addLost()
    #expect(profile.verdict().hasSuffix("no frame late; 1 more was never seen: the display was away, or refused them"))
    profile.addLost()
    #expect(profile.verdict().hasSuffix("no frame late; 2 more were never seen: the display was away, or refused them"))
    #expect(profile.lateCauses.isEmpty)
    #expect(profile.frames == 2 && profile.lateFrames == 0 && profile.lostFrames == 2)
  }

  // MARK: - Missed intervals

  /// In time, after so many missed intervals.
  private func afterMissed(_ intervals: Int64, _ change: (inout FrameRecord) -> Void = { _ in }) -> FrameRecord {
    frame { record in
      record.missedTime = interval * intervals
      record.delivered = record.start
      change(&record)
    }
  }

  /// The frame that ends a standstill is one of the worst, with the cause; one that was late by more comes before it.
  @Test func theFrameThatEndsAStandstillIsAmongTheWorst() throws {
    var later = late(submitted: 15) { $0.phases[.diff] = .milliseconds(11) }
    later.presented += interval * 2
    let long = frame { $0.phases[.layout] = .milliseconds(5) }
    let stood = afterMissed(2)
    let lost = afterMissed(1) { $0.lostVBlankTime = interval }
    let profile = try profile([long, stood, later, frame(), lost, frame()])
    #expect(profile.lateFrames == 1)
    #expect(profile.worstFrames.map(\.standstill?.time) == [nil, interval * 2, interval, nil, nil])
    #expect(profile.worstFrames.map(\.longestCause) == [.frame(.phase(.diff)), .frame(.scheduling), .lostVBlank, nil, nil])
    #expect(profile.worstFrames.map(\.lateness) == [interval * 3, .zero, .zero, .zero, .zero])
    #expect(
      profile.missedCauses == [
        MissedCount(cause: .standstill(.frame(.scheduling)), intervals: 2),
        MissedCount(cause: .standstill(.lostVBlank), intervals: 1),
      ])
  }

  /// Frames are compared by refresh intervals: one late by a moment less than the interval that was missed before another is as bad, and has
  /// a cause of its own.
  @Test func aLateFrameIsWorseThanAMissedInterval() throws {
    var later = late(submitted: 15) { $0.phases[.diff] = .milliseconds(11) }
    later.presented += Nanoseconds(-1)
    let missed = afterMissed(1) { $0.phases[.layout] = .milliseconds(30) }
    for order in [[later, frame(), missed], [missed, later]] {
      let worst = try profile(order).worstFrames
      #expect(worst.prefix(2).map(\.longestCause).first == .frame(.phase(.diff)))
      #expect(worst[1].standstill?.intervals == 1)
    }
    // Two missed intervals are worse.
    let twice = try profile([afterMissed(2), later]).worstFrames
    #expect(twice.map(\.standstill?.intervals) == [2, nil])
  }

  /// A frame that takes two intervals too long makes the next two be missed: it accounts for them, and not for a third.
  @Test func lateFramesAccountForWhatIsMissedAfterThem() throws {
    var later = late(submitted: 25) { $0.phases[.diff] = .milliseconds(21) }
    later.presented += interval
    #expect(try profile([frame(), later, afterMissed(2)]).missedCauses.isEmpty)
    #expect(
      try profile([frame(), later, afterMissed(3)]).missedCauses
        == [MissedCount(cause: .standstill(.frame(.scheduling)), intervals: 1)])
    #expect(try profile([frame(), later, frame(), afterMissed(2)]).missedCauses.map(\.intervals) == [2])
  }

  /// All missed intervals have a cause in the verdict: they add up.
  @Test func theVerdictNamesTheCausesOfMissedIntervals() throws {
    func verdict(_ frames: [FrameRecord], missed: Int, longest: Int64 = 3) throws -> String? {
      var causes = LateCauses()
      for frame in frames { causes.add(frame, interval: interval) }
      var report = FrameReport(nominalRefreshRate: try #require(RefreshRate(hertz: 100)))
      (report.missed, report.frameInterval.maximum) = (missed, interval * longest)
      report.missedCauses = causes.missedCounts(of: report)
      #expect(report.missedCauses.reduce(0) { $0 + $1.intervals } == missed)
      return report.missedVerdict(interval: Feed.interval)
    }
    let lost = afterMissed(1) { $0.lostVBlankTime = interval }
    let end = "; a picture stood for up to 30.00 ms"
    #expect(try verdict([frame()], missed: 0) == nil)
    #expect(try verdict([frame(), afterMissed(1)], missed: 1) == "1 interval missed by scheduling\(end)")
    #expect(try verdict([frame(), lost, lost], missed: 2) == "2 intervals missed by lost vblanks\(end)")
    var later = late(submitted: 25) { $0.phases[.diff] = .milliseconds(21) }
    later.presented += interval
    #expect(try verdict([frame(), later, afterMissed(2)], missed: 2) == "2 intervals missed behind late frames\(end)")
    #expect(
      try verdict([frame(), later, afterMissed(3)], missed: 3)
        == "3 intervals missed: 2 behind late frames, 1 by scheduling\(end)")
    let busy = afterMissed(1) { ($0.processorTime, $0.startDelay) = (.milliseconds(4), .milliseconds(9)) }
    #expect(
      try verdict([frame(), afterMissed(2), busy], missed: 4)
        == "4 intervals missed: 2 by scheduling, 1 while the machine was busy elsewhere, 1 with no frame after\(end)")
    // No picture stood that a later one has replaced.
    #expect(try verdict([frame()], missed: 2, longest: 1) == "2 intervals missed with no frame after")
  }

  /// Frames that were late by most come first, then those with most work.
  @Test func theWorstFrames() throws {
    let works = [3, 9, 1, 7, 5, 8, 2].map { work in frame { $0.phases[.layout] = .milliseconds(work) } }
    var later = late(submitted: 15) { $0.phases[.diff] = .milliseconds(11) }
    later.presented += interval
    let profile = try profile(works + [late(submitted: 15) { $0.phases[.diff] = .milliseconds(11) }, later])
    #expect(profile.worstFrames.map(\.lateness) == [interval * 2, interval, .zero, .zero, .zero])
    #expect(profile.worstFrames.map(\.record.work) == [15, 15, 13, 12, 11].map { .milliseconds($0) })
    #expect(profile.worstFrames.map(\.causes?.main) == [.phase(.diff), .phase(.diff), nil, nil, nil])
    #expect(profile.firstTick == frame().tickTimestamp)
  }
}
