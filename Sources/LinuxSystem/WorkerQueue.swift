import Glibc

/// The state that the threads of a pool share with its callers.
///
/// Safe to share although unchecked: everything but the mutex and the conditions is used only between `lock` and `unlock`,
/// and no job runs there.
final class WorkerQueue: @unchecked Sendable {
  private typealias Job = @Sendable () -> Void
  private typealias Batch = UnsafeMutablePointer<WorkerBatch>

  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  /// Signalled when there is work to take, or when the queue was closed.
  private let wake: UnsafeMutablePointer<pthread_cond_t>
  /// Signalled when the last call of a batch has returned.
  private let batchFinished: UnsafeMutablePointer<pthread_cond_t>

  private var threads: [SystemThread] = []
  /// The batch that each thread makes a call of.
  private var called: [Batch?] = []
  /// For how long each thread had had a processor when somebody began to wait for its call.
  private var processorTimes: [Nanoseconds] = []
  /// A caller that waits no longer does not ask why.
  private static let shortWait = Nanoseconds.microseconds(500)
  /// How often younger jobs may be taken before the oldest drawing.
  private static let patience = 3

  /// The waiting jobs of each priority.
  private var jobs = [JobRing](repeating: JobRing(), count: WorkerPool.Priority.allCases.count)
  /// The number of jobs that ever came.
  private var jobCount: UInt64 = 0
  /// How often the oldest drawing was passed over.
  private var passes = 0
  /// The first batch of each priority that has numbers left.
  private var batches = [Batch?](repeating: nil, count: WorkerPool.Priority.allCases.count)
  private var limit = Int.max
  private var running = 0
  private var isClosed = false

