import Framepace
import FramepaceTesting
import Glibc
import KMSTesting
import XCTest

@testable import KMS

/// A variable rate and tearing on a simulated card.
@preconcurrency @MainActor final class ScreenFeatureTests: XCTestCase {
  /// Frames every 25 ms on a screen of 60 Hz: shown every 25 ms with a variable rate, otherwise at its vblanks.
  func testFramesAreShownWhenTheyCome() throws {
    for isAskedFirst in [true, false] {
      let stage = try ShownStage(takesVariableRate: true, isShown: !isAskedFirst)
      stage.display.wantsVariableRefresh = true
      XCTAssertEqual(stage.display.variableRefresh, .on)
      XCTAssertEqual(stage.refusals, [])
      try stage.present(every: .milliseconds(25), 40)
      XCTAssertTrue(stage.display.ticker.source.isVariable)
      XCTAssertTrue(stage.card.screens.contains("variable rate 1"), stage.card.screens)
      for (first, second) in stage.steps.dropFirst(5) {
        XCTAssertEqual((second - first).milliseconds, 25, accuracy: 0.01)
      }
      XCTAssertEqual(stage.steps.count, 39, accuracy: 2)
      stage.display.wantsVariableRefresh = false
      stage.forget()
      try stage.present(every: .milliseconds(25), 40)
      XCTAssertFalse(stage.display.ticker.source.isVariable)
      for (first, second) in stage.steps.dropFirst(5) {
        let intervals = (second - first).milliseconds * 0.06
        XCTAssertEqual(intervals, intervals.rounded(), accuracy: 0.01)
      }
      XCTAssertEqual(stage.display.variableRefresh, .off)
      // Restored at the end, also while it is on.
      stage.display.wantsVariableRefresh = true
      stage.display.invalidate()
      stage.stage.expectNothingLeft()
    }
  }

  func testAScreenThatCannotVaryItsRate() throws {
    for takes in [false, nil] {
      let stage = try ShownStage(takesVariableRate: takes)
      stage.display.wantsVariableRefresh = true
      XCTAssertEqual(stage.display.variableRefresh, .refused(.fixedRefresh(connector: "HDMI-A-1")))
      XCTAssertEqual(stage.refusals, [.fixedRefresh(connector: "HDMI-A-1")])
      XCTAssertFalse(stage.display.ticker.source.isVariable)
      try stage.present(every: .milliseconds(20), 5)
      XCTAssertEqual(stage.steps.count, 4)
    }
  }

  /// The driver is asked first; a screen that comes back is asked again.
  func testADriverRefusesAVariableRate() throws {
    let stage = try ShownStage(takesVariableRate: true)
    stage.card.fail(next: .commit, errno: EINVAL)
    stage.display.wantsVariableRefresh = true
    guard case .refused(.driver("HDMI-A-1", .variableRefresh, _)) = stage.display.variableRefresh else {
      return XCTFail("\(stage.display.variableRefresh)")
    }
    XCTAssertTrue(stage.card.screens.contains("variable rate 0"))
    stage.display.isPowered = false
    stage.run(for: .milliseconds(100))
    stage.display.isPowered = true
    try stage.present(every: .milliseconds(25), 10)
    XCTAssertEqual(stage.display.variableRefresh, .on)
    XCTAssertTrue(stage.card.screens.contains("variable rate 1"), stage.card.screens)
    XCTAssertTrue(stage.display.ticker.source.isVariable)
  }

  /// While another program has the screen no call is made, and every request takes effect when it is back.
  func testAScreenThatIsAwayHasNothing() throws {
    let stage = try ShownStage(takesVariableRate: true, takesAsynchronousFlips: true)
    let display = stage.display
    try display.device?.dropMaster()
    var other: DRMDevice? = try stage.card.open()
    XCTAssertEqual(other?.isMaster, true)
    XCTAssertThrowsError(try display.present())
    XCTAssertEqual(display.state, .waiting(.taken))
    stage.card.resetCalls()
    display.wantsVariableRefresh = true
    display.allowsTearing = true
    display.cursor = Cursor(image: try Bitmap(width: 8, height: 8).freeze())
    XCTAssertEqual(stage.card.callCount, 0)
    XCTAssertEqual([display.variableRefresh, display.tearing, display.cursorState], [.off, .off, .off])
    XCTAssertFalse(display.hasCursorPlane)
    other = nil
    stage.run(for: .seconds(2))
    XCTAssertEqual(display.state, .showing)
    XCTAssertEqual([display.variableRefresh, display.tearing, display.cursorState], [.on, .on, .on])
    XCTAssertTrue(display.hasCursorPlane)
    XCTAssertEqual(stage.refusals, [])
  }

