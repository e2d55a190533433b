import LinuxSystem
import TestLength
import Testing

@testable import FrameArenas

@Suite struct FrameArenaTests {
  /// Compares the arena with a simple model: every buffer is its own array, in a stack of levels.
  @Test(arguments: some(4, of: 1...20))
  func agreesWithPlainArrays(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let arena = FrameArena(capacity: 256, poisonsDrainedMemory: true)
    var levels: [[(buffer: UnsafeMutableBufferPointer<UInt32>, copy: [UInt32])]] = [[]]
    for step in 0..<2_000 {
      switch Int.random(in: 0..<12, using: &random) {
      case 0 where levels.count < 6:
        arena.push()
        levels.append([])
      case 1:
        arena.drain()
        levels[levels.count - 1] = []
      case 2:
        arena.pop()
        if levels.count == 1 { levels = [[]] } else { levels.removeLast() }
      default:
        let copy = (0..<Int.random(in: 0...90, using: &random)).map { _ in UInt32.random(in: 0...(.max), using: &random) }
        levels[levels.count - 1].append((arena.copy(copy), copy))
      }
      let agrees = levels.joined().allSatisfy { Array($0.buffer) == $0.copy }
      guard agrees else {
        Issue.record("seed \(seed), step \(step): a buffer lost what was written into it")
        return
      }
      let least = levels.joined().reduce(0) { $0 + $1.copy.count * 4 }
      #expect(arena.used >= least && arena.used <= arena.highWaterMark)
    }
  }

  @Test func alignsWhatIsTaken() {
    let arena = FrameArena(capacity: 1024)
    for _ in 0..<20 {
      _ = arena.take(UInt8.self, count: 3)
      let pairs = arena.take(SIMD4<Double>.self, count: 2)
      #expect(Int(bitPattern: pairs.baseAddress) % MemoryLayout<SIMD4<Double>>.alignment == 0)
    }
  }

  @Test func drainedMemoryIsPoisoned() {
    let arena = FrameArena(capacity: 64, poisonsDrainedMemory: true)
    let kept = arena.copy([1, 2, 3] as [UInt8])
    arena.push()
    let inner = arena.copy([4, 5, 6] as [UInt8])
    arena.drain()
    #expect(inner.allSatisfy { $0 == FrameArena.poison })
    #expect(Array(kept) == [1, 2, 3])
    arena.pop()
    arena.drain()
    #expect(kept.allSatisfy { $0 == FrameArena.poison })
  }

  /// The arena keeps the memory of the largest turn, in one piece.
  @Test func keepsWhatTheLargestTurnNeeded() {
    let arena = FrameArena(capacity: 64)
    func turn(_ bytes: Int) {
      for _ in 0..<10 { _ = arena.take(UInt8.self, count: bytes / 10) }
      arena.drain()
    }
    turn(100_000)
    #expect(arena.highWaterMark == 100_000)
    let capacity = arena.capacity
    for _ in 0..<100 { turn(100_000) }
    #expect(arena.capacity == capacity)
    #expect(arena.used == 0)
    #expect(arena.highWaterMark == 100_000)
  }
}
