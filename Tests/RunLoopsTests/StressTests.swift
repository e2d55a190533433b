import Glibc
import LinuxSystem
import LoopTestSupport
import Synchronization
import XCTest

@testable import RunLoops

/// How long stress tests run: `FRAMEPACE_STRESS_SECONDS`, or as long as the test says.
func stressTime(_ seconds: Double) -> Nanoseconds {
  let chosen = getenv("FRAMEPACE_STRESS_SECONDS").flatMap { Double(String(cString: $0)) }
  return .seconds(chosen ?? seconds)
}

/// Eight threads do everything that there is to do to loops, and to the threads that these belong to, at random. Whatever
/// comes of it: nothing is done twice, on another thread, or after its end; and who waits gets an answer. (An XCTest test: the
/// others leave no thread of the pool to its tasks.)
final class StressTests: XCTestCase {
  func testEightThreadsAddRemoveSignalPerformWakeStopAndKill() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    let time = stressTime(3)
    print("seed \(seed), \(time.seconds) s")
    let stress = Stress(until: SystemClock.monotonic.now + time)
    let threads = (0..<8).map { index in
      startThread {
        var random = SplitMix64(seed: seed &+ UInt64(index))
        while stress.isRunning { stress.step(&random) }
      }
    }
    for thread in threads { thread.join() }
    stress.end()
    XCTAssertEqual(stress.faults.value, [])
    // Everything has happened at least once.
    for (kind, count) in stress.counts.value.sorted(by: { $0.key < $1.key }) {
      print("\(kind): \(count)")
      XCTAssertGreaterThan(count, 0, kind)
    }
  }
}

/// The state that the threads share.
private final class Stress: Sendable {
  private let limit: MonotonicTime
  private let threads: Lock<[LoopThread]>
  private let items = Lock<[Item]>([])
  /// Items that the next one to be called ends: it may be just before them.
  private let victims = Lock<[Item]>([])
  private let waiters = Atomic<Int>(0)
  let faults = Box<Set<String>>([])
  let counts = Box<[String: Int]>(["performed": 0, "refused": 0, "timers": 0, "sources": 0, "observers": 0, "jobs": 0])

  init(until end: MonotonicTime) {
    limit = end
    threads = Lock((0..<4).map { _ in Self.makeThread() })
  }

  var isRunning: Bool { SystemClock.monotonic.now < limit }

  private static func makeThread() -> LoopThread {
    do { return try LoopThread(name: "stress") } catch { fatalError("\(error)") }
  }

  func fault(_ text: String) { faults.withValue { _ = $0.insert(text) } }
  func count(_ kind: String) { counts.withValue { $0[kind, default: 0] += 1 } }

  /// Something that a loop calls.
  struct Item: Sendable {
    let item: any FrameLoop.Item
    let poke: @Sendable () -> Void
    /// Set on a loop's thread when `invalidate` has returned there.
    let hasEnded: Box<FrameLoop?>
  }

  // MARK: Steps

  func step(_ random: inout SplitMix64) {
    let thread = threads.withLock { threads in threads[Int.random(in: 0..<threads.count, using: &random)] }
    let loop = thread.loop
    let mode: FrameLoop.Mode = [.default, .common, "other"][Int.random(in: 0..<3, using: &random)]
    switch Int.random(in: 0..<40, using: &random) {
    case 0..<6: performLater(loop)
    case 6..<12: performAndWait(loop)
    case 12..<15: performAsynchronously(loop)
    case 15..<18: runJob(thread)
    case 18..<20: performDelayedAndCancel(loop, &random)
    case 20..<24: withItem(&random) { loop.add($0.item, to: mode) }
    case 24..<26: withItem(&random) { loop.remove($0.item, from: mode) }
    case 26..<30:
      withItem(&random) { $0.poke() }
      loop.wakeUp()
    case 30: withItem(&random) { $0.item.invalidate() }
    case 31..<33: endItemOnItsThread(loop, &random)
    case 33: makeItem(&random)
    case 34: loop.wakeUp()
    case 35: loop.stop()
    case 36: runNested(loop)
    case 37: loop.addCommonMode("other")
    case 38: consumeTicks(loop)
    default: replaceThread(&random)
    }
  }

  /// Work that is done once at most, on its thread.
  private func work(_ loop: FrameLoop) -> @Sendable () -> Void {
    let calls = Calls()
    return { [self] in
      if calls.add() > 1 { fault("performed twice") }
      if !loop.thread.isCurrent { fault("performed on another thread") }
      count("performed")
    }
  }

  private func performLater(_ loop: FrameLoop) {
    do { try loop.performLater(work(loop)) } catch { count("refused") }
  }

  private func performAndWait(_ loop: FrameLoop) {
    let done = Box(false)
    do {
      try loop.performAndWait { [work = work(loop)] in
        work()
        done.value = true
      }
      if !done.value { fault("an answer without the work") }
    } catch {
      if done.value || !(error is PerformError) { fault("\(error) although it was done") }
      count("refused")
    }
  }

