import Presentation
import Testing

@Suite struct FlipStateTests {
  @Test func twoBuffersTakeTurns() {
    var flip = FlipState(count: 2)
    var shown: [Int?] = []
    for _ in 0..<5 {
      guard let free = flip.free else { return #expect(Bool(false), "no free buffer") }
      #expect(free != flip.shown)
      flip.submit(free)
      #expect(flip.free == nil)
      expectEqual(flip.complete(), true)
      shown.append(flip.shown)
    }
    #expect(shown == [0, 1, 0, 1, 0])
  }

  @Test func anEventThatBelongsToNothing() {
    var flip = FlipState(count: 2)
    expectEqual(flip.complete(), false)
    flip.submit(0)
    expectEqual(flip.complete(), true)
    expectEqual(flip.complete(), false)
    #expect(flip.shown == 0)
  }

  @Test func aRefusedBufferIsFreeAgain() {
    var flip = FlipState(count: 2)
    flip.submit(0)
    expectEqual(flip.complete(), true)
    flip.submit(1)
    flip.cancel()
    #expect(flip.shown == 0)
    #expect(flip.free == 1)
    expectEqual(flip.complete(), false)
  }
}

/// For calls that change what they are made on, which `#expect` does not take.
private func expectEqual<Value: Equatable>(_ value: Value, _ expected: Value, at location: SourceLocation = #_sourceLocation)
{
  #expect(value == expected, sourceLocation: location)
}
