/// Which connectors a card's displays show on, and which screens cannot be brought back whole before some of these are free:
/// what was a clone of one display's screen may be another display's now.
final class ScreenClaims {
  /// The connectors of the card's displays, by their CRTCs.
  var connectors: [UInt32: UInt32] = [:]
  private var owed: [PreviousScreen] = []

  /// The connectors of a screen that displays on other CRTCs use.
  func taken(from screen: SavedScreen) -> [UInt32] {
    screen.connectors.filter { wanted in
      connectors.contains { crtc, connector in crtc != screen.crtc && connector == wanted }
    }
  }

  /// A screen of which a part is still to be brought back.
  func owe(_ screen: PreviousScreen) { owed.append(screen) }

  /// Brings back whole what nobody uses any more.
  func settle() {
    let free = owed.filter { connectors[$0.screen.crtc] == nil && taken(from: $0.screen).isEmpty }
    owed.removeAll { screen in free.contains { $0 === screen } }
    // Fails when the card is another program's: then there is nothing of ours to bring back.
    for screen in free { try? screen.settle() }
  }

  /// The card's device is gone, and what it showed with it.
  func forget() {
    for screen in owed { screen.forget() }
    owed = []
  }
}
