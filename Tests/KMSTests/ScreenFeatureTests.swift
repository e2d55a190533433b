import FrameTiming
import FramepaceTesting
import Geometry
import Glibc
import KMSTesting
import LinuxSystem
import Presentation
import Raster
import RunLoops
import XCTest

@testable import KMS
import RenderTree

/// A variable rate and tearing on a simulated card.
final class ScreenFeatureTests: XCTestCase {
  /// Frames every 25 ms on a screen of 60 Hz: shown every 25 ms with a variable rate, otherwise at its vblanks.
  func testFramesAreShownWhenTheyCome() throws {
    try onMain {
      for isAskedFirst in [true, false] {
        let stage = try FeatureStage(takesVariableRate: true, isShown: !isAskedFirst)
        stage.display.wantsVariableRefresh = true
        XCTAssertEqual(stage.display.variableRefresh, .on)
        XCTAssertEqual(stage.refusals, [])
        stage.present(every: .milliseconds(25), 40)
        XCTAssertTrue(stage.display.ticker.source.isVariable)
        XCTAssertTrue(stage.card.screens.contains("variable rate 1"), stage.card.screens)
        for (first, second) in stage.steps.dropFirst(5) {
          XCTAssertEqual((second - first).milliseconds, 25, accuracy: 0.01)
        }
        XCTAssertEqual(stage.steps.count, 39, accuracy: 2)
        stage.display.wantsVariableRefresh = false
        stage.forget()
        stage.present(every: .milliseconds(25), 40)
        XCTAssertFalse(stage.display.ticker.source.isVariable)
        for (first, second) in stage.steps.dropFirst(5) {
          let intervals = (second - first).milliseconds * 0.06
          XCTAssertEqual(intervals, intervals.rounded(), accuracy: 0.01)
        }
        XCTAssertEqual(stage.display.variableRefresh, .off)
        // As found at the end, also when it was on.
        stage.display.wantsVariableRefresh = true
        stage.display.invalidate()
        XCTAssertEqual(stage.card.screens, stage.before)
      }
    }
  }

  func testAScreenThatCannotVaryItsRate() throws {
    try onMain {
      for takes in [false, nil] {
        let stage = try FeatureStage(takesVariableRate: takes)
        stage.display.wantsVariableRefresh = true
        XCTAssertEqual(stage.display.variableRefresh, .refused(.fixedRefresh(connector: "HDMI-A-1")))
        XCTAssertEqual(stage.refusals, [.fixedRefresh(connector: "HDMI-A-1")])
        XCTAssertFalse(stage.display.ticker.source.isVariable)
        stage.present(every: .milliseconds(20), 5)
        XCTAssertEqual(stage.steps.count, 4)
      }
    }
  }

  /// The driver is asked before anything is done; and a screen that was away is asked again.
  func testADriverRefusesAVariableRate() throws {
    try onMain {
      let stage = try FeatureStage(takesVariableRate: true)
      stage.card.fail(next: .commit, errno: EINVAL)
      stage.display.wantsVariableRefresh = true
      guard case .refused(.driver("HDMI-A-1", .variableRefresh, _)) = stage.display.variableRefresh else {
        return XCTFail("\(stage.display.variableRefresh)")
      }
      XCTAssertTrue(stage.card.screens.contains("variable rate 0"))
      stage.display.isPowered = false
      stage.run(for: .milliseconds(100))
      stage.display.isPowered = true
      stage.present(every: .milliseconds(25), 10)
      XCTAssertEqual(stage.display.variableRefresh, .on)
      XCTAssertTrue(stage.card.screens.contains("variable rate 1"), stage.card.screens)
      XCTAssertTrue(stage.display.ticker.source.isVariable)
    }
  }

