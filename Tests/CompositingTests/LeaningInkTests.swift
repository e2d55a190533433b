import Compositing
import Geometry
import LinuxSystem
import TestLength
import Testing

@testable import Raster
@testable import RenderTree

/// Ink that leans out of the rectangle in which a text was set.
@Suite struct LeaningInkTests {
  private static let (width, height) = (200, 150)
  private static let letters: [Character] = [
    "j", "f", "A\u{30A}\u{301}\u{302}", "\u{301}", "W", "\u{C5}", "g\u{323}", "y", " ",
  ]

  private static let pictures = try? FontFace(path: SystemFonts.path(of: "NotoColorEmoji.ttf"))

  /// A text in lines that fit their rectangle, on the left of which and above it they may begin.
  private struct Sample {
    var runs: [TextRun]
    var lines: Rect
    /// How far channels of the same ink are apart: those of pictures between pixels are sampled.
    var tolerance: Int { runs.count > 1 ? 2 : 0 }
    var transform: Affine

    init(_ random: inout SplitMix64, sizes: ClosedRange<Double> = 9...30) throws {
      let faces = try ["DejaVuSans.ttf", "DejaVuSansMono.ttf"].map { try FontFace(path: SystemFonts.path(of: $0)) }
      let font = Font(try #require(faces.randomElement(using: &random)), size: .random(in: sizes, using: &random))
      let string = String(
        (0..<Int.random(in: 1...4, using: &random)).compactMap { _ in letters.randomElement(using: &random) })
      let line = TextLine(string, font: font)
      // The line is often less high than its font says, as with a line height of the layer's own: more of the ink leans out.
      let height = line.height * .random(in: 0.3...1.2, using: &random)
      lines = Rect(x: 0, y: 0, width: max(line.width, 1).rounded(.up), height: height.rounded(.up))
      let baseline = Point(0, lines.height / 2 + (line.ascent - line.descent) / 2)
      runs = [TextRun(line, at: baseline, color: .white)]
      if random.chance(0.3) {
        let face = try #require(LeaningInkTests.pictures)
        let emoji = TextLine("😀👍🏽", font: Font(face, size: font.size * .random(in: 0.7...1.3, using: &random)))
        runs.append(TextRun(emoji, at: Point(line.width / 2, baseline.y), color: .white))
        // They often reach out of the lines on the right.
        if random.chance(0.5) { lines.size.width = max(lines.width, (line.width / 2 + emoji.width).rounded(.up)) }
      }
      let place = Affine.translation(x: .random(in: 60...80, using: &random), y: .random(in: 50...70, using: &random))
      transform =
        switch Int.random(in: 0..<3, using: &random) {
        case 0: Affine.rotation(.random(in: -4...4, using: &random)).concatenating(place)
        case 1:
          Affine.scale(x: .random(in: 0.9...1.4, using: &random), y: .random(in: 0.9...1.4, using: &random)).concatenating(
            place)
        default: place
        }
    }

    /// A tree whose only layer has lines of this text in its bounds, with so much room around them.
    func tree(room: Double, cutEdges: Edges, flags: RenderRecord.Flags = []) -> TreeSnapshot {
      let bounds = lines.insetBy(dx: -room, dy: -room)
      var tree = TreeSnapshot()
      tree.append(
        RenderRecord(id: 1, subtreeEnd: 1, transform: transform, bounds: bounds, flags: flags),
        SideValues(
          text: TextContent(
            TextParts(runs.map(TextPart.glyphs)), area: bounds, width: Int(bounds.width), height: Int(bounds.height),
            scale: 1, cutEdges: cutEdges)
        ))
      return tree
    }

    /// The text's record and content for the middle of an output.
    func layer(at place: Affine, flags: RenderRecord.Flags) -> (RenderRecord, TextContent) {
      var record = tree(room: 0, cutEdges: []).records[0]
      (record.id, record.subtreeEnd, record.transform) = (2, 2, place)
      record.flags = flags
      let content = TextContent(
        TextParts(runs.map(TextPart.glyphs)), area: lines, width: Int(lines.width), height: Int(lines.height), scale: 1)
      return (record, content)
    }

    func pixels(room: Double = 0, cutEdges: Edges, flags: RenderRecord.Flags = []) throws -> Bitmap {
      let bitmap = try Bitmap(width: width, height: LeaningInkTests.height)
      let all = IntRect(x: 0, y: 0, width: width, height: LeaningInkTests.height)
      Compositor().render(tree(room: room, cutEdges: cutEdges, flags: flags), damage: DamageRegion(all), into: bitmap)
      return bitmap
    }
  }