  /// At a variable rate a moving pointer leaves the rate to the frames, and moves 30 times a second without frames.
  func testAPointerLeavesTheRateToTheFrames() throws {
    let stage = try ShownStage(takesVariableRate: true)
    stage.display.wantsVariableRefresh = true
    stage.display.cursor = Cursor(image: try Bitmap(width: 8, height: 8).freeze())
    stage.run(for: .milliseconds(100))
    let link = DisplayLink(ticker: stage.display.ticker) { _ in }
    link.add(to: stage.loop, mode: .default)
    defer { link.invalidate() }
    stage.card.resetCalls()
    for step in 0..<1000 {
      stage.display.cursorPosition = Point(Double(step), 0)
      stage.run(for: .milliseconds(1))
    }
    XCTAssertEqual(stage.card.callCount(of: .commit), 30, accuracy: 2)
    stage.run(for: .milliseconds(50))
    XCTAssertEqual(try stage.card.shownCursor(of: "HDMI-A-1")?.x, 999)
  }

  func testFramesAreShownAtOnce() throws {
    try onEachInterface { isAtomic in
      let stage = try ShownStage(isAtomic: isAtomic, takesAsynchronousFlips: true)
      stage.display.allowsTearing = true
      stage.display.cursor = Cursor(image: try Bitmap(width: 8, height: 8).freeze())
      stage.run(for: .milliseconds(100))
      for _ in 0..<20 {
        stage.run(for: .milliseconds(7))
        try stage.expectFrameAtOnce("atomic \(isAtomic)")
      }
      XCTAssertEqual(stage.display.tearing, .on)
      XCTAssertEqual(stage.refusals, [])
      // The cursor is not forgotten beside them.
      stage.display.cursorPosition = Point(9, 9)
      try stage.present()
      stage.run(for: .milliseconds(50))
      XCTAssertEqual(try stage.card.shownCursor(of: "HDMI-A-1")?.x, 9)
    }
  }

  /// Another program has switched the screen off: that is no refusal of tearing.
  func testAScreenThatIsOffRefusesNoTearing() throws {
    try onEachInterface { isAtomic in
      let stage = try ShownStage(isAtomic: isAtomic, takesAsynchronousFlips: true)
      stage.display.allowsTearing = true
      stage.card.switchOff("HDMI-A-1")
      try? stage.present()
      stage.run(for: .seconds(2))
      try stage.present()
      stage.run(for: .milliseconds(100))
      try stage.expectFrameAtOnce("atomic \(isAtomic)")
      XCTAssertEqual(stage.display.tearing, .on)
      XCTAssertEqual(stage.refusals, [])
    }
  }

  /// A driver without tearing, and one that refuses it later: both are reported, and frames wait for vblanks.
  func testADriverThatDoesNotTear() throws {
    for (isAtomic, isClaimed) in [(true, true), (true, false), (false, true), (false, false)] {
      let stage = try ShownStage(isAtomic: isAtomic, takesAsynchronousFlips: isClaimed)
      stage.display.allowsTearing = true
      if isClaimed { stage.card.fail(next: isAtomic ? .commit : .pageFlip, errno: EINVAL) }
      try stage.present(every: .milliseconds(20), 10)
      XCTAssertEqual(stage.times.count, 10, "atomic \(isAtomic), claimed \(isClaimed)")
      XCTAssertEqual(stage.refusals.map(\.feature), [.tearing])
      XCTAssertEqual(stage.refusals.first.map { $0 == .noAsynchronousFlips(connector: "HDMI-A-1") }, !isClaimed)
      XCTAssertEqual(stage.refusals.first.map { FeatureState.refused($0) }, stage.display.tearing)
      XCTAssertEqual(stage.display.state, .showing)
    }
  }
}

extension ShownStage {
  /// Consecutive frames.
  fileprivate var steps: [(MonotonicTime, MonotonicTime)] { Array(zip(times, times.dropFirst())) }

  /// Presents a frame, which must be seen at once.
  fileprivate func expectFrameAtOnce(_ place: String) throws {
    let (now, seen) = (clock.now, times.count)
    try present()
    loop.run(mode: .default, until: now)
    XCTAssertEqual(times.count, seen + 1, place)
    XCTAssertEqual(times.last, now, place)
  }

  fileprivate func present(every interval: Nanoseconds, _ count: Int) throws {
    for _ in 0..<count {
      try present()
      run(for: interval)
    }
    run(for: .milliseconds(50))
  }
}
