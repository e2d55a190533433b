import Compositing
import Geometry
import LinuxSystem
import Raster
import TestLength
import Testing

@testable import RenderTree

/// Pictures that are made of one reference picture on the processor, pixel by pixel, against what the compositor paints of a tree
/// that is changed in the same way. (Replaying a scene from its text is tested beside the text: `RoundTripTests`.)
@Suite struct MetamorphicTests {
  private static let (width, height) = (48, 36)
  private static let output = IntRect(x: 0, y: 0, width: width, height: height)

  /// Trees in which a few things happened, pixel for pixel on the output.
  @MainActor
  private static func trees(_ seed: UInt64) throws -> [TreeSnapshot] {
    let model = try RandomTree(seed: seed &+ 40_000, layers: 9, width: width, height: height)
    return (0..<4).map { _ in
      for _ in 0..<3 { _ = model.edit() }
      var tree = model.snapshot()
      tree.viewport = nil
      return tree
    }
  }

  /// Records the first pixel that is not `expected`.
  private func check(
    _ tree: TreeSnapshot, width: Int = width, height: Int = height, _ comment: String,
    expected: (_ x: Int, _ y: Int) -> UInt32
  ) throws {
    #expect(tree.inconsistency == nil)
    let bitmap = try tree.picture(width: width, height: height)
    for y in 0..<height {
      for x in 0..<width {
        let (found, wanted) = (bitmap[x, y], expected(x, y))
        guard found != wanted else { continue }
        Issue.record(
          "\(comment): pixel \(x), \(y) is \(String(found, radix: 16)) and should be \(String(wanted, radix: 16))\n\(tree)")
        return
      }
    }
  }

  /// Mirror images and quarter turns, of round corners too.
  @MainActor @Test(arguments: some(8, of: 1...200))
  func flippedAndTurned(seed: UInt64) throws {
    let (width, height) = (Self.width, Self.height)
    let trees = try Self.trees(seed)
    for tree in trees.map({ $0.plain(isSquare: true) }) + trees.map({ $0.plain(isSquare: false) }) {
      let reference = try tree.picture(width: width, height: height)
      for (isX, isY) in [(true, false), (false, true), (true, true)] {
        var flipped = tree
        var transform = Affine.scale(x: isX ? -1 : 1, y: isY ? -1 : 1)
        (transform.tx, transform.ty) = (isX ? Double(width) : 0, isY ? Double(height) : 0)
        flipped.viewport = Viewport(transform: transform, clip: Self.output)
        try check(flipped, "seed \(seed), flipped") {
          reference[isX ? width - 1 - $0 : $0, isY ? height - 1 - $1 : $1]
        }
      }
      for turns in [1, 3] {
        var turned = tree
        turned.viewport = Viewport(quarterTurns: turns, width: height, height: width)
        try check(turned, width: height, height: width, "seed \(seed), \(turns) quarter turns") {
          turns == 1 ? reference[$1, height - 1 - $0] : reference[width - 1 - $1, $0]
        }
      }
    }
  }

  /// The tree four times, side by side. It has no gradients, whose dither stays with the output, and no blurs of what lies behind, which
  /// mix what is beside.
  @MainActor @Test(arguments: some(8, of: 1...200))
  func tiled(seed: UInt64) throws {
    for tree in try Self.trees(seed).map(\.withoutGradients.withoutBackdropBlurs) {
      for whole in [tree.onWholePixels(keepsEffects: true), tree.onWholePixels(keepsEffects: false)] {
        let reference = try whole.picture(width: Self.width, height: Self.height)
        let places = [(0, 0), (Self.width, 0), (0, Self.height), (Self.width, Self.height)]
        let tiled = whole.copies(at: places, clip: Self.output)
        try check(tiled, width: 2 * Self.width, height: 2 * Self.height, "seed \(seed), tiled") {
          reference[$0 % Self.width, $1 % Self.height]
        }
      }
    }
  }

