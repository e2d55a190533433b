import LinuxSystem
public import RunLoops

extension DisplayTicker {
  /// The ticks of a display link, to be consumed by `for await`.
  ///
  /// A consumer on the main actor never leaves the main thread between ticks. One that is late gets the newest tick, whose
  /// `missed` counts those that it did not get: nothing piles up. The ticks end when the consumer's task is cancelled; the
  /// link goes with them, as it does when the consumer breaks off. Each iterator has its own link.
  ///
  /// - Parameters:
  ///   - loop: bound to the main thread, and the same for all links of the ticker.
  ///   - mode: in which the loop has to run for the link to tick.
  public func ticks(in loop: FrameLoop, mode: FrameLoop.Mode = .common) -> DisplayTicks {
    DisplayTicks(ticker: self, loop: loop, mode: mode)
  }
}

/// The ticks of a display link; see `DisplayTicker.ticks(in:mode:)`.
///
/// ```swift
/// for await tick in display.ticker.ticks(in: engine.loop) {
///   ball.position = path(at: tick.targetTimestamp)
/// }
/// ```
public struct DisplayTicks: AsyncSequence, Sendable {
  public typealias Element = DisplayLink.Tick

  let ticker: DisplayTicker
  let loop: FrameLoop
  let mode: FrameLoop.Mode

  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// Makes a display link, and suspends its consumer until the next tick of it.
  public struct Iterator: AsyncIteratorProtocol {
    private let ticks: NewestElement<DisplayLink.Tick>

    init(_ sequence: DisplayTicks) {
      let (ticker, loop, mode) = (sequence.ticker, sequence.loop, sequence.mode)
      let ticks = NewestElement<DisplayLink.Tick>(loop: loop)
      self.ticks = ticks
      loop.onMain { [weak ticks] in
        let link = DisplayLink(ticker: ticker) { [weak ticks] link in
          guard let tick = link.tick else { return }
          ticks?.send(
            tick,
            merge: { old, new in
              var merged = new
              merged.missed += old.missed + 1
              merged.lostVBlanks &+= old.lostVBlanks
              merged.unknownIntervals &+= old.unknownIntervals
              return merged
            })
        }
        link.add(to: loop, mode: mode)
        guard let ticks else { return link.invalidate() }
        ticks.atEnd { loop.onMain { link.invalidate() } }
      }
    }

    public mutating func next(isolation: isolated (any Actor)?) async -> DisplayLink.Tick? {
      await ticks.next(isolation: isolation)
    }
  }
}

extension FrameLoop {
  /// Calls `body` on the main thread, which is this loop's: at once if it is the calling one.
  fileprivate func onMain(_ body: @escaping @MainActor () -> Void) {
    if isIsolatingCurrentContext() == true { return MainActor.assumeIsolated(body) }
    // Refused only when the main thread has ended, and with it the process.
    try? performLater(onMain: body)
  }
}
