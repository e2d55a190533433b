import LinuxSystem
public import RunLoops

/// Plays a simulated card's vblanks on a loop: wakes it when one is due that somebody waits for, and at no other time.
@MainActor
public final class SimulatedVBlanks {
  private let card: SimulatedCard
  private let items: FrameLoop.ItemGroup

  /// - Parameter loop: on the card's clock.
  public init(of card: SimulatedCard, on loop: FrameLoop, mode: FrameLoop.Mode = .default) {
    self.card = card
    let vblank = FrameLoop.Alarm(.onMain { card.advance(to: card.clock.now) })
    // After everything that may ask for a vblank.
    let turnEnd = FrameLoop.Observer(
      .beforeWaiting, order: ObserverOrder.turnEnd,
      .onMain { _, _ in
        let next = card.nextRequestedVBlank
        if vblank.fireTime != next { vblank.fireTime = next }
      })
    items = FrameLoop.ItemGroup([vblank, turnEnd])
    loop.add(items, to: mode)
  }

  public func invalidate() {
    items.invalidate()
  }
}
