import Glibc

/// A pool of threads for work that must not delay the main thread, such as drawing bitmaps and compositing bands.
///
/// ```swift
/// let pool = WorkerPool()
/// pool.submit(.drawing) { draw(bitmap) }
/// ```
///
/// The threads are named `framepace-w0`, `framepace-w1`, … and sleep without wake-ups while there is nothing to do. They
/// block all signals, so that signals reach the thread that handles them. Any thread may call every function, also from
/// inside jobs.
public final class WorkerPool: Sendable {
  /// The order in which waiting work is taken: by priority, and among equals in the order in which it came. But the drawing that
  /// has waited longest is passed over by others three times at most. `concurrentPerform` and compositing come before drawings.
  /// Work that has begun is never interrupted.
  public enum Priority: Int, Sendable, CaseIterable {
    /// Work that the current frame waits for.
    case compositing
    /// A drawing that is wanted before others.
    case highDrawing
    /// Work whose result appears when it is finished.
    case drawing
    /// A drawing that is not seen yet.
    case lowDrawing
  }

  /// The number of threads. The system may grant fewer than requested.
  public let threadCount: Int
  private let queue: WorkerQueue
  private let worksWhenAwaited: Bool

  /// One thread per core that is online, and at least two.
  public static var defaultThreadCount: Int { max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  /// Starts 1 to 1,024 threads.
  public init(threads: Int = WorkerPool.defaultThreadCount) {
    let queue = WorkerQueue()
    self.queue = queue
    worksWhenAwaited = false
    threadCount = queue.start(threads: min(max(threads, 1), 1024))
  }

  /// A pool without threads, for tests: `runNextJob()` does what one of `count` threads would do next.
  ///
  /// - Parameter worksWhenAwaited: true to do all jobs on the thread that begins to wait for them.
  package init(simulatedThreads count: Int, worksWhenAwaited: Bool = false) {
    self.worksWhenAwaited = worksWhenAwaited
    queue = WorkerQueue()
    threadCount = max(count, 1)
    queue.setActiveLimit(threadCount)
  }

  /// Runs the job that a free thread would take next, on the calling thread. What a job calls runs while that job is under way: it
  /// may run further ones, as other threads would.
  ///
  /// - Returns: false if nothing waits, or if as many jobs are under way as the pool may run at the same time.
  package func runNextJob() -> Bool { queue.runNextJob() }

  /// To be called by a thread that waits for jobs from now on.
  package func willWait() {
    while worksWhenAwaited, runNextJob() {}
  }

  /// Lets the threads finish the waiting work and end, without waiting for them.
  deinit {
    for thread in queue.close() { thread.detach() }
  }

  /// The number of threads that may work at the same time, from 1 to `threadCount`. It is lowered by one while a finger is
  /// down, so that the main thread has a core. A change takes effect as running jobs end. Callers of `concurrentPerform` do
  /// not count.
  package var activeThreadLimit: Int {
    get { min(queue.activeLimit, threadCount) }
    set { queue.setActiveLimit(max(newValue, 1)) }
  }

  /// Runs `job` on a thread, in the order of `Priority`.
  ///
  /// - Returns: false if the pool was shut down; the job does not run then.
  @discardableResult
  public func submit(_ priority: Priority, _ job: @escaping @Sendable () -> Void) -> Bool {
    if threadCount == 0 {  // The system granted no thread, so the caller runs the job.
      job()
      return true
    }
    return queue.submit(priority, job)
  }

  /// Calls `body` once with every number from 0 up to `iterations`, on the calling thread and on free threads. Returns when
  /// all calls have returned. If no thread is free, the calling thread makes all calls.
  ///
  /// The function does not allocate, but a closure with captured values does: store it if you call this every frame. (The
  /// closure is marked as escaping because a non-escaping one could only be shared through the heap.) `body` must be safe to
  /// call from several threads at once. It is not `@Sendable`, since callers share pixels of which each call writes its own.
  ///
  /// - Returns: how long the caller, at the end, waited for a thread that had no processor. The first half of a millisecond does not count, and
  ///   costs nothing.
  @discardableResult
  public func concurrentPerform(iterations: Int, priority: Priority, _ body: @escaping (Int) -> Void) -> Nanoseconds {
    guard iterations > 1, threadCount > 0 else {
      for index in 0..<max(iterations, 0) { body(index) }
      return .zero
    }
    var batch = WorkerBatch(body: body, count: iterations)
    withUnsafeMutablePointer(to: &batch) { queue.perform($0, priority) }
    return batch.delay
  }

  /// Refuses new jobs, runs the waiting ones, and returns when all threads have ended. A call from a job does not wait for
  /// that job's own thread.
  public func shutdown() {
    for thread in queue.close() {
      if thread.isCurrent { thread.detach() } else { thread.join() }
    }
  }
}

/// The calls of one `concurrentPerform`. It is on the caller's stack until all calls have returned, and other threads reach
/// it only through the queue.
struct WorkerBatch {
  let body: (Int) -> Void
  let count: Int
  /// The next number to hand out.
  var next = 0
  /// The number of calls that have returned.
  var finished = 0
  /// Since when the time counts for which the caller waits; nil before.
  var awaitedSince: MonotonicTime?
  /// How long it has waited since for a thread without a processor.
  var delay = Nanoseconds.zero
  var following: UnsafeMutablePointer<WorkerBatch>?

  init(body: @escaping (Int) -> Void, count: Int) {
    self.body = body
    self.count = count
  }
}
