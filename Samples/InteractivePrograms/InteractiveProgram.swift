import AutomaticDisplays
public import Framepace
import Glibc
import KMS
import Seats
import Wayland

/// Runs a program that people touch: in a window on a desktop, else on the display that there is, with the devices of that or by an event
/// script, whose end it may write to a picture. The frame of the samples Feed, Form, Paint, Map and Calibrate.
@MainActor
public enum InteractiveProgram {
  /// The arguments of the program, but for `--output FILE`, which `run` takes.
  public static var arguments: [String] {
    var arguments = Array(CommandLine.arguments.dropFirst())
    if let place = arguments.firstIndex(of: "--output") { arguments.removeSubrange(place..<min(place + 2, arguments.count)) }
    return arguments
  }

  /// The devices that are or were there.
  public private(set) static var devices: [InputDevice.ID: InputDevice] = [:]

  fileprivate static func receive(_ event: InputEvent, _ router: InputRouter) {
    if case .added(let device) = event.action { devices[event.device] = device }
    router.receive(event)
  }

  /// The picture that `--output FILE` asks for.
  private static func output() throws -> String? {
    guard let place = CommandLine.arguments.firstIndex(of: "--output") else { return nil }
    let file = CommandLine.arguments.dropFirst(place + 1).first
    guard let file, file.hasSuffix(".png") else {
      throw Failure("--output needs the name of a picture, which ends in .png")
    }
    return file
  }

  /// An error that ends the program without success, as text for people.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }
  }

  /// Its first argument is `live` for the devices of the desktop or the seat, until the window is closed, Ctrl-C or SIGTERM; else the path
  /// of an event script, see `framepace input`; none for the program's own script. `--output FILE` shows a script on a display of memory,
  /// and writes what that shows at the end; `--help` prints how to call it.
  ///
  /// - Parameters:
  ///   - others: the arguments behind the first one, as the help names them.
  ///   - rest: how long the program goes on after the script.
  ///   - isCalibrated: false to get touch places without udev's calibration, which only a console can give.
  ///   - prepare: fills the engine's root layer, and returns the program's own script. Layers that it puts there as large as the root follow
  ///     its size.
  ///   - end: is called before the layers go. Its error is the run's.
  public static func run(
    others: String = "", rest: Nanoseconds = .seconds(1), isCalibrated: Bool = true,
    _ prepare: (Engine) throws -> InputScript, end: () throws -> Void
  ) throws {
    let argument = arguments.first
    let name = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? ""
    if argument == "--help" || argument == "-h" {
      return print(
        """
        usage: \(name) [live | FILE]\(others) [--output PICTURE.png]
          live       until Ctrl-C or SIGTERM, with the devices of \(isCalibrated ? "the desktop or the seat" : "the seat, on a console")
          FILE       plays an event script, or a recording by libinput record: see framepace help input
          --output   plays it without a screen, and writes the last picture
        Without FILE it plays a script of its own.
        """)
    }
    var running: Engine?
    // The signals must be blocked before any thread exists, so that all threads leave them to the loop.
    let ends = try SignalSource(signals: [SIGINT, SIGTERM], .onMain { _ in running?.finish() })
    FrameLoop.main.add(ends, to: .common)

    let output = try output()
    if output != nil, argument == "live" { throw Failure("--output is for a script, which ends: use it without live") }
    // A seat is only opened where there is no window.
    var session: DisplaySession?
    let display: any Display
    if output == nil {
      let found = try Displays.automatic(
        window: WindowOptions(title: name, applicationID: "framepace.\(name)", width: 480, height: 800),
        session: {
          session = DisplaySession(seat: .automatic())
          return session
        })
      display = found.display
      print("\(display.name): \(found.reason); \(display.reason)")
    } else {
      display = try VirtualDisplay(width: 480, height: 800, refreshRate: .hertz60, reason: "for a picture")
    }
    let engine = Engine(display: display, root: Layer())
    running = engine
    defer { engine.invalidate() }
    let script = try prepare(engine)
    var bounds = engine.root.bounds
    display.observe { event in
      guard case .geometryChanged = event else { return }
      for layer in engine.root.sublayers where layer.frame == bounds { layer.frame = engine.root.bounds }
      bounds = engine.root.bounds
    }.keep()
    if argument == "live" {
      let devices = try LiveDevices(of: display, session, isCalibrated: isCalibrated, for: engine)
      engine.run()
      devices.invalidate()
    } else {
      let played = try argument.map { try InputScript(contentsOf: $0) } ?? script
      try play(played, rest: rest, untilDrawn: output != nil, on: engine)
    }
    if let output { try PNG.write(display.capture(), to: output) }
    try end()
  }

  /// The longest that a picture waits for its drawings.
  private static let drawingTime = Nanoseconds.seconds(20)

  /// - Parameter untilDrawn: true to go on until nothing is drawn any more, which is seen by two looks in a row: what was drawn fades in.
  private static func play(_ script: InputScript, rest: Nanoseconds, untilDrawn: Bool, on engine: Engine) throws {
    var late = 0
    let player = InputPlayer(script) { receive($0, engine.inputRouter) }
    var wasDrawing = untilDrawn
    player.onEnd = {
      let deadline = engine.loop.clock.now + rest + drawingTime
      let end = FrameLoop.Timer(
        fireTime: engine.loop.clock.now + rest, interval: .milliseconds(500),
        .onMain { _ in
          let isDrawing = untilDrawn && engine.context.pendingDrawings > 0
          if isDrawing, engine.loop.clock.now >= deadline { late = engine.context.pendingDrawings }
          if late > 0 || !isDrawing && !wasDrawing { engine.finish() }
          wasDrawing = isDrawing
        })
      engine.loop.add(end, to: .common)
    }
    player.add(to: engine.loop, mode: .common)
    player.start(at: engine.loop.clock.now)
    engine.run()
    player.stop()
    guard late == 0 else {
      throw Failure(
        "no picture was written: \(late == 1 ? "a layer was" : "\(late) layers were") still being drawn "
          + "\(Int(drawingTime.seconds)) s after the script; try again when the machine has less to do, or look at it without --output"
      )
    }
  }
}

