import Compositing
import Geometry
import LinuxSystem
import TestLength
import Testing

@testable import Raster
@testable import RenderTree

/// Text that the compositor paints: against Cairo's drawing of it, and the damage of its changes.
@Suite struct TextTests {
  private static let (width, height) = (160, 60)
  private static let all = DamageRegion(IntRect(x: 0, y: 0, width: width, height: height))

  /// A tree whose only layer shows text.
  private static func tree(
    _ runs: [TextRun], _ transform: Affine = .identity, opacity: Float = 1, viewport: Viewport? = nil
  ) -> TreeSnapshot {
    tree(runs.map { .glyphs($0) }, transform, opacity: opacity, viewport: viewport)
  }

  private static func tree(
    _ parts: [TextPart], _ transform: Affine = .identity, opacity: Float = 1, viewport: Viewport? = nil,
    cutEdges: Edges = .all
  ) -> TreeSnapshot {
    let bounds = Rect(x: 0, y: 0, width: 120, height: 40)
    var tree = TreeSnapshot(viewport: viewport)
    tree.append(
      RenderRecord(id: 1, subtreeEnd: 1, transform: transform, bounds: bounds, opacity: opacity),
      SideValues(
        text: TextContent(TextParts(parts), area: bounds, width: 120, height: 40, scale: 1, cutEdges: cutEdges)))
    return tree
  }

  private static func pixels(_ tree: TreeSnapshot, _ width: Int = width, _ height: Int = height) throws -> Bitmap {
    let bitmap = try Bitmap(width: width, height: height)
    Compositor().render(tree, damage: DamageRegion(IntRect(x: 0, y: 0, width: width, height: height)), into: bitmap)
    return bitmap
  }

  /// The same text drawn by Cairo over the same backdrop.
  private static func drawn(_ runs: [TextRun], _ transform: Affine) throws -> Bitmap {
    let bitmap = try Bitmap(width: width, height: height)
    let context = DrawingContext(bitmap: bitmap)
    context.fill(color: .black)
    context.concatenate(transform)
    context.clip(Rect(x: 0, y: 0, width: 120, height: 40))
    for run in runs { context.draw(run.glyphs, at: run.baseline, color: run.color) }
    context.flush()
    return bitmap
  }

  private static func drawn(_ fills: [TextFill], _ transform: Affine) throws -> Bitmap {
    let bitmap = try Bitmap(width: width, height: height)
    let context = DrawingContext(bitmap: bitmap)
    context.fill(color: .black)
    context.concatenate(transform)
    context.clip(Rect(x: 0, y: 0, width: 120, height: 40))
    for fill in fills { context.draw(fill) }
    context.flush()
    return bitmap
  }

  private static func largestDifference(_ one: Bitmap, _ two: Bitmap) -> Int {
    var largest = 0
    for y in 0..<one.height {
      for x in 0..<one.width {
        for shift in stride(from: UInt32(0), to: 32, by: 8) {
          largest = max(largest, abs(Int(one[x, y] >> shift & 255) - Int(two[x, y] >> shift & 255)))
        }
      }
    }
    return largest
  }

  /// The mean difference of a channel where it differs from black in either.
  private static func meanDifference(_ one: Bitmap, _ two: Bitmap) -> Double {
    var (sum, count) = (0, 0)
    for y in 0..<one.height {
      for x in 0..<one.width {
        for shift in stride(from: UInt32(0), to: 24, by: 8) {
          let (left, right) = (Int(one[x, y] >> shift & 255), Int(two[x, y] >> shift & 255))
          sum += abs(left - right)
          if max(left, right) > 0 { count += 1 }
        }
      }
    }
    return Double(sum) / Double(max(count, 1))
  }

  // MARK: Pixels

