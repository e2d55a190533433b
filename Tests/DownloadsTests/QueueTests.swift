import LinuxSystem
import TestLength
import Testing

@testable import Downloads

@Suite struct TransferQueueTests {
  /// The same rules without any thought of speed.
  private struct PlainQueue {
    let limit: Int
    let limitPerHost: Int
    var waiting: [(id: UInt64, host: String, order: Int)] = []
    var running: [(id: UInt64, host: String)] = []

    mutating func next() -> UInt64? {
      guard running.count < limit else { return nil }
      let allowed = waiting.filter { entry in running.count { $0.host == entry.host } < limitPerHost }
      guard let best = allowed.min(by: { ($0.order, $0.id) < ($1.order, $1.id) }) else { return nil }
      waiting.removeAll { $0.id == best.id }
      running.append((best.id, best.host))
      return best.id
    }
  }

  @Test func randomProgramsGoAsThePlainQueue() {
    for round in 0..<(isLongRun ? 3_000 : 300) {
      let seed = UInt64(runSeed) << 20 | UInt64(round)
      var random = SplitMix64(seed: seed)
      let limits = (Int.random(in: 1...6, using: &random), Int.random(in: 1...4, using: &random))
      var queue = TransferQueue(limit: limits.0, limitPerHost: limits.1)
      var plain = PlainQueue(limit: limits.0, limitPerHost: limits.1)
      var lastID: UInt64 = 0
      for _ in 0..<400 {
        let order = Int.random(in: -3...3, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3:
          lastID += 1
          let host = ["a", "b", "c"][Int.random(in: 0..<3, using: &random)]
          queue.insert(lastID, host: host, order: order)
          plain.waiting.append((lastID, host, order))
        case 3..<6:
          guard lastID > 0 else { continue }
          let id = UInt64.random(in: 1...lastID, using: &random)
          queue.move(id, to: order)
          for index in plain.waiting.indices where plain.waiting[index].id == id { plain.waiting[index].order = order }
        case 6..<8:
          let id = UInt64.random(in: 0...lastID, using: &random)
          queue.remove(id)
          // One that was under way may come again, as after a failure.
          let again = plain.running.first { $0.id == id }
          plain.waiting.removeAll { $0.id == id }
          plain.running.removeAll { $0.id == id }
          if let again, random.chance(0.5) {
            queue.insert(id, host: again.host, order: order)
            plain.waiting.append((id, again.host, order))
          }
        default: #expect(queue.next() == plain.next(), "seed \(seed)")
        }
        #expect(queue.waitingCount == plain.waiting.count && queue.runningCount == plain.running.count, "seed \(seed)")
      }
    }
  }

  @Test func movesDoNotAddUp() {
    var queue = TransferQueue(limit: 1, limitPerHost: 1)
    for id in 1...10 { queue.insert(UInt64(id), host: "a", order: 0) }
    for round in 0..<100_000 { queue.move(UInt64(round % 10 + 1), to: round) }
    #expect(queue.placeCount < 200)
    #expect(queue.next() == 1)
  }
}

@Suite struct DeadlinesTests {
  @Test func randomProgramsGoAsADictionary() {
    for round in 0..<(isLongRun ? 3_000 : 300) {
      let seed = UInt64(runSeed) << 20 | UInt64(round)
      var random = SplitMix64(seed: seed)
      var deadlines = Deadlines()
      var plain: [UInt64: Int64] = [:]
      var now: Int64 = 0
      for _ in 0..<500 {
        let id = UInt64.random(in: 0..<20, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<5:
          let time = now + Int64.random(in: -5...100, using: &random)
          deadlines.set(id, to: time)
          plain[id] = time
        case 5:
          deadlines.remove(id)
          plain[id] = nil
        default:
          now += Int64.random(in: 0...30, using: &random)
          var due: [UInt64] = []
          while let id = deadlines.takeDue(at: now) { due.append(id) }
          let expected = plain.filter { $0.value <= now }.keys
          #expect(Set(due) == Set(expected) && due.count == expected.count, "seed \(seed)")
          for id in due { plain[id] = nil }
        }
        #expect(deadlines.count == plain.count, "seed \(seed)")
        // A look may come too early, and never too late.
        let first = plain.values.min()
        let look = deadlines.nextLook()
        #expect((first == nil) == (look == nil), "seed \(seed)")
        if let first, let look { #expect(look <= first, "seed \(seed)") }
      }
    }
  }

  /// Bytes that come move a deadline, which wakes nobody until the first time is over.
  @Test func manyMovesTakeNoRoom() {
    var deadlines = Deadlines()
    for time in 0..<100_000 { deadlines.set(1, to: 1_000 + Int64(time)) }
    #expect(deadlines.entryCount == 1)
    for id in 0..<100_000 {
      deadlines.set(UInt64(id), to: 1 << 40)
      deadlines.remove(UInt64(id))
    }
    #expect(deadlines.entryCount < 200)
  }
}

@Suite struct SharedRequestsTests {
  /// The keys with their orders, as the changes tell them and as they are.
  @Test func changesTellWhatHasChanged() {
    for round in 0..<(isLongRun ? 3_000 : 300) {
      let seed = UInt64(runSeed) << 20 | UInt64(round)
      var random = SplitMix64(seed: seed)
      var shared = SharedRequests<String>()
      var plain: [UInt64: (key: String, order: Int)] = [:]
      var told: [String: Int] = [:]
      func note(_ change: SharedRequests<String>.Change) {
        switch change {
        case .none: break
        case .began(let key):
          #expect(told[key] == nil, "seed \(seed)")
          told[key] = shared.order(of: key)
        case .moved(let key, let order):
          #expect(told[key] != nil && told[key] != order, "seed \(seed)")
          told[key] = order
        case .abandoned(let key): #expect(told.removeValue(forKey: key) != nil, "seed \(seed)")
        }
      }
      for number in 0..<300 {
        let number = UInt64(number)
        let (order, other) = (Int.random(in: 0..<5, using: &random), UInt64.random(in: 0...number, using: &random))
        let key = ["a", "b", "c"][Int.random(in: 0..<3, using: &random)]
        switch Int.random(in: 0..<6, using: &random) {
        case 0..<3:
          note(shared.join(number, key, order: order))
          plain[number] = (key, order)
        case 3:
          note(shared.leave(other))
          plain[other] = nil
        case 4:
          note(shared.move(other, to: order))
          plain[other]?.order = order
        default:
          let numbers = shared.numbers(of: key)
          #expect(numbers == plain.filter { $0.value.key == key }.keys.sorted(), "seed \(seed)")
          let served = numbers.filter { _ in random.chance(0.7) }
          shared.finish(served)
          for number in served { plain[number] = nil }
          // Nobody is told of those that are served.
          told[key] = shared.order(of: key)
        }
        for key in ["a", "b", "c"] {
          let order = plain.values.filter { $0.key == key }.map(\.order).min()
          #expect(shared.order(of: key) == order && told[key] == order, "seed \(seed)")
        }
        #expect(shared.count == plain.count, "seed \(seed)")
      }
    }
  }
}
