// A form that asks for a name. A tap on a field shows a keyboard on the screen, unless a real one is there: a kiosk without one can ask too.
//
//   swift run Form live                     until Ctrl-C or SIGTERM, in a window on a desktop or with the seat's devices
//   swift run Form FILE                     plays an event script, see `framepace input`
//   swift run Form FILE --output P.png      the same without a screen, and writes its last picture
//   swift run Form                          types a name with a finger
//
// The layout of the keys is the machine's, see `KeyboardLayout`: XKB_DEFAULT_LAYOUT=de swift run Form live. At its end it says what is in the form.
import Framepace
import Glibc
import InteractivePrograms
import SampleScenes

@main
struct Program {
  @MainActor
  static func main() {
    do {
      var form: NameForm?
      try InteractiveProgram.run { engine in
        let router = engine.inputRouter
        let layout = try KeyboardLayout.automatic()
        print("keyboard: \(layout.reason)")
        let keyboard = try Keyboard(layout: layout, sequences: try? ComposeTable.automatic())
        router.keyboard = keyboard
        let made = NameForm(frame: engine.root.bounds, fonts: try SceneFonts().library(), router: router)
        engine.root.addSublayer(made)
        form = made
        return finger(on: made, keyboard)
      } end: {
        guard let form else { return }
        print("first name '\(form.firstName.string)', last name '\(form.lastName.string)': \(form.message)")
      }
    } catch {
      print("\(error)")
      exit(1)
    }
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