  init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    wake = .allocate(capacity: 1)
    wake.initialize(to: pthread_cond_t())
    pthread_cond_init(wake, nil)
    batchFinished = .allocate(capacity: 1)
    batchFinished.initialize(to: pthread_cond_t())
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(batchFinished, &attributes)
  }

  deinit {
    pthread_cond_destroy(batchFinished)
    batchFinished.deallocate()
    pthread_cond_destroy(wake)
    wake.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  private func lock() { pthread_mutex_lock(mutex) }
  private func unlock() { pthread_mutex_unlock(mutex) }

  // MARK: Callers

  /// Starts up to `count` threads and returns their number.
  func start(threads count: Int) -> Int {
    lock()
    defer { unlock() }
    for index in 0..<count {
      guard let thread = try? SystemThread(name: "framepace-w\(index)", { [self] in work(index) }) else { break }
      threads.append(thread)
    }
    called = Array(repeating: nil, count: threads.count)
    processorTimes = Array(repeating: .zero, count: threads.count)
    return threads.count
  }

  /// Makes the threads end when no work is left, and returns them for joining or detaching. A second call returns none.
  func close() -> [SystemThread] {
    lock()
    defer { unlock() }
    isClosed = true
    pthread_cond_broadcast(wake)
    defer { threads = [] }
    return threads
  }

  var activeLimit: Int {
    lock()
    defer { unlock() }
    return limit
  }

  func setActiveLimit(_ newLimit: Int) {
    lock()
    defer { unlock() }
    limit = newLimit
    pthread_cond_broadcast(wake)
  }

  func submit(_ priority: WorkerPool.Priority, _ job: @escaping @Sendable () -> Void) -> Bool {
    lock()
    defer { unlock() }
    if isClosed { return false }
    jobCount += 1
    jobs[priority.rawValue].append(job, number: jobCount)
    if running < limit { pthread_cond_signal(wake) }
    return true
  }

  /// Works on `batch` until all of its calls have returned.
  func perform(_ batch: UnsafeMutablePointer<WorkerBatch>, _ priority: WorkerPool.Priority) {
    lock()
    append(batch, priority)
    if running < limit { pthread_cond_broadcast(wake) }
    while batch.pointee.next < batch.pointee.count { call(batch, priority) }
    if batch.pointee.finished < batch.pointee.count { awaitCalls(of: batch) }
    unlock()
  }

  /// Waits until all calls have returned. The lock is held before and after.
  private func awaitCalls(of batch: Batch) {
    var limit = (SystemClock.monotonic.now + Self.shortWait).timespec
    while batch.pointee.finished < batch.pointee.count {
      guard batch.pointee.awaitedSince == nil else {
        pthread_cond_wait(batchFinished, mutex)
        continue
      }
      guard pthread_cond_timedwait(batchFinished, mutex, &limit) == ETIMEDOUT else { continue }
      for index in threads.indices where called[index] == batch { processorTimes[index] = threads[index].processorTime }
      batch.pointee.awaitedSince = SystemClock.monotonic.now
    }
  }

  /// Does what a thread would do next, on the calling one. Returns false if no work waits, or if no further thread may work.
  func runNextJob() -> Bool {
    lock()
    defer { unlock() }
    guard running < limit else { return false }
    running += 1
    defer { running -= 1 }
    return runNext(on: nil)
  }

  // MARK: Threads

  private func work(_ thread: Int) {
    lock()
    while true {
      if running < limit {
        running += 1
        while running <= limit, runNext(on: thread) {}
        running -= 1
      }
      if isClosed, !hasWork { break }
      pthread_cond_wait(wake, mutex)
    }
    // Another thread may sleep because this one was counted as active: it must notice the end too.
    pthread_cond_broadcast(wake)
    unlock()
  }

  private var hasWork: Bool {
    jobs.contains { !$0.isEmpty } || batches.contains { $0 != nil }
  }

  /// Runs one job or one call of a batch with the lock released. Returns false if no work waits. The lock is held before and
  /// after.
  ///
  /// - Parameter thread: the number of the pool's thread; nil for another one.
  private func runNext(on thread: Int?) -> Bool {
    for priority in WorkerPool.Priority.allCases {
      if let batch = batches[priority.rawValue] {
        call(batch, priority, on: thread)
        return true
      }
      if !jobs[priority.rawValue].isEmpty, let job = jobs[choice(for: priority)].removeFirst() {
        unlock()
        runAndRelease(job)
        lock()
        return true
      }
    }
    return false
  }

  /// The ring of which the next job is taken where `priority` is the highest one that waits: its own, or that of the oldest drawing.
  private func choice(for priority: WorkerPool.Priority) -> Int {
    guard priority != .compositing else { return priority.rawValue }
    var oldest = priority.rawValue
    for index in oldest..<jobs.count where jobs[index].firstNumber < jobs[oldest].firstNumber { oldest = index }
    let isPassedOver = oldest != priority.rawValue && passes < Self.patience
    passes = isPassedOver ? passes + 1 : 0
    return isPassedOver ? priority.rawValue : oldest
  }

  /// Releases the job's captured values before the lock is taken again: they may be large, or contain this pool.
  @inline(never)
  private func runAndRelease(_ job: consuming @escaping Job) {
    job()
  }

  /// Makes the next call of a batch with the lock released. The lock is held before and after; the batch may be gone
  /// afterwards.
  private func call(_ batch: UnsafeMutablePointer<WorkerBatch>, _ priority: WorkerPool.Priority, on thread: Int? = nil) {
    let index = batch.pointee.next
    batch.pointee.next += 1
    if batch.pointee.next == batch.pointee.count { remove(batch, priority) }
    let body = batch.pointee.body  // The value is read here, because other threads may change the batch during the call.
    if let thread { called[thread] = batch }
    unlock()
    body(index)
    lock()
    if let thread { called[thread] = nil }
    batch.pointee.finished += 1
    if let thread, let since = batch.pointee.awaitedSince, batch.pointee.finished == batch.pointee.count {
      let clock = SystemClock.monotonic
      batch.pointee.delay = max(clock.now - since - (clock.threadProcessorTime - processorTimes[thread]), .zero)
    }
    if batch.pointee.finished == batch.pointee.count { pthread_cond_broadcast(batchFinished) }
  }

  private func append(_ batch: UnsafeMutablePointer<WorkerBatch>, _ priority: WorkerPool.Priority) {
    guard var last = batches[priority.rawValue] else {
      batches[priority.rawValue] = batch
      return
    }
    while let following = last.pointee.following { last = following }
    last.pointee.following = batch
  }

  private func remove(_ batch: UnsafeMutablePointer<WorkerBatch>, _ priority: WorkerPool.Priority) {
    guard var current = batches[priority.rawValue] else { return }
    if current == batch {
      batches[priority.rawValue] = batch.pointee.following
      return
    }
    while let following = current.pointee.following {
      if following == batch {
        current.pointee.following = batch.pointee.following
        return
      }
      current = following
    }
  }
}

/// A ring of numbered jobs, first in, first out. It grows and never shrinks.
private struct JobRing {
  private struct Slot {
    let number: UInt64
    let job: @Sendable () -> Void
  }

  private var slots: [Slot?] = Array(repeating: nil, count: 16)
  private var head = 0
  private var count = 0

  var isEmpty: Bool { count == 0 }

  /// The number of the first job; the largest number if there is none.
  var firstNumber: UInt64 { slots[head]?.number ?? .max }

  mutating func append(_ job: @escaping @Sendable () -> Void, number: UInt64) {
    if count == slots.count {
      slots = Array(slots[head...] + slots[..<head]) + Array(repeating: nil, count: slots.count)
      head = 0
    }
    slots[(head + count) % slots.count] = Slot(number: number, job: job)
    count += 1
  }

  mutating func removeFirst() -> (@Sendable () -> Void)? {
    guard count > 0 else { return nil }
    defer {
      slots[head] = nil
      head = (head + 1) % slots.count
      count -= 1
    }
    return slots[head]?.job
  }
}
