import Framepace
import Input
import KMS
import SampleScenes
import Seats
import Wayland

/// The display of `framepace input --display`, on which people see where it takes them to be.
@MainActor
final class InputStage {
  let engine: Engine
  /// The display, the reason for it, and its clock, for people.
  let note: String
  private let opened: OpenedDisplay
  private let view: CrosshairView
  private let screenshot: String?

  /// - Parameters:
  ///   - options: name a display.
  ///   - onFailure: called when the display is lost.
  init(_ options: CrosshairOptions, loop: FrameLoop, onFailure: @escaping @MainActor (any Error) -> Void) throws {
    let size = options.size ?? .standard
    let window = WindowOptions(
      title: "Input – framepace", applicationID: "framepace", width: size.width, height: size.height)
    opened = try OpenedDisplay(options.display ?? .auto, window: window)
    let display = opened.display
    _ = OutputSettings(rotation: options.rotate).apply(to: display)
    screenshot = options.screenshot
    do {
      weak var router: InputRouter?
      view = CrosshairView(fonts: try SceneFonts()) { router?.screens.first?.screen }
      engine = Engine(display: display, root: view, loop: loop)
      router = engine.inputRouter
    } catch {
      display.invalidate()
      throw error
    }
    note = [display.name, opened.note, display.ticker.name].compactMap(\.self).joined(separator: "; ")
    display.observe { event in
      switch event {
      // While the screen was away, the seat may have belonged to another session.
      case .stateChanged(.showing) where display is KMSDisplay: ConsoleKeyboard.giveBack()
      case .lost(let error): onFailure(error)
      case .stateChanged, .geometryChanged, .closeRequested: break
      }
    }.keep()
  }

  /// The session that shows the picture, and opens the devices beside it; nil for a window, and without a screen.
  var seat: SeatSession? { opened.display is KMSDisplay ? opened.cards?.seat : nil }

  /// The window, whose desktop tells what people do in it; nil without one.
  var window: WaylandDisplay? { opened.display as? WaylandDisplay }

  func take(_ event: InputEvent) {
    view.take(event)
    engine.inputRouter.receive(event)
  }

  /// Writes the screenshot, and gives the display back.
  func close() throws {
    defer { engine.invalidate() }
    if let screenshot { try PNG.write(opened.display.capture(), to: screenshot) }
  }
}
