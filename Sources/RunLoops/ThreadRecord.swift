import CLinux
import Glibc
import LinuxSystem

/// What a thread knows about its loops: its own, made on first use and let go when the thread ends, and the one that runs.
///
/// Safe to share although unchecked: the two variables are touched by the record's own thread only; other threads only
/// compare the record's address.
final class ThreadRecord: @unchecked Sendable {
  private var own: FrameLoop?
  /// The loop that runs on this thread; the innermost of several.
  var running: FrameLoop?

  /// The record of the process's main thread, which may be asked for by any thread before that one uses a loop.
  static let main = ThreadRecord()

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let error = pthread_key_create(&key) { pointer in
      guard let pointer else { return }
      ThreadRecord.threadEnds(pointer)
    }
    precondition(error == 0, "framepace: no thread-specific key left in this process")
    return key
  }()

  static var current: ThreadRecord {
    if let pointer = pthread_getspecific(key) { return Unmanaged.fromOpaque(pointer).takeUnretainedValue() }
    let record = clinux_is_main_thread() != 0 ? main : ThreadRecord()
    pthread_setspecific(key, Unmanaged.passRetained(record).toOpaque())
    return record
  }

  @inline(__always)
  var isCurrent: Bool {
    pthread_getspecific(Self.key) == UnsafeMutableRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }

  /// The loop of this record's thread.
  var loop: FrameLoop {
    if self === Self.main { return .main }
    if let own { return own }
    let loop = FrameLoop(clock: .monotonic, thread: self)
    own = loop
    return loop
  }

  private static func threadEnds(_ pointer: UnsafeMutableRawPointer) {
    // Callbacks of the loop that goes still find it as their thread's.
    pthread_setspecific(key, pointer)
    let record = Unmanaged<ThreadRecord>.fromOpaque(pointer).takeRetainedValue()
    record.own?.detachEverything()
    record.own = nil
    pthread_setspecific(key, nil)
  }
}
