public import Framepace
import LinuxSystem

/// A tree of layers that is edited at random: every kind of change that an application can make, in any order. A few numbers
/// are extreme: flat, huge and far away; with many of them most layers would not be seen.
///
/// The same seed makes the same edits, so that a test that prints it can be run again.
@MainActor
public final class RandomLayers {
  /// The layer below which the layers are. Of its own properties only colour, opacity and mask are edited.
  public let root: Layer
  /// The seed, for messages.
  public let seed: UInt64

  /// The layers that are in the tree, or were and may come back.
  var layers: [Layer] = []
  let images: [Image]
  let files: [String]
  let font: Font?
  /// The designs of texts: a variable font has several.
  let faces: [FontFace]
  /// The file of the font, for paragraphs.
  let library: FontLibrary?
  private let limit: Int
  /// Layers hold their delegates weakly.
  let delegate = RandomDelegate()
  var random: SplitMix64

  /// - Parameters:
  ///   - count: the number of layers at first; there are never many more than twice as many.
  ///   - images: the images that contents are chosen from.
  ///   - files: the picture files that image layers show.
  ///   - font: the font of text layers; without one they draw nothing.
  public init(in root: Layer, seed: UInt64, count: Int, images: [Image], files: [String] = [], font: Font? = nil) {
    self.root = root
    self.seed = seed
    self.images = images
    self.files = files
    self.font = font
    limit = count * 2
    var random = SplitMix64(seed: seed)
    faces = font.map { Self.designs(of: $0.face, &random) } ?? []
    library = font.flatMap { Self.library(of: $0.face) }
    self.random = random
    for _ in 0..<count { insertNew() }
  }

  /// Noise in sizes of a few pixels: opaque, translucent, and with clear, opaque and translucent stripes.
  public static func images(seed: UInt64, count: Int = 6) throws(BitmapError) -> [Image] {
    try images(seed: seed, count: count) { width, height throws(BitmapError) in try Bitmap(width: width, height: height) }
  }

  /// The same images in other memory.
  package static func images(
    seed: UInt64, count: Int = 6, makeBitmap: (_ width: Int, _ height: Int) throws(BitmapError) -> Bitmap
  ) throws(BitmapError) -> [Image] {
    var random = SplitMix64(seed: seed)
    var images: [Image] = []
    for index in 0..<count {
      let bitmap = try makeBitmap(.random(in: 1...40, using: &random), .random(in: 1...40, using: &random))
      for y in 0..<bitmap.height {
        let row = bitmap.row(y).assumingMemoryBound(to: UInt32.self)
        for x in 0..<bitmap.width {
          let color = Color(hex: UInt32.random(in: 0...0xFF_FFFF, using: &random))
          let alphas = [1, .random(in: 0...1, using: &random), [0, 1, 0.5][x / 13 % 3]]
          row[x] = color.withAlpha(alphas[index % 3]).premultipliedBGRA
        }
      }
      images.append(bitmap.freeze())
    }
    return images
  }

  /// Opaque noise as the middles of larger images, with nothing around it.
  package static func middles(
    seed: UInt64, count: Int = 2, makeBitmap: (_ width: Int, _ height: Int) throws(BitmapError) -> Bitmap
  ) throws(BitmapError) -> [Image] {
    var random = SplitMix64(seed: seed)
    var images: [Image] = []
    for _ in 0..<count {
      func margin() -> Int { .random(in: 0...4, using: &random) }
      let (left, top) = (margin(), margin())
      let (width, height) = (Int.random(in: 1...30, using: &random), Int.random(in: 1...30, using: &random))
      let bitmap = try makeBitmap(left + width + margin(), top + height + margin())
      for y in top..<top + height {
        let row = bitmap.row(y).assumingMemoryBound(to: UInt32.self)
        for x in left..<left + width { row[x] = 0xFF00_0000 | .random(in: 0...0xFF_FFFF, using: &random) }
      }
      if let middle = bitmap.freeze().middle(x: left, y: top, width: width, height: height) { images.append(middle) }
    }
    return images
  }

  /// Changes one thing, with implicit animations or without.
  /// - Returns: the name of the change, for a message.
  @discardableResult
  public func edit() -> String {
    Transaction.begin()
    defer { Transaction.commit() }
    Transaction.disablesActions = random.chance(0.7)
    changeTransaction()
    guard let layer = layers.randomElement(using: &random) else {
      insertNew()
      return "add a layer"
    }
    return "\(change(layer)) of layer \(layers.firstIndex { $0 === layer } ?? -1)"
  }

