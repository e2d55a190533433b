import LinuxSystem
import LoopTestSupport
import TestLength
import Testing

@testable import RunLoops

@Suite struct PerformerTests {
  private let words = Words()

  // Statement 62
  @Test func aWaitReturnsOrThrowsAsTheWorkDoes() async throws {
    struct Refused: Error, Equatable {}
    let thread = try LoopThread(name: "performs")
    onNewThread {
      #expect(throws: Never.self) { try #expect(thread.loop.performAndWait { SystemThread.currentName } == "performs") }
      #expect(throws: Refused()) { try thread.loop.performAndWait { throw Refused() } }
    }
    let name = try await thread.loop.performAndWait { SystemThread.currentName }
    #expect(name == "performs")
    await #expect(throws: Refused()) { try await thread.loop.performAndWait { throw Refused() } }
  }

  // Statement 62
  @Test func onTheOwnThreadWaitingIsAtOnceAndNotWaitingIsLater() throws {
    let thread = try LoopThread(name: "own")
    try thread.loop.performAndWait { [words, loop = thread.loop] in
      try loop.performLater { words.add("later") }
      try loop.performAndWait { words.add("at once") }
      words.add("first")
    }
    try thread.loop.performAndWait {}
    #expect(words.description == "at once first later")
  }

  // Statement 62
  @Test func onePassPerformsAllWaitingWork() throws {
    let scenario = Scenario(observing: [.beforeTimers])
    for index in 0..<5 { try scenario.later("\(index)") }
    try scenario.later("again") { [loop = scenario.loop, words = scenario.words] in
      try? loop.performLater { words.add("next pass") }
    }
    scenario.run(until: 10)
    #expect(scenario.words.description == "timers 0 1 2 3 4 again timers next pass →finished")
  }

