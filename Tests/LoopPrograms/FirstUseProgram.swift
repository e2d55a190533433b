import Glibc
import RunLoops

/// Uses `FrameLoop.main` before the main thread has used any loop.
enum FirstUseProgram {
  /// - Returns: the exit status.
  static func run(question: String?) -> Int32 {
    // A thread that waited for itself would never end; this ends it.
    alarm(60)
    switch question {
    case "wait":
      let answer = try? FrameLoop.main.performAndWait { 7 }
      return answer == 7 ? 0 : 1
    case "isolation": return FrameLoop.main.isIsolatingCurrentContext() == true ? 0 : 1
    case "other-thread":
      // A new thread must not be taken for the main thread.
      var thread = pthread_t()
      pthread_create(
        &thread, nil,
        { _ in UnsafeMutableRawPointer(bitPattern: FrameLoop.main.isIsolatingCurrentContext() == true ? 1 : 2) }, nil)
      var answer: UnsafeMutableRawPointer?
      pthread_join(thread, &answer)
      return answer == UnsafeMutableRawPointer(bitPattern: 2) ? 0 : 1
    default: return 2
    }
  }
}
