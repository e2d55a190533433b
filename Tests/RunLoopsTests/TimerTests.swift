import LinuxSystem
import LoopTestSupport
import TestLength
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

  @Test func wildTimesDoNotTrap() {
    for time in [Int64.min, -1, 0, .max - 1, .max] {
      for interval in [Int64.min, -1, 1, .max] {
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
    for _ in 0..<(isLongRun ? 40 : 8) {
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