  // Statement 62
  @Test func onlyARunInOneOfTheModesPerforms() throws {
    let scenario = Scenario()
    for mode: FrameLoop.Mode in [.default, "modal", "other"] { scenario.source("", mode: mode) }
    scenario.loop.addCommonMode("other")
    try scenario.later("modal", in: ["modal"])
    try scenario.later("common")
    try scenario.later("both", in: ["modal", "other"])
    try scenario.later("common and modal", in: [.common, "modal"])
    scenario.run(until: 1)
    scenario.run("modal", until: 2)
    try scenario.later("other", in: ["other"])
    scenario.run(until: 3)
    scenario.run("other", until: 4)
    #expect(
      scenario.words.description
        == "common common and modal →timedOut modal both →timedOut →timedOut other →timedOut")
  }

  // Statement 62
  @Test func waitingWorkStartsARunButKeepsNoneAlive() throws {
    let scenario = Scenario(observing: .all)
    try scenario.later("work")
    #expect(scenario.loop.performers.count == 1)
    scenario.run(until: 1)
    #expect(scenario.words.description == "entry timers sources work exit →finished")
    scenario.words.removeAll()
    scenario.run(until: 2)
    try scenario.later("work")
    scenario.run(until: 2, returnAfterSourceHandled: true)
    #expect(scenario.words.description == "→finished entry timers sources work exit →handledSource")
  }

  // Statement 62
  @Test func lowerOrdersComeFirstAndEqualOnesInTheirSequence() throws {
    let scenario = Scenario()
    for (word, order) in [("b1", 1), ("c", 2), ("a", -5), ("b2", 1), ("min", .min), ("max", .max), ("b3", 1)] {
      try scenario.later(word, order: order)
    }
    scenario.run(until: 1)
    #expect(scenario.words.description == "min a b1 b2 b3 c max →finished")
  }

  // Statement 62
  @Test func aThreadThatEndsReleasesItsWaiters() async throws {
    let (thread, target, end) = startIdleThread()
    let waiter = startThread { [words] in
      do { try target.performAndWait { words.add("never") } } catch { words.add("\(error as? PerformError)") }
    }
    let task = Task { [words] in try await target.performAndWait { words.add("never") } }
    try target.perform(after: .zero) { [words] in words.add("never") }
    // Suspending leaves the pool's threads to the task, which must wait for all other tests.
    await suspend { target.performers.count == 2 }
    end.open()
    thread.join()
    waiter.join()
    let error = PerformError.threadEnded(name: "test")
    await #expect(throws: error) { try await task.value }
    #expect(words.description == "Optional(\(error))")
    #expect(throws: error) { try target.performLater {} }
  }

  // Statement 62
  @Test func anEndedThreadIsAnErrorAlsoForAnUnusedLoop() {
    let loop = Box<[FrameLoop]>([])
    onNewThread { loop.value = [.current, FrameLoop(clock: .manual(ManualClock()))] }
    for loop in loop.value {
      #expect(throws: PerformError.threadEnded(name: "test")) { try loop.performLater {} }
      onNewThread { #expect(throws: PerformError.threadEnded(name: "test")) { try loop.performAndWait {} } }
    }
  }

  @Test func aReleasedLoopReleasesItsWork() async throws {
    final class Witness: Sendable {}
    weak var witness: Witness?
    do {
      let kept = Witness()
      witness = kept
      let scenario = Scenario()
      try scenario.loop.performLater { _ = kept }
      try scenario.loop.perform(after: .zero) { _ = kept }
    }
    #expect(witness == nil)
  }

  @Test func workIsReleasedWhenItIsDone() throws {
    let scenario = Scenario()
    try scenario.loop.performLater { [witness = Witness(scenario.words), words = scenario.words] in
      withExtendedLifetime(witness) { words.add("one") }
    }
    try scenario.later("two")
    scenario.run(until: 1)
    #expect(scenario.words.description == "one released two →finished")
  }

  /// A value that is released with finished work may use the loop's performers, as in a `deinit` that cancels the remaining
  /// work.
  @Test func workIsReleasedWithoutALock() throws {
    final class Key: Hashable, Sendable {
      let loop: FrameLoop
      let words: Words
      init(_ scenario: Scenario) { (loop, words) = (scenario.loop, scenario.words) }
      static func == (left: Key, right: Key) -> Bool { left === right }
      func hash(into hasher: inout Hasher) {}
      deinit {
        loop.cancelPerformers(key: "other")
        words.add("gone")
      }
    }
    let scenario = Scenario()
    try scenario.later("work", key: Key(scenario))
    try scenario.later("other", in: ["later"], key: "other")
    scenario.run(until: 1)
    #expect(scenario.words.description == "work gone →finished")
    #expect(scenario.loop.performers.count == 0)
  }

  // MARK: After a delay

  // Statement 63
  @Test func aDelayIsATimer() throws {
    let scenario = Scenario(observing: [.beforeTimers])
    try scenario.after(20, "late")
    try scenario.after(10, "early")
    #expect(scenario.loop.nextTimerFireTime(in: .default) == .milliseconds(10))
    scenario.run(until: 100)
    #expect(scenario.words.description == "timers early timers late →finished")
    #expect(scenario.clock.now == .milliseconds(20))
  }

  // Statement 63
  @Test func aTaskAwaitsDelayedWork() async throws {
    struct Refused: Error, Equatable {}
    let clock = ManualClock()
    let thread = try LoopThread(name: "delays", clock: .manual(clock))
    let loop = thread.loop
    let time = try await loop.performAndWait(after: .milliseconds(10)) { loop.clock.now }
    #expect(time == .milliseconds(10))
    await #expect(throws: Refused()) { try await loop.performAndWait(after: .milliseconds(-1)) { throw Refused() } }
    #expect(clock.now == .milliseconds(10))
    let waiter = Task { try await loop.performAndWait(after: .milliseconds(1), in: ["never"]) {} }
    await suspend { loop.nextTimerFireTime(in: "never") == .milliseconds(11) }
    thread.stop()
    await #expect(throws: PerformError.threadEnded(name: "delays")) { try await waiter.value }
  }

  // Statement 63
  @Test func noDelayStillGoesThroughTheLoop() throws {
    let scenario = Scenario(observing: [.afterWaiting])
    try scenario.after(0, "zero")
    try scenario.after(-5, "negative")
    scenario.words.add("queued")
    scenario.run(until: 1)
    #expect(scenario.words.description == "queued wake zero negative →finished")
  }

  // Statement 63
  @Test func aDelayIsForTheDefaultModeUnlessToldOtherwise() throws {
    let scenario = Scenario()
    scenario.loop.addCommonMode("tracking")
    try scenario.after(1, "default")
    try scenario.after(1, "common", in: [.common])
    scenario.source("", mode: "tracking")
    scenario.run("tracking", until: 5)
    scenario.run(until: 10)
    #expect(scenario.words.description == "common →timedOut default →finished")
  }

  private final class Owner: Sendable {}
  private enum Key { case hide, show }

  // Statement 63
  @Test func cancelledWorkIsNotPerformed() throws {
    let scenario = Scenario()
    let (mine, yours) = (Owner(), Owner())
    for (word, target, key) in [
      ("a", mine, Key.hide), ("b", mine, .show), ("c", yours, .hide), ("d", yours, .show),
    ] {
      try scenario.later(word, for: target, key: key)
      try scenario.after(1, "after " + word, for: target, key: key)
    }
    try scenario.later("other", key: "hide")
    scenario.loop.cancelPerformers(for: mine, key: Key.hide)
    scenario.loop.cancelPerformers(key: Key.show)
    scenario.loop.cancelPerformers(for: Owner())
    scenario.run(until: 5)
    #expect(scenario.words.description == "c other after c →finished")
    scenario.words.removeAll()

    try scenario.later("mine", for: mine)
    try scenario.after(1, "mine", for: mine, key: 1)
    try scenario.later("yours", for: yours)
    scenario.loop.cancelPerformers(for: mine)
    scenario.run(until: 10)
    #expect(scenario.words.description == "yours →finished")
  }

  // Statement 63
  @Test func keysAreComparedByEqualityAndTargetsByIdentity() throws {
    struct Key: Hashable { var path: [String] }
    final class Same: Sendable, Hashable {
      static func == (left: Same, right: Same) -> Bool { true }
      func hash(into hasher: inout Hasher) {}
    }
    let scenario = Scenario()
    let target = Same()
    try scenario.later("key", key: Key(path: ["a", "b"]))
    try scenario.later("target", for: target)
    scenario.loop.cancelPerformers(key: Key(path: ["a"] + ["b"]))
    scenario.loop.cancelPerformers(for: Same())
    scenario.run(until: 1)
    #expect(scenario.words.description == "target →finished")
  }

  @Test func workCancelsLaterWorkOfTheSamePass() throws {
    let scenario = Scenario()
    let owner = Owner()
    try scenario.later("first") { [unowned loop = scenario.loop] in loop.cancelPerformers(for: owner) }
    try scenario.later("never", for: owner)
    try scenario.later("last")
    scenario.run(until: 1)
    #expect(scenario.words.description == "first last →finished")
  }

  @Test func aTargetIsNotKeptAlive() throws {
    let scenario = Scenario()
    weak var owner: Owner?
    do {
      let target = Owner()
      owner = target
      try scenario.after(1, "work", for: target)
    }
    #expect(owner == nil)
    scenario.run(until: 5)
    #expect(scenario.words.description == "work →finished")
  }

  // Statement 62, 63. The loop has a thread of its own: one of the pool's, on which this test begins, may end while it waits.
  @Test(arguments: [Nanoseconds?.none, .seconds(3_600)], [true, false])
  func aCancelledTaskStopsWaiting(after delay: Nanoseconds?, isCancelledFirst: Bool) async throws {
    let (thread, loop, end) = startIdleThread()
    let task = Task { [words] () async throws -> Void in
      guard let delay else { return try await loop.performAndWait { words.add("never") } }
      try await loop.performAndWait(after: delay) { words.add("never") }
    }
    if !isCancelledFirst { await suspend { loop.performers.count > 0 || loop.nextTimerFireTime(in: .default) != nil } }
    task.cancel()
    await #expect(throws: PerformError.cancelled) { try await task.value }
    #expect(words.description == "" && loop.performers.count == 0 && loop.nextTimerFireTime(in: .default) == nil)
    end.open()
    thread.join()
  }

  @Test func aCancellationLeavesNothingBehindWheneverItComes() async throws {
    let (thread, loop, end) = startIdleThread()
    for round in some(60, of: 0..<300) {
      let begins = Box(false)
      let task = Task.detached {
        while !begins.value { await Task.yield() }
        try await loop.performAndWait(after: .seconds(3_600)) {}
      }
      let canceller = startThread {
        begins.value = true
        for _ in 0..<round { begins.value = true }
        task.cancel()
      }
      await #expect(throws: PerformError.cancelled) { try await task.value }
      canceller.join()
    }
    #expect(loop.nextTimerFireTime(in: .default) == nil)
    end.open()
    thread.join()
  }
}

extension Scenario {
  /// Queues work that writes a word and then calls `body`.
  func later(
    _ word: String, in modes: [FrameLoop.Mode] = [.common], order: Int = 0, for target: (any AnyObject & Sendable)? = nil,
    key: (any Hashable & Sendable)? = nil, _ body: @escaping @Sendable () -> Void = {}
  ) throws(PerformError) {
    try loop.performLater(in: modes, order: order, for: target, key: key) { [words] in
      words.add(word)
      body()
    }
  }

  fileprivate func after(
    _ milliseconds: Int64, _ word: String, in modes: [FrameLoop.Mode] = [.default],
    for target: (any AnyObject & Sendable)? = nil, key: (any Hashable & Sendable)? = nil
  ) throws(PerformError) {
    try loop.perform(after: .milliseconds(milliseconds), in: modes, for: target, key: key) { [words] in words.add(word) }
  }
}
