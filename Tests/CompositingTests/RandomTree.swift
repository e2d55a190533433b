import Geometry
import LinuxSystem
import Raster
import RenderTree

#if canImport(Glibc)
  import Glibc
#endif

/// A tree of layers that is edited at random: every kind of change that a layer tree can go through.
struct RandomTree {
  private final class Node {
    var record: RenderRecord
    var sides = SideValues()
    var zPosition = 0
    var children: [Node] = []
    weak var parent: Node?

    init(_ record: RenderRecord) { self.record = record }
  }

  private let root: Node
  private let width: Int
  private let height: Int
  private let images: [Image]
  private var backdrop: UInt32 = 0xFF20_3040
  private var viewport: Viewport?
  private var lastID: UInt32 = 1
  private var random: SplitMix64

  init(seed: UInt64, layers: Int, width: Int, height: Int) throws {
    random = SplitMix64(seed: seed)
    self.width = width
    self.height = height
    var images: [Image] = []
    for _ in 0..<6 { images.append(try Self.image(&random)) }
    self.images = images
    root = Node(
      RenderRecord(id: 1, bounds: Rect(x: 0, y: 0, width: Double(width), height: Double(height))))
    for _ in 0..<layers { add() }
  }

  /// The snapshot of the tree as it is now.
  func snapshot() -> TreeSnapshot {
    var tree = TreeSnapshot(backdrop: backdrop, viewport: viewport)
    append(root, to: &tree)
    return tree
  }

  private func append(_ node: Node, to tree: inout TreeSnapshot) {
    let index = tree.records.count
    tree.append(node.record, node.sides)
    let order = node.children.enumerated().sorted {
      ($0.element.zPosition, $0.offset) < ($1.element.zPosition, $1.offset)
    }
    for child in order { append(child.element, to: &tree) }
    tree.records[index].subtreeEnd = UInt32(tree.records.count)
  }

  // MARK: Edits

  /// Changes one thing, and says what.
  mutating func edit() -> String {
    let nodes = descendants(of: root)
    guard let node = nodes.randomElement(using: &random) else {
      add()
      return "add"
    }
    let name = "layer \(node.record.id)"
    switch Int.random(in: 0..<21, using: &random) {
    case 0, 1, 2:
      node.record.transform.tx += Double(Int.random(in: -9...9, using: &random))
      node.record.transform.ty += Double(Int.random(in: -9...9, using: &random))
      return "move \(name)"
    case 3:
      node.record.transform = transform()
      return "transform \(name)"
    case 4:
      node.record.bounds = rect()
      clampRadius(node)
      return "resize \(name)"
    case 5:
      node.record.backgroundColor = color()
      return "color \(name)"
    case 6, 7:
      node.record.opacity = opacity()
      return "opacity \(name)"
    case 8:
      node.record.cornerRadius = Float.random(in: 0...20, using: &random)
      clampRadius(node)
      return "radius \(name)"
    case 9, 10:
      setImage(node)
      return "contents \(name)"
    case 11:
      node.sides.effects = random.chance(0.5) ? nil : effects()
      return "effects of \(name)"
    case 12:
      node.record.flags.formSymmetricDifference(.hidden)
      return "hide or show \(name)"
    case 13, 14:
      node.record.flags.formSymmetricDifference(.masksToBounds)
      return "mask \(name)"
    case 15:
      add()
      return "add"
    case 16:
      remove(node)
      return "remove \(name)"
    case 17:
      if let parent = node.parent { parent.children.shuffle(using: &random) }
      return "shuffle the siblings of \(name)"
    case 18:
      node.zPosition = Int.random(in: -2...2, using: &random)
      return "z of \(name)"
    case 19:
      let inside = Set(descendants(of: node).map { $0.record.id } + [node.record.id])
      guard let target = (nodes + [root]).filter({ !inside.contains($0.record.id) }).randomElement(using: &random)
      else { return "nothing" }
      remove(node)
      target.children.insert(node, at: Int.random(in: 0...target.children.count, using: &random))
      node.parent = target
      return "move \(name) into \(target.record.id)"
    default:
      if random.chance(0.3) {
        backdrop = UInt32.random(in: 0...0xFF_FFFF, using: &random) | 0xFF00_0000
        return "backdrop"
      }
      if random.chance(0.3) { return changeViewport() }
      root.record.backgroundColor = random.chance(0.5) ? 0 : color()
      return "root's color"
    }
  }

