// A thread that is there when there is work, and asleep when there is none. It needs no dummy port to stay, and ends exactly
// once: when it is told to, or with its owner.
import LinuxSystem
import RunLoops

/// Does its work in the background, on one thread: nothing in it needs a lock.
final class Journal: Sendable {
  private let thread: LoopThread
  private let lines = Lock<[String]>([])
  /// Opened by the timer.
  private let timerHasCome = Latch()

  init() throws {
    thread = try LoopThread(name: "journal")
    // Timers and sources of the thread work like those of main.
    let timer = FrameLoop.Timer(
      fireTime: thread.loop.clock.now + .milliseconds(5),
      handler: { [lines, timerHasCome] _ in
        lines.withLock { $0.append("timer") }
        timerHasCome.open()
      })
    thread.loop.add(timer, to: .default)
  }

  func write(_ line: String) throws(PerformError) {
    try thread.loop.performLater { [lines] in lines.withLock { $0.append(line) } }
  }

  /// Waits for what was written before.
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

    // Once more, after the thread has slept in the kernel until its timer.
    journal.waitForTimer()
    try journal.write("three")
    let lines = try journal.read()
    print("and then \(lines)")
    // Where the timer comes is the machine's affair.
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

    // The owner's end is the thread's end.
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
