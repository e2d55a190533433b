import Geometry
import Interaction
import LinuxSystem
import Testing

@Suite struct PinchTests {
  static let cases: [GestureCase<PinchMachine>] = [
    GestureCase(
      "apart", PinchMachine(),
      """
      0.00 down 1 0 0    → possible scale 1
      0.00 down 2 84 0   → possible scale 1
      0.01 move 2 100 0  → possible scale 1
      0.02 move 2 110 0  → began scale 1.1 location 55 0
      0.03 move 1 -90 0  → changed scale 2
      0.04 up 1          → changed scale 2
      0.05 move 2 999 0  → changed scale 2
      0.06 up 2          → ended scale 2
      """),
    GestureCase(
      "towards each other", PinchMachine(),
      """
      0.0 down 1 0 0       → possible
      0.0 down 2 0 116     → possible
      0.1 move 2 0 100     → possible
      0.2 move 2 0 99.9    → began scale 0.999
      0.3 move 2 0 -25     → changed scale 0.25
      0.4 move 2 0 0       → changed scale 0.01     # one point apart at least
      """),
    GestureCase(
      "its velocity", PinchMachine(),
      """
      0.00 down 1 0 0    → possible velocity 0
      0.00 down 2 84 0   → possible velocity 0
      0.01 move 2 94 0   → possible velocity 0
      0.02 move 2 104 0  → began velocity 10
      0.03 move 2 114 0  → changed velocity 10
      0.04 move 2 124 0  → changed velocity 10
      0.05 up 1          → changed velocity 10
      0.05 up 2          → ended velocity 10
      """),
    GestureCase(
      "moving together", PinchMachine(),
      """
      0.0 down 1 0 0       → possible
      0.0 down 2 100 0     → possible
      0.1 move 1 15 0      → possible
      0.2 move 2 130 0     → possible
      0.3 move 1 30 0      → possible
      0.4 up 1             → possible
      0.4 up 2             → failed
      """),
    GestureCase(
      "another second finger goes on from there", PinchMachine(),
      """
      0.0 down 1 0 0    → possible
      0.0 down 2 84 0   → possible
      0.1 move 2 200 0  → began scale 2
      0.2 up 2          → began scale 2
      0.3 down 3 0 50   → began scale 2
      0.4 move 3 0 100  → changed scale 4
      0.5 up 1          → changed scale 4
      0.6 down 1 0 80   → changed scale 4
      0.7 move 1 0 90   → changed scale 2
      0.8 cancel 3      → cancelled scale 2
      """),
    GestureCase(
      "the velocity of another pair is its own", PinchMachine(),
      """
      0.00 down 1 0 0    → possible
      0.00 down 2 84 0   → possible
      0.01 move 2 200 0  → began scale 2
      0.02 up 2          → began scale 2
      0.03 down 3 0 100  → began scale 2 velocity 0
      0.04 move 3 0 110  → changed scale 2.2 velocity 20
      """),
    GestureCase(
      "another second finger before it began begins anew", PinchMachine(),
      """
      0.0 down 1 0 0    → possible
      0.0 down 2 84 0   → possible
      0.1 up 2          → possible
      0.2 down 3 200 0  → possible
      0.3 move 3 210 0  → possible
      0.4 move 3 432 0  → began scale 2
      """),
    GestureCase(
      "a third finger", PinchMachine(),
      """
      0.0 down 1 0 0    → possible
      0.0 down 2 84 0   → possible
      0.1 down 3 0 0    → possible
      0.2 move 3 999 0  → possible
      0.3 up 1          → possible
      0.4 move 3 0 0    → possible
      0.5 up 2          → failed
      """),
    GestureCase(
      "what no device sends", PinchMachine(),
      """
      0.0 up 1            → possible
      0.0 move 2 1000 0   → possible
      0.0 down 4 nan 0    → possible
      5.0 down 1 0 0      → possible
      4.0 down 1 99 0     → possible
      3.0 down 2 84 0     → possible
      3.0 move 2 nan nan  → possible
      2.0 move 2 200 0    → began scale 2
      1.0 move 2 1e200 0  → changed scale 2
      1.0 up 2 -inf 0     → changed scale 2
      """),
  ]

