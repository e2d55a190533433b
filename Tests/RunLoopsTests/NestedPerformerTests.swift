import LinuxSystem
import LoopTestSupport
import TestLength
import Testing

@testable import RunLoops

/// Work that runs the loop before the rest of the work that waited with it.
@Suite struct NestedPerformerTests {
  /// Work is done in the order in which it was queued, also by a nested run: what the outer run has not reached comes first.
  // Statement 62
  @Test func aNestedRunGoesOnWithTheWorkThatIsLeft() throws {
    let scenario = Scenario()
    scenario.source("", mode: "inner")
    try scenario.later("1") { [loop = scenario.loop, words = scenario.words] in
      try? loop.performLater(in: [.default, "inner"]) { words.add("4") }
      try? loop.performLater(order: -1) { words.add("first") }
      for mode: FrameLoop.Mode in ["inner", .default] {
        words.add("(")
        loop.run(mode: mode, until: .zero)
        words.add(")")
      }
    }
    try scenario.later("2", in: [.default, "inner"])
    try scenario.later("3")
    scenario.run(until: 1)
    #expect(scenario.words.description == "1 ( 2 4 ) ( first 3 ) →finished")
  }

  /// The nested run needs nothing but the work that is left: neither another item nor new work. The outer run makes no pass for
  /// work that is done.
  // Statement 62
  @Test func aNestedRunIsThereForTheWorkThatIsLeft() throws {
    let scenario = Scenario(observing: [.beforeTimers, .beforeWaiting])
    scenario.observe(.beforeTimers, mode: "inner")
    try scenario.later("1") { [loop = scenario.loop, words = scenario.words] in
      for mode: FrameLoop.Mode in ["inner", "inner", .default, .default] {
        words.add("(")
        words.add("\(loop.run(mode: mode)))")
      }
    }
    try scenario.later("2", in: [.default, "inner"])
    try scenario.later("3")
    try scenario.later("4")
    scenario.run(until: 10)
    #expect(
      scenario.words.description
        == "timers 1 ( timers 2 finished) ( finished) ( timers 3 4 finished) ( finished) →finished")
  }

  /// The source of the work is signalled while it is in a mode, and only then.
  // Statement 62
  @Test func workThatIsDoneOrCancelledCostsNoPass() throws {
    for isCancelled in [false, true] {
      let scenario = Scenario(observing: [.beforeTimers, .beforeWaiting])
      scenario.timer("timer", at: 5)
      try scenario.later("1") { [unowned loop = scenario.loop] in
        if isCancelled { loop.cancelPerformers(key: 2) }
      }
      try scenario.later("2", key: 2)
      scenario.run(until: 10)
      #expect(scenario.words.description == "timers 1 \(isCancelled ? "" : "2 ")timers sleep timer →finished")

      // Work that is queued then comes after a source that was signalled before it.
      scenario.words.removeAll()
      scenario.source("source").signal()
      try scenario.later("3")
      scenario.run(until: 10)
      #expect(scenario.words.description == "timers source 3 timers sleep →timedOut")
    }
  }

  // Statement 62
  @Test func cancelledWorkOfTheSameBatchKeepsNoNestedRunAlive() throws {
    let scenario = Scenario()
    try scenario.later("1") { [unowned loop = scenario.loop, words = scenario.words] in
      loop.cancelPerformers(key: 2)
      words.add("\(loop.run(mode: .default))")
    }
    try scenario.later("2", key: 2)
    scenario.run(until: 1)
    #expect(scenario.words.description == "1 finished →finished")
  }

  /// Random work that queues work and runs the loop. In one mode the order is that of queueing, whatever is nested.
  // Statement 62
  @Test func nestedRunsKeepTheOrder() throws {
    final class Play: Sendable {
      let scenario = Scenario()
      let random: Lock<SplitMix64>
      let queued = Box(0)
      init(seed: UInt64) { random = Lock(SplitMix64(seed: seed)) }

      func chance(_ share: Double) -> Bool { random.withLock { $0.chance(share) } }

      func runNested() {
        let isPoll = chance(0.5)
        scenario.loop.run(mode: .default, until: isPoll ? .zero : nil)
        if !isPoll { #expect(scenario.words.all.count == queued.value, "work is left") }
      }

      func queue() {
        let number = queued.value
        guard number < 20 else { return }
        queued.value = number + 1
        try? scenario.later("\(number)", in: chance(0.5) ? [.common] : [.default]) { [unowned self] in
          while chance(0.5) {
            if chance(0.6) { queue() } else { runNested() }
          }
        }
      }
    }
    for seed in some(200, of: 1...2_000) {
      let play = Play(seed: UInt64(seed))
      for _ in 0..<4 { play.queue() }
      play.scenario.loop.run(mode: .default)
      #expect(play.scenario.words.all == (0..<play.queued.value).map(String.init), "seed \(seed)")
      #expect(play.scenario.loop.performers.count == 0)
    }
  }
}
