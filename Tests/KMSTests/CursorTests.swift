import Framepace
import FramepaceTesting
import Glibc
import KMSTesting
import RenderTree
import XCTest

@testable import KMS

/// Cursors on a simulated card: with frames and without, at most one change an interval, and none left behind.
@preconcurrency @MainActor final class CursorTests: XCTestCase {
  /// A change goes with the frame of its turn, in one commit, and is seen at the same vblank.
  func testItRidesWithAFrame() throws {
    let stage = try ShownStage()
    stage.card.resetCalls()
    stage.display.cursor = Cursor(image: try arrow(0xFF11_2233), hotSpot: Point(3, 4))
    stage.display.cursorPosition = Point(20.7, 10)
    try stage.present()
    stage.loop.run(mode: .default, until: stage.clock.now)
    XCTAssertNil(try stage.shown)
    stage.run(for: .milliseconds(40))
    XCTAssertEqual(stage.card.callCount(of: .commit), 1)
    let shown = try XCTUnwrap(try stage.shown)
    XCTAssertEqual([shown.x, shown.y, shown.image.width, shown.image.height], [17, 6, 64, 64])
    // The image, and clear pixels beside it.
    XCTAssertEqual([(5, 7), (16, 7), (5, 16)].map { shown.image.pixel($0.0, $0.1) }, [0xFF11_2233, 0, 0])
    XCTAssertEqual(stage.display.cursorState, .on)
    XCTAssertEqual(stage.display.maximumCursorSize?.width, 64)
  }

  /// Without frames the first change goes at once, the others of the interval together at the next vblank. At rest there are
  /// no calls.
  func testWithoutFramesOneAnInterval() throws {
    try onEachInterface { isAtomic in
      let stage = try ShownStage(isAtomic: isAtomic)
      try stage.showArrow()
      stage.card.resetCalls()
      for step in 0..<100 {
        stage.turn { $0.cursorPosition = Point(Double(step), Double(step)) }
        stage.run(for: .milliseconds(1))
      }
      stage.run(for: .milliseconds(40))
      XCTAssertEqual(try stage.shown?.x, 99)
      XCTAssertEqual(stage.card.callCount(of: isAtomic ? .commit : .moveCursor), 7, accuracy: 1)
      XCTAssertEqual(stage.card.callCount(of: .setCursor), 0)
      let calls = stage.card.callCount
      stage.run(for: .seconds(1))
      // The same place again is no change.
      stage.turn { $0.cursorPosition = Point(99, 99) }
      XCTAssertEqual(stage.card.callCount, calls)
    }
  }

  /// A pointer that moves a thousand times a second costs an animation no frame, nor do legacy calls that are refused for a
  /// moment.
  func testAnAnimationKeepsItsFrames() throws {
    try onEachDriver { isAtomic, hasVBlanks, place in
      let stage = try ShownStage(isAtomic: isAtomic, hasVBlanks: hasVBlanks)
      stage.animate()
      stage.run(for: .milliseconds(100))
      stage.card.fail(.setCursor, errno: EBUSY)
      let (seen, ticks) = (stage.seen, stage.ticks)
      try stage.showArrow(for: .milliseconds(500))
      stage.card.resetCalls()
      for step in 0..<500 {
        stage.turn { $0.cursorPosition = Point(Double(step % 60), 7) }
        stage.run(for: .milliseconds(1))
      }
      XCTAssertEqual(stage.ticks - ticks, 60, accuracy: 1, place)
      XCTAssertEqual(stage.seen - seen, 60, accuracy: 1, place)
      XCTAssertEqual(stage.card.callCount(of: isAtomic ? .commit : .moveCursor), 30, accuracy: 2, place)
      stage.run(for: .milliseconds(40))
      XCTAssertEqual(try stage.shown?.x, 499 % 60, place)
      XCTAssertEqual(stage.refusals, [], place)
    }
  }

  /// Memory that is short for a moment costs no cursor and no frame: the cursor is at its new place soon after.
  func testMemoryIsShortForAMoment() throws {
    for withFrame in [true, false] {
      let stage = try ShownStage()
      try stage.showArrow()
      // Twice: the cursor was shown in between.
      for x in [30.0, 40] {
        let (seen, place) = (stage.seen, "frame \(withFrame), at \(x)")
        stage.card.fail(next: .commit, errno: ENOMEM)
        stage.later(.milliseconds(5)) { stage in
          stage.display.cursorPosition = Point(x, 30)
          if withFrame { do { try stage.present() } catch { XCTFail("\(error)") } }
        }
        stage.run(for: .milliseconds(60))
        XCTAssertEqual(try stage.shown?.x, Int(x), place)
        XCTAssertEqual(stage.seen, seen + (withFrame ? 1 : 0), place)
      }
      XCTAssertEqual(stage.refusals, [])
    }
    for isAtomic in [true, false] {
      // With the mode-set; the legacy calls show no cursor with theirs.
      let stage = try ShownStage(isAtomic: isAtomic, isShown: !isAtomic)
      stage.card.fail(next: isAtomic ? .commit : .setCursor, errno: ENOMEM)
      stage.display.cursor = Cursor(image: try arrow(0xFF00_0000))
      if isAtomic { try stage.present() }
      stage.run(for: .milliseconds(60))
      XCTAssertNotNil(try stage.shown, "atomic \(isAtomic)")
      XCTAssertEqual(stage.refusals, [], "atomic \(isAtomic)")
    }
  }

