import Compositing
import Geometry
import LinuxSystem
import Raster
import RenderTree
import TestLength
import Testing

@Suite struct CompositorTests {
  private static func whole(_ bitmap: Bitmap) -> DamageRegion {
    DamageRegion(IntRect(x: 0, y: 0, width: bitmap.width, height: bitmap.height))
  }

  /// Bands on several threads change no byte.
  @MainActor @Test(arguments: 1...3)
  func workersChangeNothing(seed: UInt64) throws {
    let (width, height) = (800, 450)
    let model = try RandomTree(seed: seed, layers: 30, width: width, height: height)
    let tree = model.snapshot()
    let alone = try tree.picture(width: width, height: height)
    let shared = try Bitmap(width: width, height: height)
    let workers = WorkerPool(threads: 3)
    let compositor = Compositor(workers: workers)
    for _ in 0..<3 {
      shared.clear()
      compositor.render(tree, damage: Self.whole(shared), into: shared)
      for y in 0..<height {
        let same = UnsafeRawBufferPointer(start: alone.row(y), count: width * 4)
          .elementsEqual(UnsafeRawBufferPointer(start: shared.row(y), count: width * 4))
        if !same {
          Issue.record("seed \(seed), row \(y)\n\(tree)")
          return
        }
      }
    }
  }

  /// A checkerboard shown smaller is grey, also where it is smaller in one direction only, and shows no false pattern.
  @Test(arguments: [Size(101, 101), Size(101, 800), Size(800, 101), Size(190, 257)])
  func smallerImagesAreAveraged(size: Size) throws {
    let board = try Bitmap(width: 800, height: 800) { x, y in
      (x / 2 + y / 2).isMultiple(of: 2) ? 0xFFFF_FFFF : 0xFF00_0000
    }
    let (width, height) = (Int(size.width), Int(size.height))
    var tree = TreeSnapshot()
    let bounds = Rect(x: 0, y: 0, width: size.width, height: size.height)
    tree.append(RenderRecord(id: 1, subtreeEnd: 1, bounds: bounds), SideValues(content: board.freeze()))
    let bitmap = try tree.picture(width: width, height: height)
    for y in 0..<height {
      for x in 0..<width {
        let grey = bitmap[x, y] & 0xFF
        if abs(Int(grey) - 127) > 2 {
          Issue.record("\(size): \(grey) at \(x), \(y)")
          return
        }
      }
    }
  }

  /// Fading two layers as one group is not fading each of them.
  @Test func opacityIsOfTheGroup() throws {
    let bounds = Rect(x: 0, y: 0, width: 4, height: 1)
    let tree = TreeSnapshot(
      records: [
        RenderRecord(id: 1, subtreeEnd: 3, bounds: bounds, opacity: 0.5, backgroundColor: 0xFFFF_0000),
        RenderRecord(id: 2, subtreeEnd: 2, bounds: bounds, backgroundColor: 0xFF00_FF00),
        RenderRecord(
          id: 3, subtreeEnd: 3, transform: .translation(x: 2, y: 0), bounds: Rect(x: 0, y: 0, width: 1, height: 1),
          opacity: 0.5, backgroundColor: 0xFF00_00FF),
      ])
    let bitmap = try tree.picture(width: 4, height: 1)
    #expect(bitmap[0, 0] == 0xFF00_8000)
    #expect(bitmap[2, 0] == 0xFF00_4040)
  }

