import FramepaceTesting
import Geometry
import Layers
import LinuxSystem
import Raster
import RenderTree
import SceneText

/// Random layers as the compositor sees them, on an output whose backdrop and viewport change as well.
@MainActor
final class RandomTree {
  private let layers: RandomLayers
  /// Layers in a list that scrolls; nil in a tree without one.
  private let list: RandomLayers?
  private let context: LayerContext
  private var backdrop: UInt32 = 0xFF20_3040
  private var viewport: Viewport?
  private var random: SplitMix64
  private var now = MonotonicTime.zero

  private static let workers = WorkerPool(threads: 1)
  /// One that moves, and one that does not.
  private static let files = ["disposal-2.gif", "translucent.png"].map { name in
    String(#filePath.dropLast("CompositingTests/RandomTree.swift".count)) + "ImageFilesTests/Pictures/" + name
  }

  /// - Parameters:
  ///   - isGuarded: true for images in whose neighbouring memory no byte can be read.
  ///   - isScrolled: true for a tree in which a list of layers is scrolled.
  init(
    seed: UInt64, layers count: Int, width: Int, height: Int, isGuarded: Bool = false, isScrolled: Bool = false
  ) throws {
    random = SplitMix64(seed: seed)
    let root = Layer(frame: Rect(x: 0, y: 0, width: Double(width), height: Double(height)))
    func bitmap(_ width: Int, _ height: Int) throws(BitmapError) -> Bitmap {
      try isGuarded
        ? Bitmap.guarded(width: width, height: height, at: width % 2 == 0 ? .end : .start)
        : Bitmap(width: width, height: height)
    }
    let images =
      try RandomLayers.images(seed: seed, makeBitmap: bitmap) + RandomLayers.middles(seed: seed, makeBitmap: bitmap)
    let font = try SystemFonts.font(.sans, size: 13)
    layers = RandomLayers(in: root, seed: seed, count: count, images: images, files: Self.files, font: font)
    list = isScrolled ? Self.list(in: root, seed: seed, images, font) : nil
    context = LayerContext(root: root, workers: Self.workers)
  }

  /// A layer with rows and random layers in it, behind or in front of the others, often with glass beside or over its left edge.
  private static func list(in root: Layer, seed: UInt64, _ images: [Image], _ font: Font) -> RandomLayers {
    var random = SplitMix64(seed: seed &+ 1)
    let list = Layer(frame: Rect(x: 8, y: 6, width: root.bounds.width - 20, height: root.bounds.height - 10))
    for index in 0..<12 {
      let row = Layer(
        frame: Rect(x: 0, y: Double(index) * 15, width: list.bounds.width, height: random.chance(0.5) ? 15 : 14))
      row.backgroundColor = random.chance(0.3) ? nil : Color(hex: UInt32.random(in: 0...0xFF_FFFF, using: &random))
      row.borderWidth = random.chance(0.1) ? 1 : 0
      row.shadowOpacity = random.chance(0.1) ? 0.5 : 0
      row.innerShadowOpacity = random.chance(0.1) ? 0.5 : 0
      let label = TextLayer()
      label.frame = Rect(x: 4, y: 0, width: 40, height: 14)
      (label.font, label.string, label.color) = (font, "row \(index)", .white)
      row.addSublayer(label)
      list.addSublayer(row)
    }
    restore(list, &random)
    root.insertSublayer(
      list, at: random.chance(0.6) ? root.sublayers.count : .random(in: 0...root.sublayers.count, using: &random))
    if random.chance(0.5) {
      let glass = Layer(
        frame: Rect(
          x: 0, y: Double(Int.random(in: 10...40, using: &random)), width: Double(Int.random(in: 5...11, using: &random)),
          height: 50))
      glass.backdropBlurRadius = .random(in: 1...3, using: &random)
      root.addSublayer(glass)
    }
    return RandomLayers(in: list, seed: seed &+ 2, count: 3, images: images, font: font)
  }

  /// Makes a list as lists are: random edits make others of it.
  private static func restore(_ list: Layer, _ random: inout SplitMix64) {
    list.masksToBounds = random.chance(0.9)
    list.cornerRadius = random.chance(0.7) ? 0 : 8
    list.backgroundColor = random.chance(0.8) ? Color(hex: UInt32.random(in: 0...0xFF_FFFF, using: &random)) : nil
    list.opacity = 1
    list.isHidden = false
    list.mask = nil
    list.backdropBlurRadius = random.chance(0.1) ? 3 : 0
    list.borderWidth = random.chance(0.2) ? 2 : 0
    list.shadowOpacity = random.chance(0.2) ? 0.5 : 0
    list.innerShadowOpacity = random.chance(0.2) ? 0.5 : 0
  }

  /// The tree as it is now, so much later than the one before.
  ///
  /// - Parameter arrives: true if the pictures that layers have asked for are there by now; otherwise they show their old ones.
  func snapshot(after time: Nanoseconds = .milliseconds(8), arrives: Bool = true) -> TreeSnapshot {
    now += time
    _ = context.commit(at: now)
    // All are finished before the next edit, so that the same seed gives the same pictures.
    context.waitForDrawings()
    if arrives, context.publishFinishedDrawings() { _ = context.commit(at: now) }
    var tree = context.renderTree(at: now)
    (tree.backdrop, tree.viewport) = (backdrop, viewport)
    return tree
  }

  /// The scene's text, at its present time.
  var text: String {
    do {
      return try Scene.text(of: context.root, origin: now)
    } catch {
      return "no text: \(error)"
    }
  }

  /// Changes one thing, chosen by `seed` and by what is there.
  /// - Returns: the name of the change.
  func edit(seed: UInt64) -> String {
    random = SplitMix64(seed: seed)
    if let list, random.chance(0.5) { return scroll(list, seed) }
    return Int.random(in: 0..<60, using: &random) > 1 ? layers.edit(seed: seed) : edit()
  }

  /// Scrolls the list, mostly by whole pixels, or changes something in it.
  private func scroll(_ list: RandomLayers, _ seed: UInt64) -> String {
    func distance() -> Double { Double(Int.random(in: -9...9, using: &random)) }
    if random.chance(0.2) { return "\(list.edit(seed: seed)) of the list" }
    return Transaction.withoutActions {
      if random.chance(0.2) { Self.restore(list.root, &random) }
      switch Int.random(in: 0..<12, using: &random) {
      case 0:
        list.root.bounds.origin.y += distance() / 4
        return "scroll by parts of pixels"
      case 1:
        list.root.bounds.origin += Point(8 * distance(), 8 * distance())
        return "scroll by eights"
      case 2:
        list.root.position += Point(distance(), distance())
        return "place of the list"
      case 3:
        for row in list.root.sublayers where random.chance(0.5) { row.position.y += distance() }
        return "places of rows"
      case 4, 5:
        list.root.bounds.origin += Point(distance(), distance())
        return "scroll in both directions"
      default:
        list.root.bounds.origin.y = random.chance(0.1) ? 0 : list.root.bounds.origin.y + distance()
        return "scroll"
      }
    }
  }

  /// Changes one thing.
  /// - Returns: the name of the change.
  func edit() -> String {
    switch Int.random(in: 0..<60, using: &random) {
    case 0:
      backdrop = UInt32.random(in: 0...0xFF_FFFF, using: &random) | 0xFF00_0000
      return "backdrop"
    case 1: return changeViewport()
    default: return layers.edit()
    }
  }

  /// The viewports of mirrors and of turned panels: larger and smaller, inside of the output and beyond it.
  private func changeViewport() -> String {
    let (width, height) = (Int(context.root.bounds.width), Int(context.root.bounds.height))
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
    (transform.tx, transform.ty) = (Double(clip.minX), Double(clip.minY))
    viewport = Viewport(transform: transform, clip: clip).turned(byQuarterTurns: turns, width: width, height: height)
    return "viewport with \(turns) quarter turns"
  }
}
