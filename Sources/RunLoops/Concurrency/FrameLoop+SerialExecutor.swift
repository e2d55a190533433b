/// A loop is an executor: an actor whose `unownedExecutor` is a loop's lives on the loop's thread. See `LoopThread`. Actors
/// of one loop call each other without a turn of it.
///
/// Jobs are run in the order in which they came, in runs in the common modes; a run within a job runs none. One pass runs
/// those that wait when it comes to them, which counts as a source that was handled. A job that waits keeps a run alive, an
/// actor does not: a loop that is there for actors is a `LoopThread`'s, or has something else to wait for. When its thread
/// has ended, the jobs that wait and those that come are run one after another by a thread that is started for them: no
/// task is lost.
extension FrameLoop: SerialExecutor {
  /// For Swift's concurrency: queues a job. From any thread.
  public func enqueue(_ job: consuming ExecutorJob) {
    jobs.add(UnownedJob(job), to: self)
  }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  /// Whether the calling thread is the loop's. Makes `assumeIsolated` of the loop's actors pass in its callbacks.
  public func isIsolatingCurrentContext() -> Bool? { thread.isCurrent }

  /// Ends the process when the calling thread is not the loop's.
  public func checkIsolated() {
    precondition(thread.isCurrent, "not on the thread of the loop that the actor lives on")
  }

  func runWaitingJobs() { jobs.runWaiting(on: self) }

  /// The loop cannot run any more: refuses what waits to be performed, and has what waits to be run as a job run elsewhere.
  func threadHasEnded() {
    performers.close(endError)
    jobs.threadHasEnded(of: self)
  }
}
