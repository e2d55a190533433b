// Asynchronous code in a test: the loop runs until a condition holds, or until a limit. The test neither guesses a duration
// nor sleeps: the condition is checked each time the loop is about to wait.
import Dispatch
import Framepace
import FramepaceTesting

@MainActor
final class Download {
  private(set) var parts = 0

  /// Works on another thread and reports each part to the main thread.
  func start() {
    DispatchQueue.global().async {
      for _ in 1...3 { DispatchQueue.main.async { self.parts += 1 } }
    }
  }
}

@main
struct Program {
  @MainActor
  static func main() {
    let download = Download()
    download.start()
    let isComplete = FrameLoop.main.run(timeout: .seconds(10)) { MainActor.assumeIsolated { download.parts == 3 } }
    print("three parts: \(isComplete)")

    // A timer that is an hour away, on manual time: the hour passes at once.
    let clock = ManualClock()
    let loop = FrameLoop(clock: .manual(clock))
    let start = clock.now
    let hour = FrameLoop.Timer(fireTime: start + .seconds(3600), .onMain { _ in print("an hour later") })
    loop.add(hour, to: .default)
    let rang = loop.run(timeout: .seconds(7200)) { !hour.isValid }
    print("rang: \(rang), after \((clock.now - start).seconds) s")
    precondition(isComplete && rang)
  }
}