  /// A mask cuts its inside by its corners; with layers in it as without any.
  @Test(arguments: [false, true])
  func masksCutContentsAndLayers(hasLayers: Bool) throws {
    let image = try Bitmap(width: 20, height: 20) { _, _ in 0xFFFF_FFFF }.freeze()
    let place = Rect(x: 0, y: 0, width: 20, height: 20)
    let child = RenderRecord(
      id: 2, subtreeEnd: 2, bounds: Rect(x: -50, y: -50, width: 200, height: 60), backgroundColor: 0xFFFF_FFFF)
    var tree = TreeSnapshot()
    tree.append(
      RenderRecord(id: 1, subtreeEnd: 1, bounds: place, cornerRadius: 10, flags: .masksToBounds), SideValues(content: image))
    if hasLayers {
      tree.records[0].subtreeEnd = 2
      tree.append(child, SideValues())
    }
    let bitmap = try tree.picture(width: 24, height: 24)
    for y in 0..<24 {
      for x in 0..<24 {
        let (dx, dy) = (Double(x) + 0.5 - 10, Double(y) + 0.5 - 10)
        let expected = min(max(10.5 - (dx * dx + dy * dy).squareRoot(), 0), 1) * 255
        #expect(abs(Double(bitmap[x, y] & 255) - expected) <= 1, "\(x), \(y)")
      }
    }
  }

  /// Contents as large as the mask share its edge: half a pixel is half covered, not a quarter.
  @Test(arguments: [false, true])
  func edgesAreNotAntialiasedTwice(hasLayers: Bool) throws {
    let image = try Bitmap(width: 20, height: 20) { _, _ in 0xFFFF_FFFF }.freeze()
    let place = Rect(x: 2.5, y: 2, width: 20, height: 20)
    var tree = TreeSnapshot()
    tree.append(
      RenderRecord(id: 1, subtreeEnd: 1, bounds: place, cornerRadius: 4, flags: .masksToBounds), SideValues(content: image))
    if hasLayers {
      tree.records[0].subtreeEnd = 2
      tree.append(RenderRecord(id: 2, subtreeEnd: 2, bounds: place, flags: .hidden), SideValues())
    }
    let bitmap = try tree.picture(width: 24, height: 24)
    #expect([1, 2, 3].map { bitmap[$0, 12] & 255 } == [0, 128, 255])
  }

  /// A picture that is neither turned nor scaled arrives as it is.
  @Test func contentsAreCopiedExactly() throws {
    var random = SplitMix64(seed: 3)
    let source = try Bitmap(width: 5, height: 3) { _, _ in .random(in: 0...0xFF_FFFF, using: &random) | 0xFF00_0000 }
    let place = Rect(x: 0, y: 0, width: 2.5, height: 1.5)
    var tree = TreeSnapshot()
    tree.append(
      RenderRecord(
        id: 1, subtreeEnd: 1, transform: Affine.scale(2).concatenating(.translation(x: 2, y: 1)), bounds: place),
      SideValues(content: source.freeze()))
    let bitmap = try tree.picture(width: 9, height: 5)
    for y in 0..<5 {
      for x in 0..<9 {
        let isInside = (2..<7).contains(x) && (1..<4).contains(y)
        #expect(bitmap[x, y] == (isInside ? source[x - 2, y - 1] : 0xFF00_0000))
      }
    }
  }

  /// A viewport shows the picture of a root at that place, and the backdrop outside of its clip, at which blurs of what lies behind a
  /// layer end.
  @MainActor @Test(arguments: 1...20)
  func aViewportPlacesAndClipsTheTree(seed: UInt64) throws {
    var tree = try RandomTree(seed: seed, layers: 12, width: 64, height: 48).snapshot()
    let clip = IntRect(x: 16, y: 3, width: 32, height: 24)
    let transform = Affine.scale(0.5).concatenating(.translation(x: 16, y: 3))
    var placed = tree
    placed.records[0].transform = placed.records[0].transform.concatenating(transform)
    tree.viewport = Viewport(transform: transform, clip: clip)
    func compare(_ tree: TreeSnapshot, _ placed: TreeSnapshot) throws {
      let (found, expected) = (try tree.picture(width: 64, height: 30), try placed.picture(width: 64, height: 30))
      var wrong = 0
      for y in 0..<30 {
        for x in 0..<64 {
          let isInside = clip.intersects(IntRect(x: x, y: y, width: 1, height: 1))
          if found[x, y] != (isInside ? expected[x, y] : tree.backdrop) { wrong += 1 }
        }
      }
      #expect(wrong == 0, "seed \(seed)")
    }
    try compare(tree.withoutBackdropBlurs, placed.withoutBackdropBlurs)
    placed.viewport = Viewport(transform: .identity, clip: clip)
    try compare(tree, placed)
  }

