import LinuxSystem
import Synchronization

/// The jobs of actors that live on a loop, and of tasks that prefer its thread.
///
/// The loop serves them like the main queue's blocks: all waiting jobs are run in one pass, later ones in the next, and none by
/// a run nested in a job, which would enter an actor twice. A job cannot be refused, or its task would never end: jobs that
/// are left at the end of the loop's thread, or queued after it, are run by a late thread in its place.
final class JobQueue: Sendable {
  private struct Job {
    let job: UnownedJob
    /// The executor of a task's job; nil for an actor's job. Retained, as the task may end and release it during the job.
    let taskExecutor: LoopThread?

    func run(on loop: FrameLoop) {
      if let taskExecutor {
        job.runSynchronously(on: taskExecutor.asUnownedTaskExecutor())
      } else {
        job.runSynchronously(on: loop.asUnownedSerialExecutor())
      }
    }
  }

  private struct State {
    var jobs: [Job] = []
    /// An empty array, kept for its memory.
    var spare: [Job] = []
    var server = Server.loop
    /// True while the source is in the common modes, because a job waits.
    var isCalling = false
  }

  private enum Server {
    case loop
    /// The loop's thread has ended, and no job waits.
    case nobody
    case lateThread
  }

  private let state = Lock(State())
  private let source = FrameLoop.Source(.onLoop { _ in ThreadRecord.current.running?.runWaitingJobs() })
  /// Written only by the thread that runs the jobs.
  private let isRunning = Atomic<Bool>(false)

  /// The number of waiting jobs.
  var count: Int { state.withLock { $0.jobs.count } }

  func add(_ job: UnownedJob, of taskExecutor: LoopThread? = nil, to loop: FrameLoop) {
    let job = Job(job: job, taskExecutor: taskExecutor)
    // All under the lock: as soon as a job can be taken, it may end, and the loop be deallocated with it, before this
    // returns. (The caller that enqueues does not retain an executor.)
    let mustStartThread = state.withLock { state in
      state.jobs.append(job)
      switch state.server {
      case .loop:
        if !state.isCalling {
          state.isCalling = true
          loop.insert(source, .common)
        }
        source.signal()
        loop.wakeUp()
        return false
      case .nobody:
        state.server = .lateThread
        return true
      case .lateThread: return false
      }
    }
    // No other thread takes the job before.
    if mustStartThread { loop.thread.standIn(for: loop) }
  }

  /// Runs the jobs that wait by now, on the loop's thread.
  func runWaiting(on loop: FrameLoop) {
    guard !isRunning.load(ordering: .relaxed) else { return }
    var taken = state.withLock { state in
      let taken = state.jobs
      state.jobs = state.spare
      state.spare = []
      return taken
    }
    guard !taken.isEmpty else { return }
    isRunning.store(true, ordering: .relaxed)
    for job in taken { job.run(on: loop) }
    isRunning.store(false, ordering: .relaxed)
    taken.removeAll(keepingCapacity: true)
    let spare = taken
    let isWaiting = state.withLock { state in
      state.spare = spare
      if state.jobs.isEmpty, state.isCalling {
        state.isCalling = false
        loop.remove(source, from: .common)
      }
      return !state.jobs.isEmpty
    }
    // A run nested in a job may have consumed the signal.
    if isWaiting { source.signal() }
  }

  // MARK: After the end

  /// Lets another thread run the waiting jobs, and all later ones.
  func threadHasEnded(of loop: FrameLoop) {
    if needsLateThread() { loop.thread.standIn(for: loop) }
  }

  /// Runs jobs on a thread that stands in for the loop's, until none waits.
  func runLate(on loop: FrameLoop) {
    repeat { runWaiting(on: loop) } while needsLateThread()
  }

  private func needsLateThread() -> Bool {
    state.withLock { state in
      state.server = state.jobs.isEmpty ? .nobody : .lateThread
      return !state.jobs.isEmpty
    }
  }
}

/// A loop is an executor: an actor with a loop's `unownedExecutor` lives on the loop's thread. See `LoopThread`. Actors of
/// one loop call each other without a turn of the loop.
///
/// Jobs are run in the order in which they were queued, in runs in the common modes; a run nested in a job runs none. One pass
/// runs the waiting jobs, which counts as a handled source. A waiting job keeps a run alive, an actor does not: use a
/// `LoopThread` for actors, or give the loop another item to wait for. After the end of the loop's thread, a thread that is
/// started for them runs the remaining jobs: no task is lost.
extension FrameLoop: SerialExecutor {
  /// Queues a job; for the Swift runtime. From any thread.
  public func enqueue(_ job: consuming ExecutorJob) {
    jobs.add(UnownedJob(job), to: self)
  }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  /// True on the loop's thread, so that `assumeIsolated` of the loop's actors succeeds in the loop's callbacks.
  public func isIsolatingCurrentContext() -> Bool? { thread.isCurrent }

  /// Ends the process unless the calling thread is the loop's.
  public func checkIsolated() {
    precondition(thread.isCurrent, "not on the thread of the loop that the actor lives on")
  }

  func runWaitingJobs() { jobs.runWaiting(on: self) }

  /// Called when the loop cannot run any more: removes items and blocks, and refuses waiting performers.
  func threadHasEnded() {
    detachEverything()
    performers.close(endError)
  }
}

/// A loop's thread is an executor of tasks: a task that prefers it runs there, outside of actors and in actors without an
/// executor of their own.
///
///     Task(executorPreference: thread) { await load() }
///
/// Child tasks prefer the thread too. Jobs of tasks and of the thread's actors are run in the order in which they were queued,
/// under the same rules: see `FrameLoop` as an executor. `assumeIsolated` of those actors succeeds in such a task. The
/// task keeps the `LoopThread` alive.
extension LoopThread: TaskExecutor {
  // The loop itself is not the task executor: it gets the jobs of actors by the same call. With one object for both, tasks
  // would be isolated to it, and take a turn for every nonisolated function.

  /// Queues a job; for the Swift runtime. From any thread.
  public func enqueue(_ job: consuming ExecutorJob) {
    loop.jobs.add(UnownedJob(job), of: self, to: loop)
  }
}
