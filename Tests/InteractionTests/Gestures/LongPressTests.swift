import Geometry
import Interaction
import LinuxSystem
import Testing

@Suite struct LongPressTests {
  static let cases: [GestureCase<LongPressMachine>] = [
    GestureCase(
      "a press that moves and ends", LongPressMachine(),
      """
      0.000 down 1 10 20    → possible
      0.300 move 1 20 20    → possible          # 10 points are allowed
      0.499999999 pass      → possible
      0.500 pass            → began location 20 20
      0.600 move 1 300 400  → changed location 300 400
      0.700 down 2 0 0      → changed location 300 400
      0.800 up 2            → changed
      0.900 up 1            → ended location 300 400
      1.000 down 3 0 0      → ended
      """),
    GestureCase(
      "moved too far before", LongPressMachine(),
      """
      0.0 down 1 0 0      → possible
      0.1 move 1 8 6.0001 → failed
      0.2 move 1 0 0      → failed
      0.5 pass            → failed
      """),
    GestureCase(
      "lifted just before", LongPressMachine(),
      """
      0.0 down 1 0 0   → possible
      0.499999999 up 1 → failed
      0.5 pass         → failed
      """),
    GestureCase(
      "lifted at the moment, and nobody looked at the clock", LongPressMachine(),
      """
      0.0 down 1 0 0 → possible
      0.5 up 1       → ended
      """),
    GestureCase(
      "cancelled before and after", LongPressMachine(),
      """
      0.0 down 1 0 0 → possible
      0.4 cancel 1   → failed
      1.0 reset      → possible
      1.0 down 1 0 0 → possible
      1.5 pass       → began
      1.6 cancel 1   → cancelled
      """),
    GestureCase(
      "two fingers, from the second one on", LongPressMachine(fingers: 2),
      """
      0.0 down 1 0 0   → possible
      0.6 pass         → possible
      0.6 down 2 100 0 → possible
      1.0 pass         → possible
      1.1 pass         → began location 50 0
      1.2 move 1 2 0   → changed location 51 0
      1.3 up 2         → ended
      """),
    GestureCase(
      "two fingers, one lifted in between", LongPressMachine(fingers: 2),
      """
      0.0 down 1 0 0   → possible
      0.1 down 2 100 0 → possible
      0.2 up 1         → failed
      """),
    GestureCase(
      "a finger too many", LongPressMachine(fingers: 1),
      """
      0.0 down 1 0 0   → possible
      0.1 down 2 100 0 → failed
      """),
    GestureCase(
      "after a tap, at the last moment", LongPressMachine(taps: 1),
      """
      0.0 down 1 0 0   → possible
      0.1 up 1         → possible
      0.4 down 2 60 80 → possible
      0.9 pass         → began
      1.0 up 2         → ended
      """),
    GestureCase(
      "after a tap, too late", LongPressMachine(taps: 1),
      """
      0.0 down 1 0 0         → possible
      0.1 up 1               → possible
      0.400000001 down 2 0 0 → failed
      """),
    GestureCase(
      "after a tap, never", LongPressMachine(taps: 1),
      """
      0.0 down 1 0 0    → possible
      0.1 up 1          → possible
      0.4 pass          → possible
      0.400000001 pass  → failed
      """),
    GestureCase(
      "after a tap, too far away", LongPressMachine(taps: 1),
      """
      0.0 down 1 0 0     → possible
      0.1 up 1           → possible
      0.2 down 2 60 80.1 → failed
      """),
    GestureCase(
      "a press instead of a tap before", LongPressMachine(taps: 1),
      """
      0.0 down 1 0 0    → possible
      0.500000001 pass  → failed
      """),
    GestureCase(
      "two taps before, then again from the beginning", LongPressMachine(taps: 2),
      """
      0.0 down 1 0 0  → possible
      0.1 up 1        → possible
      0.2 down 1 0 0  → possible
      0.3 up 1        → possible
      0.4 down 1 0 0  → possible
      0.9 pass        → began
      0.9 reset       → possible
      1.0 down 1 0 0  → possible
      1.6 pass        → failed
      """),
    GestureCase(
      "what no device sends", LongPressMachine(),
      """
      0.0 up 1           → possible
      0.0 move 2 1000 0  → possible
      0.0 down 4 nan 0   → possible
      5.0 down 1 0 0     → possible
      4.0 down 1 99 0    → possible
      3.0 move 1 nan nan → possible
      5.5 pass           → began location 0 0
      2.0 move 1 inf 0   → changed location 0 0
      """),
  ]

  @Test(arguments: cases) func script(_ testCase: GestureCase<LongPressMachine>) throws {
    try testCase.run { ["location": [$0.location.x, $0.location.y]] }
  }
}
