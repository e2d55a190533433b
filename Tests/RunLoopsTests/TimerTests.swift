import LinuxSystem
import LoopTestSupport
import Testing

@testable import RunLoops

@Suite struct TimerTests {
  @Test func dueTimersFireByTimeThenAsTheyWereAdded() {
    let scenario = Scenario()
    scenario.timer("c", at: 3)
    scenario.timer("b1", at: 2)
    scenario.timer("b2", at: 2)
    scenario.timer("a", at: 1)
    scenario.timer("b3", at: 2)
    scenario.clock.advance(to: .milliseconds(5))
    scenario.run(until: 5)
    #expect(scenario.words.description == "a b1 b2 b3 c →timedOut")
  }

  @Test func equalTimesKeepTheirOrderWhenTimersRepeat() {
    let scenario = Scenario()
    scenario.timer("slow", at: 0, every: 20)
    scenario.timer("fast", at: 0, every: 10)
    scenario.run(until: 40)
    #expect(scenario.words.description == "slow fast fast slow fast fast slow fast →timedOut")
  }

  @Test func timesThatPassedAreSkippedAndThePhaseIsKept() {
    let scenario = Scenario()
    let times = Box<[Int64]>([])
    scenario.timer("timer", at: 3, every: 10) { [clock = scenario.clock] timer in
      times.value.append(timer.nextFireTime.nanoseconds / 1_000_000)
      if times.value.count == 2 { clock.advance(by: .milliseconds(37)) }
    }
    scenario.run(until: 75)
    // 3, 13; the call at 13 ends at 50, so that 23, 33 and 43 are gone.
    #expect(times.value == [3, 13, 53, 63, 73])
  }

  @Test func exactlyOnTheNextTimeIsNotSkippedTwice() {
    let scenario = Scenario()
    let times = Box<[Int64]>([])
    scenario.timer("timer", at: 0, every: 10) { [clock = scenario.clock] timer in
      times.value.append(timer.nextFireTime.nanoseconds / 1_000_000)
      if times.value.count == 1 { clock.advance(to: .milliseconds(10)) }
    }
    scenario.run(until: 30)
    // At 10 the call ends: the first time after now is 20.
    #expect(times.value == [0, 20, 30])
  }

  @Test func aDueTimerThatIsAddedInACallFiresInALaterPass() {
    let scenario = Scenario(observing: .beforeTimers)
    scenario.timer("first", at: 1) { _ in scenario.timer("added", at: 0) }
    scenario.timer("second", at: 1)
    scenario.run(until: 5)
    #expect(scenario.words.description == "timers first second timers added →finished")
  }

  @Test func dueTimersThatAreInvalidatedRemovedOrMovedDoNotFire() {
    let scenario = Scenario()
    let loop = scenario.loop
    let others = Box<[FrameLoop.Timer]>([])
    scenario.timer("first", at: 1) { [unowned loop] _ in
      others.value[0].invalidate()
      loop.remove(others.value[1], from: .default)
      others.value[2].nextFireTime = .milliseconds(4)
    }
    others.value = [
      scenario.timer("invalid", at: 1), scenario.timer("removed", at: 1), scenario.timer("moved", at: 1),
    ]
    scenario.run(until: 9)
    #expect(scenario.words.description == "first moved →finished")
    #expect(scenario.clock.now == .milliseconds(4))
    #expect(others.value[1].isValid)
  }

  @Test func aOneShotTimerIsInvalidAfterItsCallWhateverItSet() {
    let scenario = Scenario()
    let wasValid = Box(false)
    let timer = scenario.timer("timer", at: 1) { timer in
      wasValid.value = timer.isValid
      timer.nextFireTime = .milliseconds(3)
    }
    scenario.run(until: 9)
    #expect(scenario.words.description == "timer →finished")
    #expect(wasValid.value && !timer.isValid)
  }

  @Test func aTimeSetInTheCallIsANewPhase() {
    let scenario = Scenario()
    let times = Box<[Int64]>([])
    scenario.timer("timer", at: 0, every: 10) { [clock = scenario.clock] timer in
      times.value.append(clock.now.nanoseconds / 1_000_000)
      if times.value.count == 1 { timer.nextFireTime = .milliseconds(4) }
      if times.value.count == 3 {
        clock.advance(by: .milliseconds(2))
        timer.nextFireTime = .milliseconds(1)  // Counts as now, which is 16.
      }
    }
    scenario.run(until: 40)
    #expect(times.value == [0, 4, 14, 16, 26, 36])
  }

  @Test func aTimerMovesInAllItsModes() {
    let scenario = Scenario()
    let loop = scenario.loop
    let timer = scenario.timer("timer", at: 50)
    loop.add(timer, to: "other")
    timer.nextFireTime = .milliseconds(7)
    #expect(loop.nextTimerFireTime(in: .default) == .milliseconds(7))
    #expect(loop.nextTimerFireTime(in: "other") == .milliseconds(7))
    scenario.run("other", until: 10)
    #expect(!timer.isValid && loop.nextTimerFireTime(in: .default) == nil)
    #expect(loop.nextTimerFireTime(in: "unknown") == nil)
  }

