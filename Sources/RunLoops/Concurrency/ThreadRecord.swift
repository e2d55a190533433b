import CLinux
import Glibc
import LinuxSystem
import Synchronization

/// The loops of a thread: its own, made on first use and released when the thread ends, the running one, and others that were
/// made on it.
///
/// Safe to share although unchecked: only the record's own thread uses the variables. Other threads compare the record's
/// address, and use the state under the lock.
final class ThreadRecord: @unchecked Sendable {
  /// The thread's name, for error messages.
  let name: String
  private var own: FrameLoop?
  /// The running loop of this thread; the innermost of several.
  var running: FrameLoop?
  /// The depth of nested runs on this thread.
  var runDepth = 0
  /// All loops of the thread that are left.
  private let loops = Lock<[WeakLoop]>([])
  private let ended = Atomic<Bool>(false)
  /// Ended loops whose jobs wait for a thread that stands in for this one; nil while no thread has this record.
  private let lateLoops = Lock<[FrameLoop]?>([])

  private struct WeakLoop {
    weak let loop: FrameLoop?
  }

  init(name: String) {
    self.name = name
  }

  /// The record of the process's main thread. Any thread may ask for it, also before the main thread uses a loop.
  static let main = ThreadRecord(name: "main")

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let error = pthread_key_create(&key) { pointer in
      guard let pointer else { return }
      // Callbacks during the loop's end still find it as their thread's loop.
      pthread_setspecific(ThreadRecord.key, pointer)
      Unmanaged<ThreadRecord>.fromOpaque(pointer).takeUnretainedValue().end()
    }
    precondition(error == 0, "framepace: no thread-specific key left in this process")
    return key
  }()

  static var current: ThreadRecord {
    if let pointer = pthread_getspecific(key) { return Unmanaged.fromOpaque(pointer).takeUnretainedValue() }
    let record = clinux_is_main_thread() != 0 ? main : ThreadRecord(name: SystemThread.currentName)
    record.makeCurrent()
    return record
  }

  /// True on this record's thread.
  @inline(__always)
  var isCurrent: Bool {
    guard let pointer = pthread_getspecific(Self.key) else { return isOfNewThread }
    return pointer == UnsafeMutableRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }

  /// The same for a thread that has used no loop yet. It may be the main thread, whose record exists from the start.
  @inline(never)
  private var isOfNewThread: Bool { Self.current === self }

  /// The loop of this record's thread.
  var loop: FrameLoop {
    if self === Self.main { return .main }
    if let own { return own }
    let loop = orFatal { () throws(SystemError) in try FrameLoop(clock: .monotonic, thread: self) }
    own = loop
    return loop
  }

  /// True once the thread's end has begun: its loops take nothing more.
  var hasEnded: Bool { ended.load(ordering: .acquiring) }

  // MARK: Begin and end

  /// Makes the calling thread this record's thread, with `loop` as its own. The thread must not have used a loop before.
  func begin(with loop: FrameLoop) {
    makeCurrent()
    own = loop
  }

  private func makeCurrent() {
    pthread_setspecific(Self.key, Unmanaged.passRetained(self).toOpaque())
  }

  /// Registers a new loop of this thread to be notified of the thread's end.
  /// - Returns: false if the thread has ended already.
  func notifyAtEnd(_ loop: FrameLoop) -> Bool {
    let present: [FrameLoop]? = loops.withLock { loops in
      guard !hasEnded else { return nil }
      let present = loops.compactMap(\.loop)
      loops = (present + [loop]).map(WeakLoop.init)
      return present
    }
    // Released outside the lock: one of these may be a loop's last reference.
    return withExtendedLifetime(present) { present != nil }
  }

  /// Notifies all loops, and releases the thread's own loop. Called on this record's thread, which uses no loop any more.
  func end() {
    let present = loops.withLock { loops in
      ended.store(true, ordering: .releasing)
      return exchange(&loops, with: []).compactMap(\.loop)
    }
    for loop in present { loop.threadHasEnded() }
    // Only now: what the loops release may have asked for the thread's own loop.
    withExtendedLifetime(exchange(&own, with: nil)) {}
    for loop in present { loop.jobs.threadHasEnded(of: loop) }
    pthread_setspecific(Self.key, nil)
    let next: FrameLoop? = lateLoops.withLock { loops in
      if loops?.isEmpty ?? true { loops = nil }
      return loops?.removeFirst()
    }
    if let next { startThread(for: next) }
    Unmanaged.passUnretained(self).release()
  }

  // MARK: After the end

  /// Lets another thread run the jobs of an ended loop in this one's place: at once, or after the thread that has this record
  /// now. Two at a time would share its variables.
  func standIn(for loop: FrameLoop) {
    let isFree = lateLoops.withLock { loops in
      defer { loops = loops.map { $0 + [loop] } ?? [] }
      return loops == nil
    }
    if isFree { startThread(for: loop) }
  }

  private func startThread(for loop: FrameLoop) {
    let thread = orFatal("Raise the limit of threads (ulimit -u).") { () throws(SystemError) in
      try SystemThread(name: name) { [self] in
        begin(with: loop)
        loop.jobs.runLate(on: loop)
        end()
      }
    }
    thread.detach()
  }
}

/// Tells a process from the child processes that it forks: they share its memory's contents, and the descriptors of its loops.
enum ForkCount {
  private static let count = Atomic<Int>(0)
  private static let isCounting: Void = { pthread_atfork(nil, nil) { count.wrappingAdd(1, ordering: .relaxed) } }()

  /// The number of forks between the first use of a loop and this process.
  static var current: Int {
    _ = isCounting
    return count.load(ordering: .relaxed)
  }
}