  /// While another program has the screen nothing is asked of it, and all is as it was wanted when it is back.
  func testAScreenThatIsAwayHasNothing() throws {
    try onMain {
      let stage = try FeatureStage(takesVariableRate: true, takesAsynchronousFlips: true)
      let display = stage.display
      try display.device?.dropMaster()
      var other: DRMDevice? = try stage.card.open()
      XCTAssertEqual(other?.isMaster, true)
      if let buffer = display.presenter.acquireBuffer() {
        XCTAssertThrowsError(try display.presenter.present(buffer, damage: DamageRegion()))
      }
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
  }

  /// At a variable rate a pointer that moves leaves the rate to the frames, and is moved 30 times a second without.
  func testAPointerLeavesTheRateToTheFrames() throws {
    try onMain {
      let stage = try FeatureStage(takesVariableRate: true)
      stage.display.wantsVariableRefresh = true
      stage.display.cursor = Cursor(image: try Bitmap(width: 8, height: 8).freeze())
      stage.run(for: .milliseconds(100))
      let link = DisplayLink(ticker: stage.display.ticker) { _ in }
      link.add(to: stage.stage.loop, mode: .default)
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
  }

  func testFramesAreShownAtOnce() throws {
    try onMain {
      for isAtomic in [true, false] {
        let stage = try FeatureStage(takesAsynchronousFlips: true, isAtomic: isAtomic)
        stage.display.allowsTearing = true
        stage.display.cursor = Cursor(image: try Bitmap(width: 8, height: 8).freeze())
        stage.run(for: .milliseconds(100))
        for _ in 0..<20 {
          stage.run(for: .milliseconds(7))
          stage.expectFrameAtOnce("atomic \(isAtomic)")
        }
        XCTAssertEqual(stage.display.tearing, .on)
        XCTAssertEqual(stage.refusals, [])
        // The cursor is not forgotten beside them.
        stage.display.cursorPosition = Point(9, 9)
        stage.present()
        stage.run(for: .milliseconds(50))
        XCTAssertEqual(try stage.card.shownCursor(of: "HDMI-A-1")?.x, 9)
      }
    }
  }

  /// Another program has switched the screen off: that is no word against frames that are shown at once.
  func testAScreenThatIsOffRefusesNoTearing() throws {
    try onMain {
      for isAtomic in [true, false] {
        let stage = try FeatureStage(takesAsynchronousFlips: true, isAtomic: isAtomic)
        stage.display.allowsTearing = true
        stage.card.switchOff("HDMI-A-1")
        if let buffer = stage.display.presenter.acquireBuffer() {
          try? stage.display.presenter.present(buffer, damage: DamageRegion())
        }
        stage.run(for: .seconds(2))
        stage.present()
        stage.run(for: .milliseconds(100))
        stage.expectFrameAtOnce("atomic \(isAtomic)")
        XCTAssertEqual(stage.display.tearing, .on)
        XCTAssertEqual(stage.refusals, [])
      }
    }
  }

  /// A driver that cannot says so; one that changes its mind too: frames wait for vblanks again.
  func testADriverThatDoesNotTear() throws {
    try onMain {
      for (isAtomic, isClaimed) in [(true, true), (true, false), (false, true), (false, false)] {
        let stage = try FeatureStage(takesAsynchronousFlips: isClaimed, isAtomic: isAtomic)
        stage.display.allowsTearing = true
        if isClaimed { stage.card.fail(next: isAtomic ? .commit : .pageFlip, errno: EINVAL) }
        stage.present(every: .milliseconds(20), 10)
        XCTAssertEqual(stage.times.count, 10, "atomic \(isAtomic), claimed \(isClaimed)")
        XCTAssertEqual(stage.refusals.map(\.feature), [.tearing])
        XCTAssertEqual(stage.refusals.first.map { $0 == .noAsynchronousFlips(connector: "HDMI-A-1") }, !isClaimed)
        XCTAssertEqual(stage.refusals.first.map { FeatureState.refused($0) }, stage.display.tearing)
        XCTAssertEqual(stage.display.state, .showing)
      }
    }
  }
}

@MainActor
private final class FeatureStage {
  let stage: CardStage
  let display: KMSDisplay
  let before: String
  private(set) var times: [MonotonicTime] = []
  private(set) var refusals: [FeatureRefusal] = []
  var card: SimulatedCard { stage.card }

  init(
    takesVariableRate: Bool? = nil, takesAsynchronousFlips: Bool = false, isAtomic: Bool = true, isShown: Bool = true
  ) throws {
    stage = CardStage(
      connectors: [.init("HDMI-A-1", modes: [.simulated(64, 48)], takesVariableRate: takesVariableRate)],
      isAtomic: isAtomic, takesAsynchronousFlips: takesAsynchronousFlips)
    before = stage.card.screens
    display = try stage.openDisplay()
    display.presenter.onEvent = { [unowned self] in
      if case .presented(let feedback) = $0 { times.append(feedback.timestamp) }
    }
    display.onRefusal = { [unowned self] in refusals.append($0) }
    if isShown { present() }
    run(for: .milliseconds(100))
    forget()
  }

  isolated deinit {
    display.invalidate()
    XCTAssertEqual(card.screens, before)
    XCTAssertEqual(card.holdings, SimulatedCard.Holdings())
  }

  /// From each frame to the next.
  var steps: [(MonotonicTime, MonotonicTime)] { Array(zip(times, times.dropFirst())) }

  func forget() { times = [] }

  func run(for duration: Nanoseconds) { stage.run(for: duration) }

  func present() {
    guard let buffer = display.presenter.acquireBuffer() else { return }
    do {
      try display.presenter.present(buffer, damage: DamageRegion(IntRect(x: 1, y: 1, width: 8, height: 8)))
    } catch {
      XCTFail("\(error)")
    }
  }

  /// Presents a frame, which must be seen in no time.
  func expectFrameAtOnce(_ place: String) {
    let (now, seen) = (stage.clock.now, times.count)
    present()
    stage.loop.run(mode: .default, until: now)
    XCTAssertEqual(times.count, seen + 1, place)
    XCTAssertEqual(times.last, now, place)
  }

  func present(every interval: Nanoseconds, _ count: Int) {
    for _ in 0..<count {
      present()
      run(for: interval)
    }
    run(for: .milliseconds(50))
  }
}
