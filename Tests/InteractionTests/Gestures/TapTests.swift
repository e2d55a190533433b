import Geometry
import Interaction
import LinuxSystem
import Testing

@Suite struct TapTests {
  static let cases: [GestureCase<TapMachine>] = [
    GestureCase(
      "one tap", TapMachine(),
      """
      0.000 down 1 10 20  → possible location 10 20
      0.100 up 1          → ended location 10 20
      0.200 down 1 10 20  → ended
      0.200 reset         → possible
      0.300 down 2 30 40  → possible
      9.000 up 2          → ended location 30 40
      """),
    GestureCase(
      "movement at the limit", TapMachine(allowableMovement: 5),
      """
      0.0 down 1 0 0  → possible
      0.1 move 1 3 4  → possible
      0.2 up 1        → ended location 0 0
      """),
    GestureCase(
      "movement just beyond the limit, and back", TapMachine(allowableMovement: 5),
      """
      0.0 down 1 0 0       → possible
      0.1 move 1 3 4.0001  → failed
      0.2 move 1 0 0       → failed
      0.3 up 1             → failed
      """),
    GestureCase(
      "the place of a lift is ignored", TapMachine(allowableMovement: 5),
      """
      0.0 down 1 0 0
      0.1 up 1 6 0    → ended
      """),
    GestureCase(
      "as long as allowed", TapMachine(maximumDuration: .milliseconds(500)),
      """
      0.0 down 1 0 0  → possible
      0.5 pass        → possible
      0.5 up 1        → ended
      """),
    GestureCase(
      "longer than allowed", TapMachine(maximumDuration: .milliseconds(500)),
      """
      0.0 down 1 0 0          → possible
      0.500000001 up 1        → failed
      """),
    GestureCase(
      "longer than allowed, without a contact", TapMachine(maximumDuration: .milliseconds(500)),
      """
      0.0 down 1 0 0          → possible
      0.500000000 pass        → possible
      0.500000001 pass        → failed
      """),
    GestureCase(
      "cancelled", TapMachine(),
      """
      0.0 down 1 0 0  → possible
      0.1 cancel 1    → failed
      """),
    GestureCase(
      "two taps, the second at the last moment", TapMachine(taps: 2),
      """
      0.0 down 1 0 0    → possible
      0.1 up 1          → possible
      0.4 pass          → possible
      0.4 down 2 60 80  → possible location 0 0
      0.5 up 2          → ended location 0 0
      """),
    GestureCase(
      "two taps, the second too late", TapMachine(taps: 2),
      """
      0.0 down 1 0 0          → possible
      0.1 up 1                → possible
      0.400000001 down 2 0 0  → failed
      """),
    GestureCase(
      "two taps, the second never", TapMachine(taps: 2),
      """
      0.0 down 1 0 0    → possible
      0.1 up 1          → possible
      0.400000001 pass  → failed
      """),
    GestureCase(
      "two taps, the second too far away", TapMachine(taps: 2),
      """
      0.0 down 1 0 0     → possible
      0.1 up 1           → possible
      0.2 down 2 60 80.1 → failed
      """),
    GestureCase(
      "three taps, each near the first", TapMachine(taps: 3, allowableDistance: 10),
      """
      0.0 down 1 0 0
      0.1 up 1         → possible
      0.2 down 1 10 0
      0.3 up 1         → possible
      0.4 down 1 -10 0
      0.5 up 1         → ended location 0 0
      """),
    GestureCase(
      "two fingers", TapMachine(fingers: 2),
      """
      0.00 down 1 0 0   → possible
      0.05 down 2 100 0 → possible location 50 0
      0.10 up 1         → possible
      0.20 up 2         → ended location 50 0
      """),
    GestureCase(
      "a second finger late", TapMachine(fingers: 2, maximumDuration: .milliseconds(200)),
      """
      0.00 down 1 0 0          → possible
      0.200000001 down 2 100 0 → failed
      """),
    GestureCase(
      "three fingers, whose time is that of the first", TapMachine(fingers: 3, maximumDuration: .milliseconds(200)),
      """
      0.00 down 1 0 0          → possible
      0.10 down 2 0 0          → possible
      0.15 down 3 0 0          → possible
      0.20 pass                → possible
      0.200000001 pass         → failed
      """),
    GestureCase(
      "a first finger lifted before the second came", TapMachine(fingers: 2),
      """
      0.00 down 1 0 0   → possible
      0.10 up 1         → failed
      0.11 down 2 100 0 → failed
      """),
    GestureCase(
      "a finger that comes back", TapMachine(fingers: 2),
      """
      0.00 down 1 0 0   → possible
      0.05 down 2 100 0 → possible
      0.10 up 1         → possible
      0.15 down 1 0 0   → failed
      """),
    GestureCase(
      "a finger too many", TapMachine(fingers: 2),
      """
      0.0 down 1 0 0
      0.1 down 2 0 0   → possible
      0.2 down 3 0 0   → failed
      """),
    GestureCase(
      "what no device sends", TapMachine(),
      """
      0.0 up 1           → possible
      0.0 move 2 1000 0  → possible
      0.0 cancel 3       → possible
      0.0 down 4 nan 0   → possible
      0.0 down 4 0 inf   → possible
      0.0 up 4           → possible
      5.0 down 1 0 0     → possible
      4.0 down 1 99 0    → possible     # a second beginning
      3.0 move 1 nan nan → possible
      1.0 up 1 1e300 0   → ended location 0 0
      """),
  ]

  @Test(arguments: cases) func script(_ testCase: GestureCase<TapMachine>) throws {
    try testCase.run { machine in machine.location.map { ["location": [$0.x, $0.y]] } ?? [:] }
  }

  @Test(arguments: [
    ("soon down 1 0 0", "line 1: expected seconds, found \"soon\""),
    ("0 down 1 0 0\n0 fall 1", "line 2: expected what happens, found \"fall\""),
    ("0 up -1", "line 1: expected a finger, found \"-1\""),
    ("0 move 1 0 → possible", "line 1: expected y, found \"→\""),
    ("0 pass possible", "line 1: expected an arrow, found \"possible\""),
    ("0 pass → perhaps", "line 1: expected a state, found \"perhaps\""),
    ("0 pass → began scale → 0", "line 1: expected numbers of scale, found \"→\""),
  ]) func aScriptSaysWhereItIsWrong(script: String, message: String) {
    #expect { try GestureScript(script) } throws: { "\($0)" == message }
  }
}
