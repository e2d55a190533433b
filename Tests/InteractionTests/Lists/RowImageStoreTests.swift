import ImageFiles
import LinuxSystem
import Raster
import TestLength
import Testing

@testable import Interaction

/// The pictures that are loaded and kept, against a plain reckoning of what has a place in the budget.
@Suite struct RowImageStoreTests {
  private static func picture(_ box: PixelSize) throws -> Image {
    try Bitmap(width: box.width, height: box.height).freeze()
  }

  private struct Play {
    var random: SplitMix64
    var store: RowImageStore
    var needed: [RowImage: Int] = [:]
    var loading: [RowImage: Int] = [:]
    var failed: Set<RowImage> = []
    /// With the bytes that they have.
    var kept: [RowImage: Int] = [:]

    init(seed: UInt64) {
      random = SplitMix64(seed: seed)
      store = RowImageStore(budget: Int.random(in: 0...60_000, using: &random))
    }

    func bytes(_ image: RowImage) -> Int { kept[image] ?? (failed.contains(image) ? 0 : image.mostBytes) }

    /// Needs pictures around a place, and tells the first thing that is wrong.
    mutating func need() -> String? {
      let place = Int.random(in: 0..<60, using: &random)
      var list: [(image: RowImage, order: Int)] = []
      for number in max(0, place - 8)..<place + 8 {
        // Some pictures are in several rows.
        let image = RowImage("\(number / 2 * 2)", fitting: PixelSize(width: 10 + number % 40, height: 20 + number % 50))
        list.append((image, abs(number - place) * 10 + number % 3))
      }
      list.shuffle(using: &random)
      needed = Dictionary(list.map { ($0.image, $0.order) }, uniquingKeysWith: min)
      let changes = store.need(list)
      failed = failed.intersection(needed.keys)
      for image in changes.cancelled where loading.removeValue(forKey: image) == nil { return "\(image) was not loading" }
      for (image, _) in changes.dropped where kept.removeValue(forKey: image) == nil { return "\(image) was not kept" }
      for (image, order) in changes.moved {
        if loading.updateValue(order, forKey: image) == nil { return "\(image) moves and is not loading" }
      }
      for (image, order) in changes.begun {
        if loading.updateValue(order, forKey: image) != nil { return "\(image) began twice" }
        if kept[image] != nil || failed.contains(image) { return "\(image) began again" }
      }
      // Whatever has a place is loading with its order, kept or failed.
      var room = store.budget
      for (image, order) in needed.sorted(by: { $0.value < $1.value }) where uniqueOrders || bytes(image) <= room {
        if bytes(image) > room { continue }
        room -= bytes(image)
        if uniqueOrders, loading[image] != order, kept[image] == nil, !failed.contains(image) {
          return "\(image) is missing"
        }
      }
      return check()
    }

    /// Two of one order have a place in the order in which they were given.
    var uniqueOrders: Bool { Set(needed.values).count == needed.count }

    mutating func finish() throws -> String? {
      guard let (image, _) = loading.sorted(by: { $0.key.name < $1.key.name }).randomElement(using: &random) else {
        return nil
      }
      loading[image] = nil
      var box = image.box
      let isTooLarge = Int.random(in: 0..<10, using: &random) == 0
      if isTooLarge { box = PixelSize(width: box.width * 3, height: box.height * 3) }
      let picture = Int.random(in: 0..<10, using: &random) == 0 ? nil : try RowImageStoreTests.picture(box)
      let left = store.budget - loading.keys.reduce(0) { $0 + $1.mostBytes } - kept.values.reduce(0, +)
      let size = picture.map { $0.bytesPerRow * $0.height } ?? .max
      if store.finish(image, picture) != (size <= left) { return "\(image) of \(size) bytes has \(left)" }
      if size <= left { kept[image] = size } else { failed.insert(image) }
      return check()
    }

    func check() -> String? {
      let bytes = loading.keys.reduce(0) { $0 + $1.mostBytes } + kept.values.reduce(0, +)
      if store.bytes != bytes { return "\(store.bytes) bytes for \(bytes)" }
      if bytes > store.budget { return "\(bytes) bytes with a budget of \(store.budget)" }
      if store.loadingCount != loading.count || store.keptCount != kept.count { return "the counts differ" }
      for image in kept.keys where store.picture(of: image) == nil { return "\(image) is not there" }
      return nil
    }
  }

  @Test func picturesKeepTheirBudget() throws {
    for seed in some(20, of: 0..<400) {
      var play = Play(seed: UInt64(seed))
      for step in 0..<200 {
        let fault = Bool.random(using: &play.random) ? play.need() : try play.finish()
        if let fault { Issue.record("seed \(seed), step \(step): \(fault)"); return }
      }
    }
  }

  /// Pictures that nobody needs any more go first, and of these the one that was needed longest ago.
  @Test func theOldestPicturesGo() throws {
    let box = PixelSize(width: 16, height: 16)
    var store = RowImageStore(budget: 3 * 1024)
    func image(_ number: Int) -> RowImage { RowImage("\(number)", fitting: box) }
    for number in 1...3 {
      _ = store.need([(image(number), 0)])
      #expect(store.finish(image(number), try Self.picture(box)))
    }
    _ = store.need([(image(1), 0)])
    let changes = store.need([(image(1), 5), (image(4), 1)])
    #expect(changes.dropped.map(\.image) == [image(2)])
    #expect(changes.begun.map(\.image) == [image(4)])
  }

  /// Boxes beyond all memory have no place.
  @Test func hugeBoxesAreLeftOut() {
    var store = RowImageStore(budget: .max)
    for side in [Int.max, Int.max / 4, 1 << 40] {
      let changes = store.need([(RowImage("", fitting: PixelSize(width: side, height: side)), 0)])
      #expect(changes.begun.isEmpty)
    }
  }
}
