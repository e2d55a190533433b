import LinuxSystem
import LoopTestSupport
import TestLength
import Testing

@testable import RunLoops

@Suite struct ToleranceTests {
  // Statement 44
  @Test func theLoopSleepsUntilATimerCanBePutOffNoLonger() {
    let scenario = Scenario(observing: [.beforeWaiting])
    let words = scenario.words
    for (name, time, tolerance) in [("early", 10, 30), ("short", 15, 5), ("later", 21, 0), ("last", 22, 100)] {
      let timer = scenario.timer(name, at: Int64(time)) { [clock = scenario.clock] _ in
        words.add("@\(clock.now.nanoseconds / 1_000_000)")
      }
      timer.tolerance = .milliseconds(Int64(tolerance))
    }
    scenario.run(until: 1_000)
    #expect(words.description == "sleep early @20 short @20 sleep later @21 sleep last @122 →finished")
  }

  // Statement 44
  @Test func aLimitServesThemToo() {
    let scenario = Scenario()
    scenario.timer("tolerant", at: 10).tolerance = .milliseconds(100)
    scenario.timer("not yet", at: 21).tolerance = .milliseconds(100)
    scenario.run(until: 20)
    #expect(scenario.words.description == "tolerant →timedOut")
  }

  // Statement 44
  @Test func aToleranceIsCutToWhatMakesSense() {
    let once = FrameLoop.Timer(fireTime: .zero, .onLoop { _ in })
    let repeating = FrameLoop.Timer(fireTime: .zero, interval: .milliseconds(10), .onLoop { _ in })
    #expect(once.tolerance == .zero && repeating.tolerance == .zero)
    once.tolerance = .seconds(1e6)
    repeating.tolerance = .seconds(1e6)
    #expect(once.tolerance == .seconds(1e6) && repeating.tolerance == .milliseconds(5))
    once.tolerance = Nanoseconds(.min)
    repeating.tolerance = Nanoseconds(-1)
    #expect(once.tolerance == .zero && repeating.tolerance == .zero)
  }

  // Statement 37, 44
  @Test func thePhaseIsKept() {
    let scenario = Scenario()
    let times = Box<[Int64]>([])
    let timer = scenario.timer("", at: 3, every: 10) { [clock = scenario.clock] timer in
      times.value.append(timer.nextFireTime.nanoseconds / 1_000_000)
      times.value.append(clock.now.nanoseconds / 1_000_000)
    }
    timer.tolerance = .milliseconds(4)
    scenario.run(until: 36)
    #expect(times.value == [3, 7, 13, 17, 23, 27, 33, 36])
  }

  // Statement 41, 44
  @Test func aToleranceIsOneInAllModesAndMayChange() {
    let scenario = Scenario()
    let words = scenario.words
    let timer = scenario.timer("timer", at: 10, every: 100) { [clock = scenario.clock] _ in
      words.add("@\(clock.now.nanoseconds / 1_000_000)")
    }
    scenario.loop.add(timer, to: "other")
    timer.tolerance = .milliseconds(40)
    scenario.run("other", until: 60)
    timer.tolerance = .milliseconds(1)
    scenario.run(until: 120)
    timer.tolerance = .zero
    scenario.run("other", until: 220)
    #expect(words.description == "timer @50 →timedOut timer @111 →timedOut timer @210 →timedOut")
    scenario.loop.remove(timer, from: "other")
    timer.tolerance = .milliseconds(50)
    timer.nextFireTime = .milliseconds(230)
    scenario.run(until: 300)
    #expect(words.all.suffix(3) == ["timer", "@280", "→timedOut"])
  }

  /// Random timers: each is called in its time, and when the loop wakes somebody could not have waited longer.
  // Statement 44
  @Test func randomTimersAreCalledWithinTheirTolerance() {
    for _ in 0..<(isLongRun ? 40 : 8) {
      let seed = UInt64.random(in: .min ... .max)
      var random = SplitMix64(seed: seed)
      let scenario = Scenario()
      let clock = scenario.clock
      let slacks = Box<[Int64]>([])
      let most = Box<Int64>(-1)
      scenario.loop.add(
        FrameLoop.Observer(
          [.afterWaiting, .beforeTimers],
          .onLoop { _, activity in
            // Timers that are due at the start or at the limit are called then.
            let isOwnWake = clock.now > .zero && clock.now < .milliseconds(400)
            if activity == .beforeTimers, isOwnWake, let slack = slacks.value.min() { most.value = max(most.value, slack) }
            slacks.value = []
          }), to: .default)
      for _ in 0..<30 {
        let timer = scenario.timer(
          "", at: .random(in: 0...200, using: &random), every: .random(in: 0...50, using: &random)
        ) { timer in
          let late = (clock.now - timer.nextFireTime).count
          let slack = timer.tolerance.count - late
          if late < 0 || slack < 0 { Issue.record("seed \(seed): \(late) ns late, tolerance \(timer.tolerance.count)") }
          slacks.value.append(slack)
        }
        timer.tolerance = .milliseconds(Int64.random(in: 0...30, using: &random))
      }
      scenario.run(until: 400)
      // In each row the least is none.
      #expect(most.value == 0, "seed \(seed)")
    }
  }
}