  private func performAsynchronously(_ loop: FrameLoop) {
    guard waiters.load(ordering: .relaxed) < 100 else { return }
    waiters.add(1, ordering: .relaxed)
    let task = Task { [self] in
      do { try await loop.performAndWait(work(loop)) } catch { count("refused") }
      waiters.subtract(1, ordering: .relaxed)
    }
    if loop.isWaiting { task.cancel() }
  }

  private func runJob(_ thread: LoopThread) {
    guard waiters.load(ordering: .relaxed) < 100 else { return }
    waiters.add(1, ordering: .relaxed)
    Task { [self] in
      let lodger = Lodger(thread)
      if await !lodger.isAtHome() { fault("a job on another thread") }
      count("jobs")
      waiters.subtract(1, ordering: .relaxed)
    }
  }

  private func performDelayedAndCancel(_ loop: FrameLoop, _ random: inout SplitMix64) {
    let key = Int.random(in: 0..<8, using: &random)
    if Bool.random(using: &random) { return loop.cancelPerformers(key: key) }
    try? loop.perform(after: .microseconds(Int64.random(in: 0..<200, using: &random)), key: key, work(loop))
  }

  private func consumeTicks(_ loop: FrameLoop) {
    guard waiters.load(ordering: .relaxed) < 100 else { return }
    waiters.add(1, ordering: .relaxed)
    Task { [self] in
      var ticks = 0
      for await _ in loop.ticks(every: .microseconds(50)) {
        ticks += 1
        if ticks == 5 { break }
      }
      waiters.subtract(1, ordering: .relaxed)
    }
  }

  private func runNested(_ loop: FrameLoop) {
    try? loop.performLater { loop.run(mode: .default, for: .microseconds(100)) }
  }

  private func replaceThread(_ random: inout SplitMix64) {
    let former = threads.withLock { threads in
      let index = Int.random(in: 0..<threads.count, using: &random)
      let former = threads[index]
      threads[index] = Self.makeThread()
      return former
    }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: former.stop()
    case 1: try? former.loop.performLater { former.stop() }
    case 2:
      former.stop()
      former.waitUntilEnded()
      if former.loop.performers.count > 0 { fault("somebody waits for a thread that has ended") }
    default: break  // Its last owner's end is its end.
    }
  }

  // MARK: Items

  private func withItem(_ random: inout SplitMix64, _ body: (Item) -> Void) {
    let item = items.withLock { items -> Item? in items.randomElement(using: &random) }
    if let item { body(item) }
  }

  /// Invalidates an item on the thread of a loop: that loop must not call it again.
  private func endItemOnItsThread(_ loop: FrameLoop, _ random: inout SplitMix64) {
    let isLeftToOthers = Bool.random(using: &random)
    withItem(&random) { item in
      if isLeftToOthers { return victims.withLock { $0.append(item) } }
      try? loop.performLater { Self.end(item) }
    }
  }

  private static func end(_ item: Item) {
    item.item.invalidate()
    item.hasEnded.value = .current
  }

  private func makeItem(_ random: inout SplitMix64) {
    let hasEnded = Box<FrameLoop?>(nil)
    let called: @Sendable (String) -> Void = { [self] kind in
      if hasEnded.value === FrameLoop.current { fault("\(kind) called after their end") }
      if let victim = victims.withLock({ $0.popLast() }) { Self.end(victim) }
      count(kind)
    }
    let item: Item
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      let calls = Calls()
      let timer = FrameLoop.Timer(
        fireTime: .distantFuture,
        .onLoop { [self] _ in
          if calls.add() > 1 { fault("a timer fired twice") }
          called("timers")
        })
      item = Item(
        item: timer, poke: { timer.nextFireTime = .zero }, hasEnded: hasEnded)
    case 1:
      let timer = FrameLoop.Timer(fireTime: .zero, interval: .microseconds(300), .onLoop { _ in called("timers") })
      item = Item(
        item: timer, poke: { timer.nextFireTime = .zero }, hasEnded: hasEnded)
    case 2:
      let source = FrameLoop.Source(.onLoop { _ in called("sources") })
      item = Item(
        item: source, poke: { source.signal() }, hasEnded: hasEnded)
    default:
      let observer = FrameLoop.Observer(.all, .onLoop { _, _ in called("observers") })
      item = Item(
        item: observer, poke: {}, hasEnded: hasEnded)
    }
    let former = items.withLock { items -> Item? in
      items.append(item)
      return items.count > 20 ? items.removeFirst() : nil
    }
    former?.item.invalidate()
  }

  // MARK: The end

  func end() {
    for thread in threads.withLock({ $0 }) {
      thread.stop()
      thread.waitUntilEnded()
    }
    // No task waits for ever.
    spin { waiters.load(ordering: .relaxed) == 0 }
  }

  private final class Calls: Sendable {
    private let count = Atomic<Int>(0)
    func add() -> Int { count.add(1, ordering: .relaxed).newValue }
  }

  private actor Lodger {
    let thread: LoopThread
    init(_ thread: LoopThread) { self.thread = thread }
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.unownedExecutor }
    func isAtHome() -> Bool { thread.loop.thread.isCurrent }
  }
}