  @Test func aTimerBelongsToOneLoopUntilItIsRemoved() {
    let first = Scenario()
    let second = Scenario()
    let timer = first.timer("timer", at: 1)
    first.loop.add(timer, to: "other")
    second.loop.add(timer, to: .default)
    #expect(!second.loop.contains(timer, in: .default))
    first.loop.remove(timer, from: .default)
    second.loop.add(timer, to: .default)
    #expect(!second.loop.contains(timer, in: .default))
    first.loop.remove(timer, from: "other")
    second.loop.add(timer, to: .default)
    #expect(second.loop.contains(timer, in: .default))
    second.run(until: 2)
    #expect(first.words.description == "timer")
  }

  @Test func aTimerThatFiresIsSkippedByNestedRunsOthersAreNot() {
    let scenario = Scenario()
    scenario.timer("outer", at: 1, every: 1) { [unowned loop = scenario.loop, words = scenario.words] timer in
      guard words.count("outer") == 1 else { return timer.invalidate() }
      loop.run(mode: .default, until: .milliseconds(4))
      words.add("back")
    }
    scenario.timer("same", at: 1)
    scenario.timer("inner", at: 3)
    scenario.run(until: 9)
    #expect(scenario.words.description == "outer same inner back outer →finished")
  }

  @Test func invalidatedInItsCallIsItsLast() {
    let scenario = Scenario()
    scenario.timer("timer", at: 1, every: 1) { timer in
      if timer.nextFireTime == .milliseconds(3) { timer.invalidate() }
    }
    scenario.run(until: 9)
    #expect(scenario.words.description == "timer timer timer →finished")
  }

  @Test func removedInItsCallAndAddedAgainGoesOn() {
    let scenario = Scenario()
    scenario.timer("timer", at: 1, every: 2) { [unowned loop = scenario.loop] timer in
      loop.remove(timer, from: .default)
      loop.add(timer, to: .default)
    }
    scenario.run(until: 6)
    #expect(scenario.words.description == "timer timer timer →timedOut")
  }

  @Test(arguments: [Int64.min, -1, 0]) func anIntervalOfNothingFiresOnce(_ interval: Int64) {
    let scenario = Scenario()
    let timer = FrameLoop.Timer(
      fireTime: .milliseconds(1), interval: Nanoseconds(interval),
      .onLoop { [words = scenario.words] _ in
        words.add("timer")
      })
    scenario.loop.add(timer, to: .default)
    scenario.run(until: 5)
    #expect(timer.interval == .zero && scenario.words.description == "timer →finished")
  }

  @Test func wildTimesDoNotTrap() {
    for time in [Int64.min, -1, 0, .max - 1, .max] {
      for interval in [Int64(1), .max] {
        let scenario = Scenario()
        let timer = FrameLoop.Timer(
          fireTime: MonotonicTime(nanoseconds: time), interval: Nanoseconds(interval),
          .onLoop {
            [words = scenario.words, clock = scenario.clock, unowned loop = scenario.loop] timer in
            words.add("timer")
            clock.advance(by: .seconds(1e9))
            if words.count("timer") == 3 { loop.stop() }
          })
        scenario.loop.add(timer, to: .default)
        scenario.loop.run(mode: .default, until: MonotonicTime(nanoseconds: .max - 1))
        timer.nextFireTime = MonotonicTime(nanoseconds: time)
        timer.invalidate()
      }
    }
  }

  /// Random timers against arithmetic: who fires when, with additions, removals and moves on the way.
  @Test func randomTimersFireWhenTheyShould() {
    for _ in 0..<40 {
      let seed = UInt64.random(in: .min ... .max)
      var random = SplitMix64(seed: seed)
      let scenario = Scenario()
      let expected = Box<[(Int64, Int)]>([])
      let fired = Box<[(Int64, Int)]>([])
      for index in 0..<60 {
        let time = Int64.random(in: 0...300, using: &random)
        let interval = Int64.random(in: 0...40, using: &random)
        let timer = FrameLoop.Timer(
          fireTime: .milliseconds(time), interval: .milliseconds(interval),
          .onLoop {
            [clock = scenario.clock] _ in fired.value.append((clock.now.nanoseconds / 1_000_000, index))
          })
        scenario.loop.add(timer, to: .default)
        var start = time
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          timer.invalidate()
          continue
        case 1:
          start = .random(in: 0...300, using: &random)
          timer.nextFireTime = .milliseconds(start)
        case 2:
          scenario.loop.remove(timer, from: .default)
          start = .random(in: 0...300, using: &random)
          timer.nextFireTime = .milliseconds(start)
          scenario.loop.add(timer, to: .default)
        default: break
        }
        var times = [start]
        while interval > 0, start + interval <= 400 {
          start += interval
          times.append(start)
        }
        expected.value += times.map { ($0, index) }
      }
      scenario.loop.add(FrameLoop.Timer(fireTime: .milliseconds(1_000), .onLoop { _ in }), to: .default)
      scenario.run(until: 400)
      let sorted = expected.value.sorted { $0 < $1 }
      #expect(fired.value.map(\.0) == sorted.map(\.0), "seed \(seed)")
      #expect(fired.value.sorted { $0 < $1 }.map(\.1) == sorted.map(\.1), "seed \(seed)")
    }
  }
}
