import Compositing
import Geometry
import Layers
import LinuxSystem
import Raster
import RenderTree

/// Measures how many pixels a `DamageRegion` paints that did not change, on the kinds of damage that user interfaces make, how
/// many pixels one more rectangle costs, and the difference of two trees.
@MainActor
enum DamageBenchmarks {
  static let all = Benchmark(name: "damage") {
    try workloads() + rectangleCosts() + differences()
  }

  // MARK: Waste

  private static let screen = IntRect(x: 0, y: 0, width: 1920, height: 1080)
  private static let bounds = Rect(x: 0, y: 0, width: 1920, height: 1080)

  /// The kinds of damage, with the most that may be painted for each pixel that changed. The random ones are drawn 40 times, and
  /// their median counts.
  private static func workloads() -> [Result] {
    var random = Random(state: 7)
    func scatter(_ count: Int) -> [IntRect] {
      (0..<count).map { _ in
        let (width, height) = (random.next(in: 16...56), random.next(in: 16...56))
        return IntRect(
          x: random.next(in: 0...1920 - width), y: random.next(in: 0...1080 - height), width: width, height: height)
      }
    }
    func labels() -> [IntRect] {
      (0..<24).map { row in IntRect(x: 96, y: 20 + row * 44, width: random.next(in: 120...420), height: 16) }
    }
    func moved() -> [IntRect] {
      let (x, y) = (random.next(in: 100...1000), random.next(in: 100...600))
      let (dx, dy) = (random.next(in: -9...9), random.next(in: -9...9))
      return [IntRect(x: x, y: y, width: 400, height: 300), IntRect(x: x + dx, y: y + dy, width: 400, height: 300)]
    }
    let kinds: [(name: String, limit: Double, make: () -> [IntRect])] = [
      (
        "far corners", 1.5,
        { [IntRect(x: 0, y: 0, width: 48, height: 48), IntRect(x: 1872, y: 1032, width: 48, height: 48)] }
      ),
      ("a list of 24 labels", 1.5, labels),
      (
        "counter, spinner, caret, bar", 1.5,
        {
          [
            IntRect(x: 1800, y: 12, width: 90, height: 20), IntRect(x: 940, y: 520, width: 40, height: 40),
            IntRect(x: 300, y: 700, width: 2, height: 20), IntRect(x: 200, y: 1040, width: 1200, height: 6),
          ]
        }
      ),
      ("a moved layer", 1.5, moved),
      (
        "two edges of a pan", 1.5,
        { [IntRect(x: 1908, y: 0, width: 12, height: 1080), IntRect(x: 0, y: 1073, width: 1920, height: 7)] }
      ),
      ("8 scattered", 1.5, { scatter(8) }),
      ("40 scattered", 1.5, { scatter(40) }),
      ("200 scattered", 6.5, { scatter(200) }),
    ]
    return kinds.flatMap { name, limit, make in
      var ratios: [Double] = []
      var most = 0
      for _ in 0..<40 {
        let rects = make()
        let region = region(of: rects)
        ratios.append(Double(region.area) / Double(area(of: rects)))
        most = max(most, region.rects.count)
      }
      return [
        Result(name: "painted/dirty: \(name)", unit: .count, ours: Harness.median(ratios), peer: nil, limit: limit),
        Result(name: "most rectangles of that", unit: .count, ours: Double(most), peer: nil, limit: 32),
      ]
    }
  }

  /// The damage of layers that appear in these rectangles.
  private static func region(of rects: [IntRect]) -> DamageRegion {
    var records = [RenderRecord(id: 1, subtreeEnd: 1, bounds: bounds)]
    let old = TreeSnapshot(records: records)
    records[0].subtreeEnd = UInt32(rects.count + 1)
    for (index, rect) in rects.enumerated() {
      records.append(
        RenderRecord(
          id: UInt32(index + 2), subtreeEnd: UInt32(index + 2),
          transform: .translation(x: Double(rect.minX), y: Double(rect.minY)),
          bounds: Rect(x: 0, y: 0, width: Double(rect.width), height: Double(rect.height)), backgroundColor: 0xFF40_6080))
    }
    var diff = SceneDiff()
    return diff.change(from: old, to: TreeSnapshot(records: records), width: screen.width, height: screen.height).damage
  }

  /// The number of pixels in any of the rectangles.
  private static func area(of rects: [IntRect]) -> Int {
    let edges = Set(rects.flatMap { [$0.minX, $0.maxX] }).sorted()
    return zip(edges, edges.dropFirst()).reduce(0) { sum, column in
      let spans = rects.filter { $0.minX <= column.0 && $0.maxX >= column.1 }.map { ($0.minY, $0.maxY) }.sorted { $0 < $1 }
      var (rows, end) = (0, Int32.min)
      for span in spans where span.1 > end {
        rows += Int(span.1 - max(span.0, end))
        end = span.1
      }
      return sum + rows * Int(column.1 - column.0)
    }
  }

  // MARK: The cost of a rectangle