  /// Changes one thing, chosen by `seed` and by what is there: edits before it may be left out.
  package func edit(seed: UInt64) -> String {
    random = SplitMix64(seed: seed)
    return edit()
  }

  private func change(_ layer: Layer) -> String {
    switch Int.random(in: 0..<34, using: &random) {
    case 0, 1, 2:
      layer.position.x += Double(Int.random(in: -9...9, using: &random))
      layer.position.y += Double(Int.random(in: -9...9, using: &random))
      return "position"
    case 3:
      layer.bounds = bounds()
      return "bounds"
    case 4:
      layer.anchorPoint = Point(number(in: 0...1), number(in: 0...1))
      return "anchor point"
    case 5:
      layer.transform = transform()
      return "transform"
    case 6:
      layer.opacity = opacity()
      return "opacity"
    case 7:
      layer.backgroundColor = random.chance(0.2) ? nil : color()
      return "background colour"
    case 8:
      layer.cornerRadius = number(in: 0...20)
      return "corner radius"
    case 9:
      if random.chance(0.3) { layer.actions = random.chance(0.7) ? [.contents: .implicit] : nil }
      layer.contents = random.chance(0.2) ? nil : images.randomElement(using: &random)
      return "contents"
    case 10:
      layer.contentsGravity = ContentsGravity.allCases.randomElement(using: &random) ?? .resize
      return "contents gravity"
    case 11:
      layer.contentsScale = random.chance(0.5) ? nil : number(in: 0.5...3)
      return "contents scale"
    case 12:
      layer.isHidden.toggle()
      return "hiding"
    case 13:
      layer.masksToBounds.toggle()
      return "mask"
    case 14:
      changeSpace(layer)
      return "place in space"
    case 15:
      layer.removeFromSuperlayer()
      return "removal"
    case 16, 17:
      guard layers.count < limit else { return move(layer) }
      return random.chance(0.5) ? insertNew() : insertGroup()
    case 18:
      return move(layer)
    case 19:
      layer.add(animation(), forKey: random.chance(0.5) ? "animation" : nil)
      return "animation"
    case 20:
      layer.removeAllAnimations()
      return "end of all animations"
    case 21:
      changeClock(of: layer)
      return "clock"
    case 22:
      root.backgroundColor = random.chance(0.4) ? nil : color()
      root.opacity = random.chance(0.7) ? 1 : number(in: 0...1)
      root.masksToBounds = random.chance(0.3)
      return "the root, not"
    case 23, 24, 25, 26:
      changeLook(layer)
      return "look"
    case 27:
      layer.drawingPriority = DrawingPriority.allCases.randomElement(using: &random) ?? .normal
      layer.publishesDrawingsAlone.toggle()
      return "drawing priority"
    case 28:
      changeState(of: layer)
      return "state"
    case 29, 30:
      changeBehaviour(of: layer)
      return "behaviour"
    default:
      _ = Self.kinds.first { $0.change(self, layer) }
      return "a property of its kind"
    }
  }

  // MARK: The tree

  @discardableResult
  private func insertNew() -> String {
    let kind = Self.kinds[random.chance(0.6) ? Self.kinds.count - 1 : .random(in: Self.kinds.indices, using: &random)]
    let layer = kind.make()
    _ = kind.change(self, layer)
    if random.chance(0.3) { (layer as? TextLayer)?.drawsAsynchronously = true }
    layer.bounds = bounds()
    layer.position = position()
    layer.backgroundColor = optionalColor()
    layer.masksToBounds = random.chance(0.2)
    if random.chance(0.4) { layer.transform = transform() }
    if random.chance(0.3) { layer.opacity = opacity() }
    if random.chance(0.3) { layer.cornerRadius = number(in: 0...20) }
    while random.chance(0.3) { changeLook(layer) }
    while random.chance(0.2) { changeSpace(layer) }
    while random.chance(0.1) { changeBehaviour(of: layer) }
    add(layer, to: random.chance(0.5) ? root : layers.randomElement(using: &random) ?? root)
    return "a new one instead"
  }

  /// Inserts a layer that paints nothing but clips or fades what is in it: opaque layers that hide each other.
  private func insertGroup() -> String {
    let group = Layer()
    group.bounds = bounds()
    group.position = position()
    group.masksToBounds = random.chance(0.8)
    group.cornerRadius = random.chance(0.5) ? 0 : number(in: 0...20)
    group.opacity = random.chance(0.5) ? 1 : opacity()
    if random.chance(0.2) { group.transform = transform() }
    add(group, to: random.chance(0.7) ? root : layers.randomElement(using: &random) ?? root)
    for _ in 0..<2 {
      let layer = Layer(frame: group.bounds)
      if random.chance(0.7) { layer.bounds.size.width *= number(in: 0.2...0.8) }
      layer.backgroundColor = color().withAlpha(1)
      if random.chance(0.5) { layer.position += Point(Double(Int.random(in: -9...9, using: &random)), 0) }
      add(layer, to: group)
    }
    return "a group instead"
  }

