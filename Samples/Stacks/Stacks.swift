// A card of stacks in a stack: a picture, a title above a detail that takes what is left, and a badge. The same card in two widths, and without
// its title: each change is laid out in the commit at the end of the turn, with all stacks around it.
import Framepace

@main
struct Program {
  @MainActor
  static func main() throws {
    let card = Layer(frame: Rect(x: 0, y: 0, width: 320, height: 64))
    let row = StackLayout(.row)
    (row.alignment, row.gap, row.padding) = (.center, Size(8, 0), Insets(all: 8))
    card.layoutManager = row

    let picture = Layer(frame: Rect(x: 0, y: 0, width: 48, height: 48))
    let texts = Layer()
    texts.layoutManager = StackLayout(.column)
    texts.layoutItem.grow = 1
    let (title, detail) = (TextLayer(), TextLayer())
    for (label, text) in [(title, "Over hill"), (detail, "over dale, thorough bush, thorough brier")] {
      label.font = try SystemFonts.font(.regular, size: 16)
      label.string = text
      texts.addSublayer(label)
    }
    // In the corner of the card, whatever its size.
    let badge = Layer()
    (badge.layoutItem.width, badge.layoutItem.height) = (12, 12)
    badge.layoutItem.absolute = AbsoluteInsets(top: 0, right: 0)
    for layer in [picture, texts, badge] { card.addSublayer(layer) }

    let display = try VirtualDisplay(width: 320, height: 64, refreshRate: .hertz60, reason: "a sample without a screen")
    let root = Layer()
    root.addSublayer(card)
    let engine = Engine(display: display, root: root)

    func text(_ layer: Layer) -> String {
      "\(Int(layer.frame.width)) × \(Int(layer.frame.height)) at \(Int(layer.frame.minX)), \(Int(layer.frame.minY))"
    }
    func show(_ moment: String) { print("\(moment): texts \(text(texts)), badge \(text(badge))") }
    let steps: [@MainActor () -> Void] = [
      {
        show("320 points wide")
        card.bounds.size.width = 200
      },
      {
        show("200 points wide")
        title.removeFromSuperlayer()
      },
      {
        show("without a title")
        engine.finish()
      },
    ]
    let start = engine.loop.clock.now
    for (index, step) in steps.enumerated() {
      let time = start + .milliseconds(50 * Int64(index + 1))
      engine.loop.add(FrameLoop.Timer(fireTime: time, .onMain { _ in step() }), to: .common)
    }
    engine.run()
    engine.invalidate()
  }
}
