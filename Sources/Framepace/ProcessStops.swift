import Glibc
package import LinuxSystem
import Synchronization

/// The stops of the process, as by Ctrl-Z or `kill -STOP`.
///
/// A thread learns of them that blocks all signals: the kernel ends its `epoll_wait` with EINTR when the process goes on after a stop, and at no
/// other time (signal(7), "Interruption of system calls and library functions by stop signals"). SIGCONT tells less: `timeout` and systemd send it
/// after SIGTERM to processes that were never stopped. Its handler gives the thread the time and waits until that has looked, so that the loop
/// knows of a stop before it does anything else.
package enum ProcessStops {
  /// In nanoseconds; zero before the first.
  private static let end = Atomic<Int64>(0)
  /// The process that has the thread; zero before there is one. A child that `fork` made has none.
  private static let watched = Atomic<Int32>(0)
  /// The handler's end of a pair of sockets: it sends the time of SIGCONT, and waits for the thread's answer.
  private static let handlerEnd = Atomic<Int32>(-1)

  /// The end of the last stop by a clock; nil without one, and for a manual clock, which a stop does not move.
  package static func lastEnd(on clock: SystemClock) -> MonotonicTime? {
    let end = end.load(ordering: .relaxed)
    return end == 0 || clock.manual != nil ? nil : MonotonicTime(nanoseconds: end)
  }

  /// Watches for stops from now on. Where the system has no thread or descriptor left, none will be known. In a program that handles or
  /// ignores SIGCONT itself, a stop may be known some microseconds after the loop has gone on.
  package static func watch() {
    // Both that the handler uses are made here: it may interrupt anything.
    guard watched.exchange(getpid(), ordering: .relaxed) == 0 else { return }
    var ends: (handler: Int32, thread: Int32) = (-1, -1)
    let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
    let result = withUnsafeMutableBytes(of: &ends) { bytes in
      bytes.withMemoryRebound(to: Int32.self) { socketpair(AF_UNIX, type, 0, $0.baseAddress) }
    }
    guard result == 0 else { return }
    handlerEnd.store(ends.handler, ordering: .relaxed)
    do throws(SystemError) {
      let wait = try EpollSet()
      try wait.add(ends.thread, events: .readable, token: 0)
      try SystemThread(name: "stops") { [end = ends.thread] in look(wait, end) }.detach()
    } catch { return }
    var action = sigaction()
    guard sigaction(SIGCONT, nil, &action) == 0, action.__sigaction_handler.sa_handler == nil else { return }
    action = sigaction()
    action.sa_flags = SA_RESTART
    action.__sigaction_handler.sa_handler = { _ in ProcessStops.tellTime() }
    sigaction(SIGCONT, &action, nil)
  }

  /// The body of the thread.
  ///
  /// - Parameters:
  ///   - wait: has `socket`.
  ///   - socket: the thread's end of the pair.
  private static func look(_ wait: borrowing EpollSet, _ socket: Int32) {
    withUnsafeTemporaryAllocation(of: EpollSet.Ready.self, capacity: 1) { ready in
      while true {
        if wait.wait(into: ready, timeout: -1) == 0 {
          end.store(SystemClock.monotonic.now.nanoseconds, ordering: .relaxed)
          continue
        }
        var time: Int64 = 0
        guard read(socket, &time, MemoryLayout<Int64>.size) > 0 else { return }
        // After a stop it is the better time: before this thread had a processor again. Without one it is later than the last.
        if time < end.load(ordering: .relaxed) { end.store(time, ordering: .relaxed) }
        _ = write(socket, &time, MemoryLayout<Int64>.size)
      }
    }
  }

  /// Runs in the handler: calls nothing but what is safe there.
  private static func tellTime() {
    guard watched.load(ordering: .relaxed) == getpid() else { return }
    let (former, socket) = (errno, handlerEnd.load(ordering: .relaxed))
    defer { errno = former }
    var time = SystemClock.monotonic.now.nanoseconds
    guard write(socket, &time, MemoryLayout<Int64>.size) > 0 else { return }
    while read(socket, &time, MemoryLayout<Int64>.size) < 0, errno == EINTR {}
  }
}
