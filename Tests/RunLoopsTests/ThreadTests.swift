import CLinux
import Glibc
import LinuxSystem
import LoopTestSupport
import Testing

@testable import RunLoops

/// Loops of several threads, in real time: nothing here waits for a chosen time to pass.
@Suite struct ThreadTests {
  /// Runs the loop of a new thread until it is stopped.
  /// - Parameter configure: is called on the thread, before the run.
  private func withRunningLoop(
    _ words: Words, observing activities: FrameLoop.Activity = [],
    configure: @escaping @Sendable (FrameLoop) -> Void = { _ in }, _ body: (FrameLoop) -> Void
  ) {
    let box = Box<FrameLoop?>(nil)
    let thread = startThread {
      let loop = FrameLoop.current
      loop.add(FrameLoop.Source(.onLoop { _ in }), to: .default)
      loop.add(FrameLoop.Observer(activities, .onLoop { _, activity in words.add(activity.word) }), to: .default)
      configure(loop)
      box.value = loop
      words.add("→\(loop.run(mode: .default))")
    }
    spin { box.value?.isWaiting == true }
    if let loop = box.value {
      body(loop)
      loop.stop()
    }
    thread.join()
  }

  @Test func wakeUpsCostOneWriteAndOnTheOwnThreadNone() {
    let scenario = Scenario()
    let loop = scenario.loop
    let counts = Box<[UInt64]>([])
    let count: @Sendable () -> Void = { [unowned loop] in
      var count: UInt64 = 0
      counts.value.append(read(loop.wakeUpState.descriptor, &count, 8) == 8 ? count : 0)
    }
    loop.add(
      FrameLoop.Observer(
        .beforeTimers,
        .onLoop { [unowned loop] _, _ in
          loop.wakeUp()
          count()
        }), to: "own")
    loop.add(
      FrameLoop.Observer(
        .beforeTimers,
        .onLoop { [unowned loop] _, _ in
          onNewThread { for _ in 0..<5 { loop.wakeUp() } }
          count()
        }), to: "other")
    for mode: FrameLoop.Mode in ["own", "other"] {
      // After the wait nobody has to be woken.
      scenario.timer("timer", at: 0, mode: mode) { [unowned loop] _ in
        onNewThread { loop.wakeUp() }
        count()
      }
      scenario.run(mode, until: 0)
    }
    #expect(counts.value == [0, 0, 1, 0])
  }

