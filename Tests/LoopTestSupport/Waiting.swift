import Glibc
package import LinuxSystem
package import RunLoops

/// Checks a condition again and again until another thread has made it true. After a while it yields the core: the machine
/// may have fewer cores than there are tests. If the condition never holds, the tests end with the line that waited for it.
package func spin(file: StaticString = #file, line: UInt = #line, until condition: () -> Bool) {
  var patience = Patience(file: file, line: line)
  while !condition() {
    if patience.look() < 200 { sched_yield() } else { usleep(50) }
  }
}

/// Like `spin`, for a task: the thread is free for other tasks between two checks.
package func suspend(file: StaticString = #file, line: UInt = #line, until condition: () async -> Bool) async {
  var patience = Patience(file: file, line: line)
  while await !condition() {
    if patience.look() < 50 { await Task.yield() } else { try? await Task.sleep(nanoseconds: 50_000) }
  }
}

extension FrameLoop {
  /// Holds the loop's thread until the returned latch is opened.
  package func hold() throws(PerformError) -> Latch {
    let (begun, go) = (Latch(), Latch())
    try performLater {
      begun.open()
      go.wait()
    }
    begun.wait()
    return go
  }
}

/// Gives up after a number of checks, and not before a time. Between two checks every waiting thread and task gets a turn, so
/// that a busy machine, on which checks are rare, is given more time.
private struct Patience {
  let file: StaticString
  let line: UInt
  private let end = SystemClock.monotonic.now + .seconds(60)
  private var looks = 0

  init(file: StaticString, line: UInt) {
    self.file = file
    self.line = line
  }

  /// - Returns: how many checks there were.
  mutating func look() -> Int {
    looks += 1
    // A test that went on would hang elsewhere, without a reason.
    if looks > 50_000, SystemClock.monotonic.now > end {
      fatalError("the condition did not hold within \(looks) checks and 60 s", file: file, line: line)
    }
    return looks
  }
}
