import Framepace
import Glibc

/// A screen, a machine and an application that are simulated.
@MainActor
final class Simulation {
  let loop: FrameLoop
  let screen: SimulatedScreen

  private let clock: ManualClock
  private let work: SimulatedWork
  private let pace: RealTimePace?
  private var application: SimulatedApplication?
  private let heartbeat: FrameLoop.Timer

  /// So often the loop turns at least, and listens to signals; also when it is fast, so that a run is the same when it is
  /// watched.
  private static let longestSleep = Nanoseconds.milliseconds(50)

  /// - Parameter isPaced: whether simulated time passes no faster than real time.
  init(_ profile: SimulatedDisplay.Profile, seed: UInt64, size: PixelSize, isPaced: Bool) throws {
    clock = ManualClock(start: MonotonicTime(nanoseconds: 1_000_000_000_000))
    let time = SystemClock.manual(clock)
    loop = FrameLoop(clock: time)
    work = {
      var work = profile.work
      work.seed = seed
      return work
    }()
    screen = try SimulatedScreen(
      width: size.width, height: size.height, vblanks: SimulatedDisplay(profile, clock: time, seed: seed), clock: time)
    pace = isPaced ? RealTimePace(loop: loop) : nil
    heartbeat = FrameLoop.Timer(
      fireTime: clock.now + Self.longestSleep, interval: Self.longestSleep, onMain: { _ in })
    loop.add(heartbeat, to: .common)
  }

  /// Whether it runs as fast as it can, so that whoever reads its output is waited for.
  var isFast: Bool { pace == nil }

  /// For people.
  var note: String { isFast ? "in simulated time, as fast as it goes" : "in simulated time" }

  /// Lets every frame of the engine take the profile's time.
  func occupy(_ engine: Engine) {
    application = SimulatedApplication(
      work, in: engine.context.root, ticker: screen.ticker, loop: loop, clock: clock)
  }

  func invalidate() {
    application?.invalidate()
    heartbeat.invalidate()
    pace?.invalidate()
  }
}

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
