import LinuxSystem
import Testing

@testable import Input

@Suite struct InputBatchTests {
  private static func event(_ device: UInt32, _ time: Int64, _ number: Int) -> InputEvent {
    InputEvent(
      time: MonotonicTime(nanoseconds: time), device: InputDevice.ID(rawValue: device),
      action: .button(InputCode(rawValue: UInt16(number)), isDown: true))
  }

  /// A key that is held before a click, though libinput reads the mouse first.
  @Test func eventsOfSeveralDevicesComeByTheirTimes() {
    var batch = InputBatch()
    for (device, time) in [(1, 5), (1, 9), (1, 20), (2, 4), (2, 12), (2, 20), (3, 1)] as [(UInt32, Int64)] {
      batch.append(Self.event(device, time, 0))
    }
    var order: [String] = []
    while let event = batch.next() { order.append("\(event.device.rawValue) at \(event.time.nanoseconds)") }
    #expect(order == ["3 at 1", "2 at 4", "1 at 5", "1 at 9", "2 at 12", "1 at 20", "2 at 20"])
  }

  /// The times of a device may go back, and more may be read while the first events are handled.
  @Test(arguments: 0..<200) func eventsOfOneDeviceStayInTheirOrder(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let goesBack = Bool.random(using: &random)
    var batch = InputBatch()
    var times: [UInt32: Int64] = [:]
    var (count, taken) = (0, [] as [InputEvent])
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      for device in (1...3 as ClosedRange<UInt32>).shuffled(using: &random) {
        for _ in 0..<Int.random(in: 0...20, using: &random) {
          times[device, default: 0] += Int64.random(in: (goesBack ? -5 : 0)...5, using: &random)
          batch.append(Self.event(device, times[device] ?? 0, count))
          count += 1
        }
      }
      let start = taken.count
      let isAll = Bool.random(using: &random)
      while isAll || Bool.random(using: &random), let event = batch.next() { taken.append(event) }
      let part = taken[start...].map(\.time)
      #expect(goesBack || zip(part, part.dropFirst()).allSatisfy { $0 <= $1 }, "seed \(seed)")
    }
    while let event = batch.next() { taken.append(event) }
    #expect(taken.count == count, "seed \(seed)")
    for device in 1...3 as ClosedRange<UInt32> {
      let numbers = taken.filter { $0.device.rawValue == device }.compactMap { event -> UInt16? in
        if case .button(let code, _) = event.action { code.rawValue } else { nil }
      }
      #expect(numbers == numbers.sorted(), "seed \(seed)")
    }
  }
}
