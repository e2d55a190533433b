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

/// The handler of a refusal may do anything: the commit that has brought it to light is done by then.
final class RefusalTests: XCTestCase {
  func testWhoIsToldEndsTheDisplay() throws {
    try onMain {
      try Occasion.all { stage, place in
        stage.onRefusal = { display in
          // The other program's cursor is restored too.
          stage.mend()
          display.invalidate()
        }
        try stage.provoke()
        stage.run()
        XCTAssertEqual(stage.refusals, 1, place)
        XCTAssertNil(stage.display.kmsPresenter, place)
        XCTAssertFalse(stage.display.presenter.isReady, place)
        XCTAssertEqual(stage.card.screens, stage.before, place)
      }
    }
  }

  func testWhoIsToldSwitchesTheScreenOff() throws {
    try onMain {
      try Occasion.all { stage, place in
        stage.onRefusal = { $0.isPowered = false }
        try stage.provoke()
        stage.run()
        XCTAssertEqual(stage.refusals, 1, place)
        XCTAssertEqual(stage.display.state, .waiting(.switchedOff), place)
        XCTAssertNil(try stage.card.copyShownImage(of: "HDMI-A-1"), place)
        stage.mend()
        stage.display.isPowered = true
        XCTAssertEqual(try stage.framesSeen(), 2, place)
      }
    }
  }

  /// The other cursor is shown at once.
  func testWhoIsToldSetsAnotherCursor() throws {
    try onMain {
      try Occasion.all { stage, place in
        let image = try arrow(0xFF00_0002)
        stage.onRefusal = { display in
          stage.mend()
          display.cursor = Cursor(image: image)
        }
        try stage.provoke()
        stage.run()
        XCTAssertEqual(stage.refusals, 1, place)
        if stage.occasion == .atARefusedReturn { XCTAssertEqual(try stage.framesSeen(), 2, place) }
        let shown = try XCTUnwrap(try stage.card.shownCursor(of: "HDMI-A-1"), place)
        XCTAssertEqual(shown.image.row(0).load(as: UInt32.self), 0xFF00_0002, place)
        XCTAssertEqual(stage.display.cursorState, .on, place)
        XCTAssertEqual(try stage.framesSeen(), 2, place)
      }
    }
  }

  /// The application's own request is answered before the setter returns, once.
  func testASetterTellsAtOnce() throws {
    try onMain {
      let stage = CardStage()
      let display = try stage.openDisplay()
      defer { display.invalidate() }
      var refusals: [FeatureRefusal] = []
      display.onRefusal = { refusals.append($0) }
      display.allowsTearing = true
      XCTAssertEqual(refusals, [.noAsynchronousFlips(connector: "HDMI-A-1")])
      display.wantsVariableRefresh = true
      XCTAssertEqual(refusals.last, .fixedRefresh(connector: "HDMI-A-1"))
      stage.run(for: .milliseconds(100))
      XCTAssertEqual(refusals.count, 2)
    }
  }
}

/// The occasion of a refusal.
private enum Occasion: CaseIterable {
  case cursorWithAModeSet, cursorWithAFlip, cursorByItself
  case cursorMemoryWithAModeSet, cursorMemoryWithAFlip
  case tearingWithAFlip
  case atARefusedReturn

  @MainActor
  static func all(_ body: (RefusalStage, _ place: String) throws -> Void) throws {
    for occasion in allCases {
      for isAtomic in occasion.needsAtomic ? [true] : [true, false] {
        let stage = try RefusalStage(occasion, isAtomic: isAtomic)
        try body(stage, "\(occasion), atomic \(isAtomic)")
        stage.end()
      }
    }
  }

  var isWithModeSet: Bool { self == .cursorWithAModeSet || self == .cursorMemoryWithAModeSet }

  /// The legacy calls show a cursor without frames.
  private var needsAtomic: Bool {
    switch self {
    case .cursorWithAModeSet, .cursorWithAFlip, .cursorMemoryWithAModeSet, .cursorMemoryWithAFlip: true
    case .cursorByItself, .tearingWithAFlip, .atARefusedReturn: false
    }
  }
}

/// Two screens of one card, so that the card stays ours when one display ends.
@MainActor
private final class RefusalStage {
  let occasion: Occasion
  let isAtomic: Bool
  let display: KMSDisplay
  let before: String
  private(set) var refusals = 0
  var onRefusal: ((KMSDisplay) -> Void)?
  var card: SimulatedCard { stage.card }
  private let stage: CardStage
  private let other: KMSDisplay

  init(_ occasion: Occasion, isAtomic: Bool) throws {
    (self.occasion, self.isAtomic) = (occasion, isAtomic)
    stage = CardStage(
      connectors: [.init("HDMI-A-1", modes: [.simulated(64, 48)]), .init("DP-1", modes: [.simulated(64, 48)])],
      isAtomic: isAtomic, takesAsynchronousFlips: true)
    if isAtomic { stage.card.addLeftovers(on: "HDMI-A-1") }
    let opened = try stage.open()
    other = try opened.display(connector: "DP-1", clock: stage.loop.clock)
    other.add(to: stage.loop, mode: .default)
    XCTAssertNotNil(try stage.show(1, on: other))
    before = stage.card.screens
    display = try opened.display(connector: "HDMI-A-1", clock: stage.loop.clock)
    display.add(to: stage.loop, mode: .default)
    display.onRefusal = { [unowned self] _ in
      refusals += 1
      onRefusal?(display)
    }
    if !occasion.isWithModeSet { XCTAssertEqual(try framesSeen(), 2) }
  }

  func end() {
    display.invalidate()
    XCTAssertEqual(card.screens, before, "\(occasion)")
    other.invalidate()
    XCTAssertEqual(card.holdings, SimulatedCard.Holdings(), "\(occasion)")
    XCTAssertFalse(card.hasMaster, "\(occasion)")
  }

  /// Frames that were seen, of two.
  func framesSeen() throws -> Int {
    var seen = 0
    for _ in 0..<2 where try stage.show(2, on: display) != nil { seen += 1 }
    return seen
  }

  func run() { stage.run(for: .milliseconds(200)) }

  /// Ends the refusals.
  func mend() {
    card.refuseCursors(errno: 0)
    card.resetCalls()
  }

  func provoke() throws {
    let image = try arrow(0xFF00_0001)
    switch occasion {
    case .cursorWithAModeSet, .cursorWithAFlip:
      card.refuseCursors(errno: EINVAL)
      display.cursor = Cursor(image: image)
      try display.present()
    case .cursorByItself:
      card.refuseCursors(errno: EINVAL)
      card.fail(.setCursor, errno: EINVAL)
      display.cursor = Cursor(image: image)
    case .cursorMemoryWithAModeSet, .cursorMemoryWithAFlip:
      card.fail(.createDumbBuffer, errno: ENOMEM)
      display.cursor = Cursor(image: image)
      try display.present()
    case .tearingWithAFlip:
      display.allowsTearing = true
      card.fail(next: isAtomic ? .commit : .pageFlip, errno: EINVAL)
      try display.present()
    case .atARefusedReturn:
      display.allowsTearing = true
      XCTAssertEqual(refusals, 0)
      display.isPowered = false
      card.fail(.capability, errno: EINVAL)
      display.isPowered = true
    }
    XCTAssertEqual(refusals, 0, "\(occasion): told in the middle of it")
  }
}
