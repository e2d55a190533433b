import Glibc
import LinuxSystem
import LoopTestSupport
import Testing

@testable import RunLoops

/// Consumes ticks on the thread of a loop on manual time.
///
/// Such a loop moves its clock as soon as its thread has nothing left to do. A consumer that left the thread between two
/// ticks would return too late.
private actor Consumer {
  let thread: LoopThread
  let clock = ManualClock()
  private(set) var ticks: [TimerTicks.Tick] = []
  private(set) var times: [MonotonicTime] = []
  private(set) var threads: Set<UInt> = []

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.unownedExecutor }

  init() throws {
    thread = try LoopThread(name: "ticks", clock: .manual(clock))
  }

  /// - Parameter work: is called with the number of each tick.
  func consume(
    _ count: Int, every interval: Nanoseconds, from start: MonotonicTime? = nil,
    work: @Sendable (Int, ManualClock) -> Void = { _, _ in }
  ) async {
    guard count > 0 else { return }
    for await tick in thread.loop.ticks(every: interval, from: start) {
      ticks.append(tick)
      times.append(clock.now)
      threads.insert(UInt(pthread_self()))
      work(ticks.count, clock)
      if ticks.count >= count { break }
    }
  }

  var timerCount: Int { thread.loop.table.withLock { $0.mode(.default) }?.items.count { $0 is FrameLoop.Timer } ?? 0 }
}

@Suite struct TimerTicksTests {
  @Test func aConsumerOnTheLoopNeverLeavesItsThread() async throws {
    let consumer = try Consumer()
    await consumer.consume(2_000, every: .milliseconds(10))
    let expected = (1...2_000).map { MonotonicTime.milliseconds(Int64($0) * 10) }
    #expect(await consumer.ticks.map(\.fireTime) == expected)
    #expect(await consumer.times == expected)
    #expect(await consumer.ticks.allSatisfy { $0.missed == 0 })
    #expect(await consumer.threads.count == 1)
    #expect(await consumer.timerCount == 0)
  }

  @Test func aLateConsumerGetsTheNewestTickAndHowManyItMissed() async throws {
    let consumer = try Consumer()
    await consumer.consume(5, every: .milliseconds(10), from: .milliseconds(10)) { number, clock in
      if number == 2 { clock.advance(by: .milliseconds(35)) }
    }
    // The consumer is blocked from 20 to 55. The ticks of 30, 40 and 50 arrive as one, with the fire time of the first.
    #expect(await consumer.ticks.map(\.fireTime) == [10, 20, 30, 60, 70].map(MonotonicTime.milliseconds))
    #expect(await consumer.ticks.map(\.missed) == [0, 0, 0, 2, 0])
  }

  /// Ticks that are not consumed do not pile up.
  @Test func onlyTheNewestIsKept() async throws {
    let thread = try LoopThread(name: "ticks", clock: .manual(ManualClock()))
    let (ended, end) = (Latch(), Latch())
    // Time stands still while the loop's thread is blocked.
    let begin = try thread.loop.hold()
    var iterator = thread.loop.ticks(every: .milliseconds(10), from: .milliseconds(10)).makeAsyncIterator()
    try thread.loop.perform(after: .milliseconds(1_005)) {
      ended.open()
      end.wait()
    }
    begin.open()
    ended.wait()
    let tick = await iterator.next(isolation: nil)
    #expect(tick == TimerTicks.Tick(fireTime: .milliseconds(1_000), missed: 99))
    end.open()
  }

  @Test func theFirstTickMayLieInThePast() async throws {
    let consumer = try Consumer()
    consumer.clock.advance(to: .milliseconds(25))
    await consumer.consume(3, every: .milliseconds(10), from: .zero)
    #expect(await consumer.ticks.map(\.fireTime) == [0, 30, 40].map(MonotonicTime.milliseconds))
    #expect(await consumer.ticks.map(\.missed) == [0, 2, 0])
  }

  @Test func cancellingEndsTheTicksAndRemovesTheTimer() async throws {
    let thread = try LoopThread(name: "ticks")
    for isWaiting in [true, false] {
      let (ticked, cancelled) = (Box(false), Box(false))
      let task = Task {
        for await _ in thread.loop.ticks(every: isWaiting ? .seconds(1e6) : .microseconds(100)) {
          ticked.value = true
          await suspend { cancelled.value }
        }
        return Task.isCancelled
      }
      if isWaiting {
        await suspend { thread.loop.nextTimerFireTime(in: .default) != nil }
      } else {
        await suspend { ticked.value }
      }
      task.cancel()
      #expect(thread.loop.nextTimerFireTime(in: .default) == nil || !isWaiting)
      cancelled.value = true
      #expect(await task.value)
      await suspend { thread.loop.nextTimerFireTime(in: .default) == nil }
    }
  }

  @Test func aTaskThatWasCancelledBeforeGetsNone() async throws {
    let thread = try LoopThread(name: "ticks")
    let go = Latch()
    let task = Task {
      go.wait()
      var count = 0
      for await _ in thread.loop.ticks(every: .microseconds(100)) { count += 1 }
      return count
    }
    task.cancel()
    go.open()
    #expect(await task.value == 0)
  }

  @Test func theEndOfTheThreadEndsTheTicks() async throws {
    let thread = try LoopThread(name: "ticks")
    let task = Task { for await _ in thread.loop.ticks(every: .seconds(1e6)) {} }
    await suspend { thread.loop.nextTimerFireTime(in: .default) != nil }
    thread.stop()
    await task.value
    for await _ in thread.loop.ticks(every: .microseconds(1)) { Issue.record("a tick without a thread") }
  }

  @Test func breakingOffRemovesTheTimer() async throws {
    let thread = try LoopThread(name: "ticks")
    for await _ in thread.loop.ticks(every: .microseconds(100)) { break }
    #expect(thread.loop.nextTimerFireTime(in: .default) == nil)
    weak var elements: NewestElement<Int>?
    do {
      let made = NewestElement<Int>(loop: thread.loop)
      elements = made
      made.atEnd { _ = thread }
    }
    #expect(elements == nil)
  }

  @Test func theEndIsToldOnce() async {
    let ends = Box(0)
    let elements = NewestElement<Int>(loop: Scenario().loop)
    elements.send(1, merge: { $0 + $1 })
    elements.send(2, merge: { $0 + $1 })
    #expect(await elements.next(isolation: nil) == 3)
    elements.atEnd { ends.value += 1 }
    elements.send(4, merge: { $0 + $1 })
    elements.finish()
    elements.finish()
    elements.send(5, merge: { $0 + $1 })
    #expect(await elements.next(isolation: nil) == nil)
    elements.atEnd { ends.value += 10 }
    #expect(ends.value == 11)
  }
}