  /// The viewports of mirrors and of turned panels: larger and smaller, inside of the output and beyond it.
  private mutating func changeViewport() -> String {
    guard random.chance(0.8) else {
      viewport = nil
      return "no viewport"
    }
    let turns = Int.random(in: 0...3, using: &random)
    guard random.chance(0.7) else {
      viewport = Viewport(quarterTurns: turns, width: width, height: height)
      return "\(turns) quarter turns"
    }
    let clip = IntRect(
      x: .random(in: -9...width / 2, using: &random), y: .random(in: -9...height / 2, using: &random),
      width: .random(in: 0...width, using: &random), height: .random(in: 0...height, using: &random))
    var transform = Affine.scale(x: .random(in: 0.2...3, using: &random), y: .random(in: 0.2...3, using: &random))
    transform.tx = Double(clip.minX)
    transform.ty = Double(clip.minY)
    viewport = Viewport(transform: transform, clip: clip).turned(byQuarterTurns: turns, width: width, height: height)
    return "viewport with \(turns) quarter turns"
  }

  private func descendants(of node: Node) -> [Node] {
    node.children.flatMap { [$0] + descendants(of: $0) }
  }

  private func remove(_ node: Node) {
    node.parent?.children.removeAll { $0 === node }
  }

  private mutating func add() {
    lastID += 1
    let node = Node(
      RenderRecord(
        id: lastID, transform: transform(), bounds: rect(), opacity: opacity(),
        cornerRadius: random.chance(0.4) ? Float.random(in: 0...20, using: &random) : 0, backgroundColor: color()))
    if random.chance(0.25) { node.record.flags.insert(.masksToBounds) }
    if random.chance(0.4) { setImage(node) }
    clampRadius(node)
    let parents = descendants(of: root) + [root, root, root]
    let parent = parents.randomElement(using: &random) ?? root
    parent.children.insert(node, at: Int.random(in: 0...parent.children.count, using: &random))
    node.parent = parent
  }

  private func clampRadius(_ node: Node) {
    let bounds = node.record.bounds
    node.record.cornerRadius = min(node.record.cornerRadius, Float(max(min(bounds.width, bounds.height), 0) / 2))
  }

