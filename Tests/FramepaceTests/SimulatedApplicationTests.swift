import Framepace
import FramepaceTesting
import Layers
import Simulation
import XCTest

@preconcurrency @MainActor final class SimulatedApplicationTests: XCTestCase {
  /// An application at rest asks for no vblanks, and for each again as soon as it moves.
  func testAtRestItDoesNotTick() throws {
    let clock = ManualClock(start: .zero + .seconds(100))
    let loop = FrameLoop(clock: .manual(clock))
    let vblanks = SimulatedVBlankSource(refreshRate: .hertz60, clock: .manual(clock))
    let screen = try SimulatedScreen(width: 16, height: 16, vblanks: vblanks, clock: .manual(clock))
    let root = Layer()
    let engine = Engine(display: screen, root: root, loop: loop)
    var isMoving = false
    let application = SimulatedApplication(
      SimulatedWork(mean: .milliseconds(1)), in: root, output: engine.output, loop: loop, clock: clock, while: { isMoving })
    defer {
      application.invalidate()
      engine.invalidate()
    }
    func events(inASecondAfter change: () -> Void) -> UInt64 {
      change()
      let (first, end) = (vblanks.deliveredEvents, clock.now + .seconds(1))
      while clock.now < end { loop.run(mode: .default, until: end) }
      return vblanks.deliveredEvents - first
    }
    XCTAssertLessThan(events { loop.wakeUp() }, 5)
    XCTAssertGreaterThan(events { isMoving = true }, 57)
    XCTAssertLessThan(events { application.isPaused = true }, 5)
    XCTAssertGreaterThan(events { application.isPaused = false }, 57)
    XCTAssertLessThan(events { isMoving = false }, 5)
  }
}
