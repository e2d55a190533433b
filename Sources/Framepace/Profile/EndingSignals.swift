import Glibc
import LinuxSystem
import RunLoops
import Synchronization

/// Lets a loop do something before SIGHUP, SIGINT or SIGTERM end the process, where the program leaves these signals their usual effect.
///
/// A handler wakes a thread, which asks the loop to do it. Then the signal is sent again, now with its usual effect: the process ends by that
/// signal as it would have. A loop that has not come to it in three seconds is stuck: the process ends without. A program that handles a signal by
/// itself, also from later on, is not disturbed, and programs that it starts inherit nothing.
enum EndingSignals {
  /// The eventfd that wakes the thread.
  private static let descriptor = Atomic<Int32>(-1)
  /// A process that was forked has the handler too, but not the thread.
  private static let process = Atomic<Int32>(0)
  private static let heard = Atomic<Int32>(0)
  /// When the first signal came; 0 before.
  private static let time = Atomic<Int64>(0)
  /// `timeout` sends its signal to the process and to its group: in this time it is one signal. A later one ends the process at once. No
  /// constant that is made when it is first read: the handler may interrupt anything.
  private static var sameSignal: Nanoseconds { .milliseconds(300) }
  private static let patience = Nanoseconds.seconds(3)

  /// Calls `body` before the process ends, from now on. Call it once in a process, on the loop's thread.
  static func beforeEnd(on loop: FrameLoop, _ body: @escaping @MainActor () -> Void) throws(SystemError) {
    let event = try OwnedDescriptor.event()
    process.store(getpid(), ordering: .relaxed)
    descriptor.store(event.number, ordering: .relaxed)
    heard.store(0, ordering: .relaxed)
    time.store(0, ordering: .relaxed)
    let thread = try SystemThread(name: "end signals") { [weak loop] in
      var ready = pollfd(fd: event.number, events: Int16(POLLIN), revents: 0)
      while poll(&ready, 1, -1) < 1 {}
      let begun = Latch()
      loop?.perform(onMain: {
        begun.open()
        body()
        end()
      })
      loop?.wakeUp()
      if !begun.wait(until: SystemClock.monotonic.now + patience) { end() }
    }
    thread.detach()
    for signal in [SIGHUP, SIGINT, SIGTERM] { handle(signal) }
  }

  private static func end() { end(by: heard.load(ordering: .relaxed)) }

  private static func end(by number: Int32) {
    signal(number, SIG_DFL)
    kill(getpid(), number)
  }

  private static func handle(_ signal: Int32) {
    var action = sigaction()
    guard sigaction(signal, nil, &action) == 0, action.__sigaction_handler.sa_handler == nil else { return }
    action = sigaction()
    action.sa_flags = SA_RESTART
    action.__sigaction_handler.sa_handler = { EndingSignals.hear($0) }
    sigaction(signal, &action, nil)
  }

  /// The handler. Calls only async-signal-safe functions.
  private static func hear(_ signal: Int32) {
    let error = errno
    defer { errno = error }
    guard process.load(ordering: .relaxed) == getpid() else { return end(by: signal) }
    let (now, first) = (SystemClock.monotonic.now.nanoseconds, time.load(ordering: .relaxed))
    if first != 0 {
      if now - first > sameSignal.count { end(by: signal) }
      return
    }
    time.store(now, ordering: .relaxed)
    heard.store(signal, ordering: .relaxed)
    var one: UInt64 = 1
    if write(descriptor.load(ordering: .relaxed), &one, 8) != 8 { end(by: signal) }
  }
}
