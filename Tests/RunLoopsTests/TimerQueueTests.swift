import LinuxSystem
import Testing

@testable import RunLoops

/// Compares the heap with a simple model: an array that is sorted by time and order of insertion.
@Suite struct TimerQueueTests {
  private struct Entry {
    var slot: Int
    var time: Int64
    var tolerance: Int64
    let sequence: Int
  }

  /// No tolerance in half of the cases.
  private func randomTolerance(_ timeRange: Int64, _ random: inout SplitMix64) -> Int64 {
    max(0, Int64.random(in: -timeRange...timeRange, using: &random))
  }

  @Test(arguments: [1, 2, 3, 5, 300]) func agreesWithASortedArray(timeRange: Int64) {
    let seed = UInt64.random(in: .min ... .max)
    var random = SplitMix64(seed: seed)
    var queue = TimerQueue<Int>()
    var model: [Entry] = []
    for step in 0..<2_000 {
      let time = Int64.random(in: 0...timeRange, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4 where model.count < 150:
        let tolerance = randomTolerance(timeRange, &random)
        let slot = queue.insert(step, at: time, tolerance: tolerance)
        if model.contains(where: { $0.slot == slot }) { Issue.record("seed \(seed), step \(step): a slot in use") }
        model.append(Entry(slot: slot, time: time, tolerance: tolerance, sequence: step))
      case 0..<6 where !model.isEmpty:
        let entry = model.remove(at: .random(in: model.indices, using: &random))
        if queue.remove(entry.slot) != entry.sequence { Issue.record("seed \(seed), step \(step): not what was inserted") }
      case 0..<9 where !model.isEmpty:
        let index = Int.random(in: model.indices, using: &random)
        model[index].time = time
        queue.move(model[index].slot, to: time)
      case 9 where !model.isEmpty:
        let index = Int.random(in: model.indices, using: &random)
        model[index].tolerance = randomTolerance(timeRange, &random)
        queue.setTolerance(model[index].slot, to: model[index].tolerance)
      default: break
      }
      let sorted = model.sorted { ($0.time, $0.sequence) < ($1.time, $1.sequence) }
      var due: [Int] = [-1]
      queue.appendDue(at: time, to: &due)
      let agrees =
        queue.first == sorted.first?.time && queue.deadline == model.map { $0.time + $0.tolerance }.min()
        && queue.count == model.count && queue.isEmpty == model.isEmpty
        && due == [-1] + sorted.prefix { $0.time <= time }.map(\.sequence)
      guard agrees else {
        Issue.record("seed \(seed), step \(step): \(due) of \(sorted)")
        return
      }
    }
    #expect(Set(queue.all) == Set(model.map(\.sequence)), "seed \(seed)")
  }
}
