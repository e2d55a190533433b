// Asynchronous code in a test: run the loop until what is expected holds, or give up after a limit. No guess of how long it
// takes, and nothing sleeps: the condition is asked each time the loop is about to wait.
import Dispatch
import Framepace
import FramepaceTesting

@MainActor
final class Download {
  private(set) var parts = 0

  /// Works elsewhere and comes back to the main thread, part by part.
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

    // A timer an hour away, on manual time: the hour passes at once.
    let clock = ManualClock()
    let loop = FrameLoop(clock: .manual(clock))
    let start = clock.now
    let hour = FrameLoop.Timer(fireTime: start + .seconds(3600), onMain: { _ in print("an hour later") })
    loop.add(hour, to: .default)
    let rang = loop.run(timeout: .seconds(7200)) { !hour.isValid }
    print("rang: \(rang), after \((clock.now - start).seconds) s")
    precondition(isComplete && rang)
  }
}
