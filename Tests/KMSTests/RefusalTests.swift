import Framepace
import FramepaceTesting
import Glibc
import KMSTesting
import XCTest

@testable import KMS

/// The handler of a refusal may do anything: the commit that has brought it to light is done by then.
@preconcurrency @MainActor final class RefusalTests: XCTestCase {
  private enum Reaction: CaseIterable { case end, switchOff, otherCursor }

  func testTheHandlerMayDoAnything() throws {
    let image = try arrow(0xFF00_0002)
    for (occasion, isAtomic) in Occasion.all {
      for reaction in Reaction.allCases {
        let place = "\(occasion), atomic \(isAtomic), \(reaction)"
        let stage = try ShownStage(
          isAtomic: isAtomic, takesAsynchronousFlips: true, isShown: !occasion.isWithModeSet)
        let (card, display) = (stage.card, stage.display)
        var refusals = 0
        display.onRefusal = { [unowned display] _ in
          refusals += 1
          card.refuseCursors(errno: 0)
          card.resetCalls()
          switch reaction {
          case .end: display.invalidate()
          case .switchOff: display.isPowered = false
          case .otherCursor: display.cursor = Cursor(image: image)
          }
        }
        try occasion.provoke(on: stage, isAtomic: isAtomic)
        XCTAssertEqual(refusals, 0, "\(place): told in the middle of it")
        stage.run(for: .milliseconds(200))
        XCTAssertEqual(refusals, 1, place)
        let seen = stage.seen
        switch reaction {
        case .end:
          XCTAssertNil(display.kmsPresenter, place)
          XCTAssertFalse(display.presenter.isReady, place)
          stage.stage.expectNothingLeft(place)
          continue
        case .switchOff:
          XCTAssertEqual(display.state, .waiting(.switchedOff), place)
          XCTAssertNil(try card.copyShownImage(of: "HDMI-A-1"), place)
          display.isPowered = true
        case .otherCursor:
          XCTAssertEqual(display.cursorState, .on, place)
        }
        try stage.present()
        stage.run(for: .milliseconds(40))
        XCTAssertEqual(stage.seen, seen + 1, place)
        guard reaction == .otherCursor else { continue }
        XCTAssertEqual(try card.shownCursor(of: "HDMI-A-1")?.image.pixel(0, 0), 0xFF00_0002, place)
      }
    }
  }

  /// The application's own request is answered before the setter returns, once.
  func testASetterTellsAtOnce() throws {
    let stage = try ShownStage(isShown: false)
    stage.display.allowsTearing = true
    XCTAssertEqual(stage.refusals, [.noAsynchronousFlips(connector: "HDMI-A-1")])
    stage.display.wantsVariableRefresh = true
    XCTAssertEqual(stage.refusals.last, .fixedRefresh(connector: "HDMI-A-1"))
    stage.run(for: .milliseconds(100))
    XCTAssertEqual(stage.refusals.count, 2)
  }
}

/// The occasion of a refusal.
private enum Occasion: CaseIterable {
  case cursorWithAModeSet, cursorWithAFlip, cursorByItself
  case cursorMemoryWithAModeSet, cursorMemoryWithAFlip
  case tearingWithAFlip
  case atARefusedReturn

  /// On atomic drivers, and on those with the legacy calls only, which show a cursor without frames.
  static var all: [(Occasion, isAtomic: Bool)] {
    allCases.map { ($0, true) } + [.cursorByItself, .tearingWithAFlip, .atARefusedReturn].map { ($0, false) }
  }

  var isWithModeSet: Bool { self == .cursorWithAModeSet || self == .cursorMemoryWithAModeSet }

  @MainActor
  func provoke(on stage: ShownStage, isAtomic: Bool) throws {
    let (card, display) = (stage.card, stage.display)
    let cursor = Cursor(image: try arrow(0xFF00_0001))
    switch self {
    case .cursorWithAModeSet, .cursorWithAFlip:
      card.refuseCursors(errno: EINVAL)
      display.cursor = cursor
      try stage.present()
    case .cursorByItself:
      card.refuseCursors(errno: EINVAL)
      card.fail(.setCursor, errno: EINVAL)
      display.cursor = cursor
    case .cursorMemoryWithAModeSet, .cursorMemoryWithAFlip:
      card.fail(.createDumbBuffer, errno: ENOMEM)
      display.cursor = cursor
      try stage.present()
    case .tearingWithAFlip:
      display.allowsTearing = true
      card.fail(next: isAtomic ? .commit : .pageFlip, errno: EINVAL)
      try stage.present()
    case .atARefusedReturn:
      display.allowsTearing = true
      display.isPowered = false
      card.fail(.capability, errno: EINVAL)
      display.isPowered = true
    }
  }
}
