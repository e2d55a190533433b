import Dispatch
import Glibc
import LinuxSystem
import LoopTestSupport
import RunLoops

/// The stage of a scenario: a loop of either kind with named items. It records events as words.
///
/// An item writes its name when it is called and then runs its body. Names that begin with a dot are counted but not
/// compared. Modes are names. Times are milliseconds since the stage was made; on a busy machine they are multiples of that.
final class Stage: Sendable {
  typealias Body = @Sendable (Stage) -> Void

  /// A time that no scenario reaches.
  static let never: Double = 100_000_000

  let words: Words
  private let played: Lock<(any LoopUnderTest)?>
  private let kind: LoopKind
  private let slowness: Double
  private let isOver = Lock(false)
  private let items = Lock<[String: any ItemUnderTest]>([:])
  private let threads = Lock<[HelperThread]>([])

  /// Makes a stage for the calling thread's loop.
  init(_ kind: LoopKind, words: Words = Words(), slowness: Double = 1) {
    self.kind = kind
    self.words = words
    self.slowness = slowness
    played = Lock(kind.current())
  }

  var loop: any LoopUnderTest {
    guard let loop = played.withLock({ $0 }) else { fatalError("the loop's thread has ended") }
    return loop
  }

  /// The current time.
  var now: Double { loop.now / slowness }
  /// A time in the past, for timers that are called in the order in which they get this time.
  var overdue: Double { loop.overdue / slowness }

  /// Waits for the helper threads and releases the loop, so that it ends with its thread.
  func end() {
    isOver.withLock { $0 = true }
    for thread in threads.withLock({ $0 }) { thread.join() }
    played.withLock { $0 = nil }
  }

  func invalidateAll() { for item in items.withLock({ Array($0.values) }) { item.invalidate() } }

  /// Releases the items. The loop must have ended, or the items must be invalid: CoreFoundation knows them by address.
  func clear() { items.withLock { $0.removeAll() } }

  // MARK: Words

  func log(_ word: String) { words.add(word) }
  /// The number of times that a word was written so far.
  func count(_ word: String) -> Int { words.count(word) }

  /// Runs `body`, whose callbacks may come in any order.
  func inAnyOrder(_ body: Body) {
    let before = words.all.count
    body(self)
    words.sort(from: before)
  }

  // MARK: Items

  /// Writes the activities of a mode, before any other observer is called.
  func observe(_ activities: FrameLoop.Activity = .all, in mode: String = "default") {
    let observer = loop.observer(activities, order: .min, repeats: true) { [words] activity in
      words.add(activity.word)
    }
    put(observer, "observer of \(mode) \(activities.rawValue)", in: mode)
  }

  func observer(
    _ name: String, _ activities: FrameLoop.Activity, order: Int = 0, repeats: Bool = true, in mode: String? = "default",
    _ body: @escaping Body = { _ in }
  ) {
    put(loop.observer(activities, order: order, repeats: repeats) { [self] _ in call(name, body) }, name, in: mode)
  }

  func source(
    _ name: String, order: Int = 0, reports: Bool = false, in mode: String? = "default", _ body: @escaping Body = { _ in }
  ) {
    let report: @Sendable (String) -> Void = { [words] word in words.add(word) }
    put(loop.source(order: order, report: reports ? report : nil) { [self] in call(name, body) }, name, in: mode)
  }

  func descriptor(
    _ name: String, consumes: Bool = true, in mode: String? = "default", _ body: @escaping Body = { _ in }
  ) {
    put(loop.descriptor(consumes: consumes) { [self] in call(name, body) }, name, in: mode)
  }

  /// - Parameter time: the fire time; by default the timer is due at once.
  func timer(
    _ name: String, at time: Double = 0, every interval: Double = 0, tolerance: Double = 0, in mode: String? = "default",
    _ body: @escaping Body = { _ in }
  ) {
    let timer = loop.timer(at: time * slowness, every: interval * slowness, tolerance: tolerance * slowness) { [self] in
      call(name, body)
    }
    put(timer, name, in: mode)
  }

  func add(_ name: String, to mode: String) { loop.add(item(name), to: mode) }
  func remove(_ name: String, from mode: String) { loop.remove(item(name), from: mode) }
  func contains(_ name: String, in mode: String) -> Bool { loop.contains(item(name), in: mode) }
  func invalidate(_ name: String) { item(name).invalidate() }
  func isValid(_ name: String) -> Bool { item(name).isValid }

