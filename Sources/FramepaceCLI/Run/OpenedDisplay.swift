import Framepace
import KMS
import Seats
import Wayland

/// The display that a scene is shown on, and why it is this one.
@MainActor
struct OpenedDisplay {
  let display: any Display
  /// The session on the cards; nil if there is no card, or no screen is wanted.
  private(set) var cards: DisplaySession?
  /// A sentence about the choice; nil if there was none to make.
  private(set) var note: String?

  init(display: any Display) { self.display = display }

  /// Opens the display of the options.
  init(_ options: SceneOptions, showing scene: SceneChoice) throws {
    let size = try options.size ?? scene.size(scale: 1) ?? .standard
    let window = WindowOptions(
      title: "\(scene.name.withoutControlCharacters) – framepace", applicationID: "framepace", width: size.width,
      height: size.height)
    let (choice, mode) = (options.display.display, options.display.mode)
    if choice == .wayland {
      display = try WaylandDisplay.open(options: window)
      return
    }
    // A mode can only mean a screen.
    if choice == .auto, mode == nil, WaylandConnection.isNamedByEnvironment {
      do throws(WaylandError) {
        let opened = try WaylandDisplay.open(options: window)
        (display, note) = (opened, "in a window, as there is a desktop: \(opened.connection.name)")
        return
      } catch {
        note = "not in a window: \(error)"
      }
    }
    // A seat is only opened if the user wants a screen and there is a card.
    let wantsScreen = choice != .fallback && (try? DRMDevice.cardPaths())?.isEmpty == false
    let cards = wantsScreen ? DisplaySession(seat: .automatic()) : nil
    let rate = options.display.rate ?? .hertz60
    display =
      switch choice {
      case .kms(let connector): try Displays.kms(connector: connector, mode: mode, session: cards)
      case .auto where mode != nil: try Displays.kms(mode: mode, session: cards)
      case .auto: try Displays.automatic(width: size.width, height: size.height, refreshRate: rate, session: cards)
      case .fallback, .wayland:
        try VirtualDisplay(width: size.width, height: size.height, refreshRate: rate, reason: "asked for")
      }
    guard display is KMSDisplay else { return }
    ConsoleKeyboard.giveBack()
    self.cards = cards
  }
}

extension WaylandDisplay {
  /// A sentence about a change of the window's state.
  func sentence(about state: DisplayState) -> String {
    switch state {
    case .showing: "the window is shown, paced by \(ticker.name)"
    case .waiting: "the window is hidden: nothing is drawn until it can be seen"
    }
  }
}
