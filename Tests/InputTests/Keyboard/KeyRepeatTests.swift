import Input
import LinuxSystem
import Testing

@Suite struct KeyRepeatTests {
  private static func event(
    _ time: Int64, _ code: UInt16, _ phase: KeyEvent.Phase, repeats: Bool = true
  ) -> KeyEvent {
    KeyEvent(
      time: MonotonicTime(nanoseconds: time), code: InputCode(rawValue: code), phase: phase,
      keysym: Keysym(rawValue: UInt32(code)), characters: "\(code)", repeats: repeats)
  }

  @Test func aHeldKeyRepeats25TimesASecondAfter600Milliseconds() {
    var machine = KeyRepeat()
    machine.handle(Self.event(1_000_000_000, 30, .down))
    #expect(machine.deadline == MonotonicTime(nanoseconds: 1_600_000_000))
    #expect(machine.pass(MonotonicTime(nanoseconds: 1_599_999_999)) == nil)
    #expect(machine.pass(MonotonicTime(nanoseconds: 1_600_000_000)) == Self.event(1_600_000_000, 30, .repeated))
    #expect(machine.pass(MonotonicTime(nanoseconds: 1_639_999_999)) == nil)
    // A modifier and the release of another key change nothing.
    machine.handle(Self.event(1_639_000_000, 42, .down, repeats: false))
    machine.handle(Self.event(1_639_500_000, 31, .up))
    #expect(machine.pass(MonotonicTime(nanoseconds: 1_700_000_000)) == Self.event(1_640_000_000, 30, .repeated))
    #expect(machine.pass(MonotonicTime(nanoseconds: 1_700_000_000)) == Self.event(1_680_000_000, 30, .repeated))
    #expect(machine.pass(MonotonicTime(nanoseconds: 1_700_000_000)) == nil)
    machine.handle(Self.event(1_700_000_000, 30, .cancelled))
    #expect(machine.deadline == nil && machine.pass(.distantFuture) == nil)
  }

  /// Random keys at random times, against the formula: repetition k comes 600 ms and 40 k ms after the press.
  @Test(arguments: 0..<50) func repetitionsAreInPhaseWhateverTheCalls(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var machine = KeyRepeat()
    var (now, last) = (Int64.random(in: -1_000_000_000...1_000_000_000, using: &random), Int64.min)
    var newest: (code: UInt16, press: Int64)?
    var seen: [KeyEvent] = []
    for _ in 0..<1000 {
      (last, now) = (now, now + Int64.random(in: 0...(1 << Int64.random(in: 0...31, using: &random)), using: &random))
      var expected: [KeyEvent] = []
      if let (code, press) = newest {
        let first = max(0, (last - press - 600_000_000) / 40_000_000 - 1)
        let end = max(first, (now - press - 600_000_000) / 40_000_000 + 1)
        expected = (first...end).map { press + 600_000_000 + $0 * 40_000_000 }.filter { $0 > last && $0 <= now }
          .map { Self.event($0, code, .repeated) }
      }
      var found: [KeyEvent] = []
      while let repetition = machine.pass(MonotonicTime(nanoseconds: now)) { found.append(repetition) }
      #expect(found == expected, "seed \(seed) at \(now)")
      seen += found
      let code = UInt16.random(in: 1...4, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1:
        machine.handle(Self.event(now, code, .down))
        newest = (code, now)
      case 2: machine.handle(Self.event(now, 100 + code, .down, repeats: false))
      case 3:
        machine.handle(Self.event(now, code, Bool.random(using: &random) ? .up : .cancelled))
        if newest?.code == code { newest = nil }
      default: break
      }
    }
    #expect(seen.count > 100, "seed \(seed)")
  }

  @Test func extremeTimesEnd() {
    for time in [Int64.max, Int64.max - 700_000_000, Int64.min] {
      var machine = KeyRepeat(delay: Nanoseconds(-5), interval: Nanoseconds(time == .min ? .max : 0))
      machine.handle(Self.event(time, 30, .down))
      var count = 0
      while machine.pass(.distantFuture) != nil { count += 1 }
      #expect(count <= 702 && machine.deadline == nil, "\(time)")
    }
  }
}
