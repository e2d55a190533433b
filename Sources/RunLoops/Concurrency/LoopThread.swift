public import LinuxSystem
import Synchronization

/// A named thread that is there for its loop, and lives until it is stopped.
///
/// Nobody has to give the loop something to wait for: without work the thread sleeps in the kernel. Give it work with
/// `loop.performLater` and `loop.performAndWait`, add timers, sources and descriptors to `loop`, have tasks prefer it as their
/// executor, or let an actor live on it:
///
///     actor Renderer {
///       private let thread: LoopThread
///       nonisolated var unownedExecutor: UnownedSerialExecutor { thread.unownedExecutor }
///     }
///
/// A callback of the loop is on that actor's thread, but not in its isolation: `renderer.assumeIsolated { $0.draw() }` enters
/// it, without a hop.
///
/// The thread runs its loop in the default mode, and blocks all signals. It ends when it is stopped, or when the last
/// reference to this object goes; the loop alone does not keep it. Everything may be called from any thread, also from this
/// one.
public final class LoopThread: Sendable {
  /// As it was given. The system shows the characters of it that fit whole into 15 bytes.
  public let name: String
  /// The thread's loop. `loop.stop()` ends the innermost run only; after the outermost the thread begins another.
  public let loop: FrameLoop
  private let ended = Latch()

  /// Starts the thread.
  ///
  /// - Parameter clock: what the loop measures time by. The thread runs at once, and a loop moves a manual clock to its next
  ///   timer by itself: one that a test shall move step by step belongs to a loop that the test runs.
  /// - Throws: `EAGAIN` when the system has no thread left.
  public init(name: String, clock: SystemClock = .monotonic) throws(SystemError) {
    self.name = name
    let record = ThreadRecord(name: name)
    let loop = FrameLoop(clock: clock, thread: record)
    self.loop = loop
    let keepAlive = FrameLoop.Source(.onLoop { _ in })
    loop.add(keepAlive, to: .default)
    // Holds the loop, and not this object: its last owner's end is the thread's end.
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

  /// Whether the thread was told to end.
  public var isStopped: Bool { loop.runsHaveEnded }

  /// For an actor's `unownedExecutor`: the actor then lives on this thread. It must keep the thread, not just its executor.
  public var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Ends the thread, for good. Returns at once; stopping again does nothing.
  ///
  /// What is being called returns, and all runs of the loop end with their pass, nested ones too. What waits to be
  /// performed is not: who waits for it gets `PerformError.threadEnded`, as does who gives work from now on. Timers,
  /// sources and the like leave the loop when the thread ends, and can be added to another one. Actors that live on it
  /// live on: what they do afterwards is done by a thread that the loop starts when it must, and that ends with its work.
  public func stop() {
    loop.performers.close(loop.endError)
    loop.endRuns()
  }

  /// Returns when the thread, once stopped, has let go of its loop; on the thread itself at once.
  public func waitUntilEnded() {
    if !loop.thread.isCurrent { ended.wait() }
  }
}

extension FrameLoop {
  var runsHaveEnded: Bool { runsEnd.load(ordering: .acquiring) }

  /// Ends all runs of the loop, and each that begins from now on with its first pass.
  func endRuns() {
    runsEnd.store(true, ordering: .releasing)
    stop()
  }

  /// A run takes the flag that says whether it is to stop, or gives it back to the run outside.
  /// - Returns: what the flag was.
  func exchangeStop(_ flag: Bool) -> Bool {
    let before = stopRequested.exchange(flag, ordering: .acquiringAndReleasing)
    // Either the exchange has seen what `endRuns` wrote before it set the flag, or the flag is set after it.
    if runsEnd.load(ordering: .relaxed) { stopRequested.store(true, ordering: .releasing) }
    return before
  }
}
