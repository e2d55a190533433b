import Glibc

/// Threads of our own for work that must not hold up the main thread: bitmaps to draw, bands to composite.
///
/// The threads are named `framepace-w0`, `framepace-w1`, … and sleep without a single wake-up while there is nothing to do.
/// They block every signal, so that signals reach the thread that asked for them. Every entry may be called from any
/// thread, from inside jobs too.
public final class WorkerPool: Sendable {
  /// Which waiting work is taken first. Work that has begun is never interrupted.
  public enum Priority: Int, Sendable, CaseIterable {
    /// What the frame under way waits for.
    case compositing
    /// What appears when it is finished.
    case drawing
  }

  /// The threads that the system granted; fewer than asked for when it ran out.
  public let threadCount: Int
  private let queue: WorkerQueue

  /// One thread per core that is online, and at least two.
  public static var defaultThreadCount: Int { max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  /// Starts the threads, from 1 to 1,024.
  public init(threads: Int = WorkerPool.defaultThreadCount) {
    let queue = WorkerQueue()
    self.queue = queue
    threadCount = queue.start(threads: min(max(threads, 1), 1024))
  }

  /// Lets the threads finish what waits and end, without waiting for them.
  deinit {
    for thread in queue.close() { thread.detach() }
  }

  /// How many threads may work at the same time, from 1 to `threadCount`. Lowered by one while a finger is down, so that
  /// the main thread has a core; takes effect as running jobs end. Callers of `concurrentPerform` do not count.
  public var activeThreadLimit: Int {
    get { min(queue.activeLimit, threadCount) }
    set { queue.setActiveLimit(max(newValue, 1)) }
  }

  /// Has a thread run `job`: after the jobs of the same priority that were submitted before.
  ///
  /// - Returns: false, without running it, after `shutdown`.
  @discardableResult
  public func submit(_ priority: Priority, _ job: @escaping @Sendable () -> Void) -> Bool {
    if threadCount == 0 {  // The system granted none: late is better than never.
      job()
      return true
    }
    return queue.submit(priority, job)
  }

  /// Calls `body` once with every number from 0 up to `iterations`, on the calling thread and on threads that are free,
  /// and returns when all calls have returned. The calling thread alone carries it to its end when no other is free.
  ///
  /// Nothing is allocated; a closure that captures something is itself, so that who calls this every frame keeps it. (It is
  /// not kept here, but a closure that may not escape could only be shared by way of the heap.) `body` must be safe to call
  /// from several threads at once; the type system is not asked, since callers share pixels of which each writes its own.
  public func concurrentPerform(iterations: Int, priority: Priority, _ body: @escaping (Int) -> Void) {
    guard iterations > 1, threadCount > 0 else {
      for index in 0..<max(iterations, 0) { body(index) }
      return
    }
    var batch = WorkerBatch(body: body, count: iterations)
    withUnsafeMutablePointer(to: &batch) { queue.perform($0, priority) }
  }

  /// Refuses new jobs, runs those that wait, and returns when all threads have ended. Called from a job it does not wait
  /// for that job's own thread.
  public func shutdown() {
    for thread in queue.close() {
      if thread.isCurrent { thread.detach() } else { thread.join() }
    }
  }
}

/// The calls of one `concurrentPerform`. Lives on the caller's stack until all of them have returned; reached by other
/// threads through the queue only.
struct WorkerBatch {
  let body: (Int) -> Void
  let count: Int
  /// The next number to hand out.
  var next = 0
  /// How many calls have returned.
  var finished = 0
  var following: UnsafeMutablePointer<WorkerBatch>?

  init(body: @escaping (Int) -> Void, count: Int) {
    self.body = body
    self.count = count
  }
}
