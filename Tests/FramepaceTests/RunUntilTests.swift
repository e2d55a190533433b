import Framepace
import FramepaceTesting
import XCTest

final class RunUntilTests: XCTestCase {
  func testItReturnsInTheTurnInWhichTheConditionHolds() {
    let clock = ManualClock()
    let loop = FrameLoop(clock: .manual(clock))
    let start = clock.now
    let count = Latest(0)
    let timer = FrameLoop.Timer(
      fireTime: start + .milliseconds(10), interval: .milliseconds(10), .onLoop { _ in count.value += 1 })
    loop.add(timer, to: .default)
    XCTAssertTrue(loop.run(timeout: .seconds(1)) { count.value == 3 })
    XCTAssertEqual(clock.now, start + .milliseconds(30))
    // Nothing is left of it.
    XCTAssertEqual(loop.run(mode: .default, until: start + .milliseconds(50)), .timedOut)
    XCTAssertEqual(count.value, 5)
  }

  func testItGivesUpAtTheLimit() {
    let clock = ManualClock()
    let loop = FrameLoop(clock: .manual(clock))
    let start = clock.now
    XCTAssertFalse(loop.run(timeout: .milliseconds(40)) { false })
    XCTAssertEqual(clock.now, start + .milliseconds(40))
  }

  func testAStopOfOthersDoesNotEndIt() {
    let clock = ManualClock()
    let loop = FrameLoop(clock: .manual(clock))
    let count = Latest(0)
    let timer = FrameLoop.Timer(
      fireTime: clock.now + .milliseconds(1), interval: .milliseconds(1),
      .onLoop { [unowned loop] _ in
        count.value += 1
        loop.stop()
      })
    loop.add(timer, to: .default)
    XCTAssertTrue(loop.run(timeout: .seconds(1)) { count.value == 5 })
  }

  func testItIsAskedInALoopThatNeverWaits() {
    let clock = ManualClock()
    let loop = FrameLoop(clock: .manual(clock))
    let count = Latest(0)
    let source = FrameLoop.Source(
      .onLoop { source in
        count.value += 1
        source.signal()
      })
    loop.add(source, to: .default)
    source.signal()
    XCTAssertTrue(loop.run(timeout: .seconds(1)) { count.value > 100 })
    source.invalidate()
  }

  /// Real time and another thread: as long as it takes.
  func testItWaitsForOtherThreads() {
    let finished = Latest(false)
    let loop = FrameLoop.main
    DispatchQueue.global().async {
      DispatchQueue.main.async { finished.value = true }
    }
    XCTAssertTrue(loop.run(timeout: .seconds(10)) { finished.value })
  }
}

private final class Latest<Value: Sendable>: Sendable {
  private let state: Lock<Value>
  init(_ value: Value) { state = Lock(value) }
  var value: Value {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
