import LinuxSystem
import LoopTestSupport
import Testing

@testable import RunLoops

@Suite struct LoopThreadTests {
  private let words = Words()

  @Test func itRunsWorkOnItsOwnLoop() throws {
    let thread = try LoopThread(name: "a loop's thread")
    let seen = try thread.loop.performAndWait { [loop = thread.loop] in
      (SystemThread.currentName, FrameLoop.current === loop, loop.currentMode)
    }
    #expect(seen == ("a loop's thread", true, .default))
    #expect(thread.name == "a loop's thread" && !thread.isStopped)
    #expect(!thread.loop.thread.isCurrent)
  }

  @Test func withoutWorkItSleepsAndStays() throws {
    let thread = try LoopThread(name: "idle")
    thread.loop.add(
      FrameLoop.Observer([.beforeWaiting, .exit], .onLoop { [words] _, activity in words.add(activity.word) }), to: .default)
    try thread.loop.performAndWait {}
    spin { thread.loop.isWaiting }
    let passes = words.all.count
    // The end of a run is not the end of the thread.
    thread.loop.stop()
    spin { words.count("exit") == 1 && words.all.count >= passes + 2 && thread.loop.isWaiting }
    #expect(try thread.loop.performAndWait { 7 } == 7)
    thread.stop()
    thread.waitUntilEnded()
    #expect(words.count("exit") == 2)
  }

  @Test func stoppingBeforeItBegan() throws {
    for _ in 0..<300 {
      let thread = try LoopThread(name: "short")
      thread.stop()
      #expect(thread.isStopped)
      #expect(throws: PerformError.threadEnded(name: "short")) { try thread.loop.performLater {} }
      thread.waitUntilEnded()
    }
  }

  @Test func stoppingDuringWorkLetsItReturnAndReleasesWhoWaits() throws {
    let thread = try LoopThread(name: "busy")
    let begun = Latch()
    let go = Latch()
    try thread.loop.performLater { [words] in
      begun.open()
      go.wait()
      words.add("done")
    }
    begun.wait()
    let waiter = startThread { [words] in
      do { try thread.loop.performAndWait { words.add("never") } } catch {
        words.add("\(error as? PerformError == .threadEnded(name: "busy"))")
      }
    }
    try thread.loop.performLater { [words] in words.add("never") }
    spin { thread.loop.performers.count == 2 }
    thread.stop()
    // Before the work under way has returned.
    waiter.join()
    #expect(words.description == "true")
    go.open()
    thread.waitUntilEnded()
    #expect(words.description == "true done")
  }

  @Test func afterTheStopEveryKindOfWorkIsRefused() async throws {
    let thread = try LoopThread(name: "refuses")
    thread.stop()
    thread.stop()
    onNewThread { thread.waitUntilEnded() }
    thread.stop()
    let error = PerformError.threadEnded(name: "refuses")
    #expect(throws: error) { try thread.loop.performLater {} }
    #expect(throws: error) { try thread.loop.perform(after: .zero) {} }
    onNewThread { #expect(throws: error) { try thread.loop.performAndWait {} } }
    await #expect(throws: error) { try await thread.loop.performAndWait {} }
    #expect("\(error)".contains("\"refuses\""))
  }

  @Test func stoppingOnItsOwnThread() throws {
    let thread = try LoopThread(name: "own")
    try thread.loop.performLater { [words] in
      thread.stop()
      thread.waitUntilEnded()
      thread.stop()
      words.add("returned")
    }
    try? thread.loop.performLater { [words] in words.add("never") }
    thread.waitUntilEnded()
    #expect(words.all.first == "returned" && thread.isStopped)
  }

  @Test func theLastOwnersEndIsTheThreadsEnd() throws {
    let ended = Latch()
    var thread: LoopThread? = try LoopThread(name: "owned")
    weak let watched = thread
    let loop = thread?.loop
    loop?.add(FrameLoop.Source(cancelled: { _, _, _ in ended.open() }, .onLoop { _ in }), to: .default)
    try loop?.performLater {}
    thread = nil
    ended.wait()
    #expect(watched == nil && loop?.runsHaveEnded == true)
    #expect(throws: PerformError.threadEnded(name: "owned")) { try loop?.performLater {} }
  }

  @Test func theLastOwnerMayGoOnTheThreadItself() throws {
    for _ in 0..<100 {
      let ended = Latch()
      let owner = Box<LoopThread?>(try LoopThread(name: "own end"))
      weak let loop = owner.value?.loop
      loop?.add(FrameLoop.Source(cancelled: { _, _, _ in ended.open() }, .onLoop { _ in }), to: .default)
      try loop?.performLater { owner.value = nil }
      ended.wait()
      spin { loop == nil }
    }
  }

  @Test func stoppingEndsRunsWithinRuns() throws {
    let modes: [FrameLoop.Mode] = [.default, "custom", .default, "inner"]
    for afterwards in [false, true] {
      let thread = try LoopThread(name: "nested")
      let loop = thread.loop
      let deep = Latch()
      for mode in modes { loop.add(FrameLoop.Source(.onLoop { _ in }), to: mode) }
      @Sendable func nest(_ depth: Int) {
        // Stopped from inside the innermost, or while it sleeps.
        if depth == modes.count { return afterwards ? thread.stop() : deep.open() }
        loop.perform(in: [modes[depth]]) { nest(depth + 1) }
        words.add("\(depth):\(loop.run(mode: modes[depth]))")
      }
      try loop.performLater { nest(0) }
      if !afterwards {
        deep.wait()
        spin { loop.isWaiting }
        thread.stop()
      }
      thread.waitUntilEnded()
      #expect(words.description == "3:stopped 2:stopped 1:stopped 0:stopped")
      words.removeAll()
    }
  }

  /// A stop that comes just before a nested run begins is not lost with the outer run's flag.
  @Test func aRunThatBeginsAfterTheStopEnds() throws {
    let thread = try LoopThread(name: "late run")
    let loop = thread.loop
    loop.add(FrameLoop.Source(.onLoop { _ in }), to: "modal")
    try loop.performLater { [words] in
      thread.stop()
      for _ in 0..<3 { words.add("\(loop.run(mode: "modal"))") }
    }
    thread.waitUntilEnded()
    #expect(words.description == "stopped stopped stopped")
  }

  /// A waiting caller gets an answer, at whatever moment the thread is stopped.
  @Test func stopsAndWaitersRace() throws {
    for round in 0..<200 {
      let thread = try LoopThread(name: "race")
      let done = Box(0)
      let waiters = (0..<3).map { index in
        startThread {
          for _ in 0..<(round % 7) {
            do {
              let value = try thread.loop.performAndWait { index }
              #expect(value == index)
            } catch {
              #expect(error as? PerformError == .threadEnded(name: "race"))
            }
          }
          if index == round % 3 { thread.stop() }
          done.withValue { $0 += 1 }
        }
      }
      for waiter in waiters { waiter.join() }
      thread.waitUntilEnded()
      #expect(done.value == 3)
    }
  }

  @Test func aThreadOnManualTimeDoesNotWaitForTimes() throws {
    let clock = ManualClock()
    let thread = try LoopThread(name: "manual", clock: .manual(clock))
    let done = Latch()
    try thread.loop.perform(after: .seconds(3_600)) { done.open() }
    done.wait()
    #expect(clock.now == .milliseconds(3_600_000))
  }
}