  /// Any tree, seen through a rectangle, beside which no blur of what lies behind finds anything.
  @MainActor @Test(arguments: some(8, of: 1...200))
  func clipped(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for tree in try Self.trees(seed).map(\.withoutBackdropBlurs) {
      let reference = try tree.picture(width: Self.width, height: Self.height)
      let clip = IntRect(
        x: .random(in: -5...30, using: &random), y: .random(in: -5...25, using: &random),
        width: .random(in: 1...40, using: &random), height: .random(in: 1...30, using: &random))
      try check(tree.copies(at: [(0, 0)], clip: clip), "seed \(seed), clipped to \(clip)") { x, y in
        clip.intersects(IntRect(x: x, y: y, width: 1, height: 1)) ? reference[x, y] : tree.backdrop
      }
    }
  }

  /// Each pixel becomes four.
  @MainActor @Test(arguments: some(8, of: 1...200))
  func twiceAsLarge(seed: UInt64) throws {
    for tree in try Self.trees(seed).map({ $0.plain(isSquare: true) }) {
      let reference = try tree.picture(width: Self.width, height: Self.height)
      var large = tree
      let clip = IntRect(x: 0, y: 0, width: 2 * Self.width, height: 2 * Self.height)
      large.viewport = Viewport(transform: .scale(2), clip: clip)
      try check(large, width: clip.width, height: clip.height, "seed \(seed), twice as large") { reference[$0 / 2, $1 / 2] }
    }
  }

  /// Red and blue change places, in trees of any geometry.
  @MainActor @Test(arguments: some(8, of: 1...200))
  func swappedColors(seed: UInt64) throws {
    var swapped: [ObjectIdentifier: Image] = [:]
    for tree in try Self.trees(seed).map(\.withoutUnevenChannels) {
      let reference = try tree.picture(width: Self.width, height: Self.height)
      try check(try tree.swappingColors(&swapped), "seed \(seed), red and blue swapped") {
        reference[$0, $1].swappingRedAndBlue
      }
    }
  }
}

extension UInt32 {
  fileprivate var swappingRedAndBlue: UInt32 { self & 0xFF00_FF00 | self >> 16 & 255 | (self & 255) << 16 }
}

extension TreeSnapshot {
  /// The tree on whole pixels without effects and text; contents show the nearest of their pixels.
  fileprivate func plain(isSquare: Bool) -> TreeSnapshot {
    var tree = onWholePixels(keepsEffects: true)
    for index in tree.records.indices {
      let cut = tree.sides[index].effects?.parts.cut
      var parts = RenderEffects.Parts()
      parts.placement = tree.sides[index].effects?.parts.placement
      (parts.cut.minification, parts.cut.magnification) = (.nearest, .nearest)
      // A part of a content begins anywhere between its pixels.
      let isWhole = cut.map { $0.rect == ContentCut().rect && !$0.hasNineParts } ?? true
      if !(tree.sides[index].content is Image) || !isWhole { tree.sides[index].content = nil }
      tree.sides[index].effects = .make(parts, last: nil)
      if !isSquare { tree.records[index].cornerRadius = Float(min(records[index].cornerRadius, 6)) }
      // A mirror image would be the back of a layer that has none.
      tree.records[index].flags.subtract([.masked, .singleSided])
      if records[index].flags.contains(.mask) { tree.records[index].flags.insert(.hidden) }
      tree.records[index].settle(tree.sides[index])
    }
    return tree
  }

  fileprivate var withoutGradients: TreeSnapshot {
    var tree = self
    for index in tree.records.indices {
      switch tree.sides[index].content {
      case is GradientContent: tree.sides[index].content = nil
      case let shape as ShapeContent:
        var parts = shape.parts
        (parts.fillGradient, parts.strokeGradient) = (nil, nil)
        tree.sides[index].content = ShapeContent(parts)
      default: continue
      }
      tree.records[index].settle(tree.sides[index])
    }
    return tree
  }

