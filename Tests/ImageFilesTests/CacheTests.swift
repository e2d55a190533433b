import LinuxSystem
import Raster
import Testing

@testable import ImageFiles

@Suite struct CacheTests {
  /// A file of pixels has one own size; that of a drawing goes by the scale.
  @Test func ownSizesOfPixelsAreKeptOnce() throws {
    for (name, sizes) in [("colour.png", [61, 61, 61, 61]), ("drawing.svg", [61, 61, 122, 183])] {
      let cache = ImageCache(bytes: 1 << 20)
      for _ in 0..<2 {
        let images = try [.natural, .scaled(1), .scaled(2), .scaled(3)].map { fit in
          try cache.decoded(Pictures.folder + "/" + name, fit, limits: ImageLimits()) { false }.frames[0].image
        }
        #expect(images.map(\.width) == sizes, "\(name)")
        #expect(Set(images.map(\.id)).count == Set(sizes).count, "\(name)")
      }
      #expect(cache.count == Set(sizes).count, "\(name)")
    }
  }

  /// Random uses against a list in the order of use.
  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
  func valuesLeaveInTheOrderOfTheirUse(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let limit = 20
    var cache = RecentlyUsed<Int, Int>(limit: limit)
    // The last one was used longest ago.
    var plain: [(key: Int, value: Int, cost: Int)] = []
    for step in 0..<3000 {
      let key = Int.random(in: 0..<12, using: &generator)
      let known = plain.firstIndex { $0.key == key }
      if Bool.random(using: &generator) {
        #expect(cache.value(for: key) == known.map { plain[$0].value }, "seed \(seed), step \(step)")
        if let known { plain.insert(plain.remove(at: known), at: 0) }
      } else {
        let cost = Int.random(in: 0...22, using: &generator)
        var left: [Int] = []
        if let known { left.append(plain.remove(at: known).value) }
        if cost <= limit {
          while plain.reduce(0, { $0 + $1.cost }) + cost > limit { left.append(plain.removeLast().value) }
          plain.insert((key, step, cost), at: 0)
        }
        #expect(cache.insert(step, for: key, cost: cost) == left, "seed \(seed), step \(step)")
      }
      #expect(cache.count == plain.count && cache.cost == plain.reduce(0) { $0 + $1.cost }, "seed \(seed), step \(step)")
    }
  }
}
