import LinuxSystem
import RunLoops

/// A tick that was put off to a deadline, and the timer that wakes for it: one for all ticks, so that none allocates.
///
/// The loop wakes for it at the deadline and not later. If it is awake within `sharing` before, as for the deadline of another
/// display, the tick comes then: one wake-up does for both. (SurfaceFlinger's dispatcher groups by the same half millisecond.)
@MainActor
final class DelayedTick {
  /// Nil while there is none.
  private(set) var tick: DisplayLink.Tick?
  private let timer: FrameLoop.Timer

  static let sharing = Nanoseconds.microseconds(500)

  /// - Parameter handler: is called when the deadline has come; it takes the tick.
  init(handler: @escaping @MainActor () -> Void) {
    timer = FrameLoop.Timer.parked(handler: handler)
  }

  func delay(_ tick: DisplayLink.Tick, at now: MonotonicTime) {
    self.tick = tick
    let earliest = tick.start - Self.sharing
    // Nothing is gained with what is begun at once.
    let tolerance = earliest > now ? Self.sharing : .zero
    if timer.tolerance != tolerance { timer.tolerance = tolerance }
    timer.nextFireTime = tick.start - tolerance
  }

  /// The tick, which is delivered now.
  func take() -> DisplayLink.Tick? {
    defer { tick = nil }
    return tick
  }

  /// The tick is not delivered, and nobody is woken for it.
  func drop() {
    guard tick != nil else { return }
    tick = nil
    timer.nextFireTime = .distantFuture
  }

  func add(to loop: FrameLoop, mode: FrameLoop.Mode) { loop.add(timer, to: mode) }
  func remove(from loop: FrameLoop, mode: FrameLoop.Mode) { loop.remove(timer, from: mode) }

  func invalidate() {
    tick = nil
    timer.invalidate()
  }
}
