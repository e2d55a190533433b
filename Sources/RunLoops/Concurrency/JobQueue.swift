import LinuxSystem
import Synchronization

/// The jobs of actors that live on a loop, and of tasks that prefer its thread: what it does for Swift's concurrency.
///
/// The loop serves them like the main queue's blocks: those that wait are run in one go, those that come meanwhile in the
/// next pass, and none by a run within a job, which would enter an actor twice. A job cannot be refused, or its task would
/// never end: what is left at the end of the loop's thread, or comes after it, is run by a late one, which takes that one's place.
final class JobQueue: Sendable {
  private struct Job {
    let job: UnownedJob
    /// A task's, nil for an actor's job. Held: the task may end, and let go of its executor, in the middle of its job.
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
    /// An empty array whose memory is used again.
    var spare: [Job] = []
    var server = Server.unset
    /// The source is in the common modes: something waits.
    var isCalling = false
  }

  private enum Server {
    /// There has been no job.
    case unset
    case loop
    /// The loop's thread has ended, and no job waits.
    case nobody
    case lateThread
  }

  private let state = Lock(State())
  private let source = FrameLoop.Source(.onLoop { _ in ThreadRecord.current.running?.runWaitingJobs() })
  /// Written by the thread that runs jobs only.
  private let isRunning = Atomic<Bool>(false)

  /// How many wait.
  var count: Int { state.withLock { $0.jobs.count } }

  func add(_ job: UnownedJob, of taskExecutor: LoopThread? = nil, to loop: FrameLoop) {
    let job = Job(job: job, taskExecutor: taskExecutor)
    // All of it alone: a job that can be taken may be over, and the loop's last owner gone with it, before this returns. (An
    // executor is not held by who enqueues.)
    let mustStartThread = state.withLock { state in
      state.jobs.append(job)
      if state.server == .unset { state.server = loop.thread.notifyAtEnd(loop) ? .loop : .nobody }
      switch state.server {
      case .loop:
        if !state.isCalling {
          state.isCalling = true
          loop.add(source, to: .common)
        }
        source.signal()
        loop.wakeUp()
        return false
      case .nobody:
        state.server = .lateThread
        return true
      case .unset, .lateThread: return false
      }
    }
    // Until then nobody takes the job.
    if mustStartThread { startLateThread(for: loop) }
  }

  /// Runs the jobs that wait by now, on the loop's thread.
  /// - Returns: whether there was one.
  @discardableResult
  func runWaiting(on loop: FrameLoop) -> Bool {
    guard !isRunning.load(ordering: .relaxed) else { return false }
    var taken = state.withLock { state in
      let taken = state.jobs
      state.jobs = state.spare
      state.spare = []
      return taken
    }
    guard !taken.isEmpty else { return false }
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
    // A run within a job may have taken the signal.
    if isWaiting { source.signal() }
    return true
  }

  // MARK: After the end

  func threadHasEnded(of loop: FrameLoop) {
    let isWaiting = state.withLock { state in
      // Who came since the end, and before it was told of here, has started the late thread: there must be no second one.
      guard state.server == .loop || state.server == .unset else { return false }
      state.server = state.jobs.isEmpty ? .nobody : .lateThread
      return !state.jobs.isEmpty
    }
    if isWaiting { startLateThread(for: loop) }
  }

  /// Runs what waits, on a thread that passes for the loop's, and ends when nothing does.
  private func startLateThread(for loop: FrameLoop) {
    let thread = orFatal("Raise the limit of threads (ulimit -u).") { () throws(SystemError) in
      try SystemThread(name: loop.thread.name) { [self] in
        repeat {
          loop.thread.begin(with: loop)
          while runWaiting(on: loop) {}
          loop.thread.end()
        } while !isDone()
      }
    }
    thread.detach()
  }

  private func isDone() -> Bool {
    state.withLock { state in
      if state.jobs.isEmpty { state.server = .nobody }
      return state.jobs.isEmpty
    }
  }
}
