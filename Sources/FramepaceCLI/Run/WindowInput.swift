import Framepace
import Input
import Wayland

/// Input in the window of a scene: it goes to the layers, and two keys belong to the command.
@MainActor
final class WindowInput {
  private let engine: Engine
  private let input: WaylandInput
  /// The overlays of the options, beside which F12 shows and hides the meter.
  private var overlays: Set<FrameOverlay>

  private static let escape = Keysym(named: "Escape")
  private static let f12 = Keysym(named: "F12")

  init(of display: WaylandDisplay, to engine: Engine, overlays: Set<FrameOverlay>) {
    (self.engine, self.overlays) = (engine, overlays)
    weak var taker: WindowInput?
    input = WaylandInput(connection: display.connection) { event in taker?.take(event) }
    taker = self
    input.onKeyboard = { [weak engine] keyboard, keyRepeat in
      guard let engine else { return }
      (engine.inputRouter.keyboard, engine.inputRouter.keyRepeat) = (keyboard, keyRepeat)
    }
    engine.inputRouter.onTextInput = { [weak input] in input?.textInput.state = $0 }
    input.textInput.onComposition = { [weak engine] in engine?.inputRouter.compose($0) }
    Clipboard.shared.exchange = Clipboard.Exchange(
      offer: { [weak input] in input?.clipboard.offer($0) },
      request: { [weak input] in input?.clipboard.request($0) ?? false })
  }

  func invalidate() { input.invalidate() }

  private func take(_ event: InputEvent) {
    // By the layout: virtual keyboards have codes of their own, and people exchange keys.
    var pressed: Keysym?
    if case .key(let code, isDown: true) = event.action { pressed = engine.inputRouter.keyboard?.keysym(of: code) }
    switch pressed {
    case let key? where key == Self.escape: engine.finish()
    case let key? where key == Self.f12:
      overlays.formSymmetricDifference([.meter])
      // Without a font for its labels there is no meter.
      try? engine.show(overlays)
    default: engine.inputRouter.receive(event)
    }
  }
}