  /// Layers on whole pixels, round corners included, on an output that is turned: the pixels of the unturned one, moved. The coverage
  /// of a shape is rounded along x: turned by a quarter it may be another one by a step. The
  /// dither of gradients stays with the output.
  @MainActor @Test(arguments: some(15, of: 1...60))
  func aTurnedOutputMovesThePixels(seed: UInt64) throws {
    let (width, height) = (40, 30)
    let model = try RandomTree(seed: seed &+ 4000, layers: 10, width: width, height: height)
    for _ in 0..<3 {
      _ = model.edit()
      var tree = model.snapshot().onWholePixels(keepsEffects: false)
      tree.viewport = nil
      let upright = try tree.picture(width: width, height: height)
      let content = tree.sides.map(\.content)
      let tolerance: UInt32 =
        content.contains { $0 is GradientContent } ? 3 : content.contains { $0 is ShapeContent } ? 2 : 0
      for turns in 1...3 {
        let (wide, high) = turns == 2 ? (width, height) : (height, width)
        tree.viewport = Viewport(quarterTurns: turns, width: wide, height: high)
        let turned = try tree.picture(width: wide, height: high)
        for y in 0..<height {
          for x in 0..<width {
            let (column, row) = [(height - 1 - y, x), (width - 1 - x, height - 1 - y), (y, width - 1 - x)][turns - 1]
            if !turned[column, row].isNear(upright[x, y], tolerance: tolerance) {
              let colors = [turned[column, row], upright[x, y]].map { String($0, radix: 16) }
              Issue.record("seed \(seed), \(turns) turns, pixel \(x), \(y): \(colors)\n\(tree)")
              return
            }
          }
        }
      }
    }
  }