  private func add(_ layer: Layer, to parent: Layer) {
    layers.append(layer)
    insert(layer, into: parent)
  }

  private func move(_ layer: Layer) -> String {
    insert(layer, into: random.chance(0.3) ? root : layers.randomElement(using: &random) ?? root)
    return "place in the tree"
  }

  private func insert(_ layer: Layer, into parent: Layer) {
    let parent = parent === layer || parent.isDescendant(of: layer) ? root : parent
    parent.insertSublayer(layer, at: Int.random(in: 0...parent.sublayers.count, using: &random))
  }

  // MARK: Values

  func number(in range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }

  func color() -> Color {
    Color(hex: UInt32.random(in: 0...0xFF_FFFF, using: &random)).withAlpha(random.chance(0.5) ? 1 : number(in: 0...1))
  }

  func optionalColor() -> Color? { random.chance(0.3) ? nil : color() }

  func digits() -> String { String(Int.random(in: 0...99_999, using: &random)) }

  func opacity() -> Double {
    if random.chance(0.05) { return random.chance(0.5) ? 0 : 0.001 }
    return random.chance(0.5) ? number(in: 0...1) : 1
  }

  func position() -> Point {
    func coordinate(_ length: Double) -> Double {
      let whole = Double(Int.random(in: -8...max(Int(length), 1), using: &random))
      return random.chance(0.8) ? whole : whole + number(in: 0...1)
    }
    return Point(coordinate(root.bounds.width), coordinate(root.bounds.height))
  }

  func bounds() -> Rect {
    // Only one side is ever huge: the bitmap of a layer that is drawn is as fine as its longer side allows.
    func side(_ longest: Double, _ extremes: [Double]) -> Double {
      if random.chance(0.04) { return extremes.randomElement(using: &random) ?? 0 }
      let side = number(in: 0...longest)
      return random.chance(0.7) ? side.rounded() : side
    }
    let origin = random.chance(0.7) ? 0 : number(in: -20...20)
    return Rect(
      x: origin, y: origin / 2, width: side(root.bounds.width, [0, -3, 0.25, 1e7]),
      height: side(root.bounds.height, [0, -3, 0.25]))
  }

  func transform() -> Transform3D { random.chance(0.2) ? solidTransform() : Transform3D(flatTransform()) }

  func flatTransform() -> Affine {
    if random.chance(0.06) { return extremeTransform() }
    switch Int.random(in: 0..<15, using: &random) {
    case 0..<6: return .identity
    case 6, 7, 8: return .rotation(number(in: -4...4))
    case 9: return .rotation(Double(Int.random(in: 0...3, using: &random)) * .pi / 2)
    case 10, 11: return .scale(x: number(in: -2...2), y: number(in: -2...2))
    case 12: return .scale([0.5, 2, 3, -1].randomElement(using: &random) ?? 1)
    default:
      return Affine(
        a: number(in: -2...2), b: number(in: -2...2), c: number(in: -2...2), d: number(in: -2...2), tx: 0, ty: 0)
    }
  }

  private func extremeTransform() -> Affine {
    switch Int.random(in: 0..<5, using: &random) {
    case 0, 1: return .scale(x: random.chance(0.5) ? 0 : 1, y: random.chance(0.5) ? 0 : number(in: 0...3))
    case 2: return .scale([1e-9, 1e-3, 1e3, 1e6, 1e12].randomElement(using: &random) ?? 1)
    case 3:
      let far: Double = [1e5, 1e9, -1e9, 1e18, -1e300].randomElement(using: &random) ?? 0
      return .translation(x: far, y: random.chance(0.5) ? far : 0)
    default:
      // Almost flat: edges that meet at a very sharp angle.
      let slope = number(in: -1...1)
      return Affine(a: 1, b: slope, c: 1, d: slope + 1e-3, tx: 0, ty: 0)
    }
  }

  func path() -> Path {
    func point() -> Point { Point(number(in: 0...root.bounds.width), number(in: 0...root.bounds.height)) }
    var path = Path()
    path.move(to: point())
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      if random.chance(0.5) {
        path.line(to: point())
      } else {
        path.cubicCurve(to: point(), control1: point(), control2: point())
      }
    }
    path.close()
    return path
  }
}
