import LinuxSystem
public import RunLoops

/// Plays a simulated card's vblanks on a loop, which it wakes only for requested vblanks.
///
/// ```swift
/// let vblanks = SimulatedVBlanks(of: card, on: loop)
/// ```
@MainActor
public final class SimulatedVBlanks {
  private let items: FrameLoop.ItemGroup

  /// - Parameter loop: on the card's clock.
  public init(of card: SimulatedCard, on loop: FrameLoop, mode: FrameLoop.Mode = .default) {
    let vblank = FrameLoop.Alarm(.onMain { card.advance(to: card.clock.now) })
    // After everything that may request a vblank.
    let turnEnd = FrameLoop.Observer(
      .beforeWaiting, order: ObserverOrder.turnEnd,
      .onMain { _, _ in
        let next = card.nextRequestedVBlank
        if vblank.fireTime != next { vblank.fireTime = next }
      })
    items = FrameLoop.ItemGroup([vblank, turnEnd])
    loop.add(items, to: mode)
  }

  public func invalidate() { items.invalidate() }
}