  /// A plane in perspective of which little is shown: that has the output's pixels, however far the rest reaches.
  @Test(arguments: [60, 1e5, 1e7])
  func aLargePlaneIsFineWhereItIsSeen(width: Double) throws {
    var parts = RenderEffects.Parts()
    parts.homography = Homography(a: 1, b: 0, px: 0.002, c: 0, d: 1, py: 0, tx: 0, ty: 5, pw: 1)
    var tree = TreeSnapshot()
    tree.append(
      RenderRecord(
        id: 1, subtreeEnd: 2, bounds: Rect(x: 0, y: 0, width: width, height: 20), backgroundColor: 0xFF00_00FF),
      SideValues(effects: RenderEffects(parts)))
    tree.append(
      RenderRecord(id: 2, subtreeEnd: 2, bounds: Rect(x: 20, y: 5, width: 6, height: 10), backgroundColor: 0xFFFF_0000),
      SideValues())
    let bitmap = try tree.picture(width: 50, height: 30)
    // The red one is seen from 19.2 to 24.7.
    #expect(
      (0..<5).map { bitmap[[17, 18, 21, 26, 27][$0], 14] } == [
        0xFF00_00FF, 0xFF00_00FF, 0xFFFF_0000, 0xFF00_00FF, 0xFF00_00FF,
      ])
  }

  /// A plane with a small plane in it, of which a layer reaches far out: the first is seen however far that goes.
  @Test func aPlaneIsSeenAroundWhatReachesFar() throws {
    func plane(scale: Double) -> SideValues {
      var parts = RenderEffects.Parts()
      parts.homography = Homography(a: scale, b: 0, px: 0.001 * scale, c: 0, d: scale, py: 0, tx: 0, ty: 5, pw: 1)
      return SideValues(effects: RenderEffects(parts))
    }
    var tree = TreeSnapshot()
    let bounds = Rect(x: 0, y: 0, width: 40, height: 20)
    tree.append(RenderRecord(id: 1, subtreeEnd: 3, bounds: bounds, backgroundColor: 0xFF00_00FF), plane(scale: 1))
    tree.append(RenderRecord(id: 2, subtreeEnd: 3, bounds: bounds), plane(scale: 1e-5))
    // Hardly any of it is in front of the viewer.
    tree.append(
      RenderRecord(
        id: 3, subtreeEnd: 3, bounds: Rect(x: -1e14, y: 18, width: 1e14, height: 1e14), backgroundColor: 0x0100_0000),
      SideValues())
    let bitmap = try tree.picture(width: 50, height: 30)
    #expect(bitmap[10, 10] == 0xFF00_00FF)
  }

  /// Deeper than any sensible tree: no buffer for each level, no trap.
  @Test func deepGroupsEnd() throws {
    let bounds = Rect(x: 0, y: 0, width: 8, height: 8)
    let depth = 2000
    let records = (0..<depth).map { index in
      RenderRecord(
        id: UInt32(index + 1), subtreeEnd: UInt32(depth), bounds: bounds, opacity: 0.99, cornerRadius: 1,
        backgroundColor: 0x8040_2010, flags: .masksToBounds)
    }
    let tree = TreeSnapshot(records: records)
    let bitmap = try tree.picture(width: 8, height: 8)
    #expect(bitmap[4, 4] >> 24 == 255)
  }

  /// Contents that have no map back from the output are not painted, and hide nothing: a part too small, a scale too large.
  @Test(arguments: [(1, 8, 1e-200), (1e155, 8e-155, 1)])
  func contentsThatCannotBePaintedHideNothing(scale: Double, side: Double, part: Double) throws {
    let image = try Bitmap(width: 8, height: 8) { _, _ in 0xFFFF_FFFF }
    var parts = RenderEffects.Parts()
    parts.cut.rect = Rect(x: 0, y: 0, width: part, height: part)
    var tree = TreeSnapshot(records: [
      RenderRecord(id: 1, subtreeEnd: 2, bounds: Rect(x: 0, y: 0, width: 8, height: 8), backgroundColor: 0xFF00_FF00)
    ])
    let bounds = Rect(x: 0, y: 0, width: side, height: side)
    tree.append(
      RenderRecord(id: 2, subtreeEnd: 2, transform: .scale(scale), bounds: bounds),
      SideValues(content: image.freeze(), effects: RenderEffects(parts)))
    let bitmap = try tree.picture(width: 8, height: 8)
    #expect(bitmap[4, 4] == 0xFF00_FF00)
  }

  /// A tree from elsewhere may hold ends out of range, lack side values, and come with damage outside the output.
  @Test func brokenTreesDoNotTrap() throws {
    let bounds = Rect(x: 0, y: 0, width: 8, height: 8)
    let records = (0..<6).map { index in
      RenderRecord(
        id: 7, subtreeEnd: [0, 900, 3, 1, .max, 2][index], bounds: bounds,
        opacity: [.nan, 1, 7, -1, 1, .infinity][index], cornerRadius: [.nan, .infinity, -4, 1, 100, 0][index],
        backgroundColor: 0xFF00_FF00, flags: .masksToBounds)
    }
    var tree = TreeSnapshot(records: records)
    tree.sides.removeAll()
    let bitmap = try Bitmap(width: 8, height: 8)
    let damage = DamageRegion(IntRect(minX: -100, minY: -100, maxX: 100, maxY: 100))
    Compositor().render(tree, damage: damage, into: bitmap)
    #expect(bitmap[4, 4] >> 24 == 255)
    var diff = SceneDiff()
    _ = diff.change(from: tree, to: TreeSnapshot(records: records.reversed()), width: 8, height: 8)
  }
}
