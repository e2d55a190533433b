// One-shot and repeating timers, a late timer, and an owner that may be released although its timer is still running.
import RunLoops
import LinuxSystem

/// Owns a timer that calls it back. The closure holds the owner weakly, so the timer ends with its owner.
@MainActor
final class Blinker {
  private(set) var blinks = 0
  private var timer: FrameLoop.Timer?

  init(loop: FrameLoop) {
    let timer = FrameLoop.Timer(
      fireTime: loop.clock.now + .milliseconds(10), interval: .milliseconds(10),
      .onMain { [weak self] timer in
        guard let self else { return timer.invalidate() }
        blinks += 1
      })
    loop.add(timer, to: .common)
    self.timer = timer
  }
}

@main
struct Program {
  @MainActor
  static func main() {
    let loop = FrameLoop.main
    let start = loop.clock.now

    var fired = 0
    loop.add(FrameLoop.Timer(fireTime: start + .milliseconds(20), .onMain { _ in fired += 1 }), to: .default)

    var times: [Nanoseconds] = []
    let repeating = FrameLoop.Timer(
      fireTime: start + .milliseconds(10), interval: .milliseconds(10),
      .onMain { _ in
        times.append(loop.clock.now - start)
        // The second call takes 25 ms. The timer skips 30 and 40 ms and keeps its phase.
        if times.count == 2 {
          let end = loop.clock.now + .milliseconds(25)
          while loop.clock.now < end {}
        }
      })
    loop.add(repeating, to: .default)

    var blinker: Blinker? = Blinker(loop: loop)
    weak let watched = blinker
    loop.run(mode: .default, until: start + .milliseconds(85))
    let next = repeating.nextFireTime - start
    repeating.invalidate()

    print("one-shot fired \(fired) time")
    print("repeating fired at " + times.map { "\(Int($0.milliseconds))" }.joined(separator: ", ") + " ms")
    print("the blinker blinked \(blinker?.blinks ?? 0) times")
    blinker = nil
    guard fired == 1, watched == nil else { fatalError("a timer kept its owner alive") }
    guard next.milliseconds.truncatingRemainder(dividingBy: 10) == 0 else { fatalError("phase lost") }
    print("the blinker is gone")
  }
}
