import CLinux
import Glibc
import LinuxSystem

/// What a thread knows about its loops: its own, made on first use and let go when the thread ends, the one that runs, and
/// those that have to do something when it ends.
///
/// Safe to share although unchecked: the variables are touched by the record's own thread only; other threads only
/// compare the record's address, and go through the lock.
final class ThreadRecord: @unchecked Sendable {
  /// The thread's name, for errors.
  let name: String
  private var own: FrameLoop?
  /// The loop that runs on this thread; the innermost of several.
  var running: FrameLoop?
  /// How many runs of loops there are on this thread, one in another.
  var runDepth = 0
  private let ending = Lock(Ending())

  private struct Ending {
    var loops: [WeakLoop] = []
    var hasEnded = false
  }

  private struct WeakLoop {
    weak let loop: FrameLoop?
  }

  init(name: String) {
    self.name = name
  }

  /// The record of the process's main thread, which may be asked for by any thread before that one uses a loop.
  static let main = ThreadRecord(name: "main")

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let error = pthread_key_create(&key) { pointer in
      guard let pointer else { return }
      // Callbacks of the loop that goes still find it as their thread's.
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

  /// Whether the calling thread is this record's.
  @inline(__always)
  var isCurrent: Bool {
    guard let pointer = pthread_getspecific(Self.key) else { return isOfNewThread }
    return pointer == UnsafeMutableRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }

  /// The thread has used no loop yet. It may be the main thread, whose record was there before.
  @inline(never)
  private var isOfNewThread: Bool { Self.current === self }

  /// The loop of this record's thread.
  var loop: FrameLoop {
    if self === Self.main { return .main }
    if let own { return own }
    let loop = FrameLoop(clock: .monotonic, thread: self)
    own = loop
    return loop
  }

  // MARK: Begin and end

  /// Makes the calling thread, which has used no loop yet, this record's thread, and `loop` its own.
  func begin(with loop: FrameLoop) {
    makeCurrent()
    own = loop
  }

  private func makeCurrent() {
    pthread_setspecific(Self.key, Unmanaged.passRetained(self).toOpaque())
  }

  /// Has `loop`, one of this thread's, told when the thread has ended.
  /// - Returns: false when it has.
  func notifyAtEnd(_ loop: FrameLoop) -> Bool {
    let (isAccepted, present) = ending.withLock { ending -> (Bool, [FrameLoop]) in
      let present = ending.loops.compactMap(\.loop)
      guard !ending.hasEnded else { return (false, present) }
      ending.loops = (present.filter { $0 !== loop } + [loop]).map(WeakLoop.init)
      return (true, present)
    }
    // One of these may by now be a loop's last reference, and what goes with a loop must not find the lock taken.
    withExtendedLifetime(present) {}
    return isAccepted
  }

  /// The calling thread, which is this record's, uses no loop any more: lets its own loop go, and tells all of them.
  func end() {
    own?.detachEverything()
    own = nil
    let loops = ending.withLock { ending in
      ending.hasEnded = true
      defer { ending.loops = [] }
      return ending.loops.compactMap(\.loop)
    }
    for loop in loops { loop.threadHasEnded() }
    pthread_setspecific(Self.key, nil)
    Unmanaged.passUnretained(self).release()
  }
}
