// A screen that is pulled out, and another one that is plugged in: on a simulated card and on manual time, as a test of an
// application does it. Nothing sleeps, and no screen is needed.
import Framepace
import KMS
import KMSTesting

@main
struct Program {
  @MainActor
  static func main() throws {
    let loop = FrameLoop(clock: .manual(ManualClock()))
    let card = SimulatedCard(connectors: [.init("HDMI-A-1", modes: [.simulated(640, 480)])], clock: loop.clock)
    // Without it the card's time stands still, and no flip is ever done.
    let vblanks = SimulatedVBlanks(of: card, on: loop)

    let kms = KMSCard(device: try card.open())
    let display = try kms.display(clock: loop.clock)
    var states: [String] = []
    display.onStateChange = { states.append("\($0)") }

    let engine = Engine(display: display, root: makeScene(), loop: loop)
    var frames = 0
    engine.output.onPresented = { _ in frames += 1 }

    loop.run(mode: .default, until: loop.clock.now + .seconds(1))
    print("\(display.name): \(frames) frames in a second")
    guard (59...61).contains(frames) else { fatalError("a frame each vblank") }

    // What a cable does, and the event that the kernel sends then.
    card.setConnected(false, "HDMI-A-1")
    kms.lookForScreens()
    loop.run(mode: .default, until: loop.clock.now + .seconds(1))
    guard display.state == .waiting(.unplugged) else { fatalError("not noticed: \(display.state)") }

    // The layers lived on, and are shown on a larger screen.
    card.setModes([.simulated(800, 600)], of: "HDMI-A-1")
    card.setConnected(true, "HDMI-A-1")
    kms.lookForScreens()
    loop.run(mode: .default, until: loop.clock.now + .seconds(1))
    let image = try card.copyShownImage(of: "HDMI-A-1")
    print("states: \(states.joined(separator: ", "))")
    print("\(display.name) shows \(image.map { "\($0.width) by \($0.height) pixels" } ?? "nothing")")
    guard display.state == .showing, image?.width == 800 else { fatalError("not back") }

    engine.invalidate()
    vblanks.invalidate()
    guard card.holdings == SimulatedCard.Holdings() else { fatalError("left behind: \(card.holdings)") }
    print("nothing is left behind")
  }

  /// A square that goes its way for a minute.
  @MainActor
  private static func makeScene() -> Layer {
    let root = Layer()
    let square = Layer(frame: Rect(x: 0, y: 40, width: 80, height: 80))
    square.backgroundColor = Color(hex: 0x4CC2FF)
    root.addSublayer(square)
    square.add(BasicAnimation(.position, from: Point(40, 80), to: Point(440, 80), duration: .seconds(60)))
    return root
  }
}
