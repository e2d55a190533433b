import Geometry
@testable import Raster
import LinuxSystem
import Testing

@Suite struct GlyphCacheTests {
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func theCostStaysWithinItsLimit(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var cache = GenerationCache<Int, Int>(limit: 1_000)
    var last: [Int: Int] = [:]
    for step in 0..<20_000 {
      let key = Int.random(in: 0..<200, using: &generator)
      if Bool.random(using: &generator) {
        cache.insert(step, for: key, cost: Int.random(in: 0...60, using: &generator))
        last[key] = step
      } else if let value = cache.value(for: key) {
        #expect(value == last[key], "seed \(seed)")
      }
      #expect((0...1_000).contains(cache.cost), "seed \(seed)")
    }
    #expect(cache.count > 10)
  }

  @Test func usedEntriesStay() {
    var cache = GenerationCache<Int, Int>(limit: 100)
    cache.insert(-1, for: -1, cost: 1)
    for key in 0..<10_000 {
      cache.insert(key, for: key, cost: 1)
      #expect(cache.value(for: -1) == -1)
    }
    #expect(cache.value(for: 0) == nil)
    #expect(cache.value(for: 9_999) == 9_999)
  }

  @Test func largeEntriesAreNotKept() {
    var cache = GenerationCache<Int, Int>(limit: 100)
    cache.insert(1, for: 1, cost: 10)
    cache.insert(2, for: 1, cost: 51)
    #expect(cache.value(for: 1) == nil && cache.cost == 0)
  }

  /// A cache much smaller than the text makes the same bitmaps again.
  @Test func tinyCacheGivesTheSameBitmaps() throws {
    let face = try SystemFonts.face(.sans)
    let tiny = GlyphCache(limit: 2_000)
    let roomy = GlyphCache(limit: 1 << 20)
    for round in 0..<3 {
      for size64 in [640, 1_000, 1_300] {
        var first = Self.glyphs(0..<60, quarter: { ($0 + round) % 4 })
        let size = GlyphSize(size64: size64, turns: round)
        var second = first
        let kept = [
          tiny.resolve(&first, face: face, size: size), roomy.resolve(&second, face: face, size: size),
        ]
        for (left, right) in zip(first, second) {
          #expect(left.bytes != nil && left.bytes == right.bytes)
          #expect(left.box == right.box)
        }
        withExtendedLifetime(kept) {}
        #expect(tiny.cost <= 2_000)
      }
    }
    #expect(roomy.cost > 20_000)
  }

  /// Bitmaps that the cache drops are whole while the glyphs are painted: those that it had, and those that were made for them.
  @Test(arguments: [20_000, 2_000])
  func droppedBitmapsStayWhileTheyAreUsed(limit: Int) throws {
    let face = try SystemFonts.face(.sans)
    let size = GlyphSize(size64: 900, turns: 0)
    let expected = (0..<20).map { face.bitmap(of: UInt16(36 + $0), size, quarter: 0).bytes }
    let cache = GlyphCache(limit: limit)
    var placed = Self.glyphs(0..<20, quarter: { _ in 0 })
    _ = cache.resolve(&placed, face: face, size: size)
    placed = Self.glyphs(0..<20, quarter: { _ in 0 })
    let kept = cache.resolve(&placed, face: face, size: size)
    for size64 in 901...1000 {
      var others = Self.glyphs(0..<20, quarter: { _ in 1 })
      _ = cache.resolve(&others, face: face, size: GlyphSize(size64: size64, turns: 0))
    }
    #expect(placed.map(\.bytes) == expected)
    withExtendedLifetime(kept) {}
  }

  /// A glyph that a line has several times is made once, and drops no other.
  @Test func repeatedGlyphsAreMadeOnce() throws {
    let face = try SystemFonts.face(.sans)
    let size = GlyphSize(size64: 900, turns: 0)
    let costs = [0, 1].map { face.bitmap(of: UInt16(36 + $0), size, quarter: 0).byteCount + GlyphCache.Generations.overhead }
    // Half of it has room for both, and for neither twice.
    let cache = GlyphCache(limit: 2 * (costs[0] + costs[1]) + 20)
    var first = Self.glyphs([0], quarter: { _ in 0 })
    _ = cache.resolve(&first, face: face, size: size)
    var line = Self.glyphs([1, 1, 1, 1, 1], quarter: { _ in 0 })
    let kept = cache.resolve(&line, face: face, size: size)
    #expect(line[0].coverage != nil && Set(line.map(\.coverage)).count == 1)
    #expect(cache.cost == costs[0] + costs[1])
    withExtendedLifetime(kept) {}
  }

