import LinuxSystem
import LoopTestSupport
import Synchronization
import Testing

@testable import RunLoops

/// Runs, their results, and the order of a pass. Every loop is that of a test's own thread, on manual time.
@Suite struct RunTests {
  @Test func aPassInOrder() {
    let scenario = Scenario(observing: .all)
    let source = scenario.source("source")
    scenario.timer("timer", at: 10)
    scenario.loop.perform { [words = scenario.words] in words.add("block") }
    source.signal()
    scenario.run(until: 10)
    // The pass with the source looks for what is ready without sleeping; nothing is due yet.
    #expect(
      scenario.words.description
        == "entry timers sources block source timers sources sleep wake timer exit →timedOut")
    #expect(scenario.clock.now == .milliseconds(10))
  }

  @Test func anEmptyModeFinishesAtOnce() {
    let scenario = Scenario(observing: .all)
    scenario.run(until: 10)
    scenario.run("unknown", until: 10)
    scenario.run(.common, until: 10)
    #expect(scenario.words.description == "→finished →finished →finished")
    #expect(scenario.clock.now == .zero)
  }

  @Test func aModeOfOnlyObserversIsEmptyAndAnyItemMakesItNot() {
    let scenario = Scenario(observing: .entry)
    let source = scenario.source("source")
    scenario.run(until: 10)
    scenario.loop.remove(source, from: .default)
    scenario.run(until: 20)
    let timer = scenario.timer("timer", at: 1_000)
    scenario.run(until: 30)
    timer.invalidate()
    scenario.run(until: 40)
    #expect(scenario.words.description == "entry →timedOut →finished entry →timedOut →finished")
    #expect(scenario.clock.now == .milliseconds(30))
  }

  @Test func aPastLimitGivesOnePassWithoutSleep() {
    let scenario = Scenario(observing: .all)
    let source = scenario.source("source")
    scenario.timer("due", at: 0)
    scenario.timer("later", at: 5)
    source.signal()
    scenario.run(until: 0)
    #expect(scenario.words.description == "entry timers sources source due exit →timedOut")
    #expect(scenario.clock.now == .zero)
  }

  @Test func currentModeIsSetFromEntryToExit() {
    let scenario = Scenario()
    let words = scenario.words
    let loop = scenario.loop
    loop.add(
      FrameLoop.Observer([.entry, .exit], .onLoop { [unowned loop] _, _ in words.add(loop.currentMode?.name ?? "none") }),
      to: "a")
    scenario.timer("inner", at: 0, mode: "b") { [unowned loop] _ in words.add(loop.currentMode?.name ?? "none") }
    scenario.timer("outer", at: 0, mode: "a") { [unowned loop] _ in loop.run(mode: "b") }
    scenario.run("a", until: 1)
    words.add(loop.currentMode?.name ?? "none")
    #expect(words.description == "a outer inner b a →finished none")
  }

  @Test func resultsHaveAnOrder() {
    // Everything at once: a source is handled, the limit passes, the loop is stopped, the mode is emptied.
    func results(returnAfterSourceHandled: Bool, moveClock: Bool, stop: Bool) -> FrameLoop.RunResult {
      let scenario = Scenario()
      let loop = scenario.loop
      let source = scenario.source("source") { [unowned loop, clock = scenario.clock] source in
        if moveClock { clock.advance(to: .milliseconds(10)) }
        if stop { loop.stop() }
        source.invalidate()
      }
      source.signal()
      return loop.run(mode: .default, until: .milliseconds(10), returnAfterSourceHandled: returnAfterSourceHandled)
    }
    #expect(results(returnAfterSourceHandled: true, moveClock: true, stop: true) == .handledSource)
    #expect(results(returnAfterSourceHandled: false, moveClock: true, stop: true) == .timedOut)
    #expect(results(returnAfterSourceHandled: false, moveClock: false, stop: true) == .stopped)
    #expect(results(returnAfterSourceHandled: false, moveClock: false, stop: false) == .finished)
  }

  @Test func aStopThatLostIsForgotten() {
    let scenario = Scenario()
    let source = scenario.source("source") { [unowned loop = scenario.loop] _ in loop.stop() }
    source.signal()
    scenario.run(until: 10, returnAfterSourceHandled: true)
    scenario.run(until: 10)
    #expect(scenario.words.description == "source →handledSource →timedOut")
  }

  @Test func stopBeforeARunDoesNothing() {
    let scenario = Scenario()
    scenario.source("source")
    scenario.loop.stop()
    scenario.run(until: 10)
    #expect(scenario.words.description == "→timedOut")
  }

  @Test func stopInEntryMakesNoPass() {
    let scenario = Scenario(observing: .all)
    scenario.source("source")
    scenario.loop.add(
      FrameLoop.Observer(.entry, .onLoop { [unowned loop = scenario.loop] _, _ in loop.stop() }), to: .default)
    scenario.run(until: 10)
    #expect(scenario.words.description == "entry exit →stopped")
  }

  @Test func stopInExitHasNoEffect() {
    let scenario = Scenario(observing: .all)
    scenario.timer("timer", at: 1) { [unowned loop = scenario.loop] _ in loop.run(mode: "inner") }
    scenario.timer("inner", at: 1, mode: "inner")
    scenario.loop.add(FrameLoop.Observer(.exit, .onLoop { [unowned loop = scenario.loop] _, _ in loop.stop() }), to: "inner")
    scenario.timer("next", at: 2)
    scenario.run(until: 3)
    #expect(
      scenario.words.description
        == "entry timers sources sleep wake timer inner timers sources sleep wake next exit →finished")
  }

  @Test func stopInBeforeWaitingDoesNotSleep() {
    let scenario = Scenario(observing: .all)
    scenario.timer("timer", at: 10)
    scenario.loop.add(
      FrameLoop.Observer(.beforeWaiting, .onLoop { [unowned loop = scenario.loop] _, _ in loop.stop() }), to: .default)
    scenario.run(until: 100)
    #expect(scenario.words.description == "entry timers sources sleep wake exit →stopped")
    #expect(scenario.clock.now == .zero)
  }

  @Test func aStopBetweenTwoPassesIsNotSleptOver() {
    let scenario = Scenario()
    scenario.timer("timer", at: 10)
    // As by another thread whose wake-up came before the loop listened to it.
    scenario.loop.add(
      FrameLoop.Observer(
        .beforeTimers,
        .onLoop { [unowned loop = scenario.loop] _, _ in
          loop.stopRequested.store(true, ordering: .releasing)
        }), to: .default)
    scenario.run(until: 100)
    #expect(scenario.words.description == "→stopped" && scenario.clock.now == .zero)
  }

  @Test func aWakeUpInEntryCountsAndOneInAfterWaitingDoesNot() {
    for (activity, words) in [
      (FrameLoop.Activity.entry, "sleep wake sleep wake timer"), (.afterWaiting, "sleep wake timer"),
    ] {
      let scenario = Scenario(observing: [.beforeWaiting, .afterWaiting])
      scenario.timer("timer", at: 10)
      scenario.loop.add(
        FrameLoop.Observer(activity, .onLoop { [unowned loop = scenario.loop] _, _ in loop.wakeUp() }), to: .default)
      scenario.loop.wakeUp()
      scenario.run(until: 100)
      #expect(scenario.words.description == words + " →finished")
    }
  }

  @Test func innerStopLeavesTheOuterRunning() {
    let scenario = Scenario()
    let loop = scenario.loop
    let words = scenario.words
    scenario.timer("outer", at: 1) { [unowned loop] _ in words.add("inner:\(loop.run(mode: "inner"))") }
    scenario.timer("stop", at: 2, mode: "inner") { [unowned loop] _ in loop.stop() }
    scenario.timer("never", at: 3, mode: "inner")
    scenario.timer("after", at: 4)
    scenario.run(until: 5)
    #expect(words.description == "outer stop inner:stopped after →finished")
  }

  @Test func runEndsWithStopOrTheLastItem() {
    let scenario = Scenario()
    scenario.timer("one", at: 1)
    scenario.loop.run()
    scenario.timer("two", at: 2, every: 1) { [unowned loop = scenario.loop] timer in
      if timer.nextFireTime == .milliseconds(4) { loop.stop() }
    }
    scenario.loop.run()
    #expect(scenario.words.description == "one two two two")
  }

  @Test func returnAfterSourceHandledTakesOneSourceARun() {
    let scenario = Scenario()
    let second = scenario.source("second", order: 2)
    let first = scenario.source("first", order: 1)
    scenario.timer("due", at: 0)
    scenario.loop.perform { [words = scenario.words] in words.add("block") }
    second.signal()
    first.signal()
    scenario.run(until: 10, returnAfterSourceHandled: true)
    #expect(second.isSignalled)
    scenario.run(until: 10, returnAfterSourceHandled: true)
    scenario.run(until: 10, returnAfterSourceHandled: true)
    // The pass goes on after the source, and may serve a port.
    #expect(scenario.words.description == "block first due →handledSource second →handledSource →timedOut")
  }

  @Test func timersAndBlocksAreNotSources() {
    let scenario = Scenario()
    scenario.timer("timer", at: 1)
    scenario.timer("timer", at: 2)
    scenario.loop.perform { [words = scenario.words] in words.add("block") }
    scenario.run(until: 5, returnAfterSourceHandled: true)
    #expect(scenario.words.description == "block timer timer →finished")
  }

  @Test func manualTimeServesTimersAndPortsInTurn() {
    // A timer that is always due and a descriptor that is always ready, from the first pass to the last.
    let scenario = Scenario()
    let event = Event()
    event.post()
    scenario.loop.add(
      FrameLoop.DescriptorSource(descriptor: event.number, .onLoop { [words = scenario.words] _, _ in words.add("port") }),
      to: .default)
    scenario.timer("timer", at: 0, every: 1) { [unowned loop = scenario.loop, words = scenario.words] timer in
      timer.nextFireTime = .zero
      if words.count("timer") == 4 { loop.stop() }
    }
    scenario.run(until: 10)
    #expect(scenario.words.description == "timer port timer port timer port timer →stopped")
  }
}
