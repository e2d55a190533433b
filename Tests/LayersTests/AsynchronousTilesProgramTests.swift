import Geometry
import LinuxSystem
import Raster
import RenderTree
import TestLength
import XCTest

@testable import Layers

/// Random programs on a tiled layer whose tiles are drawn by simulated workers, in the middle of drawings too, and what must hold in
/// each turn of them.
@preconcurrency @MainActor final class AsynchronousTilesProgramTests: XCTestCase {
  func testRandomPrograms() {
    // In that of the last seed, tiles of two finer levels stand in for one.
    for seed in some(25, of: 1...20_000) + [2996] {
      let program = TileProgram(seed: UInt64(seed))
      program.run()
      if let failure = program.failure { return XCTFail("seed \(seed): \(failure)") }
    }
  }
}

@MainActor
private final class TileProgram {
  private(set) var failure: String?
  private var random: SplitMix64
  private let tiles: TileStage
  /// True if there is room for all tiles that any step needs.
  private let isRoomy: Bool
  /// Points of the layer, and those of them that were seen with a picture after the last turn.
  private let points: [Point]
  private var covered: Set<Int> = []
  private var turns = 0
  private var depth = 0

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    isRoomy = random.chance(0.7)
    tiles = TileStage(
      Size(700, 500), output: Size(150, 110), threads: Int(seed % 3) + 1,
      fade: random.chance(0.4) ? .milliseconds(30) : .zero)
    let layer = tiles.layer
    layer.tileSize = Size(32, 32)
    (layer.levelsOfDetail, layer.levelsOfDetailBias) = (4, 1)
    layer.isTranslucent = random.chance(0.4)
    layer.publishesDrawingsAlone = random.chance(0.3)
    let bytes = TileGrid(tileSize: Size(32, 32), scale: 1).tileBytes
    layer.tileBytes = bytes * (isRoomy ? 3000 : 30)
    var points: [Point] = []
    for _ in 0..<60 { points.append(Point(.random(in: 0..<700, using: &random), .random(in: 0..<500, using: &random))) }
    self.points = points
  }

  func run() {
    tiles.layer.log.meanwhile = { [unowned self] _ in
      if depth < 2, random.chance(0.1) { step() }
    }
    tiles.turn()
    for _ in 0..<60 where failure == nil { step() }
    tiles.layer.log.meanwhile = nil
    tiles.layer.isHidden = false
    if tiles.layer.superlayer == nil { tiles.stage.root.addSublayer(tiles.layer) }
    tiles.settle()
    turn(after: 50)
    tiles.settle()
    checkRest()
  }

  private func check(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition, failure == nil { failure = "turn \(turns): \(message())" }
  }

  private func step() {
    depth += 1
    defer { depth -= 1 }
    let layer = tiles.layer
    Transaction.withoutActions {
      switch Int.random(in: 0..<14, using: &random) {
      case 0, 1, 2:
        layer.position.x += Double(Int.random(in: -90...60, using: &random))
        layer.position.y += Double(Int.random(in: -60...40, using: &random))
      case 3: layer.transform = .scale([0.25, 0.5, 0.7, 1, 1.5, 2].randomElement(using: &random) ?? 1)
      case 4:
        layer.edition += 1
        layer.setNeedsDisplay()
      case 5:
        let place = points.randomElement(using: &random) ?? .zero
        layer.setNeedsDisplay(in: Rect(origin: place, size: Size(40, 20)))
      case 6: layer.isHidden.toggle()
      case 7 where random.chance(0.3): layer.removeFromSuperlayer()
      case 8: if layer.superlayer == nil { tiles.stage.root.addSublayer(layer) }
      case 9: layer.drawingPriority = DrawingPriority.allCases.randomElement(using: &random) ?? .normal
      default: for _ in 0..<Int.random(in: 1...12, using: &random) { _ = tiles.pool.runNextJob() }
      }
    }
    // A turn in the middle of a turn is none.
    if depth == 1 || random.chance(0.5) { turn(after: Int64.random(in: 0...9, using: &random)) }
  }

  private func turn(after milliseconds: Int64) {
    turns += 1
    tiles.turn(after: milliseconds)
    let layer = tiles.layer
    let limit = max(layer.tileBytes / TileGrid(tileSize: Size(32, 32), scale: 1).tileBytes, 1)
    check(layer.tiles.values.count(where: \.takesMemory) <= limit, "more than \(limit) tiles")
    check(tiles.stage.tree().inconsistency == nil, "\(tiles.stage.tree().inconsistency ?? "")")
    let records = tiles.records
    if layer.isTranslucent, layer.fadeDuration == .zero {
      for one in records.indices {
        for other in records.indices where other > one {
          check(records[one].bounds.intersection(records[other].bounds).isEmpty, "records \(one) and \(other) overlap")
        }
      }
    }
    guard layer.superlayer != nil, !layer.isHidden else { return covered = [] }
    let scale = layer.transform.m11
    let seen = Rect(
      x: -layer.position.x / scale, y: -layer.position.y / scale, width: 150 / scale, height: 110 / scale)
    var now: Set<Int> = []
    for (index, point) in points.enumerated() where seen.contains(point) {
      let hasPicture = records.contains { $0.bounds.contains(point) }
      // An opaque neighbour reaches over a tile by a pixel, and may go.
      let isOwn = layer.pieces.keys.contains { layer.tileGrid?.rect(of: $0.source).contains(point) ?? false }
      if isOwn { now.insert(index) }
      if isRoomy, covered.contains(index) { check(hasPicture, "nothing at \(point) any more") }
    }
    // A point that goes on being seen goes on having a picture.
    covered = now
  }

  /// All tiles that are near are there, in their newest edition, one record each, and nothing else is.
  private func checkRest() {
    let layer = tiles.layer
    check(tiles.stage.context.pendingDrawings == 0, "drawings wait for ever")
    guard let view = layer.tileView, let grid = layer.tileGrid else {
      return check(tiles.records.isEmpty, "records of a layer that is not seen")
    }
    guard !view.isCut, isRoomy else { return }
    let wanted = Set(view.tiles)
    check(Set(layer.pieces.keys.map(\.place)) == wanted, "other places than the tiles that are near")
    check(layer.pieces.keys.allSatisfy { $0.place == $0.source }, "tiles stand in for others at rest")
    for piece in layer.pieces.values {
      check(piece.animations.isEmpty, "a fade without end")
    }
    for key in wanted {
      guard let picture = layer.tiles[key]?.picture else { return check(false, "no picture of \(key)") }
      check(picture.rect == grid.pictureRect(of: key, in: layer.bounds), "a picture of another place than \(key)")
      // Each edition has its own bits of red.
      let word = (picture.image.row(3) + 12).load(as: UInt32.self)
      let alpha = word >> 24
      let red = Int((word >> 16 & 0xFF) * 255 / max(alpha, 1))
      check(abs(red - Int(0x80 | layer.edition & 0x7F)) <= 2, "\(key) is of edition \(red & 0x7F)")
    }
  }
}
