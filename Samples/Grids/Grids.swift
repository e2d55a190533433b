// A board of tiles in a grid: a header across all columns, tiles in as many columns as there is room for, one of them in four cells, and
// a form in the last row, whose labels share a column. The same board in two widths, and with one tile more.
import Framepace

@main
struct Program {
  @MainActor
  static func main() throws {
    let board = Layer(frame: Rect(x: 0, y: 0, width: 320, height: 240))
    let grid = GridLayout(columns: .autoFill([.minmax(70, .fraction(1))]), rows: [24])
    (grid.autoRows, grid.gap, grid.padding) = ([.minmax(40, .fraction(1))], Size(8, 8), Insets(all: 8))
    grid.flow = .rowDense
    board.layoutManager = grid

    let header = Layer()
    header.layoutItem.column = .lines(1, -1)
    let tiles = (0..<5).map { _ in Layer() }
    (tiles[1].layoutItem.column, tiles[1].layoutItem.row) = (.span(2), .span(2))
    let form = Layer()
    form.layoutItem.column = .lines(1, -1)
    let fields = GridLayout(columns: [.auto, .fraction(1)])
    (fields.gap, fields.alignItems) = (Size(8, 4), .center)
    form.layoutManager = fields
    for text in ["Over hill", "Dale"] {
      let (label, field) = (TextLayer(), Layer())
      (label.font, label.string) = (try SystemFonts.font(.regular, size: 14), text)
      label.layoutItem.justifySelf = .end
      field.layoutItem.height = 16
      for layer in [label, field] { form.addSublayer(layer) }
    }
    for layer in [header] + tiles + [form] { board.addSublayer(layer) }

    let display = try VirtualDisplay(width: 320, height: 240, refreshRate: .hertz60, reason: "a sample without a screen")
    let root = Layer()
    root.addSublayer(board)
    let engine = Engine(display: display, root: root)

    func text(_ layer: Layer) -> String {
      "\(Int(layer.frame.width)) × \(Int(layer.frame.height)) at \(Int(layer.frame.minX)), \(Int(layer.frame.minY))"
    }
    func show(_ moment: String) {
      print("\(moment): header \(text(header)), large tile \(text(tiles[1])), form \(text(form))")
    }
    let steps: [@MainActor () -> Void] = [
      {
        show("320 points wide")
        board.bounds.size.width = 200
      },
      {
        show("200 points wide")
        board.insertSublayer(Layer(), below: tiles[0])
      },
      {
        show("one tile more")
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