  /// Memory that stays short is a refusal, reported once. Nothing is tried any more, and frames go on.
  func testMemoryStaysShort() throws {
    for (isAtomic, isAnimated) in [(true, true), (true, false), (false, true), (false, false)] {
      let place = "atomic \(isAtomic), animated \(isAnimated)"
      let stage = try ShownStage(isAtomic: isAtomic)
      if isAnimated { stage.animate() } else if isAtomic { try stage.showArrow() }
      stage.run(for: .milliseconds(100))
      if isAtomic { stage.card.refuseCursors(errno: ENOMEM) } else { stage.card.fail(.setCursor, errno: ENOMEM) }
      let seen = stage.seen
      try stage.showArrow(0xFF00_0001, for: .milliseconds(500))
      XCTAssertEqual(stage.seen - seen, isAnimated ? 30 : 0, accuracy: 1, place)
      try stage.expectRefusal(ENOMEM, place)
      XCTAssertEqual(stage.display.kmsPresenter?.lostFlips, 0, place)
      if isAnimated { continue }
      let calls = stage.card.callCount
      stage.run(for: .seconds(1))
      XCTAssertEqual(stage.card.callCount, calls, place)
    }
  }

  /// Another image is painted in memory that is not seen.
  func testAnotherImageIsPaintedBehindTheScenes() throws {
    try onEachInterface { isAtomic in
      let stage = try ShownStage(isAtomic: isAtomic)
      let images = [try arrow(0xFF00_0001), try arrow(0xFF00_0002), try arrow(0xFF00_0003)]
      for round in 0..<30 {
        let last = try stage.shown?.image.pixel(0, 0)
        stage.turn { $0.cursor = Cursor(image: images[round % 3]) }
        if isAtomic { XCTAssertEqual(try stage.shown?.image.pixel(0, 0), last, "round \(round)") }
        stage.run(for: .milliseconds(20))
        XCTAssertEqual(try stage.shown?.image.pixel(0, 0), 0xFF00_0001 + UInt32(round % 3), "round \(round)")
      }
      stage.turn { $0.cursor = nil }
      stage.run(for: .milliseconds(20))
      XCTAssertNil(try stage.shown)
      XCTAssertEqual(stage.display.cursorState, .off)
    }
  }

  /// A driver without cursors, and an image that is too large: reported once, and frames go on.
  func testWhatTheHardwareCannotShow() throws {
    try onEachInterface { isAtomic in
      let without = try ShownStage(isAtomic: isAtomic, hasCursors: false)
      XCTAssertFalse(without.display.hasCursorPlane)
      try without.showArrow()
      without.turn { $0.cursorPosition = Point(30, 30) }
      try without.present()
      without.run(for: .milliseconds(40))
      XCTAssertEqual(without.refusals, [.noCursorPlane(connector: "HDMI-A-1")])
      XCTAssertEqual(without.display.cursorState, .refused(.noCursorPlane(connector: "HDMI-A-1")))
      XCTAssertEqual(without.seen, 2)

      let stage = try ShownStage(isAtomic: isAtomic)
      try stage.showArrow()
      let large = try Bitmap(width: 65, height: 10).freeze()
      stage.turn { $0.cursor = Cursor(image: large) }
      let refusal = FeatureRefusal.cursorTooLarge(
        connector: "HDMI-A-1", width: 65, height: 10, maximumWidth: 64, maximumHeight: 64)
      XCTAssertEqual(stage.refusals, [refusal])
      XCTAssertEqual(stage.display.cursorState, .refused(refusal))
      stage.run(for: .milliseconds(40))
      XCTAssertNil(try stage.shown)
      // A smaller one is shown again.
      try stage.showArrow()
      XCTAssertNotNil(try stage.shown)
    }
  }

  /// The hardware has no room for a cursor beside the mode or the frame: frames are shown without it, also after a lost flip
  /// and after an absence, and the application hears of it once.
  func testADriverRefusesIt() throws {
    for (errno, isShown) in [(EINVAL, false), (ENOMEM, true)] {
      let stage = try ShownStage(isShown: isShown)
      stage.card.refuseCursors(errno: errno)
      stage.display.cursor = Cursor(image: try arrow(0xFF00_0001))
      try stage.expectFrameWithoutCursor(errno, "the first frame")
      XCTAssertNil(stage.display.lastError)
      XCTAssertEqual(stage.display.kmsPresenter?.takesDamage, true)
      stage.card.loseFlipEvents(1)
      try stage.present()
      stage.run(for: .seconds(2))
      try stage.expectFrameWithoutCursor(errno, "after a lost flip")
      stage.display.isPowered = false
      stage.run(for: .milliseconds(100))
      stage.display.isPowered = true
      try stage.expectFrameWithoutCursor(errno, "after an absence")
      // A screen that comes back is asked anew.
      stage.card.refuseCursors(errno: 0)
      stage.display.isPowered = false
      stage.display.isPowered = true
      try stage.present()
      stage.run(for: .milliseconds(40))
      XCTAssertNotNil(try stage.shown)
      XCTAssertEqual(stage.display.cursorState, .on)
    }
  }

