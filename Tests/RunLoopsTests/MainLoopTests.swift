import Dispatch
import Glibc
import LinuxSystem
import LoopTestSupport
import XCTest

@testable import RunLoops

/// Tests of the main thread's loop and the main queue. (XCTest runs synchronous tests on the main thread.)
final class MainLoopTests: XCTestCase {
  private let words = Words()

  /// Runs the main loop until it is stopped; a test that hangs ends after a minute.
  private func runMain() {
    let result = FrameLoop.main.run(mode: .default, until: SystemClock.monotonic.now + .seconds(60))
    XCTAssertEqual(result, .stopped)
  }

  func testMainIsTheLoopOfTheMainThread() {
    XCTAssert(FrameLoop.main === FrameLoop.current)
    let seen = Box<(Bool, Bool)>((true, false))
    onNewThread { seen.value = (FrameLoop.current === FrameLoop.main, FrameLoop.main === FrameLoop.main) }
    XCTAssert(seen.value == (false, true))
  }

  func testMainActorTasksRunAndComeBack() {
    Task { @MainActor [words] in
      words.add("task:\(pthread_equal(pthread_self(), mainThread) != 0)")
      let value = await Task.detached { pthread_equal(pthread_self(), mainThread) != 0 }.value
      words.add("detached:\(value)")
      try? await Task.sleep(nanoseconds: 1_000)
      words.add("back:\(pthread_equal(pthread_self(), mainThread) != 0)")
      FrameLoop.main.stop()
    }
    runMain()
    XCTAssertEqual(words.description, "task:true detached:false back:true")
  }

  func testARunThatOnlyLooksServesTheMainQueue() {
    DispatchQueue.main.async { [words] in words.add("block") }
    XCTAssertEqual(FrameLoop.main.run(mode: .default, until: .zero), .timedOut)
    XCTAssertEqual(words.description, "block")
  }

  func testALoopOnManualTimeServesTheQueueToo() {
    let clock = ManualClock()
    let loop = FrameLoop(clock: .manual(clock))
    let timer = FrameLoop.Timer(
      fireTime: .milliseconds(20), interval: .milliseconds(20),
      .onLoop { [words] timer in
        words.add("timer@\(clock.now.nanoseconds / 1_000_000)")
        DispatchQueue.main.async { words.add("block@\(clock.now.nanoseconds / 1_000_000)") }
      })
    loop.add(timer, to: .default)
    XCTAssertEqual(loop.run(mode: .default, until: .milliseconds(50)), .timedOut)
    XCTAssertEqual(words.description, "timer@20 block@20 timer@40 block@40")
    XCTAssertEqual(clock.now, .milliseconds(50))
  }

  func testCallbacksOfTheMainActor() {
    let loop = FrameLoop.main
    let log = MainActor.assumeIsolated { MainLog(stopsAfter: 5) }
    loop.add(FrameLoop.Observer(.entry, repeats: false, .onMain { _, _ in log.add("observer") }), to: .default)
    let source = FrameLoop.Source(.onMain { _ in log.add("source") })
    loop.add(source, to: .default)
    source.signal()
    loop.add(FrameLoop.Timer(fireTime: .zero, .onMain { _ in log.add("timer") }), to: .default)
    let event = Event()
    event.post()
    loop.add(
      FrameLoop.DescriptorSource(
        descriptor: event.number,
        .onMain { source, _ in
          log.add("descriptor")
          source.invalidate()
        }), to: .default)
    loop.perform(onMain: { log.add("block") })
    withExtendedLifetime(event) { runMain() }
    source.invalidate()
    XCTAssertEqual(MainActor.assumeIsolated { log.words }.sorted(), ["block", "descriptor", "observer", "source", "timer"])
  }

  // Statement 62
  func testOtherThreadsPerformOnMain() throws {
    let loop = FrameLoop.main
    let log = MainActor.assumeIsolated { MainLog(stopsAfter: 4) }
    let thread = startThread { [words] in
      let answer = try? loop.performAndWait(onMain: {
        log.add("and wait")
        return pthread_equal(pthread_self(), mainThread) != 0
      })
      words.add("\(answer ?? false)")
      try? loop.performLater(order: 1, onMain: { log.add("later") })
      try? loop.performLater(in: [.default], onMain: { log.add("first") })
      try? loop.perform(after: .milliseconds(1), onMain: { log.add("delayed") })
    }
    runMain()
    thread.join()
    XCTAssertEqual(words.description, "true")
    XCTAssertEqual(Set(MainActor.assumeIsolated { log.words }), ["and wait", "later", "first", "delayed"])
    // On main itself, at once.
    try loop.performAndWait(onMain: { log.add("at once") })
    XCTAssertEqual(MainActor.assumeIsolated { log.words }.last, "at once")
  }

  func testAnActorOnTheMainLoopAndTheMainActorShareTheThread() {
    actor Lodger {
      nonisolated var unownedExecutor: UnownedSerialExecutor { FrameLoop.main.asUnownedSerialExecutor() }
      func isOnMainThread() -> Bool { MainActor.assumeIsolated { pthread_equal(pthread_self(), mainThread) != 0 } }
    }
    Task.detached { [words] in
      let lodger = Lodger()
      words.add("\(await lodger.isOnMainThread())")
      words.add("\(await MainActor.run { lodger.assumeIsolated { $0.isOnMainThread() } })")
      FrameLoop.main.stop()
    }
    runMain()
    XCTAssertEqual(words.description, "true true")
  }

