// A thread with a loop that sleeps while there is no work. It needs no dummy port to stay alive. It ends when it is stopped,
// or with its owner.
import Dispatch
import LinuxSystem
import RunLoops

/// A journal whose lines are written on a background thread.
final class Journal: Sendable {
  private let thread: LoopThread
  private let lines = Lock<[String]>([])
  /// Signalled by the timer.
  private let timerHasCome = DispatchSemaphore(value: 0)

  init() throws {
    thread = try LoopThread(name: "journal")
    // Timers and sources work on this thread as on the main thread.
    let timer = FrameLoop.Timer(
      fireTime: thread.loop.clock.now + .milliseconds(5),
      .onLoop { [lines, timerHasCome] _ in
        lines.withLock { $0.append("timer") }
        timerHasCome.signal()
      })
    thread.loop.add(timer, to: .default)
  }

  func write(_ line: String) throws(PerformError) {
    try thread.loop.performLater { [lines] in lines.withLock { $0.append(line) } }
  }

  /// Waits until all earlier lines are written.
  func read() throws -> [String] {
    try thread.loop.performAndWait { [lines] in lines.withLock { $0 } }
  }

  func waitForTimer() { timerHasCome.wait() }

  var loop: FrameLoop { thread.loop }
  func close() { thread.stop() }
}

@main
struct Program {
  static func main() throws {
    let journal = try Journal()
    try journal.write("one")
    try journal.write("two")
    print("the journal has \(try journal.read())")

    // This line comes after the thread has slept until its timer.
    journal.waitForTimer()
    try journal.write("three")
    let lines = try journal.read()
    print("and then \(lines)")
    // The position of the timer's line depends on the machine.
    guard lines.filter({ $0 != "timer" }) == ["one", "two", "three"], lines.contains("timer") else {
      fatalError("something was lost")
    }

    journal.close()
    journal.close()
    do {
      try journal.write("four")
      fatalError("a thread that was stopped took work")
    } catch {
      print(error)
    }

    // The thread ends with its owner.
    var owned: Journal? = try Journal()
    let loop = owned?.loop
    owned = nil
    do {
      try loop?.performLater {}
      fatalError("the thread outlived its owner")
    } catch {
      print("without its owner the thread is gone, too")
    }
  }
}
