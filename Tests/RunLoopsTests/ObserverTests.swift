import LinuxSystem
import LoopTestSupport
import Testing

@testable import RunLoops

@Suite struct ObserverTests {
  private func observer(
    _ word: String, _ scenario: Scenario, _ activities: FrameLoop.Activity = .beforeWaiting, order: Int = 0,
    repeats: Bool = true, mode: FrameLoop.Mode? = .default,
    _ body: @escaping @Sendable (FrameLoop.Observer) -> Void = { _ in }
  ) -> FrameLoop.Observer {
    let words = scenario.words
    let observer = FrameLoop.Observer(
      activities, order: order, repeats: repeats,
      .onLoop { observer, _ in
        words.add(word)
        body(observer)
      })
    if let mode { scenario.loop.add(observer, to: mode) }
    return observer
  }

  /// A run of so many passes that sleep.
  private func run(_ scenario: Scenario, passes: Int64) {
    let start = scenario.clock.now
    let timer = FrameLoop.Timer(fireTime: start + .milliseconds(1), interval: .milliseconds(1), .onLoop { _ in })
    scenario.loop.add(timer, to: .default)
    scenario.loop.run(mode: .default, until: start + .milliseconds(passes))
    timer.invalidate()
    scenario.words.add("|")
  }

  @Test func ordersAscendAndEqualOnesComeAsTheyWereAdded() {
    let scenario = Scenario()
    for (word, order) in [("e", 5), ("last", Int.max), ("d1", 0), ("first", .min), ("d2", 0), ("c", -7), ("d3", 0)] {
      _ = observer(word, scenario, order: order)
    }
    run(scenario, passes: 1)
    #expect(scenario.words.description == "first c d1 d2 d3 e last |")
  }

  @Test func theListIsTakenWhenAnActivityBegins() {
    let scenario = Scenario()
    let loop = scenario.loop
    let added = observer("added", scenario, order: 9, mode: nil)
    let removed = observer("removed", scenario, order: 7)
    let invalidated = observer("invalidated", scenario, order: 8)
    _ = observer("first", scenario, repeats: false) { [unowned loop] _ in
      loop.add(added, to: .default)
      loop.remove(removed, from: .default)
      invalidated.invalidate()
    }
    run(scenario, passes: 2)
    #expect(scenario.words.description == "first removed added |")
    #expect(removed.isValid && !invalidated.isValid)
  }

  @Test func anObserverThatDoesNotRepeatIsCalledForItsFirstActivity() {
    let scenario = Scenario()
    let wasValid = Box(false)
    let once = observer("once", scenario, [.beforeWaiting, .exit, .beforeSources], repeats: false) {
      wasValid.value = $0.isValid
    }
    run(scenario, passes: 3)
    run(scenario, passes: 1)
    #expect(scenario.words.description == "once | |")
    #expect(wasValid.value && !once.isValid && !scenario.loop.contains(once, in: .default))
  }

  @Test func aNestedRunDoesNotCallTheObserverThatItIsNestedIn() {
    let scenario = Scenario()
    _ = observer("other", scenario, [.beforeTimers])
    _ = observer("outer", scenario, [.beforeTimers]) { [unowned loop = scenario.loop, words = scenario.words] _ in
      words.add("(")
      loop.run(mode: .default, until: .zero)
      words.add(")")
    }
    run(scenario, passes: 1)
    #expect(scenario.words.description == "other outer ( other ) |")
  }

  @Test func entryAndExitComeOncePerRunAlsoNested() {
    let scenario = Scenario()
    _ = observer("entry", scenario, .entry)
    _ = observer("exit", scenario, .exit)
    scenario.timer("timer", at: 1) { [unowned loop = scenario.loop] _ in loop.run(mode: .default, until: .zero) }
    run(scenario, passes: 3)
    #expect(scenario.words.description == "entry timer entry exit exit |")
  }

  @Test func invalidatedInItsOwnCallNeverAgain() {
    let scenario = Scenario()
    _ = observer("once", scenario, [.beforeTimers, .beforeSources]) { $0.invalidate() }
    run(scenario, passes: 2)
    #expect(scenario.words.description == "once |")
  }

