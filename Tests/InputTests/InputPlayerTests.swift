import Input
import LinuxSystem
import RunLoops
import XCTest

/// XCTests because a loop of the main thread must run there.
@preconcurrency @MainActor final class InputPlayerTests: XCTestCase {
  func testEventsComeAtTheirTimes() throws {
    let script = try InputScript(
      """
      framepace input 1
      0 1 added "Keys" keyboard
      0.25 1 key KEY_A down
      0.1 1 key KEY_A up
      2 1 removed
      """)
    let clock = ManualClock(start: .zero + .seconds(50))
    let loop = FrameLoop(clock: .manual(clock))
    var log: [String] = []
    let player = InputPlayer(script, clock: loop.clock) { event in
      log.append(
        "\((clock.now - (.zero + .seconds(50))).count / 1_000_000) \((event.time - (.zero + .seconds(50))).count / 1_000_000)"
      )
    }
    player.onEnd = { log.append("end") }
    player.add(to: loop, mode: .default)
    player.start(at: clock.now)
    for _ in 0..<10 { loop.run(mode: .default, until: clock.now + .seconds(1)) }
    XCTAssertEqual(log, ["0 0", "250 250", "250 100", "2000 2000", "end"])
    player.start(at: clock.now)
    player.stop()
    for _ in 0..<10 { loop.run(mode: .default, until: clock.now + .seconds(1)) }
    XCTAssertEqual(log.count, 6)
    XCTAssertEqual(player.position, 1)
  }
}