  func testTicksOfATimerOnTheMainActorStayOnTheMainThread() {
    Task { @MainActor [words] in
      var count = 0
      for await tick in FrameLoop.main.ticks(every: .microseconds(100)) {
        count += 1 + Int(tick.missed)
        XCTAssert(pthread_equal(pthread_self(), mainThread) != 0)
        words.add("tick")
        if words.all.count == 10 { break }
      }
      XCTAssertGreaterThanOrEqual(count, 10)
      FrameLoop.main.stop()
    }
    runMain()
    XCTAssertEqual(words.all.count, 10)
    XCTAssertNil(FrameLoop.main.nextTimerFireTime(in: .default))
  }

  func testSignals() throws {
    let loop = FrameLoop.main
    let source = try SignalSource(
      signals: [SIGUSR1, SIGWINCH],
      .onLoop { [words] signal in
        words.add(signal == SIGUSR1 ? "usr1" : "winch")
        if words.all.count >= 3 { loop.stop() }
      })
    loop.add(source, to: .common)
    XCTAssert(loop.contains(source, in: .default))
    raise(SIGUSR1)
    XCTAssertEqual(words.description, "", "the signal waits for the loop")
    // Another thread sends once the loop sleeps, to the process and to itself.
    let thread = startThread { [words] in
      spin { words.count("usr1") == 1 && loop.isWaiting }
      kill(getpid(), SIGWINCH)
      spin { words.count("winch") == 1 && loop.isWaiting }
      kill(getpid(), SIGUSR1)
    }
    runMain()
    thread.join()
    source.invalidate()
    XCTAssertFalse(source.isValid || loop.contains(source, in: .default))
    XCTAssertEqual(words.description, "usr1 winch usr1")
  }

  func testASignalThatHitsAThreadWhichDoesNotBlockItArrives() throws {
    let loop = FrameLoop.main
    let ready = Box(false)
    let done = Box(false)
    // Started before, so that the signal is not blocked there: it would end the process.
    let thread = startThread {
      spin { ready.value }
      raise(SIGUSR2)
      spin { done.value }
    }
    let source = try SignalSource(
      signals: [SIGUSR2],
      .onLoop { [words] _ in
        words.add("usr2")
        loop.stop()
      })
    loop.add(source, to: .default)
    ready.value = true
    runMain()
    done.value = true
    thread.join()
    source.invalidate()
    XCTAssertEqual(words.description, "usr2")
  }

  /// Checks that SIGUSR1 is not blocked, and what it does.
  private func checkEffectOfUsr1(is handler: sighandler_t?, line: UInt = #line) {
    var mask = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &mask)
    XCTAssertEqual(sigismember(&mask, SIGUSR1), 0, line: line)
    var action = sigaction()
    sigaction(SIGUSR1, nil, &action)
    XCTAssertEqual(
      unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self), unsafeBitCast(handler, to: Int.self), line: line)
  }

  func testInvalidatedSignalsHaveTheirFormerEffect() throws {
    signal(SIGUSR1, SIG_IGN)
    defer { signal(SIGUSR1, SIG_DFL) }
    let source = try SignalSource(signals: [SIGUSR1], .onLoop { _ in XCTFail("called after its end") })
    source.invalidate()
    checkEffectOfUsr1(is: SIG_IGN)
    raise(SIGUSR1)
  }

  /// Whatever their order: the signal is the process's end, as it was before, only after both.
  func testTwoSourcesOfASignalDoNotUndoEachOther() throws {
    let loop = FrameLoop.main
    for endsFirst in [0, 1] {
      let sources = try (0..<2).map { _ in
        try SignalSource(
          signals: [SIGUSR1],
          .onLoop { [words] _ in
            words.add("usr1")
            loop.stop()
          })
      }
      for source in sources { loop.add(source, to: .default) }
      sources[endsFirst].invalidate()
      raise(SIGUSR1)
      runMain()
      sources[1 - endsFirst].invalidate()
      checkEffectOfUsr1(is: SIG_DFL)
    }
    XCTAssertEqual(words.description, "usr1 usr1")
  }

  func testSignalsThatCannotBeCaughtAreAnError() {
    for number in [SIGKILL, 0, -1, 1_000] {
      XCTAssertThrowsError(try SignalSource(signals: [SIGUSR1, number], .onLoop { _ in })) { error in
        XCTAssertEqual((error as? SystemError)?.subject, "signal \(number)")
        XCTAssertEqual((error as? SystemError)?.errno, EINVAL)
      }
      checkEffectOfUsr1(is: SIG_DFL)
    }
  }

  func testRealTimersFireNotBeforeTheirTime() {
    let loop = FrameLoop.main
    let start = SystemClock.monotonic.now
    let early = Box<Nanoseconds>(.zero)
    let timer = FrameLoop.Timer(
      fireTime: start + .milliseconds(1), interval: .microseconds(700),
      .onLoop { [words] timer in
        let lateness = SystemClock.monotonic.now - timer.nextFireTime
        early.value = min(early.value, lateness)
        words.add("tick")
        if words.all.count == 10 { loop.stop() }
      })
    loop.add(timer, to: .common)
    runMain()
    timer.invalidate()
    XCTAssertEqual(early.value, .zero)
    XCTAssertEqual((timer.nextFireTime - start).count % 700_000, 300_000, "the phase is kept")
  }
}

/// Made on the main thread, by the first test that asks.
private let mainThread: pthread_t = pthread_self()

@MainActor private final class MainLog {
  private(set) var words: [String] = []
  private let count: Int

  init(stopsAfter count: Int) {
    self.count = count
  }

  func add(_ word: String) {
    words.append(word)
    if words.count == count { FrameLoop.main.stop() }
  }
}
