import FrameTiming
import LinuxSystem
import Presentation

/// The source of the window's ticks, as what is known of the compositor changes.
extension WaylandDisplay {
  func updatePace() {
    let next: Pace = permission.isHidden ? .hidden : frames.isSilent ? .silent : frames.hasTold ? .learned : .starting
    guard next != pace else { return }
    if let feedbackClock, pace == .learned {
      grid = feedbackClock.grid
      grid.losePhase()
      self.feedbackClock = nil
    }
    pace = next
    ticker.change(to: source(of: next))
  }

  func source(of pace: Pace) -> any VBlankSource {
    switch pace {
    case .hidden: return Self.standIn(at: nil, "the window is hidden", clock)
    case .starting: return Self.standIn(at: toldRate, "it ticks until the desktop tells of a frame", clock)
    case .silent:
      // Nothing is known that the clock before did not know: it goes on.
      let start = (ticker.source as? FallbackClock).flatMap { $0.refreshRate == toldRate ? $0.start : nil }
      return Self.standIn(at: toldRate, "the desktop does not tell when frames are seen", from: start, clock)
    case .learned:
      let source = FeedbackClock(grid: grid, clock: clock)
      feedbackClock = source
      return source
    }
  }

  /// - Parameter rate: nil for a tick a second.
  static func standIn(
    at rate: RefreshRate?, _ reason: String, from start: MonotonicTime? = nil, _ clock: SystemClock
  ) -> FallbackClock {
    let rate = rate ?? RefreshRate(numerator: 1, denominator: 1) ?? .hertz60
    return FallbackClock(refreshRate: rate, reason: reason, start: start, clock: clock)
  }

  func learn(_ time: MonotonicTime) {
    guard let feedbackClock else {
      _ = grid.observe(time)
      return
    }
    let before = feedbackClock.refreshRate
    feedbackClock.observe(time)
    grid = feedbackClock.grid
    // The display runs at another rate than it was said to.
    if feedbackClock.refreshRate != before { observers.notify(.stateChanged(state)) }
  }
}