  /// Threads that made the same glyph at the same time add it one after the other.
  @Test func aGlyphAddedAgainDropsNoOther() throws {
    let face = try SystemFonts.face(.sans)
    let size = GlyphSize(size64: 900, turns: 0)
    let keys = (0..<3).map { GlyphCache.Key(face: face, size: size, glyph: $0, quarter: 0) }
    let bitmap = GlyphBitmap(box: .zero) { _ in }
    var generations = GlyphCache.Generations(limit: 4 * GlyphCache.Generations.overhead)
    for key in [keys[0], keys[1], keys[1]] { generations.add(bitmap, for: key) }
    #expect(generations.old.cost == 0 && generations.young.cost == 2 * GlyphCache.Generations.overhead)
    generations.add(bitmap, for: keys[2])
    #expect(generations.old.bitmap(for: keys[0]) != nil && generations.young.bitmap(for: keys[0]) == nil)
    // One that is used is young again.
    #expect(generations.bitmap(for: keys[0]) === bitmap && generations.young.bitmap(for: keys[0]) === bitmap)
  }

  /// The table of bitmaps against a dictionary, with keys that share their lower or their upper bits.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func tablesFindWhatWasAdded(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let face = try SystemFonts.face(.sans)
    func key() -> GlyphCache.Key {
      GlyphCache.Key(
        face: face,
        size: GlyphSize(size64: .random(in: 0...3, using: &random) << 12, turns: .random(in: 0...3, using: &random)),
        glyph: .random(in: 0...60, using: &random), quarter: .random(in: 0...3, using: &random))
    }
    let table = GlyphTable()
    var added: [GlyphCache.Key: GlyphBitmap] = [:]
    for _ in 0..<3000 {
      let key = key()
      #expect(table.bitmap(for: key) === added[key], "seed \(seed)")
      if random.chance(0.5), added[key] == nil {
        let bitmap = GlyphBitmap(box: .zero) { _ in }
        added[key] = bitmap
        table.add(bitmap, for: key, cost: 3)
      }
      // One that is there stays.
      if random.chance(0.1), added[key] != nil { table.add(.empty, for: key, cost: 3) }
    }
    #expect(added.count > 500 && table.cost == 3 * added.count)
    for (key, bitmap) in added {
      #expect(table.slot(for: key)?.coverage == bitmap.base && table.bitmap(for: key) === bitmap)
    }
  }

  /// Threads that keep evicting each other's glyphs still get the right ones.
  @Test func threadsShareATinyCache() async throws {
    let face = try SystemFonts.face(.mono)
    let cache = GlyphCache(limit: 3_000)
    let size = GlyphSize(size64: 900, turns: 0)
    let expected = (0..<40).map { face.bitmap(of: UInt16(36 + $0), size, quarter: UInt8($0 % 4)).bytes }
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<6 {
        group.addTask {
          for round in 0..<20 {
            let indices = (0..<40).map { ($0 * 7 + thread + round) % 40 }
            var placed = Self.glyphs(indices, quarter: { $0 % 4 })
            let kept = cache.resolve(&placed, face: face, size: size)
            #expect(placed.map(\.bytes) == indices.map { expected[$0] })
            withExtendedLifetime(kept) {}
          }
        }
      }
    }
    #expect(cache.cost <= 3_000)
  }

  @Test func oversizedAndMissingGlyphsHaveNone() throws {
    let face = try SystemFonts.face(.sans)
    #expect(face.bitmap(of: 36, GlyphSize(size64: 5_000 * 64, turns: 0), quarter: 0) === GlyphBitmap.empty)
    #expect(face.bitmap(of: 0xFFFF, GlyphSize(size64: 640, turns: 0), quarter: 0) === GlyphBitmap.empty)
  }

  /// A turned bitmap has each pixel where a turn around the glyph's origin takes it.
  @Test func turnsAreTurnsAroundTheOrigin() throws {
    let face = try SystemFonts.face(.sans)
    func pixels(_ turns: Int) -> [SIMD2<Int>: UInt8] {
      let bitmap = face.bitmap(of: 40, GlyphSize(size64: 1_000, turns: turns), quarter: 1)
      var pixels: [SIMD2<Int>: UInt8] = [:]
      let box = bitmap.box
      for y in 0..<box.height {
        for x in 0..<box.width {
          pixels[SIMD2(Int(box.minX) + x, Int(box.minY) + y)] = bitmap.bytes[y * bitmap.bytesPerRow + x]
        }
      }
      return pixels
    }
    var expected = pixels(0)
    #expect(expected.values.contains(255))
    for turns in 1...3 {
      // The pixel at (x, y) has its centre half a pixel further.
      expected = Dictionary(uniqueKeysWithValues: expected.map { (SIMD2(-$0.key.y - 1, $0.key.x), $0.value) })
      #expect(pixels(turns) == expected)
    }
  }

  private static func glyphs(_ numbers: some Collection<Int>, quarter: (Int) -> Int) -> ContiguousArray<PlacedGlyph> {
    ContiguousArray(numbers.map { PlacedGlyph(glyph: UInt16(36 + $0), quarter: UInt8(quarter($0)), x: 0, y: 0) })
  }
}

extension GlyphBitmap {
  fileprivate var bytes: [UInt8] { Array(UnsafeBufferPointer(start: base, count: byteCount)) }
}

extension PlacedGlyph {
  fileprivate var bytes: [UInt8]? {
    coverage.map { Array(UnsafeBufferPointer(start: $0, count: GlyphBitmap.bytesPerRow(box.width) * box.height)) }
  }
}
