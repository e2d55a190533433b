import Glibc
import LinuxSystem

/// How long another thread or task may take to get somewhere: on a machine with more tests than cores, and under a sanitizer,
/// a new task comes after all tests that wait already.
private let patience = Nanoseconds.seconds(300)

/// Looks again and again until another thread has got somewhere. After a while it leaves the core to others: the machine may
/// have fewer than there are tests. What never comes ends the tests, with the line that waited for it.
package func spin(file: StaticString = #file, line: UInt = #line, until condition: () -> Bool) {
  let end = SystemClock.monotonic.now + patience
  var looks = 0
  while !condition() {
    looks += 1
    if looks < 200 { sched_yield() } else { usleep(50) }
    giveUp(after: end, file, line)
  }
}

/// The same for a task.
package func suspend(file: StaticString = #file, line: UInt = #line, until condition: () async -> Bool) async {
  let end = SystemClock.monotonic.now + patience
  var looks = 0
  while await !condition() {
    looks += 1
    if looks < 50 { await Task.yield() } else { try? await Task.sleep(nanoseconds: 50_000) }
    giveUp(after: end, file, line)
  }
}

private func giveUp(after end: MonotonicTime, _ file: StaticString, _ line: UInt) {
  // To go on would hang somewhere else, where nobody knows why.
  if SystemClock.monotonic.now > end {
    fatalError("what is waited for here did not come in \(patience.seconds) s", file: file, line: line)
  }
}
