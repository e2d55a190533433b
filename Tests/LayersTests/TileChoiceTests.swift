import Geometry
import LinuxSystem
import Raster
import RenderTree
import TestLength
import XCTest

@testable import Layers

/// The tiles that a layer draws, their level and their order: exact counts and places against a plain evaluation of the rules.
@preconcurrency @MainActor final class TileChoiceTests: XCTestCase {
  /// The numbers of a random layer: all but some zooms are exact in binary.
  private struct Case {
    let bounds: Rect
    let position: Point
    let zoom: Double
    let levels: Int
    let bias: Int
    let tile: Size
    let contentsScale: Double?
    let outputScale: Double

    init(seed: UInt64) {
      var random = SplitMix64(seed: seed)
      func whole(_ range: ClosedRange<Int>) -> Double { Double(Int.random(in: range, using: &random)) }
      bounds = Rect(x: whole(-40...40), y: whole(-40...40), width: whole(1...500), height: whole(1...500))
      position = Point(whole(-300...200), whole(-300...200))
      zoom = exp2(whole(-4...3)) * (random.chance(0.5) ? 1 : 1.25)
      (levels, bias) = (Int(whole(1...6)), Int(whole(0...2)))
      tile = Size([32, 64, 128].randomElement(using: &random) ?? 32, [32, 64, 128].randomElement(using: &random) ?? 32)
      contentsScale = random.chance(0.5) ? nil : [0.5, 1, 2, 4].randomElement(using: &random)
      outputScale = random.chance(0.7) ? 1 : 2
    }

    /// The rectangles and scales of the tiles that are seen and of those beside them, in the order in which they are to be drawn, by
    /// looking at each tile of the layer.
    func expected(output: Size) -> (seen: [TileLog.Tile], near: [TileLog.Tile]) {
      let base = contentsScale ?? outputScale
      // From the coarsest level with a pixel to the finest.
      var scales = (0..<levels).map { base * exp2(Double(bias - $0)) }.filter {
        min(bounds.width, bounds.height) * $0 >= 1
      }
      if scales.isEmpty { scales = [base * exp2(Double(bias))] }
      let shown = zoom * outputScale
      let scale = scales.last { $0 >= shown } ?? scales[0]
      // The layer's anchor point is the corner of its bounds.
      let corner = Point(position.x * outputScale, position.y * outputScale)
      let left = max(bounds.minX, bounds.minX - corner.x / shown)
      let top = max(bounds.minY, bounds.minY - corner.y / shown)
      let right = min(bounds.maxX, bounds.minX + (output.width - corner.x) / shown)
      let bottom = min(bounds.maxY, bounds.minY + (output.height - corner.y) / shown)
      guard left < right, top < bottom else { return ([], []) }
      let center = Point((left + right) / 2, (top + bottom) / 2)
      let (width, height) = (tile.width / scale, tile.height / scale)
      func touches(_ x: Int, _ y: Int, _ l: Double, _ t: Double, _ r: Double, _ b: Double) -> Bool {
        Double(x) * width < r && Double(x + 1) * width > l && Double(y) * height < b && Double(y + 1) * height > t
      }
      var all: [(x: Int, y: Int)] = []
      for y in Int((bounds.minY / height).rounded(.down)) - 1...Int((bounds.maxY / height).rounded(.up)) + 1 {
        for x in Int((bounds.minX / width).rounded(.down)) - 1...Int((bounds.maxX / width).rounded(.up)) + 1
        where touches(x, y, bounds.minX, bounds.minY, bounds.maxX, bounds.maxY) { all.append((x, y)) }
      }
      let seen = all.filter { touches($0.x, $0.y, left, top, right, bottom) }
      let isSeen = Set(seen.map { [$0.x, $0.y] })
      let near = all.filter { one in
        !isSeen.contains([one.x, one.y])
          && (-1...1).contains { y in (-1...1).contains { x in isSeen.contains([one.x + x, one.y + y]) } }
      }
      func distance(_ one: (x: Int, y: Int)) -> Double {
        let (x, y) = ((Double(one.x) + 0.5) * width - center.x, (Double(one.y) + 0.5) * height - center.y)
        // As far as another one, but for rounding.
        return ((x * x + y * y) * 1e6).rounded()
      }
      func ordered(_ tiles: [(x: Int, y: Int)]) -> [(x: Int, y: Int)] {
        tiles.sorted { (distance($0), $0.y, $0.x) < (distance($1), $1.y, $1.x) }
      }
      func asked(_ one: (x: Int, y: Int)) -> TileLog.Tile {
        // Its own pixels and one of its neighbours on each side, as far as the bounds go.
        func side(_ index: Int, _ length: Double, _ start: Double, _ end: Double) -> (Double, Double) {
          let first = max(Double(index) * length * scale - 1, (start * scale).rounded(.down))
          let last = min(Double(index + 1) * length * scale + 1, (end * scale).rounded(.up))
          return (first / scale, last / scale)
        }
        let (x, y) = (side(one.x, width, bounds.minX, bounds.maxX), side(one.y, height, bounds.minY, bounds.maxY))
        return TileLog.Tile(rect: Rect(x: x.0, y: y.0, width: x.1 - x.0, height: y.1 - y.0), scale: scale)
      }
      return (ordered(seen).map(asked), ordered(near).map(asked))
    }
  }