  /// Upright text has Cairo's pixels but for one rounding; turned text has its outline, which Cairo measures on a coarser grid.
  @Test(arguments: some(20, of: 1...200))
  func isWhatCairoDraws(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let face = try SystemFonts.face(.sans)
    let font = Font(face, size: .random(in: 8...30, using: &random))
    let color = Color(hex: .random(in: 0...0xFF_FFFF, using: &random) | 0xA0, alpha: .random(in: 0.5...1, using: &random))
    let run = TextRun(TextLine("Hamburg 0123", font: font), at: Point(4.3, 27.6), color: color)
    let place = Affine.translation(x: Double(Int.random(in: 0...30, using: &random)), y: 9)
    let upright = Self.largestDifference(try Self.pixels(Self.tree([run], place)), try Self.drawn([run], place))
    #expect(upright <= 2, "seed \(seed)")
    let turn = Affine.rotation(.random(in: 0.05...0.3, using: &random)).concatenating(.translation(x: 20, y: 4))
    let (own, cairos) = (try Self.pixels(Self.tree([run], turn)), try Self.drawn([run], turn))
    #expect(Self.largestDifference(own, cairos) <= 72, "seed \(seed)")
    #expect(Self.meanDifference(own, cairos) <= 3, "seed \(seed)")
    #expect(Self.largestDifference(try Self.pixels(Self.tree([run], turn)), try Self.pixels(Self.tree([TextPart]()))) > 60)
  }

  /// A panel that is mounted turned shows the pixels of the unturned picture in other places.
  @Test(arguments: 1...3)
  func turnedPanelsShowTheSamePixels(turns: Int) throws {
    let font = try SystemFonts.font(.sans, size: 15)
    let runs = [TextRun(TextLine("Turn 147", font: font), at: Point(3.4, 25.2), color: .white)]
    let place = Affine.translation(x: 7.3, y: 5.6)
    let upright = try Self.pixels(Self.tree(runs, place))
    let (width, height) = turns == 2 ? (Self.width, Self.height) : (Self.height, Self.width)
    let viewport = Viewport(quarterTurns: turns, width: width, height: height)
    let turned = try Self.pixels(Self.tree(runs, place, viewport: viewport), width, height)
    for y in 0..<Self.height {
      for x in 0..<Self.width {
        let (column, row) =
          switch turns {
          case 1: (Self.height - 1 - y, x)
          case 2: (Self.width - 1 - x, Self.height - 1 - y)
          default: (y, Self.width - 1 - x)
          }
        guard upright[x, y] == turned[column, row] else {
          Issue.record("pixel \(x), \(y) is another one")
          return
        }
      }
    }
  }

