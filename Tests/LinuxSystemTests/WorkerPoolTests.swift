import Dispatch
import Glibc
import LinuxSystem
import Testing

@Suite struct WorkerPoolTests {
  /// Blocks the only thread of a pool until the gate is opened.
  struct Gate: Sendable {
    private let entered = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)

    func close(_ pool: WorkerPool) {
      pool.submit(.compositing) {
        entered.signal()
        opened.wait()
      }
      entered.wait()
    }

    func open() { opened.signal() }
  }

  @Test func jobsRunByPriorityThenInOrder() {
    let pool = WorkerPool(threads: 1)
    let order = Lock([String]())
    let gate = Gate()
    gate.close(pool)
    for index in 0..<40 { pool.submit(.drawing) { order.withLock { $0.append("drawing \(index)") } } }
    for index in 0..<40 { pool.submit(.compositing) { order.withLock { $0.append("compositing \(index)") } } }
    gate.open()
    pool.shutdown()
    #expect(order.withLock { $0 } == (0..<40).map { "compositing \($0)" } + (0..<40).map { "drawing \($0)" })
  }

  /// Against the rule as it is written: the highest priority and then the oldest, but the drawing that has waited longest is passed
  /// over three times at most.
  @Test(arguments: 1...50 as ClosedRange<UInt64>) func noneIsPassedOverForEver(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let pool = WorkerPool(simulatedThreads: 1)
    var waiting: [(priority: WorkerPool.Priority, number: Int)] = []
    let taken = Lock([Int]())
    var (passes, oldest, expected) = (0, 0, [Int]())
    for number in 1...600 {
      if number < 400 {
        let priority = WorkerPool.Priority.allCases.randomElement(using: &random) ?? .drawing
        waiting.append((priority, number))
        pool.submit(priority) { taken.withLock { $0.append(number) } }
      }
      guard number >= 400 || random.chance(0.7), pool.runNextJob() else { continue }
      var next = waiting.min { ($0.priority.rawValue, $0.number) < ($1.priority.rawValue, $1.number) }
      if next?.priority != .compositing, let first = waiting.first(where: { $0.priority != .compositing }) {
        if first.number != oldest { (passes, oldest) = (0, first.number) }
        if passes == 3 { next = first } else if next?.number != first.number { passes += 1 }
      }
      waiting.removeAll { $0.number == next?.number }
      expected.append(next?.number ?? 0)
    }
    let firstWrong = zip(taken.withLock { $0 }, expected).first { $0 != $1 }
    #expect(firstWrong == nil)
    #expect(waiting.isEmpty)
  }

  @Test func simulatedThreadsWorkInsideEachOther() {
    let pool = WorkerPool(simulatedThreads: 3)
    let depths = Lock([Int]())
    for depth in [1, 2, 3, 4] {
      pool.submit(.drawing) {
        if !pool.runNextJob() { depths.withLock { $0.append(-depth) } }
        depths.withLock { $0.append(depth) }
      }
    }
    #expect(pool.runNextJob())
    #expect(depths.withLock { $0 } == [-3, 3, 2, 1])
    pool.activeThreadLimit = 1
    #expect(pool.runNextJob())
    #expect(depths.withLock { $0 }.suffix(2) == [-4, 4])
    #expect(!pool.runNextJob())
    let calls = Lock(0)
    pool.concurrentPerform(iterations: 9, priority: .compositing) { _ in calls.withLock { $0 += 1 } }
    #expect(calls.withLock { $0 } == 9)
  }

  @Test func shutdownRunsWhatWaitsAndRefusesTheRest() {
    let pool = WorkerPool(threads: 3)
    let count = Lock(0)
    for _ in 0..<1000 { #expect(pool.submit(.drawing) { count.withLock { $0 += 1 } }) }
    pool.shutdown()
    #expect(count.withLock { $0 } == 1000)
    #expect(!pool.submit(.drawing) { count.withLock { $0 += 1 } })
    pool.shutdown()
    #expect(count.withLock { $0 } == 1000)
  }

  @Test func everyNumberIsPerformedOnce() {
    let pool = WorkerPool(threads: 3)
    for iterations in [-1, 0, 1, 2, 3, 17, 200] {
      let calls = Lock([Int](repeating: 0, count: max(iterations, 0)))
      pool.concurrentPerform(iterations: iterations, priority: .compositing) { index in
        calls.withLock { $0[index] += 1 }
      }
      #expect(calls.withLock { $0.allSatisfy { $0 == 1 } })
    }
  }

  @Test func performingNestsAndSharesThePool() {
    let pool = WorkerPool(threads: 2)
    let sum = Lock(0)
    for _ in 0..<8 {
      pool.submit(.drawing) {
        pool.concurrentPerform(iterations: 5, priority: .drawing) { outer in
          pool.concurrentPerform(iterations: 5, priority: .compositing) { inner in
            sum.withLock { $0 += outer * 5 + inner }
          }
        }
      }
    }
    pool.shutdown()
    #expect(sum.withLock { $0 } == 8 * (0..<25).reduce(0, +))
  }

  @Test func performingNeedsNoFreeThread() {
    let pool = WorkerPool(threads: 1)
    let gate = Gate()
    gate.close(pool)
    let calls = Lock(0)
    pool.concurrentPerform(iterations: 9, priority: .compositing) { _ in calls.withLock { $0 += 1 } }
    #expect(calls.withLock { $0 } == 9)
    gate.open()
    pool.shutdown()
    pool.concurrentPerform(iterations: 9, priority: .compositing) { _ in calls.withLock { $0 += 1 } }
    #expect(calls.withLock { $0 } == 18)
  }

  /// A thread that takes part and is away for 5 ms is waited for as one without a processor, but for the first half of a millisecond; one that
  /// computes for as long is not.
  @Test(arguments: [false, true]) func whatACallerWaitsForAThreadWithoutAProcessor(computes: Bool) {
    let pool = WorkerPool(threads: 1)
    let caller = pthread_self()
    let clock = SystemClock.monotonic
    var longest = Nanoseconds.zero
    // A caller that has no processor itself begins to wait later.
    for _ in 0..<50 where longest < .milliseconds(4) {
      let hasBegun = Latch()
      let start = clock.now
      let delay = pool.concurrentPerform(iterations: 2, priority: .compositing) { _ in
        if pthread_equal(caller, pthread_self()) != 0 { return hasBegun.wait() }
        hasBegun.open()
        let end = clock.threadProcessorTime + .milliseconds(5)
        if computes { while clock.threadProcessorTime < end {} } else { usleep(5000) }
      }
      let time = clock.now - start
      #expect(delay <= time - (computes ? .milliseconds(4) : .zero), "\(delay) of \(time)")
      longest = max(longest, delay)
      if computes { break }
    }
    #expect(computes || longest >= .milliseconds(4), "\(longest)")
    pool.shutdown()
  }

  @Test func otherThreadsTakePart() {
    let pool = WorkerPool(threads: 1)
    let other = DispatchSemaphore(value: 0)
    let caller = pthread_self()
    let helped = Lock(false)
    // The caller's call returns only after the other thread has made one.
    pool.concurrentPerform(iterations: 2, priority: .compositing) { _ in
      if pthread_equal(caller, pthread_self()) != 0 {
        other.wait()
      } else {
        helped.withLock { $0 = true }
        other.signal()
      }
    }
    #expect(helped.withLock { $0 })
  }

  @Test func theLimitHoldsThreadsBack() {
    let pool = WorkerPool(threads: 4)
    #expect(pool.activeThreadLimit == 4)
    pool.activeThreadLimit = 2
    let state = Lock((running: 0, most: 0))
    for _ in 0..<400 {
      pool.submit(.drawing) {
        state.withLock {
          $0.running += 1
          $0.most = max($0.most, $0.running)
        }
        sched_yield()
        state.withLock { $0.running -= 1 }
      }
    }
    pool.shutdown()
    #expect(state.withLock { $0.most } <= 2)
    pool.activeThreadLimit = -3
    #expect(pool.activeThreadLimit == 1)
    pool.activeThreadLimit = 9
    #expect(pool.activeThreadLimit == 4)
  }

  @Test func aRaisedLimitWakesTheOthers() {
    let pool = WorkerPool(threads: 2)
    pool.activeThreadLimit = 1
    let gate = Gate()
    gate.close(pool)
    let ran = DispatchSemaphore(value: 0)
    pool.submit(.drawing) { ran.signal() }
    pool.activeThreadLimit = 2
    ran.wait()
    gate.open()
    pool.shutdown()
  }

  @Test func aPoolMayEndInItsOwnJob() {
    final class Owner: Sendable {
      let pool = WorkerPool(threads: 2)
    }
    let ended = DispatchSemaphore(value: 0)
    for closes in [false, true] {
      do {
        let owner = Owner()
        let released = DispatchSemaphore(value: 0)
        owner.pool.submit(.drawing) {
          released.wait()
          if closes { owner.pool.shutdown() }
          ended.signal()
        }
        released.signal()
      }
      ended.wait()
    }
  }

  @Test func threadsAreNamedAndTakeNoSignal() {
    let pool = WorkerPool(threads: 1)
    let seen = Lock((name: "", blocked: false))
    pool.submit(.drawing) {
      guard let file = fopen("/proc/thread-self/comm", "r") else { return }
      defer { fclose(file) }
      var name = [CChar](repeating: 0, count: 32)
      fgets(&name, 32, file)
      var mask = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &mask)
      let isBlocked = sigismember(&mask, SIGTERM) == 1
      let text = String(decoding: name.prefix { $0 > 32 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      seen.withLock { $0 = (text, isBlocked) }
    }
    pool.shutdown()
    #expect(seen.withLock { $0.name } == "framepace-w0")
    #expect(seen.withLock { $0.blocked })
  }

  @Test func sizesAreClamped() {
    #expect(WorkerPool(threads: 0).threadCount == 1)
    #expect(WorkerPool(threads: -5).threadCount == 1)
    #expect(WorkerPool.defaultThreadCount >= 2)
  }
}
