@testable import FrameTiming
import LinuxSystem
import Metering
import Testing

/// The lateness and cause in a frame's record, to the nanosecond.
@Suite struct FrameRecordTests {
  private let interval = Nanoseconds.milliseconds(10)

  /// A frame at 100 Hz that was begun at its vblank, handed over after so much of the interval, and seen one interval late.
  private func late(submitted: Nanoseconds, _ change: (inout FrameRecord) -> Void = { _ in }) -> FrameRecord {
    var record = FrameRecord()
    record.tickTimestamp = .zero + .milliseconds(100)
    record.start = record.tickTimestamp
    record.delivered = record.tickTimestamp
    record.target = record.tickTimestamp + interval
    record.submitted = record.tickTimestamp + submitted
    record.presented = record.target + interval
    record.phases[.callbacks] = .milliseconds(1)
    record.phases[.composite] = .milliseconds(3)
    change(&record)
    return record
  }

  @Test func inTimeOrNotSeenYetThereIsNoCause() {
    let unseen = late(submitted: .milliseconds(15)) { $0.presented = .zero }
    #expect(unseen.causes(interval: interval) == nil)
    let trembling = late(submitted: .milliseconds(15)) { $0.presented = $0.target + interval / 2 }
    #expect(trembling.causes(interval: interval) == nil)
    let late = late(submitted: .milliseconds(15)) { $0.presented = $0.target + interval / 2 + Nanoseconds(1) }
    #expect(late.causes(interval: interval) != nil)
  }

  @Test func aMillisecondBeforeTheTargetIsInTimeForADisplay() {
    let inTime = late(submitted: .milliseconds(9))
    #expect(inTime.causes(interval: interval)?.main == .scanOut)
    #expect(late(submitted: .milliseconds(9) + Nanoseconds(1)).causes(interval: interval)?.main == .commitMissed)
    #expect(late(submitted: .milliseconds(10)).causes(interval: interval)?.main == .commitMissed)
    #expect(late(submitted: .milliseconds(10) + Nanoseconds(1)).causes(interval: interval)?.main == .scheduling)
  }

  @Test func aVBlankWhereNoneWasPredictedIsThePrediction() {
    func shown(_ lateness: Nanoseconds) -> FrameRecord.Cause? {
      late(submitted: .milliseconds(4)) { $0.presented = $0.target + lateness }.causes(interval: interval)?.main
    }
    #expect(shown(.milliseconds(6)) == .prediction)
    #expect(shown(.microseconds(7_499)) == .prediction)
    #expect(shown(.microseconds(7_500)) == .scanOut)
    #expect(shown(.microseconds(12_500)) == .scanOut)
    #expect(shown(.microseconds(12_501)) == .prediction)
    #expect(shown(.milliseconds(30)) == .scanOut)
  }

  @Test func workThatFittedFromItsStartWasScheduledLate() {
    // 4 ms of work.
    func begun(_ start: Nanoseconds) -> FrameRecord.Cause? {
      late(submitted: .milliseconds(12)) { $0.start = $0.tickTimestamp + start }.causes(interval: interval)?.main
    }
    #expect(begun(.zero) == .scheduling)
    #expect(begun(.milliseconds(6)) == .scheduling)
    // Put off to so late a start the work itself was too much.
    #expect(begun(.milliseconds(6) + Nanoseconds(1)) == .phase(.composite))
  }

  @Test func thePhaseThatExceedsItsUsualTimeMost() {
    var usual = FrameRecord.PhaseDurations()
    usual[.composite] = .milliseconds(7)
    let record = late(submitted: .milliseconds(14)) { record in
      record.phases[.composite] = .milliseconds(7)
      record.phases[.layout] = .milliseconds(6)
    }
    #expect(record.causes(interval: interval)?.main == .phase(.composite))
    #expect(record.causes(interval: interval, usual: usual)?.main == .phase(.layout))
    let even = late(submitted: .milliseconds(14)) { record in
      for phase in FrameRecord.Phase.allCases { record.phases[phase] = .milliseconds(2) }
    }
    #expect(even.causes(interval: interval)?.main == .phase(.input))
  }

