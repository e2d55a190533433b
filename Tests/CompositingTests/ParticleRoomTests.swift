import AllocationCounter
import CKernels
import Geometry
import LinuxSystem
import Raster
import TestLength
import Testing

@testable import Compositing
@testable import RenderTree

/// Particles that are painted by their age or their distance.
@Suite struct ParticleRoomTests {
  private static let pixels = IntRect(x: 0, y: 0, width: 200, height: 120)

  private static func content(count: Int, _ order: EmitterRenderMode, at time: Nanoseconds = .seconds(6)) throws
    -> ParticleContent
  {
    let image = try Bitmap(width: 2, height: 2) { _, _ in 0xFFFF_C040 }.freeze()
    var cell = EmitterCell(contents: image)
    (cell.birthRate, cell.lifetime, cell.lifetimeRange) = (Double(count) / 5, 5, 1)
    (cell.velocity, cell.velocityRange, cell.emissionRange, cell.emissionLatitude) = (12, 9, 2 * .pi, 0.5)
    // Several of each place, so that ranks are the same.
    var other = cell
    (other.birthRate, other.redRange, other.zAcceleration) = (cell.birthRate, 0.5, -3)
    var parts = Emission.Parts()
    (parts.cells, parts.renderMode, parts.shape) = ([cell, other], order, .rectangle)
    (parts.position, parts.size) = (Point(100, 60), Size(200, 120))
    return ParticleContent(parts, at: .zero + time)
  }

  /// The ranks of all particles, and something of each by which one is told from another.
  private static func found(_ content: ParticleContent, _ room: inout ParticleRoom) -> [(rank: Double, identity: [Int64])] {
    var found: [(rank: Double, identity: [Int64])] = []
    content.forEachRun(in: pixels, .identity, ckernels_best(), &room) { run in
      #expect(run.count <= ParticleRoom.runLength)
      found += run.map { ($0.rank, [Int64($0.x0), Int64($0.y0), $0.u, $0.v, Int64($0.tint)]) }
    }
    return found
  }

  /// The order is that of the standard library's sort by rank and number, for few and for many, in memory that others have used.
  @Test(arguments: [EmitterRenderMode.oldestFirst, .oldestLast, .backToFront])
  func particlesAreInOrder(order: EmitterRenderMode) throws {
    var room = ParticleRoom()
    for count in [3, 4000, 40, 700, 0, 1, 20_000, 5] {
      let content = try Self.content(count: count, order)
      // Each cell by itself finds them by number.
      var plain: [(rank: Double, identity: [Int64])] = []
      for index in 0..<2 {
        var parts = content.emission.parts
        parts.cells[1 - index].isEnabled = false
        var alone = ParticleRoom()
        var ranked = Self.found(ParticleContent(parts, at: content.time), &alone)
        parts.renderMode = .unordered
        let numbered = Self.found(ParticleContent(parts, at: content.time), &alone)
        let ranks = Dictionary(ranked.map { ($0.identity, $0.rank) }, uniquingKeysWith: { first, _ in first })
        ranked = numbered.map { (ranks[$0.identity] ?? .nan, $0.identity) }
        plain += ranked
      }
      let wanted = plain.indices.sorted { (plain[$0].rank, $0) < (plain[$1].rank, $1) }.map { plain[$0].identity }
      let found = Self.found(content, &room)
      #expect(found.map(\.identity) == wanted, "\(count) particles")
      #expect(count < 100 || found.count > count)
    }
  }

  /// The heap traffic of frames.
  private static func traffic(_ contents: [ParticleContent], _ room: inout ParticleRoom) -> AllocationCounts {
    allocation_counter_begin()
    for content in contents { content.forEachRun(in: pixels, .identity, ckernels_best(), &room) { _ in } }
    return allocation_counter_end()
  }

  /// Frames of an emitter that sorts keep their memory. A build without optimization makes the contexts of some closures.
  @Test(arguments: [500, 20_000], [EmitterRenderMode.unordered, .oldestFirst, .oldestLast, .backToFront])
  func sortingKeepsItsMemory(count: Int, order: EmitterRenderMode) throws {
    guard allocation_counter_is_available() else { return }
    var room = ParticleRoom()
    let contents = try (0..<4).map { try Self.content(count: count, order, at: .seconds(6) + .milliseconds(16 * $0)) }
    _ = Self.traffic(contents, &room)
    #expect(Self.traffic(contents, &room).bytes < UInt64(contents.count) * 2000)
  }

  /// The memory of very many is given back once few are painted for long.
  @Test func memoryIsGivenBack() throws {
    guard allocation_counter_is_available() else { return }
    var room = ParticleRoom()
    let (many, few) = (try Self.content(count: 20_000, .oldestFirst), try Self.content(count: 40, .oldestFirst))
    for content in [many, few] { _ = Self.traffic([content], &room) }
    let (most, least) = (Self.traffic([many], &room).allocations, Self.traffic([few], &room).allocations)
    // A picture in parts needs less for some of them.
    for _ in 0..<100 {
      #expect(Self.traffic([few, few, many], &room).allocations == most + 2 * least)
    }
    let allocations = (0..<600).map { _ in Self.traffic([few], &room).allocations }
    #expect(allocations.filter { $0 > least }.count == 1, "it has little memory, once")
    #expect(Self.traffic([many], &room).allocations > most)
  }
}