  /// At rest the cursor from before goes with the refusal.
  func testTheCursorBeforeGoesWithTheRefusal() throws {
    try onEachInterface { isAtomic in
      let stage = try ShownStage(isAtomic: isAtomic)
      // The second refusal is not reported again.
      for round in 1...2 {
        try stage.showArrow()
        XCTAssertNotNil(try stage.shown, "round \(round)")
        stage.card.fail(next: isAtomic ? .commit : .setCursor, errno: EINVAL)
        let image = try arrow(0xFF00_0002)
        stage.later(.milliseconds(5)) { $0.display.cursor = Cursor(image: image) }
        stage.run(for: .milliseconds(60))
        try stage.expectRefusal(EINVAL, "round \(round)")
        XCTAssertEqual(stage.display.state, .showing, "round \(round)")
      }
    }
  }

  /// Another program has switched the screen off: that is no refusal of the cursor, which comes back with the next frame. The
  /// owner of frames hears of it after the turn's frame, and has another turn.
  func testAScreenThatIsOffRefusesNoCursor() throws {
    for isBlanked in [true, false] {
      let stage = try ShownStage()
      try stage.showArrow()
      var isFrameWanted = false
      stage.onRefused = { isFrameWanted = true }
      let output = FrameLoop.Observer(
        .beforeWaiting, order: 2_000_000,
        .onMain { [unowned stage] _, _ in
          guard isFrameWanted else { return }
          isFrameWanted = false
          do { try stage.present() } catch { XCTFail("\(error)") }
        })
      stage.loop.add(output, to: .default)
      defer { output.invalidate() }
      if isBlanked { stage.card.blank("HDMI-A-1") } else { stage.card.switchOff("HDMI-A-1") }
      let seen = stage.seen
      stage.later(.milliseconds(5)) { $0.display.cursorPosition = Point(30, 30) }
      stage.run(for: .milliseconds(60))
      XCTAssertEqual(stage.seen, seen + 1)
      XCTAssertEqual(try stage.shown?.x, 30)
      XCTAssertEqual(stage.refusals, [])
    }
  }

  /// Memory that is short for a moment leaves no cursor behind that was to be hidden.
  func testAHiddenCursorGoesAllTheSame() throws {
    let stage = try ShownStage()
    try stage.showArrow()
    stage.card.fail(next: .commit, errno: ENOMEM)
    stage.display.cursor = nil
    try stage.present()
    stage.run(for: .milliseconds(17))
    XCTAssertEqual(stage.seen, 2, "the frame does not wait for it")
    stage.run(for: .milliseconds(43))
    XCTAssertNil(try stage.shown)
    XCTAssertEqual(stage.refusals, [])
  }
}

/// An image of one colour.
func arrow(_ color: UInt32) throws -> Image {
  let bitmap = try Bitmap(width: 16, height: 16)
  for y in 0..<16 { for x in 0..<16 { bitmap.row(y).assumingMemoryBound(to: UInt32.self)[x] = color } }
  return bitmap.freeze()
}

extension ShownStage {
  fileprivate var shown: SimulatedCard.ShownCursor? { get throws { try card.shownCursor(of: "HDMI-A-1") } }

  fileprivate func showArrow(_ color: UInt32 = 0xFF00_0000, for duration: Nanoseconds = .milliseconds(40)) throws {
    let image = try arrow(color)
    turn { $0.cursor = Cursor(image: image) }
    run(for: duration)
  }

  /// The driver has refused the cursor, and this was reported once.
  fileprivate func expectRefusal(_ errno: Int32, _ place: String) throws {
    guard case .refused(.driver("HDMI-A-1", .cursor, let error)) = display.cursorState else {
      return XCTFail("\(display.cursorState), \(place), errno \(errno)")
    }
    XCTAssertEqual(error.errno, errno, place)
    XCTAssertNil(try shown, place)
    XCTAssertEqual(refusals.count, 1, "\(place), errno \(errno)")
  }

  fileprivate func expectFrameWithoutCursor(_ errno: Int32, _ place: String) throws {
    let seen = seen
    try present()
    run(for: .milliseconds(40))
    XCTAssertEqual(self.seen, seen + 1, "\(place), errno \(errno)")
    XCTAssertEqual(display.state, .showing, "\(place), errno \(errno)")
    try expectRefusal(errno, place)
  }
}
