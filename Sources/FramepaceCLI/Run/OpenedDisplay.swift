import AutomaticDisplays
import FrameTiming
import Framepace
import KMS
import Metering
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
    try self.init(
      options.display.display, mode: options.display.mode, rate: options.display.rate ?? .hertz60, window: window)
  }

  /// - Parameter window: has the size of the picture where there is neither window nor screen, too.
  init(_ choice: DisplayChoice, mode: ModeRequest? = nil, rate: RefreshRate = .hertz60, window: WindowOptions) throws {
    switch choice {
    case .wayland: display = try WaylandDisplay.open(options: window)
    case .fallback:
      display = try VirtualDisplay(
        width: window.width, height: window.height, refreshRate: rate, reason: "asked for")
    // A mode can only mean a screen.
    case .auto where mode == nil:
      let found = try Displays.automatic(window: window, refreshRate: rate, session: Self.session)
      (display, cards, note) = (found.display, found.session, found.reason)
    case .auto, .kms:
      let cards = Self.session()
      let connector: String? = if case .kms(let name) = choice { name } else { nil }
      display = try Displays.kms(connector: connector, mode: mode, session: cards)
      self.cards = cards
    }
    if display is KMSDisplay { ConsoleKeyboard.giveBack() }
  }

  /// A seat is only opened if there is a card.
  private static func session() -> DisplaySession? {
    (try? DRMDevice.cardPaths())?.isEmpty == false ? DisplaySession(seat: .automatic()) : nil
  }
}

extension WaylandDisplay {
  /// A sentence about a change of the window's state. The rate that feedback tells may wander, and stands beside the figures.
  func sentence(about state: DisplayState) -> String {
    switch state {
    case .showing: "the window is shown, paced by \(ticker.source is FallbackClock ? ticker.name : "presentation feedback")"
    case .waiting: "the window is hidden: nothing is drawn until it can be seen"
    }
  }
}

extension FPSMeter {
  /// Measures on after the display's state has changed.
  @MainActor
  func follow(_ display: any Display) {
    isHidden = display.state == .waiting(.hidden)
    if !isHidden { refreshRate = display.ticker.refreshRate }
  }
}
