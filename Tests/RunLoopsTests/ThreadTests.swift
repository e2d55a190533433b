import LinuxSystem
import LoopTestSupport
import Testing

@testable import RunLoops

/// Loops of several threads, in real time: nothing here waits for a chosen time to pass.
@Suite struct ThreadTests {
  /// Runs a loop on a new thread, and stops it after `body`.
  private func withRunningLoop(_ words: Words, on clock: SystemClock = .monotonic, _ body: (FrameLoop) -> Void) {
    let box = Box<FrameLoop?>(nil)
    let thread = startThread {
      let loop = FrameLoop(clock: clock)
      loop.add(FrameLoop.Source(.onLoop { _ in }), to: .default)
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

  @Test func manualLoopsSeeWhatOtherThreadsAdd() {
    let words = Words()
    withRunningLoop(words, on: .manual(ManualClock())) { loop in
      loop.add(
        FrameLoop.Timer(fireTime: .milliseconds(3_600_000), .onLoop { _ in words.add("timer") }), to: .default)
      spin { words.count("timer") == 1 }
      #expect(loop.clock.now == .milliseconds(3_600_000))
    }
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

  /// Signals and blocks from three threads: each is handled, none needs a second wake-up.
  @Test func noWakeUpIsLost() {
    let words = Words()
    let handled = Box(0)
    let blocks = Box(0)
    let source = FrameLoop.Source(.onLoop { _ in handled.value += 1 })
    withRunningLoop(words) { loop in
      loop.add(source, to: .default)
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
    withRunningLoop(words) { loop in
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
      // Only the source that keeps the run alive is left.
      #expect(loop.table.withLock { $0.mode(.default) }?.items.count == 1)
    }
    #expect(words.description == "→stopped")
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

  @Test func aLoopThatGoesLetsItsItemsGo() {
    let timer = FrameLoop.Timer(fireTime: .zero, .onLoop { _ in })
    weak var loop: FrameLoop?
    do {
      let scenario = Scenario()
      loop = scenario.loop
      scenario.loop.add(timer, to: .common)
    }
    #expect(loop == nil)
    let next = FrameLoop(clock: .manual(ManualClock()))
    next.add(timer, to: .default)
    #expect(next.contains(timer, in: .default))
  }
}
