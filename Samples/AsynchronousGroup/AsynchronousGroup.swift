// Two layers are drawn on worker threads, one much more slowly. Both were asked for in one turn, so both appear in one frame; a
// third one, that wants to appear alone, does not wait for them.
import Framepace

final class Tile: Layer {
  var strokes = 1

  override func makeDrawing() -> (any Drawing)? { Picture(bounds: bounds, strokes: strokes) }

  private struct Picture: Drawing {
    var bounds: Rect
    var strokes: Int

    func draw(in context: DrawingContext) {
      for stroke in 0..<strokes where !context.isCancelled {
        context.fill(.ellipse(in: bounds), color: Color(hex: UInt32(0x4CC2FF - stroke % 64)))
      }
    }
  }
}

@main
struct Program {
  @MainActor
  static func main() throws {
    let root = Layer()
    let tiles = [1, 3_000, 1].map { strokes in
      let tile = Tile(frame: Rect(x: 0, y: 0, width: 96, height: 96))
      tile.strokes = strokes
      tile.setNeedsDisplay()
      root.addSublayer(tile)
      return tile
    }
    tiles[2].publishesDrawingsAlone = true
    let display = try VirtualDisplay(width: 320, height: 96, refreshRate: .hertz60, reason: "a sample without a screen")
    let engine = Engine(display: display, root: root)
    var seen: [Int] = []
    engine.output.observe { event in
      guard case .presented = event else { return }
      let count = tiles.count { $0.contents != nil }
      if seen.last != count { seen.append(count) }
      if count == tiles.count { engine.finish() }
    }.keep()
    engine.run()
    print("tiles with a picture, from frame to frame: \(seen.map(String.init).joined(separator: ", "))")
    engine.invalidate()
  }
}
