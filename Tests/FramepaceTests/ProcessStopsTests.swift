import Framepace
import Glibc
import LinuxSystem
import Testing

@_silgen_name("fork") private func forkProcess() -> pid_t

struct ProcessStopsTests {
  /// `timeout` and systemd send SIGCONT after SIGTERM, whether the process was stopped or not. (Real stops are in the tests of the command.)
  @Test func aSignalToGoOnIsNoStop() {
    ProcessStops.watch()
    let last = ProcessStops.lastEnd(on: .monotonic)
    for _ in 0..<3 { raise(SIGCONT) }
    #expect(ProcessStops.lastEnd(on: .monotonic) == last)
  }

  /// A child that was made by `fork` has no thread that looks.
  @Test func aChildIsNotHeldUp() {
    ProcessStops.watch()
    // The handler alone runs in the child, which then ends by the alarm if it is held up.
    let child = forkProcess()
    if child == 0 {
      alarm(10)
      raise(SIGCONT)
      _exit(3)
    }
    var status: Int32 = 0
    #expect(waitpid(child, &status, 0) == child)
    #expect(status == 3 << 8)
  }
}
