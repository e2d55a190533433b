import LinuxSystem
import Presentation
import Testing

@Suite struct FlipStateTests {
  @Test func twoBuffersTakeTurns() {
    var flip = FlipState(count: 2)
    var shown: [Int?] = []
    for _ in 0..<5 {
      guard let free = flip.free else { return #expect(Bool(false), "no free buffer") }
      #expect(free != flip.shown)
      expectEqual(flip.submit(free), true)
      #expect(flip.free == nil)
      expectEqual(flip.complete(), true)
      shown.append(flip.shown)
    }
    #expect(shown == [0, 1, 0, 1, 0])
  }

  @Test func anEventThatBelongsToNothing() {
    var flip = FlipState(count: 2)
    expectEqual(flip.complete(), false)
    expectEqual(flip.submit(0), true)
    expectEqual(flip.complete(), true)
    expectEqual(flip.complete(), false)
    #expect(flip.shown == 0)
  }

  @Test func aRefusedBufferIsFreeAgain() {
    var flip = FlipState(count: 2)
    expectEqual(flip.submit(0), true)
    expectEqual(flip.complete(), true)
    expectEqual(flip.submit(1), true)
    flip.cancel()
    #expect(flip.shown == 0)
    #expect(flip.free == 1)
    expectEqual(flip.complete(), false)
  }

  /// The third is painted while one pends, and the display gets it when that one is seen.
  @Test func theThirdBufferWaitsForItsTurn() {
    var flip = FlipState(count: 3)
    expectEqual(flip.submit(0), true)
    #expect(flip.free == 1)
    expectEqual(flip.submit(1), false)
    #expect(flip.free == nil)
    expectEqual(flip.complete(), true)
    #expect(flip == FlipState(count: 3, shown: 0, pending: 1, waiting: nil))
    #expect(flip.free == 2)
    expectEqual(flip.submit(2), false)
    flip.cancel()
    #expect(flip == FlipState(count: 3, shown: 0, pending: nil, waiting: nil))
  }

  /// Random orders of frames, flip events, refusals and events that belong to nothing, against a queue of frame numbers.
  @Test(arguments: [2, 3, 4]) func everyFrameIsSeenOnceAndInOrder(count: Int) {
    let seed = UInt64.random(in: 0...999_999)
    print("FlipState with \(count) buffers, seed \(seed)")
    var random = SplitMix64(seed: seed)
    var flip = FlipState(count: count)
    /// The number of the frame that each buffer holds, and of those on their way.
    var contents = [Int](repeating: -1, count: count)
    var queue: [Int] = []
    var given = 0
    var handedOver = 0
    var seen = -1
    for _ in 0..<20_000 {
      switch Int.random(in: 0..<8, using: &random) {
      case 0...3:
        guard let free = flip.free else {
          #expect(queue.count == (count == 2 ? 1 : 2))
          continue
        }
        // A buffer that is on the screen or on its way there is not painted over.
        #expect(contents[free] != seen || seen < 0)
        #expect(!queue.contains(contents[free]))
        contents[free] = given
        queue.append(given)
        given += 1
        if flip.submit(free) {
          #expect(queue.count == 1, "a frame was handed to the display while another one pended")
          handedOver = 1
        }
      case 4...6:
        let isExpected = !queue.isEmpty
        expectEqual(flip.complete(), isExpected)
        guard isExpected else { continue }
        handedOver -= 1
        seen = queue.removeFirst()
        #expect(flip.shown.map { contents[$0] } == seen)
        // The caller hands the next one over.
        if let next = flip.pending {
          #expect(contents[next] == queue.first)
          handedOver += 1
        }
      default:
        flip.cancel()
        queue = []
        handedOver = 0
      }
      #expect(handedOver == min(queue.count, 1))
      #expect((flip.pending != nil) == !queue.isEmpty)
    }
    #expect(seen > 1_000)
  }
}

extension FlipState {
  /// As after a run of events.
  fileprivate init(count: Int, shown: Int, pending: Int?, waiting: Int?) {
    self.init(count: count)
    _ = submit(shown)
    _ = complete()
    if let pending { _ = submit(pending) }
    if let waiting { _ = submit(waiting) }
  }
}

/// For calls that change what they are made on, which `#expect` does not take.
private func expectEqual<Value: Equatable>(_ value: Value, _ expected: Value, at location: SourceLocation = #_sourceLocation)
{
  #expect(value == expected, sourceLocation: location)
}