/// The source of what people do: the window, or the devices of the seat where there is none.
@MainActor
private enum LiveDevices {
  case window(WaylandInput)
  case seat(InputDevices)

  init(of display: any Display, _ session: DisplaySession?, isCalibrated: Bool, for engine: Engine) throws {
    let router = engine.inputRouter
    if let window = display as? WaylandDisplay {
      guard isCalibrated else {
        throw InteractiveProgram.Failure(
          "live needs a console: the places of a window's touches have the desktop's calibration already. "
            + "Switch to a console, as with Ctrl-Alt-F3, and start it there")
      }
      let input = WaylandInput(connection: window.connection) { router.receive($0) }
      input.onKeyboard = { (router.keyboard, router.keyRepeat) = ($0, $1) }
      router.onTextInput = { input.textInput.state = $0 }
      input.textInput.onComposition = { router.compose($0) }
      Clipboard.shared.exchange = Clipboard.Exchange(
        offer: { input.clipboard.offer($0) }, request: { input.clipboard.request($0) })
      self = .window(input)
    } else {
      weak var devices: InputDevices?
      let input = try InputDevices(session: session?.seat ?? .automatic()) { event in
        if !isCalibrated, case .added = event.action { devices?.calibrate(event.device, by: .identity) }
        InteractiveProgram.receive(event, router)
      }
      devices = input
      if !isCalibrated { for device in input.devices { input.calibrate(device.id, by: .identity) } }
      router.onLEDs = { input.leds = $0 }
      router.readWaiting = { input.read() }
      input.add(to: engine.loop, mode: .common)
      if let absence = input.absence { print(absence) }
      self = .seat(input)
    }
  }

  func invalidate() {
    switch self {
    case .window(let input): input.invalidate()
    case .seat(let input): input.invalidate()
    }
  }
}