  func testRandomLayersDrawTheTilesOfThePlainRules() {
    for number in 0..<(isLongRun ? 10_000 : 100) {
      let seed = UInt64(runSeed) &* 1_000_003 &+ UInt64(number)
      let one = Case(seed: seed)
      let tiles = TileStage(output: Size(200, 150), scale: one.outputScale)
      tiles.turn { layer in
        layer.bounds = one.bounds
        layer.position = one.position
        layer.transform = .scale(one.zoom)
        (layer.levelsOfDetail, layer.levelsOfDetailBias, layer.tileSize) = (one.levels, one.bias, one.tile)
        layer.contentsScale = one.contentsScale
        layer.tileBytes = 1 << 40
      }
      let expected = one.expected(output: Size(200, 150))
      let (all, requested) = (expected.seen + expected.near, tiles.layer.log.requested)
      // The most that a layer has.
      if all.count > 4096 { continue }
      // The order of those that are as far from the middle is exact where the numbers are.
      let isExact = one.zoom.significandWidth == 0
      let isSame =
        isExact
        ? requested == all
        : requested.count == all.count && Set(requested.prefix(expected.seen.count)) == Set(expected.seen)
          && Set(requested) == Set(all)
      XCTAssertTrue(isSame, "seed \(seed): \(one)\n\(requested)\n\(all)")
      tiles.settle()
      // None is drawn twice, and each is one record.
      XCTAssertEqual(tiles.layer.log.begun.count, all.count, "seed \(seed)")
      XCTAssertEqual(tiles.layer.log.cancelled.count, 0, "seed \(seed)")
      XCTAssertEqual(tiles.records.count, all.count, "seed \(seed)")
      if !isSame { return }
    }
  }

  func testALargeLayerCostsWhatIsSeenOfIt() {
    let tiles = TileStage(Size(100_000, 100_000), output: Size(320, 256))
    tiles.layer.levelsOfDetail = 10
    tiles.turn { $0.position = Point(-50_000, -50_016) }
    // 16 pixels into a tile on the left, 32 at the top: 6 × 5 are seen, and one more on each side is near.
    XCTAssertEqual(tiles.layer.log.requested.count, 8 * 7)
    tiles.settle()
    XCTAssertEqual(tiles.layer.tiles.count, 8 * 7)
    XCTAssertEqual(tiles.stage.tree().records.count, 2 + 8 * 7)
    // From far away 5 × 4 tiles of a coarse level, and one more at the right and at the bottom.
    tiles.layer.log.requested = []
    tiles.turn { ($0.position, $0.transform) = (.zero, .scale(1.0 / 256)) }
    XCTAssertEqual(Set(tiles.layer.log.requested.map(\.scale)), [1.0 / 256])
    XCTAssertEqual(tiles.layer.log.requested.count, 6 * 5)
  }

