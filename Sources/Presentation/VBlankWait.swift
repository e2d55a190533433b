package import FrameTiming
package import LinuxSystem

/// Tells the first vblank after a moment, on a display link of its own that runs only while somebody waits.
///
/// For presenters that learn from the ticker alone when a frame was seen. Make it before the links of the application: links
/// tick in the order of their creation, so that a frame is accounted for, and its buffer free, before the tick asks for the next
/// one.
@MainActor
package final class VBlankWait {
  private let ticker: DisplayTicker
  /// Called at the vblank that is waited for.
  package var handler: (@MainActor (VBlank) -> Void)?
  /// Added to the loop by whoever waits; nil after the end.
  package private(set) var link: DisplayLink?
  private var after: MonotonicTime?

  package init(ticker: DisplayTicker, handler: (@MainActor (VBlank) -> Void)? = nil) {
    self.ticker = ticker
    self.handler = handler
    let link = DisplayLink(ticker: ticker) { [weak self] link in self?.ticked(link) }
    (link.isPaused, link.isWait) = (true, true)
    self.link = link
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
  }

  private func ticked(_ link: DisplayLink) {
    // A tick that was on its way before the wait began belongs to an earlier vblank.
    guard let after, let vblank = ticker.lastVBlank, vblank.timestamp > after else { return }
    cancel()
    // A frame that was presented before several missed vblanks was seen at the first of them.
    handler?(ticker.forecast.firstVBlank(after: after, upTo: vblank))
  }
}
