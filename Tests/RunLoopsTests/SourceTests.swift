import LinuxSystem
import LoopTestSupport
import Testing

@testable import RunLoops

@Suite struct SourceTests {
  @Test func aBatchGoesByOrderThenByFirstSignal() {
    let scenario = Scenario()
    let late = scenario.source("late", order: 3)
    let b = scenario.source("b", order: 1)
    let a = scenario.source("a", order: 1)
    let first = scenario.source("first", order: -1)
    for source in [late, a, b, first, b, a] { source.signal() }
    scenario.run(until: 1)
    #expect(scenario.words.description == "first a b late →timedOut")
  }

  @Test func aSignalWaitsForItsMode() {
    let scenario = Scenario()
    let source = FrameLoop.Source(.onLoop { [words = scenario.words] _ in words.add("source") })
    source.signal()
    source.signal()
    scenario.loop.add(source, to: "other")
    scenario.source("idle")
    scenario.run(until: 1)
    #expect(source.isSignalled)
    scenario.run("other", until: 2)
    #expect(!source.isSignalled)
    #expect(scenario.words.description == "→timedOut source →timedOut")
  }

  @Test func aSignalInTheCallCountsForTheNextPass() {
    let scenario = Scenario(observing: .beforeTimers)
    let source = scenario.source("source") { [words = scenario.words] source in
      words.add(source.isSignalled ? "set" : "clear")
      if words.count("source") < 3 { source.signal() }
    }
    source.signal()
    scenario.run(until: 1)
    #expect(scenario.words.description == "timers source clear timers source clear timers source clear timers →timedOut")
  }

  @Test func aNestedRunEntersASourceAgain() {
    let scenario = Scenario()
    let source = scenario.source("(") { [unowned loop = scenario.loop, words = scenario.words] source in
      if words.count("(") < 3 {
        source.signal()
        loop.run(mode: .default, until: .zero)
      }
      words.add(")")
    }
    source.signal()
    scenario.run(until: 1)
    #expect(scenario.words.description == "( ( ( ) ) ) →timedOut")
  }

  @Test func inABatchRemovedOnesAreCalledAndInvalidatedOnesAreNot() {
    let scenario = Scenario(observing: .beforeTimers)
    let removed = scenario.source("removed", order: 2)
    let invalid = scenario.source("invalid", order: 3)
    let first = scenario.source("first", order: 1) { [unowned loop = scenario.loop] _ in
      loop.remove(removed, from: .default)
      invalid.invalidate()
    }
    for source in [first, removed, invalid] { source.signal() }
    scenario.run(until: 1)
    // Handled is what any of them was: the pass polls, and there is another.
    #expect(scenario.words.description == "timers first removed timers →timedOut")
    removed.signal()
    scenario.run(until: 2)
    #expect(removed.isSignalled && scenario.words.count("removed") == 1)
  }

  @Test func aSignalAfterTheWaitIsHandledInTheNextPass() {
    let scenario = Scenario()
    let source = scenario.source("source")
    scenario.timer("timer", at: 1) { _ in source.signal() }
    scenario.loop.add(
      FrameLoop.Observer(.afterWaiting, repeats: false, .onLoop { [words = scenario.words] _, _ in words.add("wake") }),
      to: .default)
    scenario.run(until: 100)
    #expect(scenario.words.description == "wake timer source →timedOut")
    #expect(scenario.clock.now == .milliseconds(100))
  }

  // Statement 26
  @Test func anInvalidSourceIsNotSignalled() {
    let scenario = Scenario()
    let source = scenario.source("source")
    source.signal()
    #expect(source.isSignalled)
    source.invalidate()
    #expect(!source.isSignalled)
    source.signal()
    #expect(!source.isSignalled)
  }

  @Test func oneSignalIsForOneLoop() {
    let first = Scenario()
    let second = Scenario()
    let source = first.source("source")
    second.loop.add(source, to: .default)
    source.signal()
    second.run(until: 1)
    first.run(until: 1)
    #expect(first.words.description == "source →timedOut")
    #expect(second.words.description == "→timedOut")
  }

  @Test func schedulingIsReportedPerMode() {
    let scenario = Scenario()
    let loop = scenario.loop
    let words = scenario.words
    let source = FrameLoop.Source(
      scheduled: { [unowned loop] _, where_, mode in words.add("+\(mode)\(where_ === loop ? "" : "?")") },
      cancelled: { [unowned loop] _, where_, mode in words.add("-\(mode)\(where_ === loop ? "" : "?")") }, .onLoop { _ in })
    loop.addCommonMode("tracking")
    loop.add(source, to: .common)
    loop.add(source, to: .default)
    loop.addCommonMode("later")
    loop.remove(source, from: .default)
    loop.remove(source, from: .default)
    loop.add(source, to: "own")
    source.invalidate()
    source.invalidate()
    loop.add(source, to: "own")
    #expect(words.description == "+default +tracking +later -default +own -tracking -later -own")
  }

  @Test func removingCommonItemsTakesThemFromAllCommonModes() {
    let scenario = Scenario()
    let loop = scenario.loop
    loop.addCommonMode("tracking")
    let source = scenario.source("source", mode: .common)
    loop.add(source, to: "own")
    loop.remove(source, from: "tracking")
    #expect(loop.contains(source, in: .common) && loop.contains(source, in: .default))
    #expect(!loop.contains(source, in: "tracking"))
    loop.remove(source, from: .common)
    #expect(!loop.contains(source, in: .common) && !loop.contains(source, in: .default))
    #expect(loop.contains(source, in: "own") && source.isValid)
    #expect(loop.modes == [.default, "tracking", "own"])
  }

  @Test func allKindsAreCommonItems() {
    let scenario = Scenario()
    let loop = scenario.loop
    let event = Event()
    let observer = FrameLoop.Observer(.entry, .onLoop { _, _ in })
    let timer = FrameLoop.Timer(fireTime: .milliseconds(5), .onLoop { _ in })
    let descriptor = FrameLoop.DescriptorSource(descriptor: event.number, .onLoop { _, _ in })
    loop.add(observer, to: .common)
    loop.add(timer, to: .common)
    loop.add(descriptor, to: .common)
    loop.addCommonMode("late")
    #expect(loop.contains(observer, in: "late") && loop.contains(timer, in: "late") && loop.contains(descriptor, in: "late"))
    #expect(loop.nextTimerFireTime(in: "late") == .milliseconds(5))
    loop.remove(observer, from: .common)
    loop.remove(timer, from: .common)
    loop.remove(descriptor, from: .common)
    #expect(!loop.contains(observer, in: "late") && !loop.contains(timer, in: .default))
    #expect(!loop.contains(descriptor, in: "late") && loop.nextTimerFireTime(in: "late") == nil)
  }
}
