public import Framepace
import Glibc
import KMS
import Seats

/// Runs a program that people touch: on the display that there is, with the devices of the seat or by an event script. The frame of the
/// samples Feed, Form, Paint and Map.
@MainActor
public enum InteractiveProgram {
  /// - Parameters:
  ///   - argument: `live` for the devices of the seat, until Ctrl-C or SIGTERM; else the path of an event script, see `framepace input`; nil
  ///     for the program's own. `--help` prints how to call it.
  ///   - others: the arguments behind that one, as the help names them.
  ///   - rest: how long the program goes on after the script.
  ///   - prepare: fills the engine's root layer, and returns the program's own script.
  ///   - end: is called before the layers go.
  public static func run(
    _ argument: String?, others: String = "", rest: Nanoseconds = .seconds(1),
    _ prepare: (Engine) throws -> InputScript, end: () -> Void
  ) throws {
    if argument == "--help" || argument == "-h" {
      let name = CommandLine.arguments.first?.split(separator: "/").last ?? ""
      return print(
        """
        usage: \(name) [live | FILE]\(others)
          live   until Ctrl-C or SIGTERM, with the devices of the seat
          FILE   plays an event script: see framepace help input
        Without an argument it plays a script of its own.
        """)
    }
    var running: Engine?
    // The signals must be blocked before any thread exists, so that all threads leave them to the loop.
    let ends = try SignalSource(signals: [SIGINT, SIGTERM], .onMain { _ in running?.finish() })
    FrameLoop.main.add(ends, to: .common)

    let session = DisplaySession(seat: .automatic())
    let display = try Displays.automatic(width: 480, height: 800, refreshRate: .hertz60, session: session)
    print("\(display.name): \(display.reason)")
    let engine = Engine(display: display, root: Layer())
    running = engine
    defer { engine.invalidate() }
    let script = try prepare(engine)
    let router = engine.inputRouter
    if argument == "live" {
      let input = try InputDevices(session: session.seat) { router.receive($0) }
      router.onLEDs = { input.leds = $0 }
      router.readWaiting = { input.read() }
      input.add(to: engine.loop, mode: .common)
      if let absence = input.absence { print(absence) }
      engine.run()
      input.invalidate()
    } else {
      let player = InputPlayer(try argument.map { try InputScript(contentsOf: $0) } ?? script) { router.receive($0) }
      player.onEnd = {
        let end = FrameLoop.Timer(fireTime: engine.loop.clock.now + rest, .onMain { _ in engine.finish() })
        engine.loop.add(end, to: .common)
      }
      player.add(to: engine.loop, mode: .common)
      player.start(at: engine.loop.clock.now)
      engine.run()
      player.stop()
    }
    end()
  }
}
