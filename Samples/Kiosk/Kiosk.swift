// A program that has a screen to itself. It uses the seat's screens while its console is in front, sets a mode, reports when
// its screen is lost and back, and restores everything at the end. Without a screen it runs on a clock, in memory.
//
//   swift run Kiosk HDMI-A-1 1920x1080      until Ctrl-C or SIGTERM
//   swift run Kiosk                         one second on whatever there is
import AutomaticDisplays
import Framepace
import Glibc
import Seats

@main
struct Program {
  @MainActor
  static func main() {
    do {
      try run()
    } catch {
      say("\(error)")
      exit(1)
    }
  }

  @MainActor
  private static func run() throws {
    // The signals must be blocked before any thread exists, so that all threads leave them to the loop.
    var running: Engine?
    let ends = try SignalSource(signals: [SIGINT, SIGTERM], .onMain { _ in running?.finish() })
    FrameLoop.main.add(ends, to: .common)

    let display = try openDisplay()
    say("\(display.name): \(display.reason)")
    // A lost screen comes back by itself; the layers keep their state.
    display.observe { event in
      switch event {
      case .stateChanged(.showing): say("\(display.name) shows the picture")
      case .stateChanged(.waiting(let absence)): say("\(display.name) \(absence)")
      case .geometryChanged, .closeRequested: break
      case .lost(let error):
        say("\(display.name): \(error)")
        running?.finish()
      }
    }.keep()

    let engine = Engine(display: display, root: makeScene())
    running = engine
    if CommandLine.arguments.count == 1 {
      let end = FrameLoop.Timer(fireTime: engine.loop.clock.now + .seconds(1), .onMain { _ in engine.finish() })
      engine.loop.add(end, to: .common)
    }
    var frames = 0
    engine.output.observe { if case .presented = $0 { frames += 1 } }.keep()
    engine.run()
    // This restores the screen.
    engine.invalidate()
    say("\(frames) frames")
  }

  /// Opens the screen and mode that the arguments name. Without arguments it is a window on a desktop, any usable screen, or a
  /// clock with the reason.
  @MainActor
  private static func openDisplay() throws -> any Display {
    let arguments = CommandLine.arguments.dropFirst()
    guard let connector = arguments.first else {
      return try Displays.automatic(session: { DisplaySession(seat: .automatic()) }).display
    }
    let session = DisplaySession(seat: .automatic())
    let size = arguments.dropFirst().first?.split(separator: "x").compactMap { Int($0) } ?? []
    let mode = size.count == 2 ? ModeRequest(width: size[0], height: size[1]) : nil
    return try Displays.kms(connector: connector, mode: mode, session: session)
  }

  /// A dot that moves to and fro.
  @MainActor
  private static func makeScene() -> Layer {
    let root = Layer()
    let dot = Layer(frame: Rect(x: 40, y: 100, width: 80, height: 80))
    dot.cornerRadius = 40
    dot.backgroundColor = Color(hex: 0x4CC2FF)
    root.addSublayer(dot)
    dot.add(
      BasicAnimation(
        .position, from: Point(80, 140), to: Point(480, 140), duration: .seconds(2), repeatCount: .infinity,
        autoreverses: true))
    return root
  }

  /// Prints a line at once. Into a pipe, such as the journal's, `print` alone would collect many lines first.
  private static func say(_ line: String) {
    print(line)
    fflush(nil)
  }
}