  /// A frame that began 16 ms late and took 20 instead of 4: both are told, what cost more first.
  @Test func twoCausesAreBothTold() {
    var usual = FrameRecord.PhaseDurations()
    usual[.layout] = .milliseconds(4)
    func causes(begun: Int64, work: Int64) -> FrameRecord.Causes? {
      late(submitted: .milliseconds(begun + work)) { record in
        record.phases = FrameRecord.PhaseDurations()
        record.phases[.layout] = .milliseconds(work)
        record.presented = record.target + interval * 4
      }.causes(interval: interval, usual: usual)
    }
    #expect(causes(begun: 16, work: 20) == FrameRecord.Causes(main: .phase(.layout), other: .scheduling))
    #expect(causes(begun: 17, work: 20) == FrameRecord.Causes(main: .scheduling, other: .phase(.layout)))
    #expect(causes(begun: 7, work: 20) == FrameRecord.Causes(main: .phase(.layout)))
    #expect(causes(begun: 20, work: 5) == FrameRecord.Causes(main: .scheduling))
  }

  /// A frame that was ready in time, but was made for a later vblank since others took that before it.
  @Test func aFrameBehindOthersIsStuffed() {
    func cause(submitted: Int64, shownAfter intervals: Int64, heldBack: Int64 = 0) -> FrameRecord.Cause? {
      late(submitted: .milliseconds(submitted)) { record in
        record.promised = record.target
        record.target += interval
        record.presented = record.tickTimestamp + interval * intervals
        record.heldBack = .milliseconds(heldBack)
      }.causes(interval: interval)?.main
    }
    #expect(cause(submitted: 4, shownAfter: 1) == nil)
    #expect(cause(submitted: 4, shownAfter: 2) == .stuffing)
    #expect(cause(submitted: 15, shownAfter: 2, heldBack: 6) == .stuffing)
    // It was not ready in time.
    #expect(cause(submitted: 15, shownAfter: 2) == .scheduling)
    // The display did not show it at its own target either.
    #expect(cause(submitted: 4, shownAfter: 3) == .scanOut)
    let early = late(submitted: .milliseconds(4)) { record in
      record.target += interval
      record.presented = record.target - interval
    }
    #expect(early.isEarly(interval: interval) && early.causes(interval: interval) == nil)
  }

  /// A frame that was ready after 4 ms, and was handed over 10 ms later: a pacer learns of the 4, and a diagram shows them.
  @Test func timeHeldBackIsNoWork() {
    var record = late(submitted: .milliseconds(14)) { $0.heldBack = .milliseconds(10) }
    record.target = record.tickTimestamp + interval * 2
    record.presented = record.target
    var pacer = FramePacer()
    for _ in 0..<64 { pacer.observe(record, interval: interval) }
    let work = pacer.work.value ?? .zero
    #expect(work >= .milliseconds(4) && work < .microseconds(4_200))
    let diagram = FrameDiagram(vblanks: [], frames: [record], interval: interval, start: record.tickTimestamp)
    #expect(diagram.spans(in: "work").map(\.begin) == [record.tickTimestamp])
    #expect(diagram.spans(in: "work").map(\.end) == [record.tickTimestamp + .milliseconds(4)])
    #expect(diagram.marks(in: "commit").map(\.time) == [record.submitted])
  }

  // MARK: - A processor, or none

  /// Work of 12 ms in 10, of which the thread had a processor for 4 ms: the machine was busy, whatever phase that came in. With one for 11
  /// ms the work was too much all the same.
  @Test func workThatWouldHaveFittedWithAProcessorMetABusyMachine() {
    func causes(runDelay: Int64) -> FrameRecord.Causes? {
      late(submitted: .milliseconds(12)) { record in
        record.phases[.callbacks] = .milliseconds(1)
        record.phases[.composite] = .milliseconds(11)
        record.processorTime = .milliseconds(12 - runDelay)
        record.runDelay = .milliseconds(runDelay)
      }.causes(interval: interval)
    }
    #expect(causes(runDelay: 8) == FrameRecord.Causes(main: .machineBusy))
    #expect(causes(runDelay: 2) == FrameRecord.Causes(main: .machineBusy))
    #expect(causes(runDelay: 1) == FrameRecord.Causes(main: .phase(.composite)))
    #expect(causes(runDelay: 0) == FrameRecord.Causes(main: .phase(.composite)))
  }

