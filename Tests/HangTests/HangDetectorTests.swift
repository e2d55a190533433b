import CStackSamples
import LinuxSystem
import Testing

@testable import Hangs

struct HangDetectorTests {
  private let limits = HangDetector.Limits()

  /// Wherever in the monitor's looks a turn begins, exactly those that last for two seconds are hangs.
  @Test func aTurnIsAHangExactlyFromTheThresholdOn() {
    for duration: Int64 in [1_000, 1_900, 1_950, 1_999, 2_000, 2_001, 2_050, 2_500, 2_999, 3_000] {
      for offset: Int64 in stride(from: 0, to: 1_000, by: 37) {
        // Another turn before it, at every distance.
        let turns = SimulatedTurns(turns: [0..<100, 130 + offset..<130 + offset + duration])
        let result = turns.play()
        #expect(result.began.count == (duration > 2_000 ? 1 : 0), "\(duration) ms, \(offset)")
        let hangs = result.hangs(limits)
        #expect(hangs.count == (duration >= 2_000 ? 1 : 0), "\(duration) ms, \(offset)")
        if let hang = hangs.first { #expect(hang.duration == .milliseconds(duration)) }
        // It is found at the very moment.
        if let began = result.began.first { #expect(began.duration == .seconds(2)) }
      }
    }
  }

  /// A look that comes late by less than what is excused finds the hang all the same, from the end that the loop has left.
  @Test func aHangThatEndsJustBeforeALateLookIsFound() {
    let turns = SimulatedTurns(turns: [0..<2_020, 5_000..<5_010], lateness: { _ in .milliseconds(40) })
    let result = turns.play()
    #expect(result.hangs(limits).map(\.duration) == [.milliseconds(2_020)])
  }

  @Test func samplesBeginWhenATurnBecomesSlow() {
    let samples = SimulatedTurns(turns: [0..<1_000]).play().samples
    #expect(samples.first == 250)
    #expect(samples.count == 15)
    #expect(SimulatedTurns(turns: [0..<249]).play().samples.isEmpty)
  }

  /// A turn that lasts for an hour has hundreds of samples, not 72,000.
  @Test func samplesOfALongTurnAreBounded() {
    let result = SimulatedTurns(turns: [0..<3_600_000]).play()
    #expect(result.samples.count > 300 && result.samples.count < 1_000, "\(result.samples.count)")
    #expect(result.hangs(limits).map(\.duration) == [.seconds(3_600)])
  }

  /// A hang of four seconds that begins at once after one of 15 seconds: detectors that slow down miss it.
  @Test func aHangRightAfterAHangIsFound() {
    for gap: Int64 in [0, 1, 40, 200, 900] {
      let result = SimulatedTurns(turns: [0..<15_000, 15_000 + gap..<19_000 + gap]).play()
      #expect(result.began.map(\.start) == [.zero, SimulatedTurns.time(15_000 + gap)], "\(gap)")
      #expect(result.hangs(limits).map(\.duration) == [.seconds(15), .seconds(4)])
    }
  }

  /// An hour of turns of two milliseconds, one a second; and one without any.
  @Test func anIdleApplicationIsNotReported() {
    let busy = (0..<3_600).map { (second: Int64) in second * 1_000..<second * 1_000 + 2 }
    let result = SimulatedTurns(turns: busy).play()
    #expect(result.began.isEmpty && result.ended.isEmpty && result.samples.isEmpty)
    // One when the turn begins, one when it would be slow; none after that.
    #expect(result.looks <= 2 * 3_600 + 1)

    let asleep = SimulatedTurns(turns: [0..<2, 3_600_000..<3_600_002]).play()
    #expect(asleep.began.isEmpty && asleep.looks == 4)
  }

  /// A loop that never sleeps, but begins a turn every 100 ms, for an hour.
  @Test func aLoopThatTurnsIsNotHanging() {
    let turns = (0..<36_000).map { (turn: Int64) in turn * 100..<turn * 100 + 100 }
    let result = SimulatedTurns(turns: turns).play()
    #expect(result.began.isEmpty && result.ended.isEmpty)
    // One long turn among them is found.
    let withHang = SimulatedTurns(turns: turns.prefix(50) + [5_000..<7_100] + turns.dropFirst(71))
    #expect(withHang.play().hangs(limits).map(\.duration) == [.milliseconds(2_100)])
  }

  // MARK: Excused time

  /// The process is stopped for ten seconds in a turn that takes 300 ms by itself.
  @Test func aStoppedProcessIsNotHanging() {
    for stop: Int64 in stride(from: 10, to: 290, by: 20) {
      // No look between the stop and its end.
      let end = stop + 10_000
      let turns = SimulatedTurns(
        turns: [0..<10_300],
        lateness: { time in
          let asked = time.nanoseconds / 1_000_000
          return asked >= stop && asked < end ? .milliseconds(end - asked) : .zero
        })
      let result = turns.play()
      #expect(result.began.isEmpty && result.hangs(limits).isEmpty, "\(stop)")
    }
  }

  /// A program that is stopped in a hang hangs for the rest of the time.
  @Test func theTimeOfAStopIsNotCounted() throws {
    let turns = SimulatedTurns(
      turns: [0..<13_000],
      lateness: { time in
        let asked = time.nanoseconds / 1_000_000
        return asked >= 1_000 && asked < 11_000 ? .milliseconds(11_000 - asked) : .zero
      })
    let hangs = turns.play().hangs(limits)
    #expect(hangs.count == 1)
    let hang = try #require(hangs.first)
    #expect(hang.duration <= .seconds(3) && hang.duration >= .milliseconds(2_900), "\(hang.duration)")
    #expect(hang.excused >= .seconds(10))
  }

  /// Looks that are late because the one before took long: that is no stop.
  @Test func aMonitorThatIsSlowItselfFindsTheHang() {
    let late: (MonotonicTime) -> Nanoseconds = { _ in .milliseconds(150) }
    let turns = SimulatedTurns(turns: [0..<3_000], look: { $0.looksDelay = $0.now - .zero }, lateness: late)
    #expect(turns.play().hangs(limits).map(\.duration) == [.seconds(3)])
    #expect(SimulatedTurns(turns: [0..<3_000], lateness: late).play().hangs(limits).isEmpty)
  }

  @Test func aSuspendedMachineIsNotHanging() {
    // The clock goes on for a while before the machine is frozen, and after it wakes.
    let turns = SimulatedTurns(turns: [0..<4_000]) { sight in
      sight.suspended = .seconds(Double(sight.now.nanoseconds / 900_000_000) * 3_600)
    }
    #expect(turns.play().began.isEmpty)
  }

  @Test func aDebuggedProcessIsNotHanging() {
    let turns = SimulatedTurns(turns: [0..<60_000]) { $0.isDebugged = true }
    let result = turns.play()
    #expect(result.began.isEmpty && result.samples.isEmpty)
    // From when the debugger has gone, the turn counts.
    let after = SimulatedTurns(turns: [0..<60_000]) { $0.isDebugged = $0.now < SimulatedTurns.time(30_000) }
    let hangs = after.play().hangs(limits)
    #expect(hangs.count == 1 && hangs[0].duration <= .milliseconds(30_250), "\(hangs)")
  }

  /// Other programs have the processor nine tenths of the time. Turns of 200 ms of work take two seconds and more, and the
  /// monitor looks late too.
  @Test func aBusyMachineIsNotHanging() {
    var random = SplitMix64(seed: 7)
    let late = (0..<100).map { _ in Nanoseconds.milliseconds(Int64.random(in: 0...400, using: &random)) }
    let turns = (0..<600).map { (turn: Int64) in turn * 3_000..<turn * 3_000 + 2_600 }
    let isDelayed: (inout HangDetector.Sight) -> Void = { $0.runDelay = Nanoseconds($0.now.nanoseconds / 10 * 9) }
    let simulated = SimulatedTurns(
      turns: turns, look: isDelayed, lateness: { late[Int($0.nanoseconds / 1_000_000 % 100)] })
    #expect(simulated.play().began.isEmpty)
    // Looks that are late excuse the time too: where they are not, the delay alone does.
    #expect(SimulatedTurns(turns: turns, look: isDelayed).play().began.isEmpty)
    // Without the delay they are hangs.
    #expect(SimulatedTurns(turns: turns).play().began.count == 600)
  }

  /// The kernel tells a wait for a processor when it is over, after several looks.
  @Test func aWaitThatIsToldLateIsNotCounted() {
    for period: Int64 in [70, 300, 1_000, 1_700] {
      let turns = SimulatedTurns(turns: [0..<5_000]) { sight in
        let time = sight.now.nanoseconds / 1_000_000
        sight.runDelay = .milliseconds(time / period * (period - period / 10))
      }
      let result = turns.play()
      #expect(result.began.isEmpty && result.hangs(limits).isEmpty, "\(period)")
      #expect(result.ended.allSatisfy { $0.duration < .milliseconds(500 + period) }, "\(result.ended)")
    }
  }

  /// A turn of 100 ms of work, whose thread then has no processor for the rest of it.
  @Test func aWaitThatLastsIsNotCounted() {
    let delay = Lock(RunDelay())
    let turns = SimulatedTurns(turns: [0..<4_000, 4_500..<4_510]) { sight in
      let time = sight.now.nanoseconds / 1_000_000
      sight.processorTime = .milliseconds(min(time, 100))
      let schedule = ThreadState.Schedule(runDelay: .milliseconds(time < 4_000 ? 5 : 3_905), runs: time < 4_000 ? 9 : 10)
      let reading = RunDelay.Reading(
        time: sight.now, processorTime: sight.processorTime, schedule: schedule, isReady: time < 4_000)
      sight.runDelay = delay.withLock { $0.total(reading) }
    }
    let result = turns.play()
    #expect(result.began.isEmpty && result.ended.isEmpty)
    // Without the figures it is one.
    #expect(SimulatedTurns(turns: [0..<4_000]).play().began.count == 1)
  }

  /// The shares of the time from 250 ms on; that of a stop is none of it.
  @Test func theSharesTellComputingFromWaiting() {
    func shares(_ turn: Range<Int64>, _ look: @escaping (inout HangDetector.Sight) -> Void) -> [[Int]] {
      SimulatedTurns(turns: [turn], look: look).play().ended.map { turn in
        [turn.processorShare, turn.starvedShare].map { Int(($0 * 100).rounded()) }
      }
    }
    #expect(shares(0..<3_000) { $0.processorTime = Nanoseconds($0.now.nanoseconds) } == [[100, 0]])
    #expect(shares(0..<3_000) { $0.processorTime = .milliseconds(3) } == [[0, 0]])
    let starved = shares(0..<12_500) { sight in
      sight.processorTime = Nanoseconds(sight.now.nanoseconds / 10)
      sight.runDelay = Nanoseconds(sight.now.nanoseconds / 10 * 7)
    }
    #expect(starved == [[10, 70]])
    let stopped = SimulatedTurns(
      turns: [0..<13_000],
      look: { sight in
        let stopped = min(max(sight.now.nanoseconds - 1_000_000_000, 0), 10_000_000_000)
        sight.processorTime = Nanoseconds((sight.now.nanoseconds - stopped) / 2)
      },
      lateness: {
        $0 >= SimulatedTurns.time(1_000) && $0 < SimulatedTurns.time(11_000) ? SimulatedTurns.time(11_000) - $0 : .zero
      })
    let ended = stopped.play().ended
    #expect(ended.count == 1 && ended.allSatisfy { abs($0.processorShare - 0.5) < 0.03 }, "\(ended)")
    // A debugger lets the thread compute, for a second of three in which it waits.
    let debugged = shares(0..<3_000) { sight in
      let time = sight.now.nanoseconds - 1_000_000_000
      sight.isDebugged = time >= 0 && time < 1_000_000_000
      sight.processorTime = Nanoseconds(min(max(time, 0), 1_000_000_000))
    }
    #expect(debugged.count == 1 && debugged[0][0] < 4, "\(debugged)")
    // The shares of a wait that is told late, and of computing after it, are at most the whole.
    let late = shares(0..<3_000) { sight in
      let time = sight.now.nanoseconds / 1_000_000
      sight.processorTime = .milliseconds(max(time - 600, 0))
      sight.runDelay = .milliseconds(time < 600 ? 0 : 600)
    }
    #expect(late.count == 1 && late[0][0] + late[0][1] <= 100, "\(late)")
  }
}

struct RunDelayTests {
  private struct Played {
    var delay = RunDelay()
    var (time, processorTime) = (Nanoseconds.zero, Nanoseconds.zero)

    /// A look after a time, in which the thread had a processor for part of it.
    mutating func look(
      after time: Int64, processor: Int64, told: Int64, runs: Int64, isReady: Bool = true
    ) -> Nanoseconds {
      self.time += .milliseconds(time)
      processorTime += .milliseconds(processor)
      let schedule = ThreadState.Schedule(runDelay: .milliseconds(told), runs: runs)
      return delay.total(
        RunDelay.Reading(time: .zero + self.time, processorTime: processorTime, schedule: schedule, isReady: isReady))
    }
  }

  @Test func aWaitIsSeenWhileItLasts() {
    var played = Played()
    #expect(played.look(after: 0, processor: 0, told: 7, runs: 1) == .milliseconds(7))
    #expect(played.look(after: 50, processor: 50, told: 7, runs: 1) == .milliseconds(7))
    #expect(played.look(after: 50, processor: 10, told: 7, runs: 1) == .milliseconds(47))
    #expect(played.look(after: 50, processor: 0, told: 7, runs: 1) == .milliseconds(97))
    // The thread has a processor again, and the kernel has added the wait.
    #expect(played.look(after: 50, processor: 40, told: 107, runs: 2) == .milliseconds(107))
    #expect(played.look(after: 50, processor: 50, told: 107, runs: 2) == .milliseconds(107))
  }

  /// A thread that waits for something else is not ready at the look, or has got a processor since the look before.
  @Test func aThreadThatIsBlockedIsNotStarved() {
    var played = Played()
    for look in 0..<10 {
      #expect(played.look(after: 50, processor: 0, told: 7, runs: 3, isReady: look == 0) == .milliseconds(7))
    }
    for look in 0..<10 as Range<Int64> {
      #expect(played.look(after: 50, processor: 1, told: 7, runs: 4 + look) == .milliseconds(7))
    }
  }
}

struct ThreadStateTests {
  @Test(arguments: [
    ("12 (main) R 1 12", true), ("12 (main) S 1 12", false), ("12 (main) D 1 12", false), ("12 (a) S (b) R 1 12", true),
    ("12 (a R) R) S 1 12", false), ("12 (two\nlines) R 1", true), ("12 () R", true), ("12 (main)", false),
    ("12 (main)   ", false), ("R", false), ("", false), (")", false), ("12 (\u{FFFD}R\u{0}) Z 1", false),
  ])
  func theStateOfAThreadIsReadBehindItsName(_ text: (stat: String, isReady: Bool)) {
    #expect(ThreadState.isReady(stat: text.stat) == text.isReady)
  }

  @Test func aScheduleIsThreeNumbers() {
    let schedule = ThreadState.Schedule("123 456 7\n")
    #expect(schedule?.runDelay == Nanoseconds(456) && schedule?.runs == 7)
    for text in ["", "1 2", "1 2 3 4", "1 x 3", "1 2 99999999999999999999", "a b c"] {
      #expect(ThreadState.Schedule(text) == nil, "\(text)")
    }
  }

  /// This thread has a processor while it asks, and a number that no thread has gives nothing.
  @Test func theKernelTells() {
    #expect(ThreadState.isReady(Int32(cstack_thread_number())))
    #expect(!ThreadState.isReady(-1) && ThreadState.schedule(of: -1) == nil)
  }
}

struct LoadDetectorTests {
  /// A minute at 85 % is a load, at 75 % it is none, and a pause of five seconds begins it anew.
  @Test func onlyALongLoadCounts() {
    func loads(seconds: Int64, _ share: (Int64) -> Double) -> [LoadDetector.Load] {
      var (detector, used, loads) = (LoadDetector(), Nanoseconds.zero, [LoadDetector.Load]())
      for step in 0...(seconds * 4) {
        if let load = detector.look(now: .zero + .milliseconds(step * 250), processorTime: used) { loads.append(load) }
        used += .seconds(0.25 * share(step / 4))
      }
      return loads
    }
    #expect(loads(seconds: 60) { _ in 0.85 }.count == 1)
    #expect(loads(seconds: 600) { _ in 0.85 }.count == 10)
    #expect(loads(seconds: 600) { _ in 0.75 }.isEmpty)
    #expect(loads(seconds: 600) { $0 % 60 < 5 ? 0.1 : 1 }.isEmpty)
    #expect(loads(seconds: 59) { _ in 1 }.isEmpty)
  }
}
