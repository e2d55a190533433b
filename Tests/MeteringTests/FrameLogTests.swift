import FrameTiming
import LinuxSystem
import Metering
import Testing

/// The log of an output's last events.
@Suite struct FrameLogTests {
  private struct Refusal: Error, Equatable {
    var number: Int
  }

  /// Random events of all kinds in logs of any size are the last ones of those that were added, with their frames and errors.
  @Test func hasTheLastEvents() {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      let capacity = Int.random(in: 1...9, using: &random)
      var log = FrameLog(capacity: capacity)
      var events: [FrameEvent] = []
      for number in 0..<Int.random(in: 0...40, using: &random) {
        let event = Self.event(number, &random)
        log.append(event)
        events.append(event)
        let expected = events.suffix(capacity).map(Self.text)
        #expect(log.map(Self.text) == expected, "seed \(seed)")
        #expect(log.count == expected.count, "seed \(seed)")
      }
    }
  }

  private static func event(_ number: Int, _ random: inout SplitMix64) -> FrameEvent {
    var frame = FrameRecord()
    frame.frameNumber = UInt64(number)
    for phase in FrameRecord.Phase.allCases {
      frame.phases[phase] = Nanoseconds(Int64.random(in: 0...1000, using: &random))
    }
    switch Int.random(in: 0..<7, using: &random) {
    case 0:
      return .tick(
        DisplayLink.Tick(
          timestamp: .zero, targetTimestamp: .zero, duration: .zero, frameNumber: UInt64(number), delivered: .zero, missed: 1
        ))
    case 1: return .committed(frame)
    case 2: return .presented(frame)
    case 3: return .lost(frame)
    case 4: return .discarded(frame)
    case 5: return .idle
    default: return .refused(Refusal(number: number))
    }
  }

  private static func text(_ event: FrameEvent) -> String { "\(event)" }
}
