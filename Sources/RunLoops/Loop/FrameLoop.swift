import CLinux
public import LinuxSystem
import Synchronization

/// A thread's event loop: it sleeps until something is to be done, does it in a fixed order, and sleeps again.
///
/// What can be done are *items*, which are added to *modes*: sources that are signalled, descriptors that become ready,
/// timers that are due, and observers of the loop itself. A run serves the items of its mode only. Runs nest: a callback
/// may run its loop in another mode, or the same. The order within a pass is that of CFRunLoop; see `run(mode:until:returnAfterSourceHandled:)`.
///
/// A loop belongs to one thread, and runs there. Everything else may be called from any thread, also while the loop
/// sleeps: items that are added then are served. Callbacks run on the loop's thread, outside all locks.
///
/// The main thread's loops also serve libdispatch's main queue, in all common modes: `DispatchQueue.main` and `@MainActor`
/// code run there while the loop does. Callbacks that are given as `onMain:` are the main actor's, and may only be added
/// to those loops. (A program's `main` has to be synchronous for this: an asynchronous one leaves the main thread.)
///
/// On a `ManualClock` a loop does not wait for times: when nothing is ready it moves the clock to the earliest timer or the
/// run's limit. With neither it really waits, for descriptors and other threads.
public final class FrameLoop: Sendable {
  /// What timers and limits are measured by.
  public let clock: SystemClock
  let wakeUpState: WakeUp
  let thread: ThreadRecord
  /// Whether this is a loop of the process's main thread.
  let isMain: Bool
  let blocks = BlockQueue()
  let performers = Performers()
  let jobs = JobQueue()
  let stopRequested = Atomic<Bool>(false)
  /// See `endRuns()`.
  let runsEnd = Atomic<Bool>(false)
  /// How many runs have begun; written by the loop's thread.
  let runCount = Atomic<UInt>(0)
  let table: Lock<Table>

  struct Table {
    var modes: [ModeState] = []
    var common: CommonItems
    /// The mode of the innermost run.
    var running: ModeState?

    func mode(_ name: Mode) -> ModeState? { modes.first { $0.name == name } }
  }

  /// The loop of the process's main thread.
  public static let main = FrameLoop(clock: .monotonic, thread: .main)

  /// The loop of the calling thread: the one that runs, else the thread's own, which is made on first use and let go when
  /// the thread ends.
  ///
  /// At a thread's end the items of its loop are removed from it, and can be added to another loop; blocks that wait are
  /// dropped.
  public static var current: FrameLoop {
    let record = ThreadRecord.current
    return record.running ?? record.loop
  }

  /// One more loop, bound to the calling thread: for tests, and for rendering on manual time. Its items are removed when
  /// it goes; sources are not told, since there is no loop any more that they could be told of.
  public convenience init(clock: SystemClock) {
    self.init(clock: clock, thread: .current)
  }

  init(clock: SystemClock, thread: ThreadRecord) {
    self.clock = clock
    self.thread = thread
    isMain = thread === ThreadRecord.main
    wakeUpState = WakeUp(thread: thread)
    table = Lock(Table(common: CommonItems(wakeUp: wakeUpState)))
    addCommonMode(.default)
  }

  deinit {
    detachEverything()
  }

  /// Ends the loop's hold on its items, which stay valid, and drops its blocks.
  func detachEverything() {
    let (modes, common) = table.withLock { ($0.modes, $0.common) }
    for item in common.all { _ = item.leave(common) }
    for mode in modes {
      for item in mode.items where item.detach(from: mode) { item.didLeave(mode) }
    }
    blocks.removeAll()
  }

  // MARK: State

  /// Whether the loop sleeps, or looks whether it has to. From any thread.
  public var isWaiting: Bool { wakeUpState.isWaiting }

  /// The mode of the innermost run, nil while the loop does not run. From any thread.
  public var currentMode: Mode? { table.withLock { $0.running?.name } }

  /// The mode of the innermost run, and whether it is one of the common modes; nil while the loop does not run. From any thread.
  package var innermostRun: (mode: Mode, isCommon: Bool)? {
    table.withLock { table in table.running.map { ($0.name, $0.isCommon) } }
  }

  /// When the next timer of a mode fires, nil when it has none. Timers whose callback is running do not count: their next
  /// time is not known yet.
  public func nextTimerFireTime(in mode: Mode) -> MonotonicTime? {
    table.withLock { $0.mode(mode) }?.nextFireTime
  }

  // MARK: Control

  /// Makes a sleeping loop, or one that is about to sleep, begin another pass. Several wake-ups before it does count as
  /// one. From any thread.
  public func wakeUp() { wakeUpState.wakeUp() }

  /// Ends the innermost run at the end of its pass; does nothing while the loop does not run. From any thread.
  public func stop() {
    stopRequested.store(true, ordering: .releasing)
    // On its own thread the loop looks before it sleeps; and a wake-up might be taken for one of the run outside.
    if wakeUpState.isFromOutside { wakeUp() }
  }

  /// Queues a block, to be called once, in whichever of the modes the loop runs in first. Blocks are called in the order
  /// in which they were queued. Wakes nothing: follow it by `wakeUp()` unless this is the loop's own thread and it is not
  /// about to sleep. From any thread.
  public func perform(in modes: [Mode] = [.common], _ block: @escaping @Sendable () -> Void) {
    blocks.append(block, modes: modes)
  }

  /// Queues a block of the main actor; for the main thread's loops only.
  public func perform(in modes: [Mode] = [.common], onMain block: @escaping @MainActor () -> Void) {
    requireMainThreadsLoop()
    // Safe: this loop runs on the main thread only, which every run checks.
    blocks.append(unsafeBitCast(block, to: (@Sendable () -> Void).self), modes: modes)
  }
}
