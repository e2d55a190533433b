import Glibc
import LinuxSystem
import RunLoops
import XCTest

@testable import FrameTiming

final class DisplayTicksTests: ManualLoopCase {
  /// The ticks that a task on the main actor saw.
  @MainActor
  private final class Consumer {
    var ticks: [DisplayLink.Tick] = []
    var lateness: [Nanoseconds] = []
    var isOnMainThread = true
    var hasEnded = false

    /// - Parameter work: is called with each tick's number.
    func consume(_ sequence: DisplayTicks, _ count: Int, on stage: Stage, work: (Int) -> Void = { _ in }) async {
      for await tick in sequence {
        ticks.append(tick)
        lateness.append(stage.time.now - tick.timestamp)
        isOnMainThread = isOnMainThread && pthread_equal(pthread_self(), mainThread) != 0
        work(ticks.count)
        if ticks.count == count { break }
      }
      hasEnded = true
      stage.loop.stop()
    }
  }

  /// The loop's clock moves as soon as nothing is left to do on the main thread: a consumer that left it between two ticks
  /// would come back late.
  func testAConsumerOnTheMainActorNeverLeavesItsThread() {
    let stage = Stage()
    let source = FallbackClock(refreshRate: .hundred, reason: "a test", clock: stage.clock)
    let ticker = DisplayTicker(source: source)
    let start = stage.time.now
    let consumer = Consumer()
    Task { await consumer.consume(ticker.ticks(in: stage.loop), 1_000, on: stage) }
    stage.run(.seconds(60))
    XCTAssert(consumer.hasEnded && consumer.isOnMainThread)
    XCTAssertEqual(consumer.ticks.map(\.frameNumber), Array(1...1_000))
    XCTAssertEqual(consumer.ticks.last?.timestamp, start + .milliseconds(10_000))
    XCTAssert(consumer.lateness.allSatisfy { $0 == .zero })
    XCTAssert(consumer.ticks.allSatisfy { $0.missed == 0 })
    // The link went with the iterator.
    XCTAssertNil(stage.loop.nextTimerFireTime(in: .default))
  }

  func testALateConsumerGetsTheNewestTickAndHowManyItMissed() {
    let stage = Stage()
    let (source, ticker) = stage.countingTicker()
    let start = stage.time.now
    var iterator: DisplayTicks.Iterator? = ticker.ticks(in: stage.loop).makeAsyncIterator()
    for (index, interval) in [1, 2, 5, 6].enumerated() {
      stage.time.advance(to: start + .milliseconds(Int64(interval) * 10))
      source.send(VBlank(timestamp: stage.time.now, sequence: UInt64(interval)), on: stage.loop)
      XCTAssertEqual(source.requests, index + 2)
    }
    let consumer = Consumer()
    let held = iterator
    Task {
      guard var own = held else { return }
      if let tick = await own.next(isolation: #isolation) { consumer.ticks.append(tick) }
      stage.loop.stop()
    }
    stage.run(.seconds(1))
    XCTAssertEqual(consumer.ticks.map(\.frameNumber), [6])
    // Three ticks that nobody took, and two intervals without one.
    XCTAssertEqual(consumer.ticks.map(\.missed), [5])
    iterator = nil
  }

  func testCancellingEndsTheTicksAndInvalidatesTheLink() {
    let stage = Stage()
    let (source, ticker) = stage.countingTicker()
    let consumer = Consumer()
    let task = Task { await consumer.consume(ticker.ticks(in: stage.loop), 1, on: stage) }
    stage.loop.run(mode: .default, until: stage.time.now + .seconds(1), returnAfterSourceHandled: true)
    XCTAssertTrue(stage.loop.contains(source.loopItem, in: .common))
    // Cancelled on another thread: the link is the main thread's, and goes there.
    let thread = try? SystemThread(name: "cancels") { task.cancel() }
    thread?.join()
    // The consumer's task comes back by way of the global pool, which knows nothing of manual time.
    let deadline = SystemClock.monotonic.now + .seconds(60)
    while !consumer.hasEnded, SystemClock.monotonic.now < deadline { stage.run(.milliseconds(10)) }
    XCTAssert(consumer.hasEnded && consumer.ticks.isEmpty)
    XCTAssertFalse(stage.loop.contains(source.loopItem, in: .common))
  }

  func testAnIteratorOfAnotherThreadTicksOnMain() {
    let stage = Stage()
    let ticker = stage.clockTicker()
    let sequence = ticker.ticks(in: stage.loop)
    let loop = stage.loop
    let seen = Lock<[UInt64]>([])
    Task.detached {
      for await tick in sequence {
        seen.withLock { $0.append(tick.frameNumber) }
        if seen.withLock({ $0.count }) == 5 { break }
      }
      loop.stop()
    }
    // The clock runs ahead of a consumer on another thread; how far is not its affair.
    loop.run(mode: .default)
    let numbers = seen.withLock { $0 }
    XCTAssertEqual(numbers.count, 5)
    XCTAssertEqual(numbers, Set(numbers).sorted())
  }
}

/// Made on the main thread, by the first test that asks.
private let mainThread: pthread_t = pthread_self()