  @Test(arguments: cases) func script(_ testCase: GestureCase<PinchMachine>) throws {
    try testCase.run {
      ["scale": [$0.scale], "velocity": [$0.velocity], "location": [$0.location.x, $0.location.y]]
    }
  }
}

@Suite struct RotationTests {
  static let cases: [GestureCase<RotationMachine>] = [
    GestureCase(
      "clockwise, and around", RotationMachine(slop: 0),
      """
      0.00 down 1 0 0       → possible
      0.00 down 2 100 0     → possible rotation 0
      0.01 move 2 0 100     → began rotation 1.5707963
      0.02 move 2 -100 0    → changed rotation 3.1415927
      0.03 move 2 0 -100    → changed rotation 4.7123890
      0.04 move 2 100 0     → changed rotation 6.2831853
      0.05 move 2 0 100     → changed rotation 7.8539816 velocity 157.0796327
      0.06 up 1             → changed rotation 7.8539816
      0.06 up 2             → ended rotation 7.8539816 velocity 157.0796327
      """),
    GestureCase(
      "at the slop and beyond, against the clock", RotationMachine(slop: 78.539816339),
      """
      0.0 down 1 0 0               → possible
      0.0 down 2 100 0             → possible
      0.1 move 2 70.7107 -70.7106  → possible rotation 0
      0.2 move 2 0 -100            → began rotation -0.7853982
      0.3 move 2 -100 0            → changed rotation -2.3561945
      """),
    GestureCase(
      "apart is no rotation", RotationMachine(),
      """
      0.0 down 1 0 0       → possible
      0.0 down 2 100 0     → possible
      0.1 move 2 400 0     → possible
      0.2 move 1 -300 0    → possible
      0.3 up 1             → possible
      0.3 up 2             → failed
      """),
    GestureCase(
      "another second finger goes on from there", RotationMachine(slop: 0),
      """
      0.0 down 1 0 0    → possible
      0.0 down 2 100 0  → possible
      0.1 move 2 0 100  → began rotation 1.5707963
      0.2 up 2          → began
      0.3 down 3 -50 0  → began rotation 1.5707963
      0.4 move 3 0 -50  → changed rotation 3.1415927
      0.5 up 1          → changed rotation 3.1415927
      0.6 down 4 0 9    → changed rotation 3.1415927
      0.7 cancel 4      → cancelled rotation 3.1415927
      """),
    GestureCase(
      "another second finger before it began begins anew", RotationMachine(slop: 100),
      """
      0.0 down 1 0 0       → possible
      0.0 down 2 100 0     → possible
      0.1 move 2 70 70     → possible
      0.2 up 2             → possible
      0.3 down 3 70 70     → possible
      0.4 move 3 0 100     → possible rotation 0
      0.5 move 3 -100 0    → began rotation 1.3561945
      """),
    GestureCase(
      "through each other", RotationMachine(slop: 0),
      """
      0.0 down 1 0 0     → possible
      0.0 down 2 100 0   → possible
      0.1 move 2 0 100   → began rotation 1.5707963
      0.2 move 2 0 0.9   → began rotation 1.5707963
      0.3 move 2 0 0     → began rotation 1.5707963
      0.4 move 2 50 50   → changed rotation 0.7853982
      """),
    GestureCase(
      "what no device sends", RotationMachine(slop: 0),
      """
      0.0 up 1            → possible
      0.0 move 2 1000 0   → possible
      0.0 down 4 nan 0    → possible
      5.0 down 1 0 0      → possible
      4.0 down 1 99 0     → possible
      3.0 down 2 0 0      → possible
      2.0 move 2 100 0    → possible
      2.0 move 2 0 100    → began rotation 1.5707963
      1.0 move 2 nan 0    → changed rotation 1.5707963
      1.0 up 2 0 -inf     → changed rotation 1.5707963
      """),
  ]

  @Test(arguments: cases) func script(_ testCase: GestureCase<RotationMachine>) throws {
    try testCase.run { ["rotation": [$0.rotation], "velocity": [$0.velocity]] }
  }
}