  /// Blurs of what lies behind a layer mix what lies beside a clip.
  var withoutBackdropBlurs: TreeSnapshot {
    var tree = self
    for index in tree.records.indices {
      guard var parts = tree.sides[index].effects?.parts, parts.backdropBlurRadius > 0 else { continue }
      parts.backdropBlurRadius = 0
      tree.sides[index].effects = .make(parts, last: nil)
      tree.records[index].settle(tree.sides[index])
    }
    return tree
  }

  /// Copies of the tree at these places, each clipped to the rectangle there.
  fileprivate func copies(at places: [(x: Int, y: Int)], clip: IntRect) -> TreeSnapshot {
    var tree = TreeSnapshot(backdrop: backdrop)
    let root = RenderRecord(id: 1, bounds: Rect(x: 0, y: 0, width: 1, height: 1))
    tree.append(root, SideValues())
    let most = records.map(\.id).max() ?? 0
    for (number, place) in places.enumerated() {
      let start = UInt32(tree.records.count)
      let first = 2 + UInt32(number) * (most + 1)
      tree.append(
        RenderRecord(
          id: first, subtreeEnd: start + 1 + UInt32(records.count),
          transform: .translation(x: Double(place.x), y: Double(place.y)), bounds: Rect(clip), flags: .masksToBounds),
        SideValues())
      for (record, sides) in zip(records, sides) {
        var copy = record
        (copy.id, copy.subtreeEnd) = (first + record.id, start + 1 + record.subtreeEnd)
        tree.append(copy, sides)
      }
    }
    tree.records[0].subtreeEnd = UInt32(tree.records.count)
    return tree
  }

  /// The tree without what treats the channels of a colour in different ways, and without contents that are no image.
  fileprivate var withoutUnevenChannels: TreeSnapshot {
    var tree = self
    for index in tree.records.indices {
      var parts = tree.sides[index].effects?.parts ?? RenderEffects.Parts()
      (parts.transition, parts.colorMatrix, parts.backdropColorMatrix) = (nil, nil, nil)
      if [.hue, .saturation, .color, .luminosity].contains(parts.blendMode) { parts.blendMode = .multiply }
      if !(tree.sides[index].content is Image) { tree.sides[index].content = nil }
      tree.sides[index].effects = .make(parts, last: nil)
      tree.records[index].settle(tree.sides[index])
    }
    return tree
  }

  /// - Parameter images: the images that were swapped already.
  fileprivate func swappingColors(_ images: inout [ObjectIdentifier: Image]) throws -> TreeSnapshot {
    var tree = self
    tree.backdrop = backdrop.swappingRedAndBlue
    for index in tree.records.indices {
      tree.records[index].backgroundColor = tree.records[index].backgroundColor.swappingRedAndBlue
      if var parts = tree.sides[index].effects?.parts {
        if let border = parts.border { parts.border?.color = border.color.swappingRedAndBlue }
        if let shadow = parts.shadow { parts.shadow?.color = shadow.color.swappingRedAndBlue }
        if let shadow = parts.innerShadow { parts.innerShadow?.color = shadow.color.swappingRedAndBlue }
        tree.sides[index].effects = .make(parts, last: nil)
      }
      if let image = tree.sides[index].content as? Image {
        let swapped = try images[ObjectIdentifier(image)] ?? image.swappingRedAndBlue()
        images[ObjectIdentifier(image)] = swapped
        tree.sides[index].content = swapped
      }
      tree.records[index].settle(tree.sides[index])
    }
    return tree
  }
}

extension Image {
  /// The image with red and blue swapped, and with all that lies around it.
  fileprivate func swappingRedAndBlue() throws -> Image {
    if let whole {
      let swapped = try whole.image.swappingRedAndBlue()
      return try #require(swapped.middle(x: whole.x, y: whole.y, width: width, height: height))
    }
    return try Bitmap(width: width, height: height) {
      row($1).assumingMemoryBound(to: UInt32.self)[$0].swappingRedAndBlue
    }.freeze()
  }
}