  @Test func addedTwiceIsCalledOnce() {
    let scenario = Scenario()
    let twice = observer("twice", scenario)
    scenario.loop.add(twice, to: .default)
    scenario.loop.add(twice, to: .common)
    run(scenario, passes: 1)
    #expect(scenario.words.description == "twice |")
  }

  @Test func anObserverBelongsToOneLoop() {
    let first = Scenario()
    let second = Scenario()
    let mine = observer("mine", first)
    second.loop.add(mine, to: .default)
    second.loop.add(mine, to: .common)
    #expect(!second.loop.contains(mine, in: .default) && !second.loop.contains(mine, in: .common))
    first.loop.remove(mine, from: .default)
    second.loop.add(mine, to: .default)
    #expect(second.loop.contains(mine, in: .default))
    mine.invalidate()
    first.loop.add(mine, to: .default)
    #expect(!first.loop.contains(mine, in: .default) && !second.loop.contains(mine, in: .default))
  }

  @Test func activitiesThatNobodyWantsAreNotNotified() {
    let scenario = Scenario()
    let mode: FrameLoop.Mode = "mode"
    let one = observer("one", scenario, [.beforeTimers], mode: mode)
    let two = observer("two", scenario, [.exit], mode: mode)
    let state = scenario.loop.table.withLock { $0.mode(mode) }
    #expect(state?.isObserved(.beforeTimers) == true && state?.isObserved(.exit) == true)
    #expect(state?.isObserved(.beforeWaiting) == false)
    scenario.loop.remove(one, from: mode)
    #expect(state?.isObserved(.beforeTimers) == false && state?.isObserved(.exit) == true)
    two.invalidate()
    #expect(state?.isObserved(.exit) == false)
  }

  @Test func workMadeBeforeWaitingNeedsAWakeUp() {
    for wakes in [false, true] {
      let scenario = Scenario(observing: [.beforeWaiting, .afterWaiting])
      let source = scenario.source("source")
      scenario.timer("timer", at: 10)
      _ = observer("signal", scenario, repeats: false) { [unowned loop = scenario.loop] _ in
        source.signal()
        if wakes { loop.wakeUp() }
      }
      scenario.run(until: 20)
      #expect(
        scenario.words.description
          == (wakes
            ? "sleep signal wake source sleep wake timer sleep wake →timedOut"
            : "sleep signal wake timer source sleep wake →timedOut"))
    }
  }

  @Test func theOuterRunDoesNotSleepOverAWakeUpThatANestedOneTook() {
    let scenario = Scenario()
    let loop = scenario.loop
    let words = scenario.words
    let source = scenario.source("source") { [clock = scenario.clock] _ in words.add("@\(clock.now.nanoseconds)") }
    scenario.timer("timer", at: 10)
    scenario.source("", mode: "inner")
    _ = observer("outer", scenario, repeats: false) { [unowned loop] _ in loop.run(mode: "inner") }
    _ = observer("inner", scenario, mode: "inner") { [unowned loop] _ in
      guard !source.isSignalled else { return loop.stop() }
      source.signal()
      loop.wakeUp()
    }
    scenario.run(until: 20)
    #expect(words.description == "outer inner inner source @0 timer →timedOut")
  }

  @Test func aCommitDoesNotStarve() {
    let scenario = Scenario()
    let words = scenario.words
    let passes = Box(0)
    let source = scenario.source("") { [unowned loop = scenario.loop] source in
      source.signal()
      passes.value += 1
      if passes.value == 50 { loop.stop() }
    }
    source.signal()
    _ = observer("plain", scenario, [.beforeWaiting, .afterWaiting])
    for order in [2, 1] {
      scenario.loop.add(
        FrameLoop.Observer(
          [.beforeWaiting, .afterWaiting, .exit], order: order, evenWhenBusy: true,
          .onLoop { _, activity in
            words.add("\(activity.word)\(order)@\(passes.value)")
          }), to: .default)
    }
    scenario.loop.run(mode: .default)
    #expect(
      words.all.filter { !$0.isEmpty } == [
        "sleep1@16", "sleep2@16", "sleep1@32", "sleep2@32", "sleep1@48", "sleep2@48", "exit1@50", "exit2@50",
      ])
  }
}
