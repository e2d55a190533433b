// A label whose text is drawn on a worker thread. The layer returns a value that captures what the drawing needs, never the
// layer itself. The finished bitmap becomes the layer's contents at the end of a turn. Until then the old contents stay, so
// that nothing flashes and nothing waits.
import Framepace

final class BackgroundLabel: Layer {
  var text = "" {
    didSet { if text != oldValue { setNeedsDisplay() } }
  }
  private let font: Font

  init(font: Font) {
    self.font = font
    super.init()
  }

  override func makeDrawing() -> (any Drawing)? {
    Label(line: TextLine(text, font: font))
  }

  private struct Label: Drawing {
    var line: TextLine

    func draw(in context: DrawingContext) {
      guard !context.isCancelled else { return }
      context.draw(line, at: Point(0, line.ascent), color: .white)
    }
  }
}

@main
struct Program {
  @MainActor
  static func main() throws {
    let rate = RefreshRate.hertz60
    let root = Layer()
    root.backgroundColor = Color(hex: 0x0B1016)
    let label = BackgroundLabel(font: try SystemFonts.font(.regular, size: 24))
    label.frame = Rect(x: 20, y: 20, width: 280, height: 32)
    root.addSublayer(label)

    let display = try VirtualDisplay(width: 320, height: 72, refreshRate: rate, reason: "a sample without a screen")
    let engine = Engine(display: display, root: root)
    var frames = 0
    engine.output.observe { if case .presented = $0 { frames += 1 } }.keep()

    // Ten changes in one turn: the first nine drawings are cancelled, or never begin.
    for number in 1...10 { label.text = "text number \(number)" }
    let end = FrameLoop.Timer(fireTime: engine.loop.clock.now + .milliseconds(200), .onMain { _ in engine.finish() })
    engine.loop.add(end, to: .common)
    engine.run()

    guard let contents = label.contents else { fatalError("the label was never drawn") }
    print("contents of \(contents.width)x\(contents.height) pixels arrived from a worker; \(frames) frames shown")
    engine.invalidate()
  }
}
