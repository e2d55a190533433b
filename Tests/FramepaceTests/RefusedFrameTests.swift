import Framepace
import FramepaceTesting
import XCTest

/// A presenter that refuses a frame: nothing of it is lost.
final class RefusedFrameTests: XCTestCase {
  func testARefusedFrameIsPaintedAgainAtTheNextTick() throws {
    try onMain {
      let clock = ManualClock()
      let loop = FrameLoop(clock: .manual(clock))
      let display = try SlowDisplay(clock: clock)
      display.refusals = 1
      let root = Layer()
      root.backgroundColor = .white
      let engine = Engine(display: display, root: root, loop: loop)
      var errors = 0
      var shown: [FrameRecord] = []
      engine.output.observe { if case .refused = $0 { errors += 1 } }.keep()
      engine.output.observe { if case .presented(let frame) = $0 { shown.append(frame) } }.keep()

      loop.run(mode: .default, until: clock.now + .milliseconds(200))

      XCTAssertEqual(errors, 1)
      XCTAssertEqual(shown.count, 1)
      XCTAssertEqual(shown.first?.paintedPixels, 16 * 16)
      let picture = try display.virtual.capture()
      XCTAssertEqual(picture.row(8).load(fromByteOffset: 32, as: UInt32.self), 0xFFFF_FFFF)
      engine.invalidate()
    }
  }
}
