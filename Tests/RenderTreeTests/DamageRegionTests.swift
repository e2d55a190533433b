import Geometry
import LinuxSystem
import TestLength
@testable import RenderTree
import Testing

@Suite struct DamageRegionTests {
  /// Checks a region's promises: few rectangles, disjoint, which cover what was added.
  private func check(_ region: DamageRegion, covers added: [IntRect], _ context: String) {
    #expect(region.rects.count <= DamageRegion.capacity, "\(context)")
    let rects = Array(region.rects)
    for (index, rect) in rects.enumerated() {
      #expect(!rect.isEmpty, "\(context)")
      for other in rects[..<index] { #expect(!rect.intersects(other), "\(context): \(rect) and \(other) overlap") }
    }
    for rect in added {
      // As the rectangles are disjoint, their shares of a rectangle add up to what is covered of it.
      let covered = rects.reduce(0) { $0 + $1.intersection(rect).area }
      #expect(covered == rect.area, "\(context): \(rect) is not covered")
    }
    #expect(region.area == rects.reduce(0) { $0 + $1.area })
  }

  private func rect(_ random: inout SplitMix64, side: Int) -> IntRect {
    IntRect(
      x: .random(in: -50...1900, using: &random), y: .random(in: -50...1060, using: &random),
      width: .random(in: 0...side, using: &random), height: .random(in: 0...side, using: &random))
  }

  @Test(arguments: some(40, of: 1...200))
  func coversAllThatWasAddedDisjointly(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var region = DamageRegion()
    var added: [IntRect] = []
    let side = [4, 40, 300, 2000][Int(seed % 4)]
    for _ in 0..<Int.random(in: 1...150, using: &random) {
      let rect = rect(&random, side: side)
      region.add(rect)
      added.append(rect)
    }
    check(region, covers: added, "seed \(seed)")
    var other = DamageRegion()
    for _ in 0..<40 {
      let rect = self.rect(&random, side: side)
      other.add(rect)
      added.append(rect)
    }
    region.add(other)
    check(region, covers: added, "seed \(seed), two regions")
    let bounds = IntRect(x: 0, y: 0, width: 1920, height: 1080)
    region.clip(to: bounds)
    check(region, covers: added.map { $0.intersection(bounds) }, "seed \(seed), clipped")
    #expect(region.rects.allSatisfy { bounds.contains($0) })
  }

  /// Many that overlap in every way, close together: pieces are cut from pieces.
  @Test(arguments: some(20, of: 1...100))
  func manyCutsComeToAnEnd(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var region = DamageRegion()
    var added: [IntRect] = []
    for index in 0..<120 {
      let isWide = index % 2 == 0
      let rect = IntRect(
        x: isWide ? 0 : .random(in: 0...1900, using: &random), y: isWide ? .random(in: 0...1060, using: &random) : 0,
        width: isWide ? 1920 : .random(in: 1...30, using: &random),
        height: isWide ? .random(in: 1...30, using: &random) : 1080)
      region.add(rect)
      added.append(rect)
    }
    check(region, covers: added, "seed \(seed)")
  }

  @Test func emptyOnesAddNothing() {
    var region = DamageRegion(.zero)
    region.add(IntRect(minX: 5, minY: 5, maxX: 5, maxY: 9))
    region.add(IntRect(minX: 9, minY: 5, maxX: 5, maxY: 9))
    #expect(region.isEmpty)
    region.add(IntRect(x: 1, y: 1, width: 1, height: 1))
    #expect(!region.isEmpty && region.area == 1)
    region.removeAll()
    #expect(region.isEmpty && region.boundingBox == .zero)
  }

  /// How much is painted for nothing, on the workloads that other rules fail on: a bounding box paints 459 times too much
  /// in far corners, and a list that becomes one box when it is full does in scattered layers.
  @Test(arguments: Workload.allCases)
  func wastesLittle(workload: Workload) {
    var random = SplitMix64(seed: 7)
    var sum = 0.0
    for _ in 0..<5 {
      let rects = workload.rects(&random)
      var collector = DamageCollector()
      for rect in rects { collector.add(rect) }
      var region = DamageRegion()
      collector.finish(output: IntRect(x: 0, y: 0, width: 1920, height: 1080), into: &region)
      check(region, covers: rects, "\(workload)")
      sum += Double(region.area) / Double(Self.unionArea(rects))
    }
    #expect(sum / 5 <= workload.bound, "\(workload): \(sum / 5)")
  }

  enum Workload: CaseIterable {
    case farCorners, list, hud, movedLayer, pan, scatter8, scatter40, scatter200

    /// How much may be painted on average, in parts of what is dirty.
    var bound: Double {
      switch self {
      case .farCorners, .pan: 1
      case .list: 1.05
      case .hud, .movedLayer: 1.1
      case .scatter8: 1.2
      case .scatter40: 2
      case .scatter200: 8
      }
    }

    func rects(_ random: inout SplitMix64) -> [IntRect] {
      func scatter(_ count: Int, _ random: inout SplitMix64) -> [IntRect] {
        (0..<count).map { _ in
          IntRect(
            x: .random(in: 0...1880, using: &random), y: .random(in: 0...1040, using: &random),
            width: .random(in: 10...80, using: &random), height: .random(in: 10...40, using: &random))
        }
      }
      switch self {
      case .farCorners:
        return [IntRect(x: 4, y: 4, width: 60, height: 40), IntRect(x: 1850, y: 1030, width: 60, height: 40)]
      case .list:
        return (0..<24).map { IntRect(x: 300, y: 20 + $0 * 44, width: .random(in: 200...500, using: &random), height: 24) }
      case .hud:
        return [
          IntRect(x: 10, y: 10, width: 120, height: 20), IntRect(x: 940, y: 520, width: 40, height: 40),
          IntRect(x: 400, y: 300, width: 2, height: 18), IntRect(x: 200, y: 1040, width: 1520, height: 8),
        ]
      case .movedLayer:
        let x = Int.random(in: 0...1600, using: &random)
        let y = Int.random(in: 0...800, using: &random)
        let (dx, dy) = (Int.random(in: 1...20, using: &random), Int.random(in: 1...20, using: &random))
        return [
          IntRect(x: x, y: y, width: 200, height: 150), IntRect(x: x + dx, y: y + dy, width: 200, height: 150),
        ]
      case .pan:
        return [IntRect(x: 0, y: 0, width: 1920, height: 12), IntRect(x: 0, y: 0, width: 16, height: 1080)]
      case .scatter8: return scatter(8, &random)
      case .scatter40: return scatter(40, &random)
      case .scatter200: return scatter(200, &random)
      }
    }
  }

  private static func unionArea(_ rects: [IntRect]) -> Int {
    var map = [UInt8](repeating: 0, count: 2048 * 1200)
    return map.withUnsafeMutableBufferPointer { map in
      var count = 0
      for rect in rects {
        for y in Int(rect.minY)..<Int(rect.maxY) {
          for place in y * 2048 + Int(rect.minX)..<y * 2048 + Int(rect.maxX) where map[place] == 0 {
            map[place] = 1
            count += 1
          }
        }
      }
      return count
    }
  }
}
