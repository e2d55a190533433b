import LinuxSystem
import LoopTestSupport
import Testing

@testable import RunLoops

@Suite struct BlockTests {
  @Test func blocksRunOnceInTheFirstMatchingModeInOrder() {
    let scenario = Scenario()
    let loop = scenario.loop
    let words = scenario.words
    scenario.source("", mode: "a")
    scenario.source("", mode: "b")
    loop.addCommonMode("a")
    loop.perform(in: ["b"]) { words.add("b1") }
    loop.perform { words.add("common") }
    loop.perform(in: ["a", "b"]) { words.add("both") }
    loop.perform(in: ["b"]) { words.add("b2") }
    scenario.run("a", until: 1)
    loop.perform(in: ["b"]) { words.add("b3") }
    scenario.run("b", until: 2)
    #expect(words.description == "common both →timedOut b1 b2 b3 →timedOut")
  }

  @Test func blocksThatWaitForAnotherModeStayInFront() {
    let scenario = Scenario()
    let loop = scenario.loop
    let words = scenario.words
    scenario.source("", mode: "other")
    loop.perform(in: ["other"]) { words.add("first") }
    loop.perform(in: ["other"]) { words.add("second") }
    loop.perform { [unowned loop] in loop.perform(in: ["other"]) { words.add("third") } }
    scenario.run(until: 1)
    scenario.run("other", until: 2)
    #expect(words.description == "→timedOut first second third →timedOut")
  }

  @Test func aBlockAloneMakesARunStartAndTheRunSleepsToItsLimit() {
    let scenario = Scenario(observing: .all)
    scenario.loop.perform { [words = scenario.words] in words.add("block") }
    scenario.run(until: 10)
    #expect(scenario.words.description == "entry timers sources block sleep wake exit →timedOut")
    #expect(scenario.clock.now == .milliseconds(10))
    scenario.run(until: 20)
    #expect(scenario.words.all.last == "→finished")
  }

  @Test func aBlockForAnotherModeDoesNotMakeARunStart() {
    let scenario = Scenario()
    scenario.loop.perform(in: ["other"]) {}
    scenario.run(until: 1)
    #expect(scenario.words.description == "→finished")
  }

  @Test func blocksQueuedByBlocksWaitForTheNextTime() {
    let scenario = Scenario(observing: [.beforeWaiting, .afterWaiting])
    let loop = scenario.loop
    let words = scenario.words
    scenario.source("idle")
    loop.perform { [unowned loop] in
      words.add("one")
      loop.perform { words.add("two") }
    }
    scenario.run(until: 1)
    // Without a wake-up the second block runs once the loop has slept.
    #expect(words.description == "one sleep wake two →timedOut")
  }

  @Test func blocksQueuedBySourcesAndTimersRunInTheSamePass() {
    let scenario = Scenario(observing: [.beforeTimers])
    let loop = scenario.loop
    let words = scenario.words
    let source = scenario.source("source") { [unowned loop] _ in loop.perform { words.add("block") } }
    scenario.timer("timer", at: 1) { [unowned loop] _ in loop.perform { words.add("block") } }
    source.signal()
    scenario.run(until: 1)
    #expect(words.description == "timers source block timers timer block →timedOut")
  }

  @Test func blocksBehindOneThatRunsTheLoopAreInvisibleToIt() {
    let scenario = Scenario()
    let loop = scenario.loop
    let words = scenario.words
    scenario.source("idle")
    loop.perform { [unowned loop] in
      loop.perform { words.add("queued") }
      loop.run(mode: .default, until: .zero)
      words.add("back")
    }
    loop.perform { words.add("behind") }
    scenario.run(until: 1)
    #expect(words.description == "queued back behind →timedOut")
  }

  @Test func aBlockIsReleasedAfterItRan() {
    final class Witness: Sendable {
      let words: Words
      init(_ words: Words) { self.words = words }
      deinit { words.add("released") }
    }
    let scenario = Scenario()
    let words = scenario.words
    let loop = scenario.loop
    loop.perform { [witness = Witness(words)] in witness.words.add("one") }
    loop.perform { [unowned loop] in
      words.add("two")
      // This block is released with the loop, and never runs.
      loop.perform(in: ["never"]) { [witness = Witness(words)] in _ = witness }
    }
    scenario.run(until: 0)
    #expect(words.description == "one released two →timedOut")
    loop.detachEverything()
    #expect(words.description == "one released two →timedOut released")
  }
}
