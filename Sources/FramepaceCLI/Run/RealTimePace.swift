import Framepace
import Glibc

/// Keeps a loop on manual time from being faster than the machine's clock, so that a person can watch it. While it sleeps
/// it listens to nothing: the loop must turn often.
@MainActor
final class RealTimePace {
  private let observer: FrameLoop.Observer

  init(loop: FrameLoop) {
    let (start, realStart) = (loop.clock.now, SystemClock.monotonic.now)
    observer = FrameLoop.Observer(
      [.afterWaiting], order: .min,
      onMain: { [unowned loop] _, _ in
        let early = (loop.clock.now - start) - (SystemClock.monotonic.now - realStart)
        if early > .zero { Self.sleep(early) }
      })
    loop.add(observer, to: .common)
  }

  func invalidate() { observer.invalidate() }

  private static func sleep(_ time: Nanoseconds) {
    var request = timespec(tv_sec: Int(time.count / 1_000_000_000), tv_nsec: Int(time.count % 1_000_000_000))
    // One that a signal ends is made up for by the next.
    nanosleep(&request, nil)
  }
}