  /// The pixels that could be painted in the time that one more rectangle takes: 250,000 pixels of 500 layers in one square, or cut
  /// into several that lie 40 pixels apart. `DamageRegion` unites two rectangles where that wastes fewer pixels.
  private static func rectangleCosts() throws -> [Result] {
    let bitmap = try Bitmap(width: screen.width, height: screen.height)
    let image = try Bitmap(width: 100, height: 100)
    for y in 0..<100 {
      let row = image.row(y).assumingMemoryBound(to: UInt32.self)
      for x in 0..<100 { row[x] = x / 10 % 2 == 0 ? 0x8040_2010 : 0xFF80_4020 }
    }
    let picture = image.freeze()
    let kinds: [(name: String, change: (inout RenderRecord, inout SideValues) -> Void)] = [
      ("opaque", { _, _ in }),
      ("translucent", { record, _ in record.backgroundColor = 0x8000_4080 }),
      ("rounded", { record, _ in record.cornerRadius = 12 }),
      ("images", { record, sides in (record.backgroundColor, sides) = (0, SideValues(image: picture)) }),
    ]
    return try kinds.flatMap { name, change in
      let tree = tree(change)
      guard tree.records.count == 501 else { throw BenchmarkError("the tree has no 500 layers") }
      let compositor = Compositor()
      func time(_ damage: DamageRegion) -> Double {
        let times = (0..<15).map { _ in
          Harness.nanoseconds { for _ in 0..<4 { compositor.render(tree, damage: damage, into: bitmap) } } / 4
        }
        return times.min() ?? .nan
      }
      return [4, 16, 25].map { count in
        let (one, many) = (time(squares(1)), time(squares(count)))
        let pixels = (many - one) / Double(count - 1) / (one / Double(squares(1).area))
        return Result(
          name: "pixels a rectangle costs: \(name) \(count)", unit: .count, ours: pixels.rounded(), peer: nil, limit: nil)
      }
    }
  }

  private static func squares(_ count: Int) -> DamageRegion {
    let columns = Int(Double(count).squareRoot().rounded(.up))
    let side = Int((250_000 / Double(count)).squareRoot())
    var region = DamageRegion()
    for index in 0..<count {
      region.add(
        IntRect(
          x: 60 + index % columns * (side + 40), y: 60 + index / columns * (side + 40), width: side, height: side))
    }
    return region
  }

  /// 500 layers of 100 × 100 on a coloured root.
  private static func tree(_ change: (inout RenderRecord, inout SideValues) -> Void) -> TreeSnapshot {
    var tree = TreeSnapshot()
    let root = RenderRecord(id: 1, subtreeEnd: 501, bounds: bounds, backgroundColor: 0xFF20_3040)
    tree.append(root, SideValues())
    for index in 0..<500 {
      var record = RenderRecord(
        id: UInt32(index + 2), subtreeEnd: UInt32(index + 2),
        transform: .translation(x: 10 + Double(index % 25) * 72, y: 10 + Double(index / 25) * 47),
        bounds: Rect(x: 0, y: 0, width: 100, height: 100), backgroundColor: 0xFF00_0000 | UInt32(index * 4001))
      var sides = SideValues()
      change(&record, &sides)
      tree.append(record, sides)
    }
    return tree
  }

  // MARK: Differences

  private static func differences() -> [Result] {
    func tree(_ count: Int, moved: Double) -> TreeSnapshot {
      var records = [RenderRecord(id: 1, subtreeEnd: UInt32(count + 1), bounds: bounds)]
      for index in 0..<count {
        records.append(
          RenderRecord(
            id: UInt32(index + 2), subtreeEnd: UInt32(index + 2),
            transform: .translation(x: Double(index % 96 * 20) + moved, y: Double(index / 96 * 10)),
            bounds: Rect(x: 0, y: 0, width: 16, height: 8), backgroundColor: 0xFF40_6080))
      }
      return TreeSnapshot(records: records)
    }
    func time(_ name: String, _ old: TreeSnapshot, _ new: TreeSnapshot) -> [Result] {
      var diff = SceneDiff()
      func run() {
        Harness.blackHole(diff.change(from: old, to: new, width: screen.width, height: screen.height))
      }
      return [
        Harness.time("difference of \(name)", repeats: 50) { run() },
        Harness.allocations("allocations in that") { run() },
      ]
    }
    let (many, few) = (tree(10_000, moved: 0), tree(2_000, moved: 0))
    return time("10,000 layers that are the same", many, tree(10_000, moved: 0))
      + time("2,000 layers that all moved", few, tree(2_000, moved: 3))
  }

  /// The generator SplitMix64, so that every run draws the same rectangles.
  private struct Random {
    var state: UInt64

    mutating func next(in range: ClosedRange<Int>) -> Int {
      state &+= 0x9E37_79B9_7F4A_7C15
      var value = state
      value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
      return range.lowerBound + Int((value ^ value >> 31) % UInt64(range.count))
    }
  }
}