  /// Six of 22 ms of work are usual. Composite is 13 beyond its 3 and layout 3 beyond its: of 8 ms without a processor composite loses all 8,
  /// and is left with 5, so that the machine cost most; with 6 it is left with 7.
  @Test func timeWithoutAProcessorIsNoPhases() {
    var usual = FrameRecord.PhaseDurations()
    (usual[.layout], usual[.composite]) = (.milliseconds(3), .milliseconds(3))
    func causes(runDelay: Int64) -> FrameRecord.Causes? {
      late(submitted: .milliseconds(22)) { record in
        record.phases[.callbacks] = .zero
        (record.phases[.layout], record.phases[.composite]) = (.milliseconds(6), .milliseconds(16))
        (record.processorTime, record.runDelay) = (.milliseconds(22 - runDelay), .milliseconds(runDelay))
      }.causes(interval: interval, usual: usual)
    }
    #expect(causes(runDelay: 8) == FrameRecord.Causes(main: .machineBusy, other: .phase(.composite)))
    #expect(causes(runDelay: 6) == FrameRecord.Causes(main: .phase(.composite), other: .machineBusy))
    #expect(causes(runDelay: 1) == FrameRecord.Causes(main: .phase(.composite)))
  }

  /// Begun 8 ms late, of which the thread waited 5 for a processor and 3 for its own loop, or 3 and 5.
  @Test func aLateWakeUpIsTheMachinesOrTheLoops() {
    func causes(startDelay: Int64) -> FrameRecord.Causes? {
      late(submitted: .milliseconds(12)) { record in
        record.delivered = record.start + .milliseconds(8)
        record.processorTime = .milliseconds(4)
        record.startDelay = .milliseconds(startDelay)
      }.causes(interval: interval)
    }
    #expect(causes(startDelay: 8) == FrameRecord.Causes(main: .machineBusy))
    #expect(causes(startDelay: 5) == FrameRecord.Causes(main: .machineBusy, other: .scheduling))
    #expect(causes(startDelay: 3) == FrameRecord.Causes(main: .scheduling, other: .machineBusy))
    #expect(causes(startDelay: 0) == FrameRecord.Causes(main: .scheduling))
  }

  /// 4 ms of work and a wait of 8 for drawings.
  @Test func aWaitForDrawingsIsACauseOfItsOwn() {
    let record = late(submitted: .milliseconds(12)) { record in
      record.phases[.wait] = .milliseconds(8)
      record.processorTime = .milliseconds(4)
    }
    #expect(record.causes(interval: interval) == FrameRecord.Causes(main: .phase(.wait)))
    #expect(record.work == .milliseconds(12) && record.blockedTime == .milliseconds(8))
    #expect(late(submitted: .milliseconds(12)).blockedTime == nil)
  }

  /// A wait of 5 ms of which 4 are usual is the least of three.
  @Test func aUsualWaitIsNoCause() {
    let record = late(submitted: .milliseconds(12)) { record in
      (record.phases[.layout], record.phases[.wait]) = (.milliseconds(3), .milliseconds(5))
    }
    func causes(usualWait: Int64) -> FrameRecord.Causes? {
      var usual = FrameRecord.PhaseDurations()
      (usual[.callbacks], usual[.composite]) = (.milliseconds(1), .milliseconds(3))
      usual[.wait] = .milliseconds(usualWait)
      return record.causes(interval: interval, usual: usual)
    }
    #expect(causes(usualWait: 0)?.main == .phase(.wait))
    #expect(causes(usualWait: 4)?.main == .phase(.layout))
    // Within its usual time it is none.
    #expect(causes(usualWait: 6)?.other == nil)
  }

  /// 2 of 13 ms without a processor are taken from 3 ms of layout, and not from the longer wait, in which none was needed.
  @Test func aWaitNeedsNoProcessor() {
    let record = late(submitted: .milliseconds(13)) { record in
      (record.phases[.layout], record.phases[.wait]) = (.milliseconds(3), .milliseconds(6))
      (record.processorTime, record.runDelay) = (.milliseconds(5), .milliseconds(2))
    }
    var usual = FrameRecord.PhaseDurations()
    (usual[.callbacks], usual[.composite]) = (.milliseconds(1), .milliseconds(3))
    #expect(record.causes(interval: interval, usual: usual) == FrameRecord.Causes(main: .phase(.wait)))
  }

