/// A loop's thread is an executor of tasks: a task that prefers it does there what it does outside of actors, or in actors that
/// have no executor of their own.
///
///     Task(executorPreference: thread) { await load() }
///
/// Child tasks prefer the thread, too. The jobs of tasks and those of the actors that live on the thread are run in the order
/// in which they came, and under the same rules: see `FrameLoop` as an executor. `assumeIsolated` of those actors passes in
/// such a task. The thread's object lives as long as the task does.
extension LoopThread: TaskExecutor {
  // Not the loop, which is given the jobs of actors by the same call: for one that is both executors, tasks would be isolated
  // to it, and take a turn for each function that is isolated to nothing.

  /// For Swift's concurrency: queues a job. From any thread.
  public func enqueue(_ job: consuming ExecutorJob) {
    loop.jobs.add(UnownedJob(job), of: self, to: loop)
  }
}