  /// Rectangles have Cairo's pixels; those that are neither turned nor mirrored have whole ones.
  @Test(arguments: some(20, of: 1...200))
  func rectanglesAreWhatCairoDraws(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let fills = (0..<6).map { _ in
      TextFill(
        Rect(
          x: .random(in: -9...110, using: &random), y: .random(in: -9...40, using: &random),
          width: .random(in: 0.1...40, using: &random), height: .random(in: 0.1...6, using: &random)),
        color: Color(hex: .random(in: 0...0xFF_FFFF, using: &random), alpha: .random(in: 0...1, using: &random)))
    }
    let maps: [Affine] = [
      .translation(x: 7, y: 5), .rotation(.random(in: 0.05...0.3, using: &random)), .scale(x: 1, y: -1),
      .scale(.random(in: 0.2...2, using: &random)),
      .quarterTurns(Int.random(in: 1...3, using: &random)).concatenating(.translation(x: 60, y: 50)),
    ]
    for (index, map) in maps.enumerated() {
      let bitmap = try Self.pixels(Self.tree(fills.map { .fill($0) }, map))
      let difference = Self.largestDifference(bitmap, try Self.drawn(fills, map))
      // Cairo measures turned edges on a coarser grid.
      #expect(difference <= [3, 72, 24, 24, 24][index], "seed \(seed), map \(index)")
    }
    // One at a time: each pixel is of it, or is not.
    for fill in fills {
      let bitmap = try Self.pixels(Self.tree([.fill(TextFill(fill.rect, color: .white))], .translation(x: 0.3, y: 0.8)))
      let area = Affine.translation(x: 0.3, y: 0.8).boundingBox(of: Rect(x: 1, y: 1, width: 118, height: 38))
      for y in Int(area.minY)..<Int(area.maxY) {
        for x in Int(area.minX)..<Int(area.maxX) { #expect([0, 0xFFFFFF].contains(bitmap[x, y] & 0xFFFFFF)) }
      }
    }
  }

  /// An underline of a small part of a pixel is one pixel high, at the nearest place.
  @Test func linesAreAPixelHigh() throws {
    let fill = TextFill(Rect(x: 10.4, y: 12.6, width: 20, height: 0.2), color: .white)
    let bitmap = try Self.pixels(Self.tree([.fill(fill)]))
    for y in 0..<Self.height {
      for x in 0..<Self.width { #expect(bitmap[x, y] == (y == 13 && (10..<30).contains(x) ? 0xFFFF_FFFF : 0xFF00_0000)) }
    }
    #expect(
      Self.largestDifference(
        try Self.pixels(Self.tree([.fill(fill)], .scale(x: 1, y: 0))), try Self.pixels(Self.tree([TextPart]()))) == 0)
  }

  /// A text that fades does so as one picture: its background does not shine through its letters.
  @Test func partsFadeTogether() throws {
    let font = try SystemFonts.font(.sans, size: 20)
    let parts: [TextPart] = [
      .fill(TextFill(Rect(x: 5, y: 5, width: 90, height: 30), color: Color(hex: 0xFF0000))),
      .glyphs(TextRun(TextLine("\u{2588}\u{2588}\u{2588}", font: font), at: Point(10, 25), color: Color(hex: 0x0000FF))),
    ]
    let bitmap = try Self.pixels(Self.tree(parts, opacity: 0.5))
    #expect(bitmap[20, 18] & 0xFFFFFF == 0x00_0080, "no red behind the blue")
    #expect(bitmap[8, 8] & 0xFFFFFF == 0x80_0000)
  }

  // MARK: Damage

  private static func damage(from old: TreeSnapshot, to new: TreeSnapshot) -> DamageRegion {
    var diff = SceneDiff()
    return diff.change(from: old, to: new, width: width, height: height).damage
  }

  /// A digit of a clock ticks: its box is damaged, at any opacity and scale, and nothing where nothing changed.
  @Test(arguments: [1.0, 1.5, 3.0])
  func aTickDamagesOneDigit(scale: Double) throws {
    let font = Font(try SystemFonts.face(.sans), size: 10, tabularFigures: true)
    func clock(_ string: String, _ color: Color = .white) -> TreeSnapshot {
      let run = TextRun(TextLine(string, font: font), at: Point(3.4, 16), color: color)
      return Self.tree([run], .scale(scale).concatenating(.translation(x: 2.3, y: 1.2)), opacity: 0.7)
    }
    let advance = TextLine("0", font: font).width * scale
    let box = Self.damage(from: clock("12:34:56"), to: clock("12:34:57")).boundingBox
    #expect(box.width > 3 && Double(box.width) < advance + 4, "\(box)")
    #expect(box.height > 5 && Double(box.height) < 10 * scale + 4, "\(box)")
    #expect(Double(box.minX) > 7 * advance * 0.8)
    #expect(Self.damage(from: clock("12:34:56"), to: clock("12:34:56")).isEmpty, "another object, the same text")
    let line = Self.damage(from: clock("12:34:56"), to: clock("12:34:56", .black)).boundingBox
    #expect(Double(line.width) > 6 * advance && Double(line.width) < 8 * advance + 6, "another colour")
  }

  /// Lines that change far from each other leave what is between them.
  @Test func farLinesAreDamagedApart() throws {
    let font = Font(try SystemFonts.face(.sans), size: 10)
    func content(_ digit: String) -> TextContent {
      let runs = [20.0, 500, 980].map { y in
        TextRun(TextLine(y == 500 ? "0" : digit, font: font), at: Point(4, y), color: .white)
      }
      return TextContent(
        TextParts(runs.map { .glyphs($0) }), area: Rect(x: 0, y: 0, width: 100, height: 1000), width: 100, height: 1000,
        scale: 1)
    }
    let (old, new) = (content("1"), content("2"))
    let bounds = Rect(x: 0, y: 0, width: 100, height: 1000)
    let changed = try #require(new.changedPixels(from: old, in: bounds, nil, .scale(2)))
    #expect(changed.rects.count == 2)
    #expect(changed.area < 2 * 20 * 20)
    var tree = TreeSnapshot()
    tree.append(RenderRecord(id: 1, subtreeEnd: 1, transform: .scale(2), bounds: bounds), SideValues(text: old))
    var other = TreeSnapshot()
    other.append(RenderRecord(id: 1, subtreeEnd: 1, transform: .scale(2), bounds: bounds), SideValues(text: new))
    var diff = SceneDiff()
    let damage = diff.change(from: tree, to: other, width: 300, height: 2000).damage
    #expect(damage.rects.count == 2 && damage.area == changed.area)
  }

  /// Random texts under random maps: nothing changes outside the damage, and painting it in parts gives the whole.
  @Test(arguments: some(40, of: 1...1000))
  func damageIsProven(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let faces = [try SystemFonts.face(.sans), try SystemFonts.face(.mono)]
    func string() -> String {
      String((0..<Int.random(in: 0...12, using: &random)).map { _ in "01AgjÖ .,W—f".randomElement(using: &random) ?? "1" })
    }
    func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
    func transform() -> Affine {
      let place = Affine.translation(x: number(-20...60), y: number(-10...30))
      switch Int.random(in: 0...4, using: &random) {
      case 0: return Affine.rotation(number(-4...4)).concatenating(place)
      case 1: return Affine.scale(x: number(-2...3), y: number(0.3...3)).concatenating(place)
      case 2: return Affine.scale(number(0.2...9)).concatenating(place)
      case 3: return Affine.quarterTurns(Int.random(in: 0...3, using: &random)).concatenating(place)
      default: return place
      }
    }
    func fill() -> TextPart {
      .fill(
        TextFill(
          Rect(x: number(-9...100), y: number(-9...38), width: number(0.2...60), height: number(0.2...12)),
          color: Color(hex: .random(in: 0...0xFF_FFFF, using: &random), alpha: number(0...1))))
    }
    var (behind, inFront) = ([fill()], [TextPart]())
    var strings = [string(), string()]
    var color = Color.white
    var place = transform()
    var size = 12.0
    var baseline = Point(4, 25)
    var cutEdges = Edges.all
    func tree() -> TreeSnapshot {
      let lines = strings.enumerated().map { index, string in
        TextPart.glyphs(
          TextRun(
            TextLine(string, font: Font(faces[index % 2], size: size)),
            at: Point(baseline.x, baseline.y + Double(index) * 11 - 9), color: color))
      }
      return Self.tree(behind + lines + inFront, place, cutEdges: cutEdges)
    }
    var shown = tree()
    let painted = try Self.pixels(shown)
    for _ in 0..<15 {
      switch Int.random(in: 0...10, using: &random) {
      case 10: cutEdges = Edges(rawValue: .random(in: 0...15, using: &random))
      case 6: behind = random.chance(0.3) ? [] : behind + [fill()]
      case 7: inFront.insert(fill(), at: Int.random(in: 0...inFront.count, using: &random))
      case 8 where inFront.count > 1: inFront.remove(at: Int.random(in: 0..<inFront.count, using: &random))
      case 9: strings.insert(string(), at: Int.random(in: 0...strings.count, using: &random))
      case 0: color = Color(hex: .random(in: 0...0xFF_FFFF, using: &random), alpha: number(0...1))
      case 1: place = transform()
      case 2: size = number(0...40)
      case 3: baseline = Point(baseline.x + number(-0.4...0.4), baseline.y + number(-0.6...0.6))
      default:
        if strings.count > 3 { strings.remove(at: 1) }
        strings[Int.random(in: strings.indices, using: &random)] = string()
      }
      let next = tree()
      let damage = Self.damage(from: shown, to: next)
      let compositor = Compositor()
      for rect in damage.rects {
        // In pieces, as the damage of several frames cuts it.
        let column = Int32.random(in: rect.minX...rect.maxX, using: &random)
        let row = Int32.random(in: rect.minY...rect.maxY, using: &random)
        for (minX, maxX) in [(rect.minX, column), (column, rect.maxX)] {
          for (minY, maxY) in [(rect.minY, row), (row, rect.maxY)] where minX < maxX && minY < maxY {
            compositor.render(
              next, damage: DamageRegion(IntRect(minX: minX, minY: minY, maxX: maxX, maxY: maxY)), into: painted)
          }
        }
      }
      guard Self.largestDifference(painted, try Self.pixels(next)) == 0 else {
        Issue.record("seed \(seed)\nbefore: \(shown)\nafter: \(next)\ndamage: \(damage.rects.map { $0 })")
        return
      }
      shown = next
    }
  }

  // MARK: Limits

  /// Text in sizes that never come again leaves the cache within its budget.
  @Test func theCacheKeepsItsBudget() throws {
    let face = try SystemFonts.face(.sans)
    let cache = GlyphCache(limit: 100_000)
    let line = TextLine("Budget 0123456789", font: Font(face, size: 20))
    var placed: ContiguousArray<PlacedGlyph> = []
    var most = 0
    for step in 0..<(isLongRun ? 3_000 : 400) {
      let grid = GlyphGrid(line.run, at: .zero, .scale(0.3 + Double(step % 317) / 50))
      guard case .bitmaps(let size) = grid.source else { continue }
      grid.place(in: TreeLayers.everywhere, &placed)
      let resolved = cache.resolve(&placed, face: face, size: size)
      #expect(placed.allSatisfy { $0.coverage != nil })
      withExtendedLifetime(resolved) {}
      most = max(most, cache.cost)
    }
    #expect(most <= cache.limit && most > cache.limit / 3)
  }

  /// Places and sizes without measure, and lines far longer than any layer, are painted or left out.
  @Test func hostileTextIsPaintedOrLeftOut() throws {
    let face = try SystemFonts.face(.sans)
    let color = Color.white
    for size in [Double.nan, .infinity, -3, 0, 1e-9, 10_000] {
      for place in [Point(.nan, 0), Point(.infinity, -.infinity), Point(1e300, 3), Point(-9e6, 20), Point(3, 20)] {
        let run = TextRun(TextLine("Wide", font: Font(face, size: size)), at: place, color: color)
        for transform in [Affine.identity, .scale(1e-9), .scale(x: 1e9, y: 3), .rotation(1), .scale(x: -400, y: 400)] {
          _ = try Self.pixels(Self.tree([run], transform))
        }
      }
    }
    let long = TextLine(String(repeating: "long ", count: 20_000), font: Font(face, size: 12))
    let tree = Self.tree([TextRun(long, at: Point(-50_000, 25), color: color)])
    let content = try #require(tree.sides[0].content as? TextContent)
    let run = try #require(content.parts.compactMap { if case .glyphs(let run) = $0 { run } else { nil } }.first)
    #expect(run.glyphs.glyphs.count < 200, "what cannot be seen is not kept")
    #expect(Self.largestDifference(try Self.pixels(tree), try Self.pixels(Self.tree([TextPart]()))) == 255)
  }
}
