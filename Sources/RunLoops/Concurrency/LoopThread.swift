public import LinuxSystem
import Synchronization

/// A named thread that runs a loop until it is stopped.
///
/// Without work the thread sleeps in the kernel; its loop needs no item. Give it work with `loop.performLater` and
/// `loop.performAndWait`, add timers, sources and descriptors to `loop`, let tasks prefer it as their executor, or let an
/// actor live on it:
///
///     actor Renderer {
///       private let thread: LoopThread
///       nonisolated var unownedExecutor: UnownedSerialExecutor { thread.unownedExecutor }
///     }
///
/// A callback of the loop is on that actor's thread, but not in its isolation. `renderer.assumeIsolated { $0.draw() }` enters
/// the isolation without a hop.
///
/// The thread runs its loop in the default mode, and blocks all signals. It ends when it is stopped, or when this object is
/// deallocated; the loop does not keep it. Everything may be called from any thread, this one included.
public final class LoopThread: Sendable {
  /// The name. The system shows the characters of it that fit into 15 bytes.
  public let name: String
  /// The thread's loop. `loop.stop()` ends the innermost run only; after the outermost run the thread begins another.
  public let loop: FrameLoop
  private let ended = Latch()

  /// Starts the thread.
  ///
  /// - Parameter clock: the loop's clock. The thread runs at once, and moves a manual clock to its next timer by itself. If a
  ///   test is to move the clock step by step, let the test run a loop of its own.
  /// - Throws: `EAGAIN` if the system has no thread left, `EMFILE` if the process has no three descriptors left.
  public init(name: String, clock: SystemClock = .monotonic) throws(SystemError) {
    self.name = name
    let record = ThreadRecord(name: name)
    let loop = try FrameLoop(clock: clock, thread: record)
    self.loop = loop
    let keepAlive = FrameLoop.Source(.onLoop { _ in })
    loop.add(keepAlive, to: .default)
    // Retains the loop, and not this object, whose deallocation ends the thread.
    let thread = try SystemThread(name: name) { [ended] in
      record.begin(with: loop)
      while !loop.runsHaveEnded { loop.run(mode: .default) }
      keepAlive.invalidate()
      record.end()
      ended.open()
    }
    thread.detach()
  }

  deinit { stop() }

  /// True once `stop()` was called.
  public var isStopped: Bool { loop.runsHaveEnded }

  /// The value for the `unownedExecutor` of an actor that lives on this thread. The actor must retain the thread, as the executor does
  /// not.
  public var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Ends the thread, permanently. Returns at once; stopping again does nothing.
  ///
  /// The current callback returns, and all runs of the loop end with their pass, nested ones included. Waiting and new
  /// performers are refused with `PerformError.threadEnded`. Timers, sources and other items leave the loop when the thread
  /// ends, and can be added to another loop. Actors of the thread live on: a thread that is started for their jobs runs
  /// them.
  public func stop() {
    loop.performers.close(loop.endError)
    loop.endRuns()
  }

  /// Waits until the stopped thread has released its loop. On the thread itself it returns at once.
  public func waitUntilEnded() {
    if !loop.thread.isCurrent { ended.wait() }
  }
}

extension FrameLoop {
  var runsHaveEnded: Bool { runsEnd.load(ordering: .acquiring) }

  /// Ends all runs of the loop. A run that begins later ends with its first pass.
  func endRuns() {
    runsEnd.store(true, ordering: .releasing)
    stop()
  }

  /// Sets the stop flag for a run that begins, or restores it for the outer run.
  /// - Returns: the flag's former value.
  func exchangeStop(_ flag: Bool) -> Bool {
    let before = stopRequested.exchange(flag, ordering: .acquiringAndReleasing)
    // Either the exchange sees the write of `endRuns`, or `endRuns` sets the flag after the exchange.
    if runsEnd.load(ordering: .relaxed) { stopRequested.store(true, ordering: .releasing) }
    return before
  }
}
