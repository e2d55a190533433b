// The main loop serves libdispatch's main queue: `DispatchQueue.main`, the main actor and its tasks run on the main thread,
// in turn with timers and descriptors. A synchronous `main` that runs the loop is enough.
import Dispatch
import Glibc
import LinuxSystem
import RunLoops

@MainActor
final class Model {
  private(set) var log: [String] = []
  private let mainThread = pthread_self()

  func add(_ word: String) {
    guard pthread_equal(pthread_self(), mainThread) != 0 else { fatalError("\(word) is not on the main thread") }
    log.append(word)
  }
}

@main
struct Program {
  @MainActor
  static func main() {
    let model = Model()
    var ticks = 0
    let timer = FrameLoop.Timer(
      fireTime: FrameLoop.main.clock.now, interval: .milliseconds(1), .onMain { _ in ticks += 1 })
    FrameLoop.main.add(timer, to: .common)

    DispatchQueue.main.async { model.add("async") }
    DispatchQueue.global().async {
      // This blocks the worker, not the main thread.
      DispatchQueue.main.sync { model.add("sync") }
      Task { @MainActor in
        model.add("task")
        try? await Task.sleep(nanoseconds: 5_000_000)
        let answer = await Task.detached { 6 * 7 }.value
        model.add("back with \(answer)")
        FrameLoop.main.stop()
      }
    }
    FrameLoop.main.run()

    print("\(model.log), with \(ticks) ticks of a timer between them")
    guard model.log == ["async", "sync", "task", "back with 42"], ticks > 0 else {
      fatalError("the main queue is not served")
    }
  }
}