  func testNothingIsDrawnOfALayerThatIsNotSeen() {
    let tiles = TileStage()
    for hide in [
      { ($0 as SquaresLayer).isHidden = true }, { $0.superlayer?.isHidden = true }, { $0.position = Point(900, 0) },
      { $0.bounds.size.width = 0 }, { $0.transform = .scale(0) },
      { layer in
        let outer = Layer(frame: Rect(x: 0, y: 0, width: 0, height: 10))
        outer.masksToBounds = true
        layer.superlayer?.addSublayer(outer)
        outer.addSublayer(layer)
      },
    ] as [@MainActor (SquaresLayer) -> Void] {
      let tiles = TileStage()
      tiles.turn(hide)
      XCTAssertEqual(tiles.layer.log.requested.count, 0)
      XCTAssertEqual(tiles.records.count, 0)
    }
    tiles.turn()
    XCTAssertEqual(tiles.layer.log.requested.count, 5 * 4)
  }

  /// A clip of a layer around it counts, and the perspective of one.
  func testTheClipAndTheSpaceOfLayersAroundItCount() {
    let tiles = TileStage()
    let outer = Layer(frame: Rect(x: 10, y: 10, width: 64, height: 64))
    outer.masksToBounds = true
    tiles.stage.root.addSublayer(outer)
    outer.addSublayer(tiles.layer)
    tiles.turn { $0.position = Point(-10, -10) }
    // 2 × 2 are seen.
    XCTAssertEqual(tiles.layer.log.requested.count, 3 * 3)
    tiles.layer.log.requested = []
    tiles.layer.levelsOfDetailBias = 1
    tiles.layer.levelsOfDetail = 2
    tiles.turn { _ in
      outer.bounds = Rect(x: 0, y: 0, width: 200, height: 150)
      outer.position = Point(100, 75)
      outer.sublayerTransform = .perspective(distance: 400)
      tiles.layer.zPosition = 100
    }
    // From nearer it is shown larger, so that the finer level is needed.
    XCTAssertEqual(Set(tiles.layer.log.requested.map(\.scale)), [2])
  }

  /// A movement that nobody commits asks for a commit where it needs other tiles.
  func testAnAnimatedScrollDrawsTheTilesOnItsWay() {
    let tiles = TileStage(Size(4096, 150))
    tiles.settle()
    tiles.layer.log.requested = []
    tiles.layer.add(
      BasicAnimation(.position, to: Point(-2000, 0), duration: .seconds(2), timingFunction: .linear), forKey: "scroll")
    tiles.turn()
    var commits = 0
    for time in stride(from: Int64(0), to: 2000, by: 10) {
      _ = tiles.stage.tree(after: time)
      if tiles.stage.context.isDirty {
        commits += 1
        tiles.stage.turn()
        tiles.workOff()
        tiles.stage.turn()
      }
      let seen = Double(time)
      let tree = tiles.stage.tree(after: time)
      for x in stride(from: seen, to: seen + 200, by: 50) {
        let isCovered = tree.records.dropFirst(2).contains { $0.bounds.contains(Point(x, 75)) }
        if !isCovered { return XCTFail("nothing at \(x) after \(time) ms") }
      }
    }
    // At most once for each column that comes into sight or goes, and at the end.
    XCTAssertLessThan(commits, 2 * 2000 / 64 + 3)
    // Up to a column beside the last that is seen.
    XCTAssertEqual(Set(tiles.layer.log.requested.map(\.rect.minX)).count, (2200 / 64 + 2) - (200 / 64 + 2))
  }
}