  @Test func aWakeUpIsTakenAlsoByALoopThatHasNoTimeToSleep() {
    let scenario = Scenario()
    let loop = scenario.loop
    scenario.source("source") { [unowned loop] source in
      if scenario.words.all.count < 3 { source.signal() } else { loop.stop() }
      if scenario.words.all.count == 1 { onNewThread { loop.wakeUp() } }
    }.signal()
    scenario.run(until: 1)
    #expect(scenario.words.description == "source source source →stopped")
    // Before a loop sleeps it reads what woke it.
    scenario.run(until: 1)
    var look = pollfd(fd: loop.wakeUpState.descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&look, 1, 0) == 0)
  }

  @Test func stopFromAnotherThreadEndsASleepingRun() {
    let words = Words()
    withRunningLoop(words, observing: .all) { _ in }
    #expect(words.description == "entry timers sources sleep wake exit →stopped")
  }

  @Test func aSignalFromAnotherThreadNeedsAWakeUp() {
    let words = Words()
    let source = FrameLoop.Source(.onLoop { _ in words.add("source") })
    withRunningLoop(words, configure: { $0.add(source, to: .default) }) { loop in
      source.signal()
      #expect(source.isSignalled)
      loop.wakeUp()
      spin { words.count("source") == 1 }
    }
    #expect(words.description == "source →stopped")
  }

  @Test func addingFromAnotherThreadIsEffectiveWithoutAWakeUp() {
    let words = Words()
    let event = Event()
    withRunningLoop(words, observing: [.beforeWaiting]) { loop in
      loop.add(FrameLoop.Timer(fireTime: .zero, .onLoop { _ in words.add("timer") }), to: .default)
      spin { words.count("timer") == 1 && loop.isWaiting }
      event.post()
      loop.add(
        FrameLoop.DescriptorSource(
          descriptor: event.number,
          .onLoop { _, _ in
            event.consume()
            words.add("descriptor")
          }), to: .default)
      spin { words.count("descriptor") == 1 && words.count("sleep") == 3 && loop.isWaiting }
      // With the last timer the kernel's is disarmed, so that nothing wakes for it.
      let state = loop.table.withLock { $0.mode(.default) }
      let timer = FrameLoop.Timer(fireTime: SystemClock.monotonic.now + .seconds(1e6), .onLoop { _ in })
      loop.add(timer, to: .default)
      #expect(state?.remainingTime ?? 0 > 999_000)
      loop.remove(timer, from: .default)
      #expect(state?.remainingTime == 0)
    }
    #expect(words.description == "sleep timer sleep descriptor sleep →stopped")
  }

  @Test func movingATimerFromAnotherThreadWakes() {
    let words = Words()
    let timer = FrameLoop.Timer(fireTime: .distantFuture, .onLoop { _ in words.add("timer") })
    withRunningLoop(words, configure: { $0.add(timer, to: .default) }) { loop in
      timer.nextFireTime = .zero
      spin { words.count("timer") == 1 }
    }
    #expect(words.description == "timer →stopped" && !timer.isValid)
  }

  @Test func manualLoopsSeeWhatOtherThreadsAdd() {
    let words = Words()
    let box = Box<FrameLoop?>(nil)
    let thread = startThread {
      let loop = FrameLoop(clock: .manual(ManualClock()))
      loop.add(FrameLoop.Source(.onLoop { _ in }), to: .default)
      box.value = loop
      words.add("→\(loop.run(mode: .default))")
    }
    spin { box.value?.isWaiting == true }
    let loop = box.value
    let timer = FrameLoop.Timer(fireTime: .milliseconds(3_600_000), .onLoop { _ in words.add("timer") })
    loop?.add(timer, to: .default)
    spin { words.count("timer") == 1 }
    #expect(loop?.clock.now == .milliseconds(3_600_000))
    loop?.stop()
    thread.join()
    #expect(words.description == "timer →stopped")
  }

  /// A loop on manual time may have looked at its timers and not begun to wait: it hears of every timer, also of one whose time
  /// was the earliest before.
  @Test func manualLoopsAreWokenForATimeThatTheyHadBefore() {
    let scenario = Scenario()
    let loop = scenario.loop
    let isWoken = Box<[Bool]>([])
    let add: @Sendable () -> Void = { [unowned loop] in
      onNewThread { loop.add(FrameLoop.Timer(fireTime: .milliseconds(5), .onLoop { _ in }), to: .default) }
    }
    add()
    loop.add(
      FrameLoop.Observer(
        .beforeTimers,
        .onLoop { [unowned loop] _, _ in
          // The second pass comes after the timer.
          guard loop.clock.now == .milliseconds(5), isWoken.value.isEmpty else { return }
          #expect(!loop.wakeUpState.isPending)
          add()
          isWoken.value.append(loop.wakeUpState.isPending)
        }), to: .default)
    loop.add(FrameLoop.Source(.onLoop { _ in }), to: .default)
    scenario.run(until: 10)
    #expect(isWoken.value == [true])
  }

  @Test func aWriteThatIsReadBeforeItWokeAnybodyIsForgotten() {
    let wakeUp = WakeUp(thread: ThreadRecord(name: "another"))
    func isReadable() -> Bool {
      var look = pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&look, 1, 0) > 0
    }
    _ = wakeUp.beginRun()
    wakeUp.wakeUp()
    #expect(wakeUp.isSent && isReadable())
    wakeUp.didWake()
    _ = wakeUp.ignore()
    _ = wakeUp.listen()
    wakeUp.wakeUp()
    wakeUp.acknowledge()
    // Otherwise each poll would call the kernel, until the next wake-up.
    #expect(!wakeUp.isSent && !isReadable() && wakeUp.isPending)
  }

  @Test func manyWakeUpsAreOneOrTwoPasses() {
    let words = Words()
    let gate = Event()
    // The loop is held in a pass, so that all of them come while they count.
    let hold = FrameLoop.Source(
      .onLoop { _ in
        words.add("held")
        spin { words.count("woken") == 10 }
      })
    withRunningLoop(words, observing: .beforeWaiting, configure: { $0.add(hold, to: .default) }) { loop in
      hold.signal()
      loop.wakeUp()
      spin { words.count("held") == 1 }
      for _ in 0..<10 {
        loop.wakeUp()
        words.add("woken")
      }
      spin { words.count("sleep") >= 2 && loop.isWaiting }
      loop.add(
        FrameLoop.DescriptorSource(
          descriptor: gate.number,
          .onLoop { _, _ in
            gate.consume()
            words.add("gate")
          }), to: .default)
      gate.post()
      spin { words.count("gate") == 1 }
    }
    // One to start, one or two after the wake-ups, one after the gate.
    #expect((3...4).contains(words.count("sleep")), "\(words)")
  }

  /// Signals and blocks from three threads: each is handled, none needs a second wake-up.
  @Test func noWakeUpIsLost() {
    let words = Words()
    let handled = Box(0)
    let blocks = Box(0)
    let source = FrameLoop.Source(.onLoop { _ in handled.value += 1 })
    withRunningLoop(words, configure: { $0.add(source, to: .default) }) { loop in
      let threads = (0..<3).map { index in
        startThread {
          for round in 0..<2_000 {
            if index == 0 {
              let before = handled.value
              source.signal()
              loop.wakeUp()
              spin { handled.value > before }
            } else {
              let done = Box(false)
              loop.perform(in: round % 2 == 0 ? [.common] : [.default]) {
                blocks.value += 1
                done.value = true
              }
              loop.wakeUp()
              spin { done.value }
            }
          }
        }
      }
      for thread in threads { thread.join() }
    }
    #expect(handled.value >= 2_000 && blocks.value == 4_000)
  }

  /// Configuration from other threads while the loop runs: nothing is lost, torn or called after its removal.
  @Test func itemsComeAndGoFromOtherThreads() {
    let words = Words()
    withRunningLoop(words, observing: []) { loop in
      let threads = (0..<3).map { index in
        startThread {
          var random = SplitMix64(seed: UInt64(index))
          for _ in 0..<300 {
            let mode: FrameLoop.Mode = Bool.random(using: &random) ? .common : .default
            let timerDone = Box(false)
            let timer = FrameLoop.Timer(fireTime: .distantFuture, .onLoop { _ in timerDone.value = true })
            let source = FrameLoop.Source(.onLoop { _ in })
            let observer = FrameLoop.Observer(.all, .onLoop { _, _ in })
            loop.add(timer, to: mode)
            loop.add(source, to: mode)
            loop.add(observer, to: mode)
            source.signal()
            timer.nextFireTime = .zero
            spin { timerDone.value && !source.isSignalled }
            spin { !timer.isValid }
            if Bool.random(using: &random) { loop.remove(source, from: mode) } else { source.invalidate() }
            observer.invalidate()
          }
        }
      }
      for thread in threads { thread.join() }
      let state = loop.table.withLock { $0.mode(.default) }
      #expect(state?.items.count == 2)
    }
    #expect(words.description == "→stopped")
  }

  @Test func oneLoopPerThread() {
    let mine = Box<FrameLoop?>(nil)
    let other = Box<FrameLoop?>(nil)
    onNewThread {
      mine.value = .current
      #expect(mine.value === FrameLoop.current)
      onNewThread { other.value = .current }
    }
    #expect(mine.value !== other.value && mine.value !== FrameLoop.main)
  }

  @Test func theLoopThatRunsIsCurrent() {
    onNewThread {
      let own = FrameLoop.current
      let extra = FrameLoop(clock: .manual(ManualClock()))
      #expect(FrameLoop.current === own)
      let seen = Box<[Bool]>([])
      extra.add(
        FrameLoop.Timer(
          fireTime: .zero,
          .onLoop { [unowned extra] _ in
            seen.value.append(FrameLoop.current === extra)
            own.perform { seen.value.append(FrameLoop.current === own) }
            own.run(mode: .default, until: .zero)
            seen.value.append(FrameLoop.current === extra)
          }), to: .default)
      extra.run(mode: .default)
      #expect(seen.value == [true, true, true] && FrameLoop.current === own)
    }
  }

  @Test func aThreadsEndReleasesItsLoopAndKeepsTheItems() {
    final class Witness: Sendable {
      let words: Words
      init(_ words: Words) { self.words = words }
      deinit { words.add("released") }
    }
    let words = Words()
    let observer = FrameLoop.Observer(.entry, .onLoop { _, _ in words.add("observer") })
    let timer = FrameLoop.Timer(fireTime: .zero, .onLoop { _ in words.add("timer") })
    let source = FrameLoop.Source(
      cancelled: { _, loop, mode in words.add("cancelled:\(mode):\(loop === FrameLoop.current)") },
      .onLoop { _ in words.add("source") })
    let former = Box<WeakLoop>(WeakLoop())
    onNewThread {
      let loop = FrameLoop.current
      former.value = WeakLoop(loop: loop)
      loop.add(observer, to: .common)
      loop.add(timer, to: .default)
      loop.add(source, to: .default)
      loop.perform { [witness = Witness(words)] in witness.words.add("never") }
    }
    #expect(former.value.loop == nil)
    #expect(words.description == "cancelled:default:true released")
    #expect(observer.isValid && timer.isValid && source.isValid)

    words.removeAll()
    source.signal()
    let next = Scenario()
    next.loop.add(observer, to: .default)
    next.loop.add(timer, to: .default)
    next.loop.add(source, to: .default)
    next.run(until: 0)
    #expect(words.description == "observer source timer")
  }

  @Test func aLoopThatGoesLetsItsItemsGo() {
    let timer = FrameLoop.Timer(fireTime: .zero, .onLoop { _ in })
    weak var loop: FrameLoop?
    do {
      let scenario = Scenario()
      loop = scenario.loop
      scenario.loop.add(timer, to: .common)
      #expect(timer.withMembership { $0.registrations.count } == 1)
    }
    #expect(loop == nil && timer.withMembership { $0.registrations.isEmpty && $0.commons.isEmpty })
  }
}

extension ModeState {
  /// Seconds until the kernel's timer expires; 0 when it is not armed.
  fileprivate var remainingTime: Int {
    var setting = itimerspec()
    timerfd_gettime(timer.number, &setting)
    return setting.it_value.tv_sec
  }
}

struct WeakLoop: Sendable {
  weak let loop: FrameLoop?
  init(loop: FrameLoop? = nil) { self.loop = loop }
}
