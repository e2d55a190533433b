import Geometry
import Input
import Interaction
import LinuxSystem
import Testing

@Suite struct HoverAndWheelTests {
  @Test func aPointerComesMovesAndLeaves() {
    var hover = HoverMachine()
    hover.handle(nil)
    hover.handle(Point(.nan, 0))
    #expect(hover.state == .possible && hover.location == nil)
    hover.handle(Point(1, 2))
    #expect(hover.state == .began && hover.location == Point(1, 2))
    hover.handle(Point(3, 4))
    #expect(hover.state == .changed && hover.location == Point(3, 4))
    hover.handle(nil)
    #expect(hover.state == .ended && hover.location == Point(3, 4))
    hover.handle(Point(5, 6))
    hover.cancel()
    #expect(hover.state == .ended && hover.location == Point(3, 4))
    hover.reset()
    #expect(hover.state == .possible && hover.location == nil)
    hover.handle(Point(5, 6))
    hover.cancel()
    #expect(hover.state == .cancelled)
  }

  private func time(_ milliseconds: Int64) -> MonotonicTime { .zero + .milliseconds(milliseconds) }

  @Test func aWheelRests() {
    var wheel = WheelMachine()
    wheel.handle(.fingersEnded, at: time(0))
    #expect(wheel.state == .possible && wheel.deadline == nil)
    wheel.handle(.wheel(Point(0, 1)), at: time(0))
    #expect(wheel.state == .began && wheel.translation == Point(0, 64) && wheel.deadline == time(500))
    wheel.handle(.wheel(Point(0.5, -2)), at: time(10))
    #expect(wheel.state == .changed && wheel.translation == Point(32, -64) && wheel.velocity == .zero)
    wheel.pass(time(510) - Nanoseconds(1))
    #expect(wheel.state == .changed)
    wheel.pass(time(510))
    #expect(wheel.state == .ended && wheel.deadline == nil)
    wheel.handle(.wheel(Point(0, 1)), at: time(520))
    #expect(wheel.state == .ended && wheel.translation == Point(32, -64))
    wheel.reset()
    #expect(wheel.state == .possible && wheel.translation == .zero)
  }

  @Test func aClickAfterThePauseIsNotPartOfTheGesture() {
    var wheel = WheelMachine()
    wheel.handle(.wheel(Point(0, 1)), at: time(0))
    wheel.handle(.wheel(Point(0, 1)), at: time(500))
    #expect(wheel.state == .ended && wheel.translation == Point(0, 64))
  }

  @Test func fingersOnATouchpadThrow() {
    var wheel = WheelMachine()
    for index in 0..<8 { wheel.handle(.fingers(Point(5, -10)), at: time(Int64(index) * 10)) }
    wheel.handle(.fingersEnded, at: time(80))
    #expect(wheel.state == .ended && wheel.translation == Point(40, -80))
    #expect(abs(wheel.velocity.x - 500) < 1e-6 && abs(wheel.velocity.y + 1000) < 1e-6)
    // Nothing changes after the end.
    wheel.handle(.wheel(Point(1, 1)), at: time(81))
    wheel.handle(.fingersEnded, at: time(300))
    #expect(abs(wheel.velocity.x - 500) < 1e-6 && wheel.translation == Point(40, -80))

    wheel.reset()
    for index in 0..<8 { wheel.handle(.fingers(Point(5, -10)), at: time(Int64(index) * 10)) }
    wheel.handle(.fingersEnded, at: time(150))
    #expect(wheel.velocity == .zero)

    // A wheel throws nothing, even if fingers scrolled just before.
    wheel.reset()
    for index in 0..<8 { wheel.handle(.fingers(Point(5, -10)), at: time(Int64(index) * 10)) }
    wheel.handle(.wheel(Point(0, 1)), at: time(71))
    #expect(wheel.velocity == .zero)
  }

  @Test func badWaysAreIgnored() {
    var wheel = WheelMachine()
    wheel.handle(.wheel(Point(.nan, 0)), at: time(0))
    wheel.handle(.continuous(Point(0, .infinity)), at: time(0))
    wheel.handle(.fingers(Point(1e300, 0)), at: time(0))
    #expect(wheel.state == .possible)
    wheel.handle(.continuous(Point(2, 3)), at: time(0))
    wheel.handle(.fingers(Point(1e300, 0)), at: time(0))
    wheel.cancel()
    #expect(wheel.state == .cancelled && wheel.translation == Point(2, 3))
  }
}
