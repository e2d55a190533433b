import Framepace
import Glibc
import Simulation

/// A simulated screen, machine and application for `--simulate`.
@MainActor
final class SimulatedRun {
  let loop: FrameLoop
  let screen: SimulatedScreen

  private let clock: ManualClock
  private let work: SimulatedWork
  private let pace: RealTimePace?
  private var application: SimulatedApplication?
  private let heartbeat: FrameLoop.Timer

  /// The longest sleep of the loop, so that it notices signals. A fast run has the same limit, which keeps it equal to a
  /// watched one.
  private static let longestSleep = Nanoseconds.milliseconds(50)

  /// - Parameters:
  ///   - scale: the screen's pixels a point.
  ///   - isPaced: true to keep simulated time from passing faster than real time.
  init(_ profile: DisplayProfile, seed: UInt64, size: PixelSize, scale: Double = 1, isPaced: Bool) throws {
    clock = ManualClock(start: MonotonicTime(nanoseconds: 1_000_000_000_000))
    let time = SystemClock.manual(clock)
    loop = FrameLoop(clock: time)
    work = {
      var work = profile.work
      work.seed = seed
      return work
    }()
    screen = try SimulatedScreen(
      width: size.width, height: size.height, scale: scale,
      vblanks: SimulatedVBlankSource(profile, clock: time, seed: seed), clock: time)
    pace = isPaced ? RealTimePace(loop: loop) : nil
    heartbeat = FrameLoop.Timer(
      fireTime: clock.now + Self.longestSleep, interval: Self.longestSleep, .onMain { _ in })
    loop.add(heartbeat, to: .common)
  }

  /// True if the simulation runs as fast as it can. Its output then waits for the reader.
  var isFast: Bool { pace == nil }

  /// The line about the simulation in the heading.
  var note: String { isFast ? "in simulated time, as fast as it goes" : "in simulated time" }

  /// Makes every frame of the engine take the profile's time while `isMoving` returns true.
  func occupy(_ engine: Engine, while isMoving: @escaping @MainActor () -> Bool) {
    application = SimulatedApplication(
      work, in: engine.root, output: engine.output, loop: loop, clock: clock, while: isMoving)
  }

  func invalidate() {
    application?.invalidate()
    heartbeat.invalidate()
    pace?.invalidate()
  }
}

/// Keeps a loop on manual time from running faster than the machine's clock, so that a person can watch it. It sleeps
/// without listening to anything, so the loop must turn often.
@MainActor
final class RealTimePace {
  private let observer: FrameLoop.Observer

  init(loop: FrameLoop) {
    let (start, realStart) = (loop.clock.now, SystemClock.monotonic.now)
    observer = FrameLoop.Observer(
      [.afterWaiting], order: ObserverOrder.turnBegin,
      .onMain { [unowned loop] _, _ in
        let early = (loop.clock.now - start) - (SystemClock.monotonic.now - realStart)
        if early > .zero { Self.sleep(early) }
      })
    loop.add(observer, to: .common)
  }

  func invalidate() { observer.invalidate() }

  private static func sleep(_ time: Nanoseconds) {
    var request = timespec(tv_sec: Int(time.count / 1_000_000_000), tv_nsec: Int(time.count % 1_000_000_000))
    // A signal may end the sleep early; the next sleep makes up for it.
    nanosleep(&request, nil)
  }
}
