import Glibc
import RunLoops

/// Asks the main thread's loop something before that thread has used any loop.
enum FirstUseProgram {
  /// - Returns: the exit status.
  static func run(question: String?) -> Int32 {
    // A wait of the thread for itself would last.
    alarm(60)
    switch question {
    case "wait":
      let answer = try? FrameLoop.main.performAndWait { 7 }
      return answer == 7 ? 0 : 1
    case "isolation": return FrameLoop.main.isIsolatingCurrentContext() == true ? 0 : 1
    case "other-thread":
      // Main's own record is not every new thread's.
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
