// A screen is unplugged and another one is plugged in, on a simulated card and on manual time, as in a test of an
// application. Nothing sleeps, and no screen is needed.
import Framepace
import KMS
import KMSTesting

@main
struct Program {
  @MainActor
  static func main() throws {
    let loop = FrameLoop(clock: .manual(ManualClock()))
    let card = SimulatedCard(connectors: [.init("HDMI-A-1", modes: [.simulated(640, 480)])], clock: loop.clock)
    // These vblanks move the card's time; without them no flip would complete.
    let vblanks = SimulatedVBlanks(of: card, on: loop)

    let kms = KMSCard(device: try card.open())
    let display = try kms.display(clock: loop.clock)
    var states: [String] = []
    display.observe { if case .stateChanged(let state) = $0 { states.append("\(state)") } }.keep()

    let engine = Engine(display: display, root: makeScene(), loop: loop)
    var frames = 0
    engine.output.observe { if case .presented = $0 { frames += 1 } }.keep()

    loop.run(mode: .default, for: .seconds(1))
    print("\(display.name): \(frames) frames in a second")
    guard (59...61).contains(frames) else { fatalError("a frame each vblank") }

    // The cable is pulled out, and the kernel sends its event.
    card.setConnected(false, "HDMI-A-1")
    kms.lookForScreens()
    loop.run(mode: .default, for: .seconds(1))
    guard display.state == .waiting(.unplugged) else { fatalError("not noticed: \(display.state)") }

    // The layers are kept, and a larger screen shows them.
    card.setModes([.simulated(800, 600)], of: "HDMI-A-1")
    card.setConnected(true, "HDMI-A-1")
    kms.lookForScreens()
    loop.run(mode: .default, for: .seconds(1))
    let image = try card.copyShownImage(of: "HDMI-A-1")
    print("states: \(states.joined(separator: ", "))")
    print("\(display.name) shows \(image.map { "\($0.width) by \($0.height) pixels" } ?? "nothing")")
    guard display.state == .showing, image?.width == 800 else { fatalError("not back") }

    engine.invalidate()
    vblanks.invalidate()
    guard card.holdings == SimulatedCard.Holdings() else { fatalError("left behind: \(card.holdings)") }
    print("nothing is left behind")
  }

  /// A square that moves for a minute.
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
