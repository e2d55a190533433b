import CKernels
import Geometry
import LinuxSystem
import Raster
import RenderTree
import TestLength
import Testing

@testable import Compositing

/// Edges that are not antialiased.
@Suite struct SharpEdgeTests {
  private static let side = 72

  /// A map that turns, stretches or shears. Some draw the edges of cells of this size through middles of pixels, but for rounding.
  private static func map(ofCells size: Size, _ random: inout SplitMix64) -> Affine {
    let place = Affine.translation(
      x: Double(Int.random(in: 50...90, using: &random)) / 2, y: Double(Int.random(in: 50...90, using: &random)) / 2)
    let pixels = { (random: inout SplitMix64) in Double(Int.random(in: 3...9, using: &random)) }
    let whole = Affine.scale(x: pixels(&random) / size.width, y: pixels(&random) / size.height)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return whole.concatenating(place)
    case 1: return whole.concatenating(.rotation(.pi / 2)).concatenating(place)
    case 2: return whole.concatenating(.scale(0.5.squareRoot())).concatenating(.rotation(.pi / 4)).concatenating(place)
    case 3: return Affine.rotation(.random(in: -4...4, using: &random)).concatenating(place)
    case 4: return Affine.scale(x: -0.5, y: 1.25).concatenating(place)
    default:
      return Affine(
        a: .random(in: 0.4...1.4, using: &random), b: .random(in: -1...1, using: &random),
        c: .random(in: -0.3...0.3, using: &random), d: .random(in: 0.4...1.4, using: &random), tx: 34.5, ty: 36)
    }
  }

  /// Layers that meet at sharp edges look as one layer in their place, whatever fills them: nothing is seen between them.
  @Test(arguments: some(60, of: 1...1000))
  func layersThatMeetHaveNoSeam(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let (columns, rows) = (Int.random(in: 1...5, using: &random), Int.random(in: 1...5, using: &random))
    let size = Size(.random(in: 3...12, using: &random), .random(in: 3...12, using: &random))
    let map = Self.map(ofCells: size, &random)
    let tint = Color(hex: 0x2060C0, alpha: random.chance(0.5) ? 1 : 0.5)
    let color = tint.premultipliedBGRA
    let kind = Int.random(in: 0..<4, using: &random)
    let image = try Bitmap(width: 1, height: 1) { _, _ in color }.freeze()
    func tree(_ columns: Int, _ rows: Int, _ size: Size) -> TreeSnapshot {
      var tree = TreeSnapshot()
      tree.backdrop = 0xFFFF_FFFF
      for index in 0..<columns * rows {
        let (column, row) = (index % columns, index / columns)
        var parts = RenderEffects.Parts()
        if column > 0 { parts.smoothEdges.remove(.minX) }
        if column < columns - 1 { parts.smoothEdges.remove(.maxX) }
        if row > 0 { parts.smoothEdges.remove(.minY) }
        if row < rows - 1 { parts.smoothEdges.remove(.maxY) }
        let id = UInt32(tree.records.count + 1)
        let place = Affine.translation(x: Double(column) * size.width, y: Double(row) * size.height)
        var record = RenderRecord(
          id: id, subtreeEnd: kind == 3 ? id + 1 : id, transform: place.concatenating(map),
          bounds: Rect(x: 0, y: 0, width: size.width, height: size.height))
        var sides = SideValues(effects: RenderEffects(parts))
        switch kind {
        case 0: record.backgroundColor = color
        case 1: sides.content = image
        case 2:
          let stops = [Gradient.Stop(tint, at: 0), Gradient.Stop(tint, at: 1)]
          sides.content = GradientContent(.init(.axial, from: Point(0, 0), to: Point(1, 0), stops: stops))
        default: record.flags.insert(.masksToBounds)
        }
        tree.append(record, sides)
        guard kind == 3 else { continue }
        tree.append(
          RenderRecord(
            id: id + 1, subtreeEnd: id + 1, bounds: Rect(x: -9, y: -9, width: 99, height: 99), backgroundColor: color),
          SideValues())
      }
      return tree
    }
    let cells = try tree(columns, rows, size).picture(width: Self.side, height: Self.side)
    let one = try tree(1, 1, Size(size.width * Double(columns), size.height * Double(rows)))
      .picture(width: Self.side, height: Self.side)
    for y in 0..<Self.side {
      for x in 0..<Self.side where !cells[x, y].isNear(one[x, y], tolerance: 1) {
        Issue.record("\(cells[x, y]) at \(x), \(y), in one \(one[x, y])")
        return
      }
    }
  }

  /// A sharp edge leaves all of a pixel or nothing, by its middle.
  @Test(arguments: some(30, of: 1...300))
  func pixelsAreCoveredByTheirMiddles(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let rect = Rect(x: -20, y: -10, width: .random(in: 1...40, using: &random), height: .random(in: 1...30, using: &random))
    let map = Affine.rotation(.random(in: 0...7, using: &random)).concatenating(.translation(x: 36, y: 36))
    let shape = LayerShape(rect, radius: 0, smoothEdges: [], transform: map)
    let inverse = try #require(map.inverted)
    var kernel = shape.kernel
    for y in 0..<Self.side {
      var coverage = [UInt8](repeating: 7, count: Self.side)
      ckernels_best().pointee.coverage(&coverage, Int64(Self.side), 0, Int32(y), &kernel)
      let spans = shape.spans(row: Int32(y), from: 0, to: Int32(Self.side))
      for x in 0..<Self.side {
        let middle = inverse.apply(Point(Double(x) + 0.5, Double(y) + 0.5))
        // Middles on an edge may fall to either side.
        if rect.insetBy(dx: 0.01, dy: 0.01).contains(middle) { #expect(coverage[x] == 255, "\(x), \(y)") }
        if !rect.insetBy(dx: -0.01, dy: -0.01).contains(middle) { #expect(coverage[x] == 0, "\(x), \(y)") }
        let isTouched = spans.touched_start <= x && x < spans.touched_end
        #expect(isTouched || coverage[x] == 0, "\(x), \(y)")
        #expect(!(spans.covered_start <= x && x < spans.covered_end) || coverage[x] == 255, "\(x), \(y)")
      }
    }
  }
}