  /// 12 ms of compositing 100 pixels: 6 ms of pictures that were not kept are half of it, and 300 pixels of layers are three each. Who
  /// waits for 6 of the 13 ms of work does not paint.
  @Test func whatMadeCompositingLong() {
    func cause(
      pictures: Int = 0, _ pictureTime: Nanoseconds = .zero, layerPixels: Int, processorTime: Nanoseconds? = nil
    ) -> FrameRecord.Cause? {
      late(submitted: .milliseconds(13)) { record in
        record.phases[.composite] = .milliseconds(12)
        (record.missedPictures, record.pictureTime) = (pictures, pictureTime)
        (record.paintedPixels, record.layerPixels, record.processorTime) = (100, layerPixels, processorTime)
      }.causes(interval: interval)?.main
    }
    #expect(cause(layerPixels: 299) == .phase(.composite))
    #expect(cause(layerPixels: 300) == .overdraw)
    #expect(cause(pictures: 2, .milliseconds(6), layerPixels: 300) == .missedPictures)
    #expect(cause(pictures: 2, .milliseconds(6) - Nanoseconds(1), layerPixels: 300) == .overdraw)
    #expect(cause(pictures: 2, .milliseconds(5), layerPixels: 100) == .phase(.composite))
    #expect(cause(layerPixels: 0) == .phase(.composite))
    #expect(cause(layerPixels: 300, processorTime: .milliseconds(8)) == .overdraw)
    #expect(cause(layerPixels: 300, processorTime: .milliseconds(7)) == .phase(.composite))
  }

