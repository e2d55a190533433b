import CLinux
public import LinuxSystem
import Synchronization

/// A thread's event loop: it sleeps until there is work, does the work in a fixed order, and sleeps again.
///
///     let loop = FrameLoop.main
///     let tick = FrameLoop.Timer(fireTime: loop.clock.now, interval: .seconds(1), .onMain { _ in print("tick") })
///     loop.add(tick, to: .default)
///     loop.run()
///
/// Work comes from *items*, which are added to *modes*: sources that are signalled, descriptors that become ready, timers
/// that are due, and observers of the loop itself. A run serves the items of its mode only. Runs nest: a callback may run
/// its loop in another mode, or in the same one. The order within a pass is CFRunLoop's; see
/// `run(mode:until:returnAfterSourceHandled:)`.
///
/// A loop belongs to one thread, and runs there. Everything else may be called from any thread, also while the loop
/// sleeps: an item that is added then is served. Callbacks run on the loop's thread, outside all locks.
///
/// The main thread's loops also serve libdispatch's main queue, in all common modes: `DispatchQueue.main` and `@MainActor`
/// code run while the loop runs. For this a program's `main` must be synchronous: an asynchronous one leaves the main
/// thread.
///
/// On a `ManualClock` a loop does not wait for times: when nothing is ready it moves the clock to the earliest timer or to
/// the run's limit. Without either it really waits, for descriptors and other threads.
public final class FrameLoop: Sendable {
  /// The clock of timers and limits.
  public let clock: SystemClock
  let wakeUpState: WakeUp
  let thread: ThreadRecord
  /// True for the loops of the process's main thread.
  let isMain: Bool
  /// The process that made the loop, by its number of forks. Only this process may run it.
  let forkCount = ForkCount.current
  let blocks = BlockQueue()
  let performers = Performers()
  let jobs = JobQueue()
  let stopRequested = Atomic<Bool>(false)
  /// True once `endRuns()` was called.
  let runsEnd = Atomic<Bool>(false)
  /// The number of runs that have begun. Written by the loop's thread.
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
  public static let main = orFatal { () throws(SystemError) in try FrameLoop(clock: .monotonic, thread: .main) }

  /// The loop of the calling thread: the running one, else the thread's own. That is made on first use, and released when the
  /// thread ends.
  ///
  /// At a thread's end the items of its loops are removed from them, and can be added to another loop. Waiting blocks are
  /// dropped. A loop whose thread has ended takes neither.
  public static var current: FrameLoop {
    let record = ThreadRecord.current
    return record.running ?? record.loop
  }

  /// Makes one more loop for the calling thread: for tests, and for rendering on manual time. The program ends if it has no
  /// three descriptors left.
  ///
  /// Its items are removed when the loop is deallocated. The `cancelled` closures of its sources are not called then: there is
  /// no loop left to pass to them.
  public convenience init(clock: SystemClock) {
    do throws(SystemError) { try self.init(clock: clock, thread: .current) } catch { failForLack(error) }
  }

  /// - Throws: when no descriptor is left.
  init(clock: SystemClock, thread: ThreadRecord) throws(SystemError) {
    self.clock = clock
    self.thread = thread
    isMain = thread === ThreadRecord.main
    wakeUpState = try WakeUp(thread: thread)
    table = Lock(Table(common: CommonItems(wakeUp: wakeUpState)))
    try makeMode(.default).becomeCommon()
    if !thread.notifyAtEnd(self) {
      threadHasEnded()
      jobs.threadHasEnded(of: self)
    }
  }

  deinit {
    detachEverything()
  }

  /// Removes all items, which stay valid, and drops all blocks.
  func detachEverything() {
    let (modes, common) = table.withLock { ($0.modes, $0.common) }
    for item in common.all { _ = item.leave(common) }
    for mode in modes {
      for item in mode.items where item.detach(from: mode) { item.didLeave(mode) }
    }
    blocks.close()
  }

  // MARK: State

