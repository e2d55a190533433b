// Calibrates a touch screen by five touches, and prints the rule of udev that keeps it so.
//
//   swift run Calibrate live                until the fifth touch, with the seat's devices. Run it on a console: on a desktop the compositor calibrates
//   swift run Calibrate FILE                plays an event script, see `framepace input`
//   swift run Calibrate FILE --output P.png the same without a screen, and writes its last picture
//   swift run Calibrate                     plays touches of a panel that is mounted upside down
import Framepace
import Glibc
import InteractivePrograms
import SampleScenes

@main
struct Program {
  @MainActor
  static func main() {
    do {
      var calibration: CalibrationView?
      try InteractiveProgram.run(isCalibrated: false) { engine in
        let made = CalibrationView(
          frame: engine.root.bounds, fonts: try SceneFonts(),
          screen: { [weak engine] in engine?.inputRouter.screens.first?.screen },
          onDone: { [weak engine] in engine?.finish() })
        engine.root.addSublayer(made)
        calibration = made
        return try touches()
      } end: {
        guard let calibration, calibration.isDone, let device = calibration.device,
          let name = InteractiveProgram.devices[device]?.name
        else { throw InteractiveProgram.Failure("not all crosses were touched") }
        guard let matrix = calibration.calibration.matrix, let error = calibration.calibration.error, error < 0.03 else {
          throw InteractiveProgram.Failure(
            "the touches do not fit each other: touch the middle of each cross, and lift the finger there")
        }
        print("\(name): the touches fit to \((error * 1000).rounded() / 10) % of the panel")
        print("# To /etc/udev/rules.d/99-touch-calibration.rules; then udevadm control --reload && udevadm trigger,")
        print("# and start the programs that use it again.")
        print(TouchCalibration.rule(for: name, matrix: matrix))
      }
    } catch {
      print("\(error)")
      exit(1)
    }
  }

  @MainActor
  private static func touches() throws -> InputScript {
    let lines = CalibrationView.places.enumerated().flatMap { index, place in
      [
        "\(0.5 + 0.3 * Double(index)) 1 touch 0 down \(1 - place.x) \(1 - place.y)",
        "\(0.6 + 0.3 * Double(index)) 1 touch 0 up",
      ]
    }
    return try InputScript("framepace input 1\n0 1 added \"Panel\" touch\n" + lines.joined(separator: "\n"))
  }
}