  /// Half of the time without a processor or more: whatever the phases were, none is to blame, nor a layer.
  @Test func noPhaseIsToBlameForABusyMachine() {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix64(seed: seed)
    for _ in 0..<1000 {
      var record = late(submitted: .zero)
      for phase in FrameRecord.Phase.allCases {
        record.phases[phase] = .microseconds(Int64.random(in: 0...30_000, using: &random))
      }
      record.runDelay = record.work / 2 + .microseconds(Int64.random(in: 1...1000, using: &random))
      record.processorTime = record.work - record.runDelay
      record.submitted = record.start + max(record.work, interval + Nanoseconds(1))
      record.presented = record.submitted + interval
      let isIdle = record.submitted - record.start - record.work > record.runDelay
      #expect(
        record.causes(interval: interval)?.main == (isIdle ? .scheduling : .machineBusy), "seed \(seed): \(record)")
    }
  }

  // MARK: - Missed intervals

  /// In time, 1 ms after a vblank, when two intervals of 10 ms before it had been missed.
  private func afterMissed(_ change: (inout FrameRecord) -> Void = { _ in }) -> FrameRecord {
    late(submitted: .milliseconds(5)) { record in
      (record.delivered, record.presented) = (record.start + .milliseconds(1), record.target)
      (record.missedTime, record.processorTime) = (interval * 2, .milliseconds(4))
      change(&record)
    }
  }

  @Test func intervalsAreMissedForWhatTookLongest() {
    func cause(_ change: (inout FrameRecord) -> Void) -> FrameRecord.StandstillCause {
      let record = afterMissed(change)
      #expect(record.causes(interval: interval) == nil)
      return record.standstillCause(interval * 2)
    }
    #expect(cause { _ in } == .frame(.scheduling))
    // The thread waited 11 or 10 of 21 ms for a processor.
    #expect(cause { $0.startDelay = .milliseconds(11) } == .frame(.machineBusy))
    #expect(cause { $0.startDelay = .milliseconds(10) } == .frame(.scheduling))
    #expect(cause { $0.lostVBlankTime = interval * 2 } == .lostVBlank)
    // The display told of the second vblank, and the loop read it late.
    #expect(cause { $0.lostVBlankTime = interval } == .frame(.scheduling))
    #expect(
      cause { record in
        record.phases[.callbacks] = .milliseconds(22)
        record.processorTime = .milliseconds(25)
      } == .frame(.phase(.callbacks)))
  }

  /// The loop asked for its next vblank 2 ms after one was, and waited 8 ms for it. Its frame came 1 ms late: of these 3 ms, the thread
  /// waited for a processor for the longer or the shorter part.
  @Test func theWaitForTheNextVBlankHasNoCause() {
    func cause(_ startDelay: Nanoseconds, of time: Nanoseconds, _ change: (inout FrameRecord) -> Void = { _ in })
      -> FrameRecord.StandstillCause
    {
      let record = afterMissed { record in
        (record.missedTime, record.missedWait, record.startDelay) = (time, .milliseconds(8), startDelay)
        change(&record)
      }
      return record.standstillCause(interval)
    }
    #expect(cause(.milliseconds(2), of: interval) == .frame(.machineBusy))
    #expect(cause(.milliseconds(1), of: interval) == .frame(.scheduling))
    // A late frame accounts for the first of two intervals; it asked in the second.
    #expect(cause(.milliseconds(2), of: interval * 2) == .frame(.machineBusy))
    // It asked in the first one, so that it was not too late for the second: of 11 ms, 2 are explained.
    #expect(cause(.milliseconds(2), of: interval * 2) { $0.missedWait = .milliseconds(12) } == .frame(.scheduling))
    // It asked 2 ms after the first one, and the display told of the third: the second is the display's.
    #expect(
      cause(.zero, of: interval * 2) { ($0.missedWait, $0.lostVBlankTime) = (.milliseconds(8), interval) } == .lostVBlank)
  }

  /// Asked for 2 ms after the first of two missed vblanks, of which the display told the second or not.
  @Test func theWaitCountsFromTheRequest() {
    var tick = DisplayLink.Tick(
      timestamp: .zero + .milliseconds(100), targetTimestamp: .zero + .milliseconds(110), duration: interval,
      frameNumber: 10, delivered: .zero + .milliseconds(100), missed: 2)
    #expect(tick.missedWait(in: interval * 2, lost: .zero) == .zero)
    tick.requested = .zero + .milliseconds(82)
    #expect(tick.missedWait(in: interval * 2, lost: .zero) == .milliseconds(18))
    #expect(tick.missedWait(in: interval * 2, lost: interval) == .milliseconds(8))
    // In time for the only vblank that was missed, or for all.
    #expect(tick.missedWait(in: interval, lost: .zero) == .zero)
    #expect(tick.missedWait(in: .zero, lost: .zero) == .zero)
  }

  /// A late frame accounts for one of two intervals: 11 ms are left, and only as much of a wait.
  @Test func aPartOfTheMissedIntervals() {
    let record = afterMissed { $0.startDelay = .milliseconds(6) }
    #expect(record.standstillCause(interval) == .frame(.machineBusy))
    #expect(record.standstillCause(interval * 2) == .frame(.scheduling))
  }

  /// A wait for a processor in missed intervals is not what makes their frame late.
  @Test func whatMissedIntervalsAndWhatMadeLate() {
    let record = afterMissed { record in
      record.startDelay = .milliseconds(21)
      record.phases[.layout] = .milliseconds(8)
      record.submitted = record.start + .milliseconds(13)
      record.processorTime = .milliseconds(12)
      record.presented = record.target + interval
    }
    #expect(record.causes(interval: interval)?.main == .phase(.layout))
    #expect(record.standstillCause(interval * 2) == .frame(.machineBusy))
  }

  /// The longest eight of any times, the longest first.
  @Test func theLongestTimesOfLayers() {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix64(seed: seed)
    for count in 0..<40 {
      let all = (0..<count).map { layer in
        FrameRecord.LayerTime(
          layer: UInt32(layer), phase: .display,
          time: Nanoseconds(Int64.random(in: 0...1000, using: &random) * 64 + Int64(layer)))
      }
      var kept = FrameRecord.LayerTimes()
      for time in all { kept.add(time) }
      #expect(Array(kept) == Array(all.sorted { $0.time > $1.time }.prefix(8)), "seed \(seed)")
    }
  }

  @Test func namesAreDistinct() {
    #expect(Set(FrameRecord.Cause.allCases.map(\.name)).count == FrameRecord.Cause.allCases.count)
  }
}
