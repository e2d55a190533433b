package import FrameTiming
package import LinuxSystem
package import RunLoops

/// Tells the first vblank after a moment: when it is delivered, on a display link that runs only while somebody waits; or at the end
/// of a turn, if its tick waits for a deadline, or the turn took so long that it is never delivered.
///
/// For presenters that learn from the ticker alone when a frame was seen. Make it before the links of the application: links
/// tick in the order of their creation, so that a frame is accounted for, and its buffer free, before the tick asks for the next
/// one.
@MainActor
package final class VBlankWait {
  private let ticker: DisplayTicker
  /// Called at the vblank that is waited for.
  package var handler: (@MainActor (VBlank) -> Void)?
  /// Nil after the end.
  private var link: DisplayLink?
  private lazy var turnEnd = FrameLoop.Observer(
    [.beforeWaiting, .exit], order: ObserverOrder.afterCommit, evenWhenBusy: true,
    .onMain { [weak self] _, _ in
      guard let self, let after, let vblank = self.ticker.findPastVBlank(after: after) else { return }
      tell(vblank)
    })
  private var after: MonotonicTime?

  package init(ticker: DisplayTicker, handler: (@MainActor (VBlank) -> Void)? = nil) {
    self.ticker = ticker
    self.handler = handler
    let link = DisplayLink(ticker: ticker, isWait: true) { [weak self] _ in
      if let vblank = self?.ticker.lastVBlank { self?.tell(vblank) }
    }
    link.isPaused = true
    self.link = link
  }

  /// Waits while `loop` runs in `mode`; `.common` stands for all common modes.
  package func add(to loop: FrameLoop, mode: FrameLoop.Mode) {
    link?.add(to: loop, mode: mode)
    loop.add(turnEnd, to: mode)
  }

  /// Calls the handler once, with the first vblank later than `time`: when it comes, or when the loop has time to hear of
  /// it. Takes the place of an earlier wait.
  package func start(after time: MonotonicTime) {
    after = time
    link?.isPaused = false
  }

  /// The handler is not called for what is waited for now.
  package func cancel() {
    after = nil
    link?.isPaused = true
  }

  /// Ends it for good.
  package func invalidate() {
    after = nil
    link?.invalidate()
    link = nil
    turnEnd.invalidate()
  }

  private func tell(_ vblank: VBlank) {
    // A tick that was on its way before the wait began belongs to an earlier vblank.
    guard let after, vblank.timestamp > after else { return }
    cancel()
    // A frame that was presented before several missed vblanks was seen at the first of them.
    handler?(ticker.forecast.firstVBlank(after: after, upTo: vblank))
  }
}
