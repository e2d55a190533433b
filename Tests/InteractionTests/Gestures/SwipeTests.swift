import Geometry
import Interaction
import LinuxSystem
import Testing

@Suite struct SwipeTests {
  static let cases: [GestureCase<SwipeMachine>] = [
    GestureCase(
      "to the right, as slowly and as far aside as allowed", SwipeMachine(),
      """
      0.0 down 1 10 10    → possible
      0.1 move 1 59.9 35  → possible
      0.5 move 1 60 -15   → ended location 10 10
      0.6 up 1            → ended
      """),
    GestureCase(
      "too slow", SwipeMachine(),
      """
      0.0 down 1 0 0            → possible
      0.5 pass                  → possible
      0.500000001 move 1 50 0   → failed
      """),
    GestureCase(
      "resting", SwipeMachine(),
      """
      0.0 down 1 0 0    → possible
      0.500000001 pass  → failed
      """),
    GestureCase(
      "too far aside", SwipeMachine(),
      """
      0.0 down 1 0 0      → possible
      0.1 move 1 60 25.01 → failed
      0.2 move 1 60 0     → failed
      """),
    GestureCase(
      "in the other direction, then back", SwipeMachine(),
      """
      0.0 down 1 0 0     → possible
      0.1 move 1 -60 0   → possible
      0.2 move 1 40 0    → possible
      0.3 move 1 50 0    → ended
      """),
    GestureCase(
      "lifted too early", SwipeMachine(),
      """
      0.0 down 1 0 0     → possible
      0.1 move 1 49 0    → possible
      0.2 up 1 50 0      → failed
      """),
    GestureCase(
      "cancelled", SwipeMachine(),
      """
      0.0 down 1 0 0     → possible
      0.1 cancel 1       → failed
      """),
    GestureCase(
      "two fingers upwards", SwipeMachine(direction: .up, fingers: 2),
      """
      0.0 down 1 0 0     → possible
      0.1 move 1 0 -90   → possible       # alone
      0.2 down 2 100 0   → possible
      0.3 move 1 0 -140  → possible
      0.3 move 2 100 -50 → ended location 50 0
      """),
    GestureCase(
      "a second finger late", SwipeMachine(fingers: 2),
      """
      0.0 down 1 0 0           → possible
      0.500000001 down 2 0 100 → failed
      """),
    GestureCase(
      "a finger too many", SwipeMachine(),
      """
      0.0 down 1 0 0     → possible
      0.1 down 2 0 0     → failed
      """),
    GestureCase(
      "two fingers, one lifted in between", SwipeMachine(fingers: 2),
      """
      0.0 down 1 0 0     → possible
      0.1 down 2 0 0     → possible
      0.2 up 1           → failed
      """),
    GestureCase(
      "what no device sends", SwipeMachine(),
      """
      0.0 up 1            → possible
      0.0 move 2 1000 0   → possible
      0.0 down 4 nan 0    → possible
      5.0 down 1 0 0      → possible
      4.0 down 1 99 0     → possible
      3.0 move 1 nan nan  → possible
      2.0 move 1 50 0     → ended
      """),
  ]

  @Test(arguments: cases) func script(_ testCase: GestureCase<SwipeMachine>) throws {
    try testCase.run { machine in machine.location.map { ["location": [$0.x, $0.y]] } ?? [:] }
  }

  @Test(arguments: zip([SwipeMachine.Direction.right, .down, .left, .up], 0...3))
  func directionsAreTurned(direction: SwipeMachine.Direction, turns: Int) throws {
    let turn = Affine.quarterTurns(turns)
    for testCase in Self.cases where testCase.machine.direction == .right {
      let script = try GestureScript(testCase.script)
      var machine = SwipeMachine(direction: direction, fingers: testCase.machine.fingers)
      for line in script.lines {
        switch line.step {
        case .contact(var contact):
          contact.location = turn.apply(contact.location)
          machine.handle(contact)
        case .pass(let time): machine.pass(time)
        case .reset: machine.reset()
        }
        #expect(machine.state == line.state, "\(testCase.name), line \(line.number)")
      }
    }
  }
}
