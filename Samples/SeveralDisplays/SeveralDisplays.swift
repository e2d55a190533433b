// One scene on a display, mirrored on a second display of another shape and rate, and another scene on a third. Each display
// has its own ticks: a frame is presented at a vblank of its display.
import Framepace

@main
struct Program {
  @MainActor
  static func main() throws {
    let wall = try makeDisplay(width: 320, height: 180, hertz: 60)
    let tablet = try makeDisplay(width: 120, height: 160, hertz: 50)
    let sign = try makeDisplay(width: 64, height: 32, hertz: 24)

    let engine = Engine(display: wall, root: makeScene(.white))
    // The scene is laid out and drawn once, for the wall. The tablet shows it scaled to fit, with black bars above and
    // below.
    engine.mirror(on: tablet)
    engine.addOutput(display: sign, root: makeScene(Color(hex: 0x4CC2FF)))

    var seen: [[MonotonicTime]] = [[], [], []]
    for (index, output) in engine.outputs.enumerated() {
      output.observe { if case .presented(let frame) = $0 { seen[index].append(frame.presented) } }.keep()
    }
    let end = FrameLoop.Timer(fireTime: engine.loop.clock.now + .milliseconds(500), .onMain { _ in engine.finish() })
    engine.loop.add(end, to: .common)
    engine.run()

    for (output, times) in zip(engine.outputs, seen) {
      print("\(output.display.name): \(times.count) frames")
      guard let first = times.first, times.count > 1 else { fatalError("nothing moved") }
      // The times are whole intervals of the frame's own display, however busy the machine is.
      let hertz = output.display.ticker.refreshRate.hertz
      for time in times {
        let intervals = (time - first).seconds * hertz
        guard abs(intervals - intervals.rounded()) < 1e-3 else { fatalError("seen off the display's vblanks") }
      }
    }
    let (above, ground) = (color(of: tablet, x: 60, y: 0), color(of: tablet, x: 60, y: 80))
    print("above the mirrored scene \(above), in it \(ground)")
    guard above == "ff000000", ground == "ffffffff" else { fatalError("not in the middle of the tablet") }
    engine.invalidate()
  }

  @MainActor
  private static func makeDisplay(width: Int, height: Int, hertz: Double) throws -> VirtualDisplay {
    guard let rate = RefreshRate(hertz: hertz) else { fatalError("\(hertz) Hz is a rate") }
    return try VirtualDisplay(width: width, height: height, refreshRate: rate, reason: "a sample without a screen")
  }

  /// A square that moves down along the left edge.
  @MainActor
  private static func makeScene(_ ground: Color) -> Layer {
    let root = Layer()
    root.backgroundColor = ground
    let square = Layer(frame: Rect(x: 0, y: 0, width: 8, height: 8))
    square.backgroundColor = .black
    root.addSublayer(square)
    square.add(BasicAnimation(.position, from: Point(4, 4), to: Point(4, 28), duration: .seconds(1)))
    return root
  }

  @MainActor
  private static func color(of display: VirtualDisplay, x: Int, y: Int) -> String {
    guard let bitmap = display.shownBitmap else { return "none" }
    return String(bitmap.row(y).load(fromByteOffset: 4 * x, as: UInt32.self), radix: 16)
  }
}
