// A form that asks for a name. A tap on a field shows a keyboard on the screen, unless a real one is there: a kiosk without one can ask too.
//
//   swift run Form live                     until Ctrl-C or SIGTERM, with the devices of the seat
//   swift run Form FILE                     plays an event script, see `framepace input`
//   swift run Form                          types a name with a finger
//
// The layout of the keys is the machine's, see `KeyboardLayout`: XKB_DEFAULT_LAYOUT=de swift run Form live. At its end it says what is in the form.
import Framepace
import Glibc
import KMS
import SampleScenes
import Seats

@main
struct Program {
  @MainActor
  static func main() {
    do {
      try run(CommandLine.arguments.dropFirst().first)
    } catch {
      print("\(error)")
      exit(1)
    }
  }

  @MainActor
  private static func run(_ argument: String?) throws {
    var running: Engine?
    // The signals must be blocked before any thread exists, so that all threads leave them to the loop.
    let ends = try SignalSource(signals: [SIGINT, SIGTERM], .onMain { _ in running?.finish() })
    FrameLoop.main.add(ends, to: .common)

    let session = DisplaySession(seat: .automatic())
    let display = try Displays.automatic(width: 480, height: 800, refreshRate: .hertz60, session: session)
    print("\(display.name): \(display.reason)")
    let engine = Engine(display: display, root: Layer())
    running = engine
    let router = engine.inputRouter
    let layout = try KeyboardLayout.automatic()
    print("keyboard: \(layout.reason)")
    let keyboard = try Keyboard(layout: layout, sequences: try? ComposeTable.automatic())
    router.keyboard = keyboard
    let form = NameForm(frame: engine.root.bounds, fonts: try SceneFonts().library(), router: router)
    engine.root.addSublayer(form)

    if argument == "live" {
      let input = try InputDevices(session: session.seat) { router.receive($0) }
      router.onLEDs = { input.leds = $0 }
      router.readWaiting = { input.read() }
      input.add(to: engine.loop, mode: .common)
      if let absence = input.absence { print(absence) }
      engine.run()
      input.invalidate()
    } else {
      let script = try argument.map { try InputScript(contentsOf: $0) } ?? finger(on: form, keyboard)
      let player = InputPlayer(script) { router.receive($0) }
      player.onEnd = {
        let end = FrameLoop.Timer(fireTime: engine.loop.clock.now + .seconds(1), .onMain { _ in engine.finish() })
        engine.loop.add(end, to: .common)
      }
      player.add(to: engine.loop, mode: .common)
      player.start(at: engine.loop.clock.now)
      engine.run()
      player.stop()
    }
    let (first, last, message) = (form.firstName.string, form.lastName.string, form.message)
    engine.invalidate()
    print("first name '\(first)', last name '\(last)': \(message)")
  }

  /// A finger that touches the first field, types names and presses the button.
  @MainActor
  private static func finger(on form: NameForm, _ keyboard: Keyboard) -> InputScript {
    form.layoutIfNeeded()
    let finger = InputDevice(id: InputDevice.ID(rawValue: 1), name: "finger", abilities: .touch)
    var events = [InputEvent(time: .zero, device: finger.id, action: .added(finger))]
    var time = MonotonicTime.zero + .milliseconds(200)
    func tap(_ point: Point?) {
      guard let point else { return }
      let part = Point(point.x / form.bounds.width, point.y / form.bounds.height)
      events.append(InputEvent(time: time, device: finger.id, action: .touch(finger: 0, .down(part))))
      events.append(InputEvent(time: time + .milliseconds(60), device: finger.id, action: .touch(finger: 0, .up)))
      time += .milliseconds(160)
    }
    func type(_ text: String) { for code in form.keyboard.codes(for: text, keyboard) { tap(form.keyboard.point(of: code)) } }
    let shift = form.keyboard.point(of: InputCode(rawValue: 42))
    tap(Point(form.firstName.frame.midX, form.firstName.frame.midY))
    tap(shift)
    type("ada")
    tap(form.keyboard.point(of: InputCode(rawValue: 28)))
    tap(shift)
    type("lovelace")
    tap(Point(form.sendButton.frame.midX, form.sendButton.frame.midY))
    return InputScript(events: events)
  }
}
