import Glibc
import Testing

@testable import LinuxSystem

struct StandardErrorTests {
  /// A pipe without a reader sends no signal, which would end this process, and leaves none behind.
  @Test func aClosedReaderEndsNothing() {
    let before = signal(SIGPIPE, SIG_DFL)
    defer { signal(SIGPIPE, before) }
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    StandardError.write("read\n", to: ends[1])
    var bytes = [UInt8](repeating: 0, count: 10)
    #expect(read(ends[0], &bytes, bytes.count) == 5)
    close(ends[0])
    StandardError.write("not read\n", to: ends[1])
    close(ends[1])
    var pending = sigset_t()
    sigpending(&pending)
    #expect(sigismember(&pending, SIGPIPE) == 0)
  }
}
