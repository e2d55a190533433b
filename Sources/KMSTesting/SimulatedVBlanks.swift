import LinuxSystem
public import RunLoops

/// Plays a simulated card's vblanks on a loop: wakes it when one is due that somebody waits for, and at no other time.
@MainActor
public final class SimulatedVBlanks {
  private let card: SimulatedCard
  private let timer: FrameLoop.Timer
  private let observer: FrameLoop.Observer

  /// - Parameter loop: on the card's clock.
  public init(of card: SimulatedCard, on loop: FrameLoop, mode: FrameLoop.Mode = .default) {
    self.card = card
    // One that fired without an interval would be spent.
    let timer = FrameLoop.Timer(
      fireTime: .distantFuture, interval: Nanoseconds(.max),
      onMain: { timer in
        timer.nextFireTime = .distantFuture
        card.advance(to: card.clock.now)
      })
    self.timer = timer
    // After everything that may ask for a vblank.
    observer = FrameLoop.Observer(
      .beforeWaiting, order: .max,
      onMain: { _, _ in
        let next = card.nextRequestedVBlank ?? .distantFuture
        if timer.nextFireTime != next { timer.nextFireTime = next }
      })
    loop.add(timer, to: mode)
    loop.add(observer, to: mode)
  }

  public func invalidate() {
    observer.invalidate()
    timer.invalidate()
  }
}
