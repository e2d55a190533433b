import CKernels
import Geometry
import LinuxSystem
import Raster
import RenderTree
import TestLength
import Testing

@testable import Compositing

/// Bounds with antialiased edges that cut descendants.
@Suite struct ClipTests {
  private static let (width, height) = (70, 60)

  /// Two layers behind a clip, which is the third; the others lie in it.
  private static func tree(_ random: inout SplitMix64) -> TreeSnapshot {
    func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
    func color() -> UInt32 {
      let alpha: UInt32 = random.chance(0.4) ? 255 : .random(in: 0...255, using: &random)
      return multiplyPixel(.random(in: 0...0xFF_FFFF, using: &random) | 0xFF00_0000, alpha)
    }
    func rect() -> Rect { Rect(x: number(-40...30), y: number(-40...30), width: number(1...90), height: number(1...90)) }
    let count = Int.random(in: 1...5, using: &random)
    var tree = TreeSnapshot(backdrop: 0xFF40_2080)
    for id in 1...2 as ClosedRange<UInt32> {
      tree.append(RenderRecord(id: id, subtreeEnd: id, bounds: rect(), backgroundColor: color()), SideValues())
    }
    var transform = random.chance(0.5) ? Affine.rotation(number(-3...3)) : .identity
    if random.chance(0.5) { transform = transform.concatenating(.scale(x: number(0.3...2), y: number(0.3...2))) }
    transform = transform.concatenating(.translation(x: number(0...30), y: number(0...20)))
    let size = Size(number(0...50), number(0...50))
    let radius = random.chance(0.3) ? 0 : number(0...0.5) * min(size.width, size.height)
    var parts = RenderEffects.Parts()
    parts.corners = random.chance(0.6) ? .all : Corners(rawValue: .random(in: 0...15, using: &random))
    tree.append(
      RenderRecord(
        id: 3, subtreeEnd: UInt32(3 + count), transform: transform,
        bounds: Rect(x: 0, y: 0, width: size.width, height: size.height), cornerRadius: Float(radius),
        flags: .masksToBounds), SideValues(effects: .make(parts, last: nil)))
    for index in 0..<count {
      let id = UInt32(4 + index)
      var parts = RenderEffects.Parts()
      if random.chance(0.3) { parts.blendMode = [.multiply, .screen, .difference].randomElement(using: &random) ?? .normal }
      tree.append(
        RenderRecord(
          id: id, subtreeEnd: id, transform: random.chance(0.2) ? .rotation(number(-3...3)) : .identity, bounds: rect(),
          opacity: random.chance(0.2) ? Float(number(0...1)) : 1, backgroundColor: color()),
        SideValues(effects: .make(parts, last: nil)))
    }
    return tree
  }

  /// The definition, byte for byte: what the layers paint without the clip, mixed with what was there by the clip's coverage. Modes
  /// of blending see what is behind the clip, wherever it is cut.
  @Test(arguments: some(60, of: 1...3000))
  func aClipMixesWhatIsPaintedWithWhatWasThere(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let tree = Self.tree(&random)
    var (before, free) = (tree, tree)
    before.records[2].flags.insert(.hidden)
    free.records[2].flags.remove(.masksToBounds)
    let (width, height) = (Self.width, Self.height)
    let found = try tree.picture(width: width, height: height)
    let (old, new) = (try before.picture(width: width, height: height), try free.picture(width: width, height: height))
    let clip = LayerShape(
      tree.records[2].bounds, radius: Double(tree.records[2].cornerRadius),
      corners: tree.sides[2].effects?.parts.corners ?? .all, transform: tree.records[2].transform)
    var coverage = [UInt8](repeating: 0, count: width)
    for y in 0..<height {
      clip.coverage(Int32(y), 0..<Int32(width), ckernels_best(), &coverage)
      for x in 0..<width {
        let expected = Self.mix(old[x, y], new[x, y], UInt32(coverage[x]))
        if found[x, y] == expected { continue }
        let colors = [found[x, y], expected, old[x, y], new[x, y]].map { String($0, radix: 16) }
        Issue.record("seed \(seed), pixel \(x), \(y), covered by \(coverage[x]): \(colors)\n\(tree)")
        return
      }
    }
  }

  // MARK: Masks