  /// The first pixel in which two pictures differ.
  private static func difference(_ one: Bitmap, _ two: Bitmap, tolerance: Int = 0) -> (x: Int, y: Int)? {
    for y in 0..<height {
      for x in 0..<width where differ(one[x, y], two[x, y], tolerance) { return (x, y) }
    }
    return nil
  }

  private static func differ(_ one: UInt32, _ two: UInt32, _ tolerance: Int) -> Bool {
    one != two
      && [0, 8, 16, 24].contains { (shift: UInt32) in
        let (left, right) = (Int(one >> shift & 255), Int(two >> shift & 255))
        return abs(left - right) > tolerance
      }
  }

  /// All ink of lines that fit is seen: as it is in a layer with much room. With a mask to the bounds it is cut as lines that do not fit.
  @Test(arguments: some(60, of: 1...2000))
  func inkIsSeenBeyondTheBounds(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let sample = try Sample(&random)
    let (free, roomy) = (try sample.pixels(cutEdges: []), try sample.pixels(room: 120, cutEdges: .all))
    let lean = try #require(sample.tree(room: 0, cutEdges: []).sides[0].content as? TextContent).lean
    // The grid may move ink over an edge by up to half a pixel, which is no leaning.
    let leansOverAll = lean.left > 0 && lean.top > 0 && lean.right > 0 && lean.bottom > 0
    if leansOverAll { #expect(Self.difference(free, roomy, tolerance: sample.tolerance) == nil, "seed \(seed)") }
    let cut = try sample.pixels(cutEdges: .all)
    let masked = try sample.pixels(cutEdges: [], flags: .masksToBounds)
    #expect(Self.difference(cut, masked, tolerance: sample.tolerance) == nil, "seed \(seed)")
    if lean == Insets() { #expect(Self.difference(free, cut) == nil, "seed \(seed)") }
    // All else is as it was, inside of the bounds as beyond them.
    let inverse = try #require(sample.transform.inverted)
    for y in 0..<Self.height {
      for x in 0..<Self.width where Self.differ(free[x, y], roomy[x, y], sample.tolerance) {
        let place = inverse.apply(Point(Double(x) + 0.5, Double(y) + 0.5))
        let isNearEdge = [
          (lean.left, place.x), (lean.top, place.y), (lean.right, sample.lines.width - place.x),
          (lean.bottom, sample.lines.height - place.y),
        ].contains { $0 == 0 && abs($1) < 1.5 }
        #expect(isNearEdge, "seed \(seed), pixel \(x), \(y)")
      }
    }
  }

  /// Beyond an edge at which lines go on there is no ink, whatever leans over the others.
  @Test(arguments: some(60, of: 1...2000))
  func edgesCut(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let sample = try Sample(&random)
    let cutEdges = Edges(rawValue: .random(in: 0...15, using: &random))
    let bitmap = try sample.pixels(cutEdges: cutEdges)
    let inverse = try #require(sample.transform.inverted)
    for y in 0..<Self.height {
      for x in 0..<Self.width where bitmap[x, y] & 0xFF_FFFF != 0 {
        let place = inverse.apply(Point(Double(x) + 0.5, Double(y) + 0.5))
        #expect(!cutEdges.contains(.minX) || place.x > -1, "seed \(seed)")
        #expect(!cutEdges.contains(.minY) || place.y > -1, "seed \(seed)")
        #expect(!cutEdges.contains(.maxX) || place.x < sample.lines.width + 1, "seed \(seed)")
        #expect(!cutEdges.contains(.maxY) || place.y < sample.lines.height + 1, "seed \(seed)")
      }
    }
  }

  /// Leaning ink in groups, clips and masks, with shadows and in a picture: as `PlainCompositor` defines it.
  @Test(arguments: some(12, of: 1...2000))
  func inkIsThatOfTheDefinition(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let all = IntRect(x: 0, y: 0, width: 80, height: 60)
    for _ in 0..<4 {
      let sample = try Sample(&random, sizes: 9...15)
      let isMask = random.chance(0.3)
      let flags: RenderRecord.Flags = isMask ? .mask : random.chance(0.2) ? .masksToBounds : []
      var (record, content) = sample.layer(at: .translation(x: 24, y: 22), flags: flags)
      var parts = RenderEffects.Parts()
      let bounds = sample.lines
      // A text has its place among its effects, at the corner for a definition that knows whole pixels alone.
      parts.placement = ContentPlacement(gravity: .topLeft, size: bounds.size)
      if random.chance(0.3) { parts.shadow = Shadow(color: 0xC000_0000, offset: Size(4, 3), radius: 2) }
      if random.chance(0.2) { parts.rasterizationScale = 1 }
      if random.chance(0.3) { record.backgroundColor = 0x8000_4060 }
      record.opacity = random.chance(0.4) ? 0.6 : 1
      var outer = RenderRecord(
        id: 1, subtreeEnd: 2, transform: .translation(x: 3, y: 2), bounds: Rect(x: 0, y: 0, width: 70, height: 50),
        opacity: random.chance(0.3) ? 0.5 : 1, backgroundColor: 0xFF20_3040, flags: isMask ? .masked : [])
      if random.chance(0.3) { outer.flags.insert(.masksToBounds) }
      var tree = TreeSnapshot()
      tree.append(outer, SideValues())
      tree.append(record, SideValues(text: content, effects: .make(parts, last: nil)))
      #expect(tree.inconsistency == nil)
      let bitmap = try Bitmap(width: 80, height: 60)
      Compositor().render(tree, damage: DamageRegion(all), into: bitmap)
      let plain = PlainCompositor(tree: tree, output: all)
      for y in 0..<60 {
        for x in 0..<80 {
          let difference = (PlainCompositor.color(bitmap[x, y]) - plain.pixel(x, y)) * 255
          try #require(max(difference.max(), -difference.min()) <= 6, "seed \(seed), pixel \(x), \(y)\n\(tree)")
        }
      }
    }
  }

  /// An image of a text, alone and in a fade, shows the same as the text, in a layer that masks to its bounds as well.
  @Test(arguments: some(60, of: 1...2000))
  func imagesHaveLeaningInk(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let sample = try Sample(&random)
    let flags: RenderRecord.Flags = random.chance(0.3) ? .masksToBounds : []
    let (record, text) = sample.layer(at: .translation(x: 70, y: 60), flags: flags)
    let image = try #require(text.image)
    #expect((image.whole != nil) == (text.lean != Insets()), "seed \(seed)")
    #expect(image.width == text.width && image.height == text.height)
    let expected = try Self.pixels(record, text)
    let share = Double.random(in: 0.2...0.8, using: &random)
    let mixtures = [
      ImageMixture([ImageMixture.Part(image, share: 1)]),
      ImageMixture([ImageMixture.Part(image, share: share), ImageMixture.Part(image, share: 1 - share)]),
    ]
    for content in [image] + mixtures as [any RenderContent] {
      let place = Self.difference(expected, try Self.pixels(record, content), tolerance: 2)
      #expect(place == nil, "seed \(seed): \(content)")
    }
  }

  /// Images that end at other edges than each other are added up, each within its own: in all places and sizes.
  @Test(arguments: some(30, of: 1...2000))
  func mixturesAddUpLeaningInk(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let (sample, other) = (try Sample(&random), try Sample(&random))
    let flags: RenderRecord.Flags = random.chance(0.2) ? .masksToBounds : []
    let (record, text) = sample.layer(at: sample.transform, flags: flags)
    let plain = try Bitmap(width: 4, height: 3) { _, _ in 0xFF00_0000 | .random(in: 0...0xFF_FFFF, using: &random) }.freeze()
    let otherImage = try #require(other.layer(at: .identity, flags: []).1.image)
    let images = [try #require(text.image), random.chance(0.5) ? plain : otherImage, plain]
    let share = Double.random(in: 0...0.5, using: &random)
    let shares = [share, 1 - share - share / 2, share / 2]
    let mixture = ImageMixture(zip(images, shares).map { ImageMixture.Part($0, share: $1) })
    let found = try Self.pixels(record, mixture)
    let parts = try images.map { try Self.pixels(record, $0) }
    for y in 0..<Self.height {
      for x in 0..<Self.width {
        var sum = SIMD4<Double>.zero
        for (part, share) in zip(parts, shares) { sum += PlainCompositor.color(part[x, y]) * share }
        let difference = (PlainCompositor.color(found[x, y]) - sum) * 255
        try #require(max(difference.max(), -difference.min()) <= 2.5, "seed \(seed), pixel \(x), \(y)")
      }
    }
  }

  private static func pixels(_ record: RenderRecord, _ content: any RenderContent) throws -> Bitmap {
    let bitmap = try Bitmap(width: width, height: height)
    var (tree, record) = (TreeSnapshot(), record)
    record.subtreeEnd = 1
    tree.append(record, SideValues(content: content))
    #expect(tree.inconsistency == nil)
    Compositor().render(tree, damage: DamageRegion(IntRect(x: 0, y: 0, width: width, height: height)), into: bitmap)
    return bitmap
  }

  /// Letters far larger than their layer take no memory without bound: an image of them ends at the layer's edges.
  @Test func hugeInkIsCut() throws {
    let face = try SystemFonts.face(.sans)
    for (size, leans) in [(300.0, true), (30_000, false)] {
      let run = TextRun(TextLine("j", font: Font(face, size: size)), at: Point(2, 8), color: .white)
      let area = Rect(x: 0, y: 0, width: 10, height: 9)
      let image = try #require(TextContent(TextParts(run), area: area, width: 10, height: 9, scale: 1).image)
      #expect((image.whole != nil) == leans, "\(size)")
      #expect((image.width, image.height) == (10, 9))
    }
  }

  /// The samples lean over each edge, and often far.
  @Test func samplesLean() throws {
    var counts = [0, 0, 0, 0]
    for seed in UInt64(1)...200 {
      var random = SplitMix64(seed: seed)
      let content = try #require(try Sample(&random).tree(room: 0, cutEdges: []).sides[0].content as? TextContent)
      for (edge, lean) in [content.lean.left, content.lean.top, content.lean.right, content.lean.bottom].enumerated()
      where lean > 0 { counts[edge] += 1 }
    }
    #expect(counts.allSatisfy { $0 > 10 }, "\(counts)")
  }

  /// The bounds that the layer paints hold its ink and little more, and none of it where the layer masks.
  @Test func leaningInkIsAmongTheDrawnBounds() throws {
    let font = try SystemFonts.font(.sans, size: 16)
    let bounds = Rect(x: 0, y: 0, width: 20, height: 19)
    func drawn(_ string: String, _ cutEdges: Edges = [], _ flags: RenderRecord.Flags = []) -> Rect {
      let run = TextRun(TextLine(string, font: font), at: Point(0, 15), color: .white)
      let text = TextContent(TextParts(run), area: bounds, width: 20, height: 19, scale: 1, cutEdges: cutEdges)
      var tree = TreeSnapshot()
      tree.append(RenderRecord(id: 1, subtreeEnd: 1, bounds: bounds, flags: flags), SideValues(text: text))
      return tree.records[0].drawnBounds
    }
    #expect(drawn("n") == bounds, "no ink leans out")
    #expect(drawn("j") == Rect(x: -4, y: 0, width: 24, height: 19))
    #expect(drawn("j", .minX) == bounds)
    #expect(drawn("j", [], .masksToBounds) == bounds)
    #expect(drawn("") == bounds, "as before: without ink it is not known that nothing is painted")
    #expect(drawn("A\u{302}\u{301}\u{302}\u{301}").minY < -2)
  }

  /// Numbers without measure lean nowhere.
  @Test func hostileInkDoesNotLean() throws {
    let face = try SystemFonts.face(.sans)
    let area = Rect(x: 0, y: 0, width: 9, height: 9)
    for size in [Double.nan, .infinity, -3, 0, 1e-9, 1e30] {
      for place in [Point(.nan, 0), Point(.infinity, -.infinity), Point(-1e300, 3), Point(-3, 2)] {
        let run = TextRun(TextLine("j\u{301}", font: Font(face, size: size)), at: place, color: .white)
        let lean = TextContent(TextParts(run), area: area, width: 9, height: 9, scale: 1).lean
        #expect([lean.left, lean.top, lean.right, lean.bottom].allSatisfy { $0 >= 0 && $0 < 1e10 }, "\(size) \(place)")
      }
    }
  }
}
