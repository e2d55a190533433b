import CLinux
import Glibc
import LinuxSystem

/// The loops of a thread: its own, made on first use and released when the thread ends, the running one, and the loops that
/// are notified of the thread's end.
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
    let loop = FrameLoop(clock: .monotonic, thread: self)
    own = loop
    return loop
  }

  // MARK: Begin and end

  /// Makes the calling thread this record's thread, with `loop` as its own. The thread must not have used a loop before.
  func begin(with loop: FrameLoop) {
    makeCurrent()
    own = loop
  }

  private func makeCurrent() {
    pthread_setspecific(Self.key, Unmanaged.passRetained(self).toOpaque())
  }

  /// Registers one of this thread's loops to be notified of the thread's end.
  /// - Returns: false if the thread has ended already.
  func notifyAtEnd(_ loop: FrameLoop) -> Bool {
    let (isAccepted, present) = ending.withLock { ending -> (Bool, [FrameLoop]) in
      let present = ending.loops.compactMap(\.loop)
      guard !ending.hasEnded else { return (false, present) }
      ending.loops = (present.filter { $0 !== loop } + [loop]).map(WeakLoop.init)
      return (true, present)
    }
    // Released outside the lock: one of these may be a loop's last reference.
    withExtendedLifetime(present) {}
    return isAccepted
  }

  /// Releases the thread's own loop and notifies all registered loops. Called on this record's thread, which uses no loop
  /// any more.
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
