import Geometry
import Interaction
import LinuxSystem
import Testing

@Suite struct PanTests {
  private static let left = PanMachine.Course.inward(from: .left, of: Rect(x: 100, y: 0, width: 400, height: 300))

  static let cases: [GestureCase<PanMachine>] = [
    GestureCase(
      "one finger", PanMachine(),
      """
      0.000 down 1 100 100  → possible
      0.010 move 1 106 108  → possible translation 0 0      # 10 points away
      0.020 move 1 112 116  → began translation 6 8 location 112 116
      0.030 move 1 118 124  → changed translation 12 16 velocity 600 800
      0.038 up 1            → ended translation 12 16 velocity 600 800
      0.100 down 1 0 0      → ended translation 12 16
      """),
    GestureCase(
      "just beyond the slop", PanMachine(),
      """
      0.0 down 1 0 0      → possible
      0.1 move 1 -10 0    → possible
      0.2 move 1 -10.01 0 → began translation -0.01 0
      """),
    GestureCase(
      "back and away", PanMachine(),
      """
      0.0 down 1 0 0   → possible
      0.1 move 1 9 0   → possible
      0.2 move 1 0 9   → possible
      0.3 move 1 0 20  → began translation 0 10
      0.4 move 1 0 0   → changed translation 0 -10
      """),
    GestureCase(
      "lifted before it began", PanMachine(),
      """
      0.0 down 1 0 0 → possible
      0.1 move 1 9 0 → possible
      0.2 up 1       → failed translation 0 0
      """),
    GestureCase(
      "the place of a lift is ignored", PanMachine(),
      """
      0.0 down 1 0 0   → possible
      0.1 move 1 20 0  → began
      0.2 up 1 30 0    → ended translation 10 0
      """),
    GestureCase(
      "a finger that rests is not thrown", PanMachine(),
      """
      0.00 down 1 0 0   → possible
      0.01 move 1 20 0  → began velocity 2000 0
      0.10 up 1         → ended velocity 0 0
      """),
    GestureCase(
      "the velocity after a reset is its own", PanMachine(),
      """
      0.00 down 1 0 0    → possible
      0.01 move 1 100 0  → began velocity 10000 0
      0.02 up 1          → ended
      0.02 reset         → possible velocity 0 0
      0.03 down 1 0 0    → possible velocity 0 0
      0.04 move 1 20 0   → began velocity 2000 0
      """),
    GestureCase(
      "cancelled before and after", PanMachine(),
      """
      0.0 down 1 0 0  → possible
      0.1 cancel 1    → failed
      0.2 reset       → possible
      0.2 down 1 0 0  → possible
      0.3 move 1 20 0 → began
      0.4 cancel 1    → cancelled translation 10 0
      """),
    GestureCase(
      "fingers come and go", PanMachine(),
      """
      0.00 down 1 0 0    → possible
      0.01 move 1 20 0   → began translation 10 0
      0.02 down 2 300 0  → began translation 10 0 location 160 0
      0.03 move 2 310 0  → changed translation 15 0
      0.03 move 1 30 0   → changed translation 20 0
      0.04 up 1          → changed translation 20 0
      0.05 move 2 320 0  → changed translation 30 0
      0.06 down 1 0 0    → changed translation 30 0
      0.07 up 2          → changed translation 30 0
      0.08 up 1          → ended translation 30 0
      """),
    GestureCase(
      "two fingers, the second late, and one lifted in between", PanMachine(fingers: 2...2),
      """
      0.00 down 1 0 0    → possible
      0.01 move 1 50 0   → possible
      0.02 down 2 100 0  → possible
      0.03 move 1 70 0   → possible
      0.03 move 2 101 0  → began translation 0.5 0
      0.04 down 3 0 0    → began
      0.05 move 3 90 0   → began translation 0.5 0
      0.06 up 1          → began
      0.07 move 2 200 0  → began translation 0.5 0
      0.08 down 4 0 0    → began
      0.09 move 4 10 0   → changed translation 5.5 0
      0.10 up 2          → changed
      0.11 up 4          → ended
      """),
    GestureCase(
      "a finger too many", PanMachine(fingers: 1...1),
      """
      0.0 down 1 0 0   → possible
      0.1 down 2 100 0 → failed
      """),
    GestureCase(
      "horizontal", PanMachine(course: .horizontal),
      """
      0.0 down 1 0 0   → possible
      0.1 move 1 0 10  → possible
      0.2 move 1 12 12 → began
      0.3 move 1 12 99 → changed
      """),
    GestureCase(
      "horizontal, moved down", PanMachine(course: .horizontal),
      """
      0.0 down 1 0 0      → possible
      0.1 move 1 12 12.01 → failed
      """),
    GestureCase(
      "vertical", PanMachine(course: .vertical),
      """
      0.0 down 1 0 0    → possible
      0.1 move 1 9 -12  → began translation 3 -4
      0.1 reset
      0.2 down 1 0 0    → possible
      0.3 move 1 12 -9  → failed
      """),
    GestureCase(
      "from the left edge", PanMachine(course: left),
      """
      0.0 down 1 120 900 → possible
      0.1 move 1 140 900 → began translation 10 0
      """),
    GestureCase(
      "from behind the left edge, downwards", PanMachine(course: left),
      """
      0.0 down 1 99 0    → possible
      0.1 move 1 110 12  → failed
      """),
    GestureCase(
      "from the left edge, outwards", PanMachine(course: left),
      """
      0.0 down 1 120 0  → possible
      0.1 move 1 100 0  → failed
      """),
    GestureCase(
      "not from the left edge", PanMachine(course: left),
      """
      0.0 down 1 120.01 0  → failed
      """),
    GestureCase(
      "a second finger far from the edge", PanMachine(course: left),
      """
      0.0 down 1 110 0  → possible
      0.0 down 2 210 0  → failed
      """),
    GestureCase(
      "what no device sends", PanMachine(),
      """
      0.0 up 1           → possible
      0.0 move 2 1000 0  → possible
      0.0 cancel 3       → possible
      0.0 down 4 nan 0   → possible
      5.0 down 1 0 0     → possible
      4.0 down 1 99 0    → possible
      3.0 move 1 nan nan → possible
      3.0 move 1 1e300 0 → possible
      2.0 move 1 20 0    → began translation 10 0
      1.0 up 1 inf 0     → ended translation 10 0
      """),
  ]

  @Test(arguments: cases) func script(_ testCase: GestureCase<PanMachine>) throws {
    try testCase.run {
      [
        "translation": [$0.translation.x, $0.translation.y], "velocity": [$0.velocity.x, $0.velocity.y],
        "location": [$0.location.x, $0.location.y],
      ]
    }
  }

  /// The four edges are the same gesture, turned.
  @Test(arguments: zip(PanMachine.Edge.allCases, 0...3)) func edgesAreTurned(edge: PanMachine.Edge, turns: Int) throws {
    let turn = Affine.quarterTurns(turns)
    let rect = turn.boundingBox(of: Rect(x: 100, y: 0, width: 400, height: 300))
    for testCase in Self.cases where testCase.machine.course == Self.left {
      let script = try GestureScript(testCase.script)
      var machine = PanMachine(course: .inward(from: edge, of: rect))
      for line in script.lines {
        guard case .contact(var contact) = line.step else { continue }
        contact.location = turn.apply(contact.location)
        machine.handle(contact)
        #expect(machine.state == line.state, "\(testCase.name), line \(line.number)")
      }
    }
  }
}
