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
    let bounds = Rect(x: 0, y: 0, width: 120, height: 40)
    var tree = TreeSnapshot(viewport: viewport)
    tree.append(
      RenderRecord(id: 1, subtreeEnd: 1, transform: transform, bounds: bounds, opacity: opacity),
      SideValues(text: TextContent(TextRuns(runs), area: bounds, width: 120, height: 40, scale: 1)))
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
    #expect(Self.largestDifference(try Self.pixels(Self.tree([run], turn)), try Self.pixels(Self.tree([]))) > 60)
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
        TextRuns(runs), area: Rect(x: 0, y: 0, width: 100, height: 1000), width: 100, height: 1000, scale: 1)
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
    var strings = [string(), string()]
    var color = Color.white
    var place = transform()
    var size = 12.0
    var baseline = Point(4, 25)
    func tree() -> TreeSnapshot {
      Self.tree(
        strings.enumerated().map { index, string in
          TextRun(
            TextLine(string, font: Font(faces[index], size: size)), at: Point(baseline.x, baseline.y + Double(index) * 11),
            color: color)
        }, place)
    }
    var shown = tree()
    let painted = try Self.pixels(shown)
    for _ in 0..<15 {
      switch Int.random(in: 0...5, using: &random) {
      case 0: color = Color(hex: .random(in: 0...0xFF_FFFF, using: &random), alpha: number(0...1))
      case 1: place = transform()
      case 2: size = number(0...40)
      case 3: baseline = Point(baseline.x + number(-0.4...0.4), baseline.y + number(-0.6...0.6))
      default: strings[Int.random(in: 0...1, using: &random)] = string()
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
      cache.resolve(&placed, face: face, size: size)
      #expect(placed.allSatisfy { $0.bitmap != nil })
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
    #expect(content.runs[0].glyphs.glyphs.count < 200, "what cannot be seen is not kept")
    #expect(Self.largestDifference(try Self.pixels(tree), try Self.pixels(Self.tree([]))) == 255)
  }
}
