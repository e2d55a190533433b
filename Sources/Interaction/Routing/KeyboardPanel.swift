public import Input

/// Keys on the screen, which a person without a keyboard types with.
///
/// The router shows it while a responder that takes text is the first one. It sends its keys as a device of its own, by `InputRouter.receive(_:)`:
/// so that layout, dead keys, repetition and the way to the first responder are those of every keyboard.
@MainActor
public protocol KeyboardPanel: AnyObject {
  /// Shows the keys. Called again whenever what they type may be another: a modifier was pressed, or the layout changed.
  func showKeys(of keyboard: Keyboard)
  func hideKeys()
}

/// When a panel of keys is shown for a responder that takes text.
public enum KeyboardPanelUse: Hashable, Sendable {
  /// While no device has letters: see `InputDevice.Abilities.letters`.
  case whenNeeded
  /// Whatever devices there are: a scanner of bar codes claims to have letters.
  case always
  case never
}

/// The reasons for and against a panel, and whether it is shown. A class: a panel sends events while it is told.
@MainActor
final class PanelState {
  var use = KeyboardPanelUse.whenNeeded
  /// The devices on which people write.
  private var keyboards: Set<InputDevice.ID> = []
  private var isShown = false

  /// Takes note of devices that come and go.
  ///
  /// - Returns: true if that may decide.
  func note(_ event: InputEvent) -> Bool {
    switch event.action {
    case .added(let device) where device.abilities.contains(.letters): keyboards.insert(event.device).inserted
    case .removed: keyboards.remove(event.device) != nil
    default: false
    }
  }

  func update(_ panel: (any KeyboardPanel)?, takesText: Bool, keyboard: Keyboard?) {
    let isWanted =
      switch use {
      case .whenNeeded: keyboards.isEmpty
      case .always: true
      case .never: false
      }
    guard let panel, let keyboard, takesText, isWanted else { return hide(panel) }
    isShown = true
    panel.showKeys(of: keyboard)
  }

  func hide(_ panel: (any KeyboardPanel)?) {
    guard isShown else { return }
    isShown = false
    panel?.hideKeys()
  }
}