  /// True while the loop sleeps, or polls before it sleeps. From any thread.
  public var isWaiting: Bool { wakeUpState.isWaiting }

  /// The mode of the innermost run, nil while the loop does not run. From any thread.
  public var currentMode: Mode? { table.withLock { $0.running?.name } }

  /// The depth of nested runs on the calling thread; 0 outside all runs.
  package static var runDepth: Int { ThreadRecord.current.runDepth }

  /// True on the loop's own thread.
  package var isOnOwnThread: Bool { thread.isCurrent }

  /// The mode of the innermost run, and true if it is one of the common modes; nil while the loop does not run. From any thread.
  package var innermostRun: (mode: Mode, isCommon: Bool)? {
    table.withLock { table in table.running.map { ($0.name, $0.isCommon) } }
  }

  /// The earliest fire time of a mode's timers; nil without one. A timer whose callback is running does not count: its next
  /// time is not known yet.
  public func nextTimerFireTime(in mode: Mode) -> MonotonicTime? {
    table.withLock { $0.mode(mode) }?.nextFireTime
  }

  // MARK: Control

  /// Makes a loop that sleeps, or is about to sleep, begin another pass. Several wake-ups before that pass count as one.
  /// From any thread.
  public func wakeUp() { wakeUpState.wakeUp() }

  /// Ends the innermost run at the end of its pass; does nothing while the loop does not run. From any thread.
  public func stop() {
    stopRequested.store(true, ordering: .releasing)
    // On its own thread the loop checks the flag before it sleeps, and a wake-up could reach the outer run instead.
    if wakeUpState.isFromOutside { wakeUp() }
  }

  /// Queues a block, which is called once, in the first run in one of the modes. Blocks are called in the order in which
  /// they were queued. From any thread. A loop whose thread has ended releases it at once.
  ///
  /// Queuing does not wake the loop. Call `wakeUp()` as well, except in a callback on the loop's own thread.
  public func perform(in modes: [Mode] = [.common], _ block: @escaping @Sendable () -> Void) {
    if !blocks.append(block, modes: modes) { Self.reportEndedThread }
  }

  /// Queues a block of main-actor code; for the main thread's loops only.
  public func perform(in modes: [Mode] = [.common], onMain block: @escaping @MainActor () -> Void) {
    requireMainThreadsLoop()
    // Safe: this loop runs on the main thread only, and every run checks that.
    perform(in: modes, unsafeBitCast(block, to: (@Sendable () -> Void).self))
  }
}

// Mistakes of the program that the types cannot find. They end release builds too, since a data race would follow.
extension FrameLoop {
  /// Ends the program unless this is a loop of the main thread, where main-actor callbacks are safe.
  @inline(__always)
  func requireMainThreadsLoop() {
    if !isMain { failForMainActor() }
  }

  /// Ends the program unless the calling thread is the loop's, in the process that made the loop.
  @inline(__always)
  func requireOwnThread() {
    if thread !== ThreadRecord.current || forkCount != ForkCount.current { failForThread() }
  }

  private func failForMainActor() -> Never {
    fatalError(
      "framepace: an onMain callback was given to a loop of the thread '\(thread.name)'. It can only be given to a loop of the "
        + "process's main thread. (Swift Testing does not run @MainActor tests there on Linux; XCTest does.)")
  }

  private func failForThread() -> Never {
    if forkCount != ForkCount.current {
      fatalError(
        "framepace: a child process made by fork or daemon(3) ran a loop of its parent, whose descriptors it shares. Call fork or "
          + "daemon(3) before the first use of a loop, call exec in the child, or make a loop of its own there with "
          + "FrameLoop(clock:).")
    }
    let hint =
      isMain ? " Is the program's `main` asynchronous? It leaves the main thread at its first suspension." : ""
    fatalError(
      "framepace: the loop of the thread '\(thread.name)' was run by the thread '\(ThreadRecord.current.name)'. A loop can only "
        + "be run by its own thread.\(hint)")
  }
}