  /// Writes whether an item is in a mode, and whether it is valid.
  func look(_ name: String, in mode: String) {
    log("\(name)\(contains(name, in: mode) ? "∈" : "∉")\(mode)\(isValid(name) ? "" : ":invalid")")
  }

  func signal(_ name: String) { (item(name) as? any SourceUnderTest)?.signal() }
  func post(_ name: String) { (item(name) as? any DescriptorUnderTest)?.post() }
  func move(_ name: String, to time: Double) { (item(name) as? any TimerUnderTest)?.nextFireTime = time * slowness }
  /// The next fire time of a timer, to the millisecond.
  func fireTime(_ name: String) -> Int {
    Int((((item(name) as? any TimerUnderTest)?.nextFireTime ?? -1_000) / slowness).rounded())
  }

  /// The next fire time of a mode's timers, to the millisecond.
  func nextFireTime(in mode: String) -> String {
    loop.nextFireTime(in: mode).map { "\(Int(($0 / slowness).rounded()))" } ?? "none"
  }

  // MARK: The loop

  func block(_ name: String, in modes: [String] = ["common"], _ body: @escaping Body = { _ in }) {
    loop.perform(in: modes) { [self] in call(name, body) }
  }

  /// Runs the loop up to a limit and writes the result.
  @discardableResult
  func run(_ mode: String = "default", for milliseconds: Double = 0, returnAfterSourceHandled: Bool = false)
    -> FrameLoop.RunResult
  {
    let result = loop.run(in: mode, for: milliseconds * slowness, returnAfterSourceHandled: returnAfterSourceHandled)
    words.add("→\(result)")
    return result
  }

  /// Passes an object on: the caller's reference ends with the call.
  func hand<Value: Sendable>(_ value: consuming Value, _ body: (Stage, Value) -> Void) { body(self, value) }

  func addCommonMode(_ mode: String) { loop.addCommonMode(mode) }
  func stop() { loop.stop() }
  func wakeUp() { loop.wakeUp() }

  // MARK: Time and threads

  /// Passes time without running the loop.
  func burn(until time: Double) { while now < time { sched_yield() } }

  /// Runs `body` on another thread.
  func onThread(_ body: @escaping Body) {
    let thread = HelperThread { [self] in body(self) }
    threads.withLock { $0.append(thread) }
  }

  /// Runs `body` on another thread once the loop sleeps.
  func whileAsleep(_ body: @escaping Body) {
    onThread { stage in
      stage.spin { stage.loop.isWaiting }
      body(stage)
    }
  }

  /// Waits for another thread, at most to the end of the script. It sleeps between its checks: a busy machine puts a thread
  /// that only yields behind all others.
  func spin(until condition: () -> Bool) {
    while !condition(), !isOver.withLock({ $0 }) { usleep(50) }
  }

  /// Plays a part on a loop of the same kind on another thread, until that thread ends. It has its own items.
  func onOtherLoop(_ body: @escaping Body) {
    HelperThread { [self] in
      let stage = Stage(kind, words: words, slowness: slowness)
      body(stage)
      stage.end()
      adopt(stage)
    }.join()
  }

  func onMainQueue(_ name: String, _ body: @escaping Body = { _ in }) {
    DispatchQueue.main.async { [self] in call(name, body) }
  }

  // MARK: -

  private func call(_ name: String, _ body: Body) {
    words.add(name)
    body(self)
  }

  /// Keeps an item under a name, and adds it to a mode.
  func put(_ item: any ItemUnderTest, _ name: String, in mode: String?) {
    items.withLock { $0[name] = item }
    if let mode { loop.add(item, to: mode) }
  }

  /// Takes over the items of another stage.
  private func adopt(_ other: Stage) {
    let others = other.items.withLock { items in
      defer { items = [:] }
      return items
    }
    items.withLock { $0.merge(others) { mine, _ in mine } }
  }

  func item(_ name: String) -> any ItemUnderTest {
    guard let item = items.withLock({ $0[name] }) else { fatalError("the scenario has no item \(name)") }
    return item
  }
}