  private mutating func setImage(_ node: Node) {
    let image = random.chance(0.2) ? nil : images.randomElement(using: &random)
    node.sides.content = image
    guard let image else { return }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: node.sides.effects = nil
    case 1:
      let size = Size(Double(image.width), Double(image.height))
      node.sides.effects = RenderEffects(placement: ContentPlacement(gravity: .topLeft, size: size))
    default: node.sides.effects = effects()
    }
  }

  private mutating func effects() -> RenderEffects {
    var placement = ContentPlacement(
      gravity: ContentsGravity.allCases.randomElement(using: &random) ?? .resize, size: rect().size)
    if random.chance(0.3) {
      placement.overhang = Size(.random(in: 0.5...2, using: &random), .random(in: 0.5...2, using: &random))
    }
    return RenderEffects(placement: placement)
  }

  // MARK: Values

  private mutating func color() -> UInt32 {
    if random.chance(0.2) { return 0 }
    let alpha = random.chance(0.5) ? 1 : Double.random(in: 0...1, using: &random)
    return Color(
      red: .random(in: 0...1, using: &random), green: .random(in: 0...1, using: &random),
      blue: .random(in: 0...1, using: &random), alpha: alpha
    ).premultipliedBGRA
  }

  private mutating func opacity() -> Float {
    switch Int.random(in: 0..<10, using: &random) {
    case 0: 0
    case 1: 0.001
    case 2, 3, 4: .random(in: 0...1, using: &random)
    default: 1
    }
  }

  private mutating func rect() -> Rect {
    func side(_ limit: Int, _ random: inout SplitMix64) -> Double {
      if random.chance(0.05) { return [0, -3, 0.25, 1e7].randomElement(using: &random) ?? 0 }
      let whole = Double(Int.random(in: 1...limit, using: &random))
      return random.chance(0.7) ? whole : whole + .random(in: 0..<1, using: &random)
    }
    let origin = random.chance(0.7) ? 0 : Double.random(in: -20...20, using: &random)
    return Rect(x: origin, y: origin / 2, width: side(width * 3 / 4, &random), height: side(height * 3 / 4, &random))
  }

  private mutating func transform() -> Affine {
    let x = Double(Int.random(in: -20...width, using: &random))
    let y = Double(Int.random(in: -20...height, using: &random))
    let place = Affine.translation(x: x, y: y)
    switch Int.random(in: 0..<24, using: &random) {
    case 0..<9: return place
    case 9, 10, 11:
      return .translation(x: x + .random(in: 0..<1, using: &random), y: y + .random(in: 0..<1, using: &random))
    case 12, 13, 14: return Affine.rotation(.random(in: -4...4, using: &random)).concatenating(place)
    case 15:
      return Affine.rotation(Double(Int.random(in: 0...3, using: &random)) * .pi / 2).concatenating(place)
    case 16, 17:
      return Affine.scale(x: .random(in: -2...2, using: &random), y: .random(in: -2...2, using: &random))
        .concatenating(place)
    case 18:
      return Affine.scale([0.5, 2, 3, -1].randomElement(using: &random) ?? 1).concatenating(place)
    case 19:
      return Affine(
        a: .random(in: -2...2, using: &random), b: .random(in: -2...2, using: &random),
        c: .random(in: -2...2, using: &random), d: .random(in: -2...2, using: &random), tx: x, ty: y)
    case 20:
      return Affine.scale(x: random.chance(0.5) ? 0 : 1, y: 0).concatenating(place)
    case 21:
      return Affine.scale([1e-9, 1e-3, 1e3, 1e6, 1e12].randomElement(using: &random) ?? 1).concatenating(place)
    case 22:
      let distances: [Double] = [1e5, 1e9, -1e9, 1e18, -1e300]
      let far = distances.randomElement(using: &random) ?? 0
      return .translation(x: far, y: random.chance(0.5) ? far : y)
    default:
      // Almost flat: edges that meet at a very sharp angle.
      let slope = Double.random(in: -1...1, using: &random)
      return Affine(a: 1, b: slope, c: 1, d: slope + 1e-3, tx: x, ty: y)
    }
  }

  private static func image(_ random: inout SplitMix64) throws -> Image {
    let bitmap = try Bitmap(
      width: .random(in: 1...40, using: &random), height: .random(in: 1...40, using: &random))
    let isOpaque = random.chance(0.4)
    let stripes = random.chance(0.5)
    for y in 0..<bitmap.height {
      let row = bitmap.row(y).assumingMemoryBound(to: UInt32.self)
      for x in 0..<bitmap.width {
        let noise = Double.random(in: 0...1, using: &random)
        let stripe: [Double] = [0, 1, 0.5]
        let alpha = isOpaque ? 1 : stripes ? stripe[x / 18 % 3] : noise
        row[x] =
          Color(
            red: .random(in: 0...1, using: &random), green: Double(x) / 40, blue: Double(y) / 40, alpha: alpha
          ).premultipliedBGRA
      }
    }
    return bitmap.freeze()
  }
}