  /// A tree whose third layer is masked by a shape, or by a background with round corners.
  private static func maskedTree(_ random: inout SplitMix64) -> TreeSnapshot {
    func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
    var tree = Self.tree(&random)
    let id = UInt32(tree.records.count + 1)
    var mask = RenderRecord(
      id: id, subtreeEnd: 4, transform: Affine.rotation(random.chance(0.5) ? 0 : number(-3...3)), bounds: .zero, flags: .mask
    )
    (mask.transform.tx, mask.transform.ty) = (number(-5...30), number(-5...20))
    var sides = SideValues()
    if random.chance(0.5) {
      mask.bounds = Rect(x: number(-5...5), y: 0, width: number(1...50), height: number(1...50))
      mask.cornerRadius = Float(number(0...0.5) * min(mask.bounds.width, mask.bounds.height))
      mask.backgroundColor = 0xFF00_0000
    } else {
      var parts = ShapeContent.Parts()
      parts.path = Path()
      for _ in 0..<Int.random(in: 3...7, using: &random) { parts.path?.line(to: Point(number(-10...60), number(-10...60))) }
      parts.path?.addEllipse(in: Rect(x: number(-9...20), y: 0, width: number(1...60), height: number(1...60)))
      parts.fillRule = random.chance(0.5) ? .evenOdd : .nonZero
      sides = SideValues(content: ShapeContent(parts))
    }
    mask.settle(sides)
    tree.records.insert(mask, at: 3)
    tree.sides.insert(sides, at: 3)
    for index in 4..<tree.records.count {
      tree.records[index].subtreeEnd = UInt32(index + 1)
      tree.sides[index].effects = nil
    }
    tree.records[2].subtreeEnd += 1
    tree.records[2].flags.insert(.masked)
    tree.records[2].backgroundColor = 0xFF20_4060
    for index in tree.records.indices { tree.records[index].settle(tree.sides[index]) }
    return tree
  }

  /// The definition, byte for byte, as of bounds: but here the layer's background is cut as well, and by strips. A mask that needs a picture,
  /// since it has a layer in it, gives the same pixels but for rounding.
  @Test(arguments: some(60, of: 1...3000))
  func aShapeMaskMixesWhatIsPaintedWithWhatWasThere(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let tree = Self.maskedTree(&random)
    let (width, height) = (Self.width, Self.height)
    #expect(Self.flags(of: tree, at: 2)?.contains(.shapeMask) != false)
    var (before, free, pictured) = (tree, tree, tree)
    before.records[2].flags.insert(.hidden)
    free.records[2].flags.remove(.masked)
    free.records[2].settle(free.sides[2])
    pictured.records.insert(RenderRecord(id: 99, subtreeEnd: 5, bounds: .zero, flags: .hidden), at: 4)
    pictured.sides.insert(SideValues(), at: 4)
    for index in pictured.records.indices where index != 0 && index != 1 { pictured.records[index].subtreeEnd += 1 }
    pictured.records[4].subtreeEnd = 5
    #expect(Self.flags(of: pictured, at: 2)?.contains(.isolated) != false)
    let found = try tree.picture(width: width, height: height)
    let (old, new) = (try before.picture(width: width, height: height), try free.picture(width: width, height: height))
    let byPicture = try pictured.picture(width: width, height: height)
    let transform = tree.records[3].transform.concatenating(tree.records[2].transform)
    var coverage = [UInt8](repeating: 0, count: width)
    for y in 0..<height {
      if let shape = tree.sides[3].content as? ShapeContent {
        let placed = try #require(StripCache.shared.strips(of: shape, .fill, transform, frame: nil))
        placed.strips.coverage(Int32(y) - placed.y, -placed.x..<Int32(width) - placed.x, &coverage)
      } else {
        LayerShape(tree.records[3].bounds, radius: Double(tree.records[3].cornerRadius), transform: transform)
          .coverage(Int32(y), 0..<Int32(width), ckernels_best(), &coverage)
      }
      for x in 0..<width {
        let expected = Self.mix(old[x, y], new[x, y], UInt32(coverage[x]))
        if found[x, y] == expected, found[x, y].isNear(byPicture[x, y], tolerance: 4) { continue }
        let colors = [found[x, y], expected, byPicture[x, y], old[x, y], new[x, y]].map { String($0, radix: 16) }
        Issue.record("seed \(seed), pixel \(x), \(y), covered by \(coverage[x]): \(colors)\n\(tree)")
        return
      }
    }
  }

  /// The flags that the compositor gives a layer; nil for one that is not seen.
  private static func flags(of tree: TreeSnapshot, at record: Int32) -> CompositeNode.Flags? {
    let output = IntRect(minX: -999, minY: -999, maxX: 999, maxY: 999)
    var list = CompositeList()
    list.build(tree, damage: DamageRegion(output), output: output)
    return list.nodes.indices.first { list.nodes[$0].record == record }.map { list.nodes[$0].flags }
  }

  private static func mix(_ old: UInt32, _ new: UInt32, _ share: UInt32) -> UInt32 {
    stride(from: UInt32(0), to: 32, by: 8).reduce(0) { pixel, shift in
      let sum = (old >> shift & 255) * (255 - share) + (new >> shift & 255) * share
      return pixel | ((sum + 127) / 255) << shift
    }
  }
}
