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

/// Cursors on a simulated card: with frames and without, at most one change an interval, and nothing left behind.
final class CursorTests: XCTestCase {
  /// A change goes with the frame of its turn, in one commit, and is seen at the same vblank.
  func testItRidesWithAFrame() throws {
    try onMain {
      let stage = try CursorStage()
      stage.card.resetCalls()
      stage.display.cursor = Cursor(image: try arrow(0xFF11_2233), hotSpot: Point(3, 4))
      stage.display.cursorPosition = Point(20.7, 10)
      try stage.present()
      stage.loop.run(mode: .default, until: stage.clock.now)
      XCTAssertEqual(stage.card.callCount(of: .commit), 1)
      XCTAssertNil(try stage.shown)
      stage.run(for: .milliseconds(40))
      XCTAssertEqual(stage.card.callCount(of: .commit), 1)
      let shown = try XCTUnwrap(try stage.shown)
      XCTAssertEqual([shown.x, shown.y], [17, 6])
      XCTAssertEqual([shown.image.width, shown.image.height], [64, 64])
      XCTAssertEqual(shown.image.pixel(5, 7), 0xFF11_2233)
      // What the image does not cover is clear.
      XCTAssertEqual([shown.image.pixel(16, 7), shown.image.pixel(5, 16)], [0, 0])
      XCTAssertEqual(stage.display.cursorState, .on)
      XCTAssertEqual(stage.display.maximumCursorSize?.width, 64)
    }
  }

  /// Without frames: the first change goes at once, the others of the interval together at the next vblank, and at rest
  /// there is nothing.
  func testWithoutFramesOneAnInterval() throws {
    try onMain {
      for isAtomic in [true, false] {
        let stage = try CursorStage(isAtomic: isAtomic)
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
        XCTAssertEqual(stage.card.callCount, calls)
        // The same again is no change.
        stage.turn { $0.cursorPosition = Point(99, 99) }
        XCTAssertEqual(stage.card.callCount, calls)
      }
    }
  }

  /// A pointer that moves a thousand times a second costs an animation no frame.
  func testAnAnimationKeepsItsFrames() throws {
    try onMain {
      for (isAtomic, hasVBlanks) in [(true, true), (false, true), (true, false), (false, false)] {
        let stage = try CursorStage(isAtomic: isAtomic, hasVBlanks: hasVBlanks)
        try stage.showArrow()
        stage.animate()
        stage.run(for: .milliseconds(100))
        stage.card.resetCalls()
        let (seen, ticks) = (stage.seen, stage.ticks)
        for step in 0..<1000 {
          stage.turn { $0.cursorPosition = Point(Double(step % 60), 7) }
          stage.run(for: .milliseconds(1))
        }
        let place = "atomic \(isAtomic), vblanks \(hasVBlanks)"
        XCTAssertEqual(stage.ticks - ticks, 60, accuracy: 1, place)
        XCTAssertEqual(stage.seen - seen, 60, accuracy: 1, place)
        XCTAssertEqual(stage.card.callCount(of: isAtomic ? .commit : .moveCursor), 60, accuracy: 1, place)
        stage.run(for: .milliseconds(40))
        XCTAssertEqual(try stage.shown?.x, 999 % 60, place)
      }
    }
  }

  /// A legacy call that is refused for the moment costs an animation no frame, and is made again.
  func testFramesDoNotWaitForTheLegacyCalls() throws {
    try onMain {
      for hasVBlanks in [true, false] {
        let stage = try CursorStage(isAtomic: false, hasVBlanks: hasVBlanks)
        stage.animate()
        stage.run(for: .milliseconds(100))
        stage.card.fail(.setCursor, errno: EBUSY)
        let (seen, cursor) = (stage.seen, Cursor(image: try arrow(0xFF00_0000)))
        stage.turn { $0.cursor = cursor }
        stage.run(for: .milliseconds(500))
        XCTAssertEqual(stage.seen - seen, 30, accuracy: 1, "vblanks \(hasVBlanks)")
        stage.card.fail(.setCursor, errno: 0)
        stage.run(for: .milliseconds(40))
        XCTAssertNotNil(try stage.shown)
        XCTAssertEqual(stage.refusals, [])
      }
    }
  }

  /// Memory that is short for a moment costs no cursor, nor a frame: it is at its new place soon after.
  func testMemoryIsShortForAMoment() throws {
    try onMain {
      for withFrame in [true, false] {
        let stage = try CursorStage()
        try stage.showArrow()
        // Each time anew: between them it was shown.
        for x in [30.0, 40] {
          let (seen, place) = (stage.seen, "frame \(withFrame), at \(x)")
          stage.card.fail(next: .commit, errno: ENOMEM)
          // And no other turn comes.
          let change = FrameLoop.Timer(
            fireTime: stage.clock.now + .milliseconds(5),
            .onMain { [unowned stage] _ in
              stage.display.cursorPosition = Point(x, 30)
              if withFrame { do { try stage.present() } catch { XCTFail("\(error)") } }
            })
          stage.loop.add(change, to: .default)
          stage.run(for: .milliseconds(60))
          XCTAssertEqual(try stage.shown?.x, Int(x), place)
          XCTAssertEqual(stage.seen, seen + (withFrame ? 1 : 0), place)
          XCTAssertEqual(stage.display.cursorState, .on, place)
        }
        XCTAssertEqual(stage.refusals, [])
      }
      for isAtomic in [true, false] {
        // With the mode-set; the legacy calls know of none with it.
        let stage = try CursorStage(isAtomic: isAtomic, isShown: !isAtomic)
        stage.card.fail(next: isAtomic ? .commit : .setCursor, errno: ENOMEM)
        stage.display.cursor = Cursor(image: try arrow(0xFF00_0000))
        if isAtomic { try stage.present() }
        stage.run(for: .milliseconds(60))
        XCTAssertNotNil(try stage.shown, "atomic \(isAtomic)")
        XCTAssertEqual(stage.refusals, [], "atomic \(isAtomic)")
      }
    }
  }

  /// What was not shown for want of memory is wanted no more: the next want of memory is the first again.
  func testMemoryWasShortForWhatIsNotWanted() throws {
    try onMain {
      let stage = try CursorStage()
      try stage.showArrow()
      let home = stage.display.cursorPosition
      for x in [30.0, 40, 50] {
        stage.card.fail(next: .commit, errno: ENOMEM)
        // Back again before it could be tried once more.
        for (time, position) in [(5, Point(x, 30)), (8, home)] as [(Int64, Point)] {
          let change = FrameLoop.Timer(
            fireTime: stage.clock.now + .milliseconds(time), .onMain { _ in stage.display.cursorPosition = position })
          stage.loop.add(change, to: .default)
        }
        stage.run(for: .milliseconds(60))
      }
      XCTAssertEqual(stage.refusals, [])
      XCTAssertEqual(stage.display.cursorState, .on)
    }
  }

  /// Memory that stays short is a refusal, which is told once. Nothing is tried any more, and frames go on.
  func testMemoryStaysShort() throws {
    try onMain {
      for (isAtomic, isAnimated) in [(true, true), (true, false), (false, true), (false, false)] {
        let stage = try CursorStage(isAtomic: isAtomic)
        if isAnimated { stage.animate() } else if isAtomic { try stage.showArrow() }
        stage.run(for: .milliseconds(100))
        if isAtomic { stage.card.refuseCursors(errno: ENOMEM) } else { stage.card.fail(.setCursor, errno: ENOMEM) }
        let (seen, cursor) = (stage.seen, Cursor(image: try arrow(0xFF00_0001)))
        stage.turn { $0.cursor = cursor }
        stage.run(for: .milliseconds(500))
        let place = "atomic \(isAtomic), animated \(isAnimated)"
        XCTAssertEqual(stage.seen - seen, isAnimated ? 30 : 0, accuracy: 1, place)
        XCTAssertEqual(stage.refusals.count, 1, place)
        guard case .refused(.driver("HDMI-A-1", .cursor, let error)) = stage.display.cursorState else {
          XCTFail("\(stage.display.cursorState), \(place)")
          continue
        }
        XCTAssertEqual(error.errno, ENOMEM, place)
        XCTAssertNil(try stage.shown, place)
        XCTAssertEqual(stage.display.kmsPresenter?.lostFlips, 0, place)
        if isAnimated { continue }
        let calls = stage.card.callCount
        stage.run(for: .seconds(1))
        XCTAssertEqual(stage.card.callCount, calls, place)
      }
    }
  }

  /// A frame that comes while a cursor is on its way is seen one interval later.
  func testAFrameWaitsForACursorOnItsWay() throws {
    try onMain {
      let stage = try CursorStage()
      try stage.showArrow()
      stage.turn { $0.cursorPosition = Point(30, 30) }
      let seen = stage.seen
      stage.card.resetCalls()
      try stage.present()
      XCTAssertEqual(stage.card.callCount(of: .commit), 0)
      stage.run(for: .milliseconds(17))
      XCTAssertEqual(try stage.shown?.x, 30)
      XCTAssertEqual(stage.seen, seen)
      stage.run(for: .milliseconds(17))
      XCTAssertEqual(stage.seen, seen + 1)
      XCTAssertEqual(stage.refusals, [])
    }
  }

  /// Another image is painted in memory that is not seen.
  func testAnotherImageIsPaintedBehindTheScenes() throws {
    try onMain {
      for isAtomic in [true, false] {
        let stage = try CursorStage(isAtomic: isAtomic)
        let images = [try arrow(0xFF00_0001), try arrow(0xFF00_0002), try arrow(0xFF00_0003)]
        for round in 0..<30 {
          let last = try stage.shown?.image.pixel(0, 0)
          let image = images[round % 3]
          stage.turn { $0.cursor = Cursor(image: image) }
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
  }

  /// A driver without cursors says so, once, and shows frames.
  func testADriverWithoutCursors() throws {
    try onMain {
      for isAtomic in [true, false] {
        let stage = try CursorStage(isAtomic: isAtomic, hasCursors: false)
        XCTAssertFalse(stage.display.hasCursorPlane)
        try stage.showArrow()
        stage.turn { $0.cursorPosition = Point(30, 30) }
        try stage.present()
        stage.run(for: .milliseconds(40))
        XCTAssertEqual(stage.refusals, [.noCursorPlane(connector: "HDMI-A-1")])
        XCTAssertEqual(stage.display.cursorState, .refused(.noCursorPlane(connector: "HDMI-A-1")))
        XCTAssertEqual(stage.seen, 2)
      }
    }
  }

  func testAnImageThatIsTooLarge() throws {
    try onMain {
      let stage = try CursorStage()
      try stage.showArrow()
      let large = try Bitmap(width: 65, height: 10).freeze()
      stage.turn { $0.cursor = Cursor(image: large) }
      let refusal = FeatureRefusal.cursorTooLarge(
        connector: "HDMI-A-1", width: 65, height: 10, maximumWidth: 64, maximumHeight: 64)
      XCTAssertEqual(stage.refusals, [refusal])
      XCTAssertEqual(stage.display.cursorState, .refused(refusal))
      stage.run(for: .milliseconds(40))
      XCTAssertNil(try stage.shown)
      // Another one is another matter.
      try stage.showArrow()
      XCTAssertNotNil(try stage.shown)
      XCTAssertEqual(stage.display.cursorState, .on)
    }
  }

  /// The driver says no to it: the frame that it was to go with is shown, and those after it.
  func testADriverRefusesIt() throws {
    try onMain {
      let stage = try CursorStage()
      for withFrame in [true, false] {
        stage.card.fail(next: .commit, errno: EINVAL)
        let seen = stage.seen
        stage.display.cursor = Cursor(image: try arrow(0xFF00_0000))
        if withFrame { try stage.present() }
        stage.run(for: .milliseconds(40))
        guard case .refused(.driver("HDMI-A-1", .cursor, let error)) = stage.display.cursorState else {
          return XCTFail("\(stage.display.cursorState)")
        }
        XCTAssertEqual(error.errno, EINVAL)
        XCTAssertNil(try stage.shown)
        XCTAssertEqual(stage.seen, seen + (withFrame ? 1 : 0))
        XCTAssertEqual(stage.display.kmsPresenter?.takesDamage, true)
        XCTAssertEqual(stage.display.state, .showing)
      }
      XCTAssertEqual(stage.refusals.count, 2)
    }
  }

  /// Another program has switched the screen off: the driver says no to the cursor as it would to a frame, and the next one
  /// brings both back.
  func testAScreenThatIsOffRefusesNoCursor() throws {
    try onMain {
      for isBlanked in [true, false] {
        let stage = try CursorStage()
        try stage.showArrow()
        if isBlanked { stage.card.blank("HDMI-A-1") } else { stage.card.switchOff("HDMI-A-1") }
        var errors: [any Error] = []
        stage.onRefused = { errors.append($0) }
        stage.turn { $0.cursorPosition = Point(30, 30) }
        stage.run(for: .milliseconds(100))
        XCTAssertEqual(errors.count, 1)
        XCTAssertEqual(stage.display.cursorState, .on)
        let seen = stage.seen
        try stage.present()
        stage.run(for: .milliseconds(40))
        XCTAssertEqual(stage.seen, seen + 1)
        XCTAssertEqual(try stage.shown?.x, 30)
        XCTAssertEqual(stage.refusals, [])
      }
    }
  }

  /// At rest too: what wants a frame then hears of it when the turn's frame is past, and has another turn.
  func testAScreenThatIsOffComesBackAtRest() throws {
    try onMain {
      let stage = try CursorStage()
      try stage.showArrow()
      var isFrameWanted = false
      stage.onRefused = { _ in isFrameWanted = true }
      let output = FrameLoop.Observer(
        .beforeWaiting, order: ObserverOrder.commit,
        .onMain { [unowned stage] _, _ in
          guard isFrameWanted else { return }
          isFrameWanted = false
          do { try stage.present() } catch { XCTFail("\(error)") }
        })
      stage.loop.add(output, to: .default)
      defer { output.invalidate() }
      stage.card.switchOff("HDMI-A-1")
      let seen = stage.seen
      // And no other turn comes.
      let change = FrameLoop.Timer(
        fireTime: stage.clock.now + .milliseconds(5), .onMain { _ in stage.display.cursorPosition = Point(30, 30) })
      stage.loop.add(change, to: .default)
      stage.run(for: .milliseconds(60))
      XCTAssertEqual(stage.seen, seen + 1)
      XCTAssertEqual(try stage.shown?.x, 30)
      XCTAssertEqual(stage.refusals, [])
    }
  }

  /// One that was shown does not stay in the place of one that is refused.
  func testTheCursorBeforeGoesWithTheRefusal() throws {
    try onMain {
      for isAtomic in [true, false] {
        let stage = try CursorStage(isAtomic: isAtomic)
        // The second time nobody is told.
        for round in 1...2 {
          let place = "atomic \(isAtomic), round \(round)"
          try stage.showArrow()
          XCTAssertNotNil(try stage.shown, place)
          stage.card.fail(next: isAtomic ? .commit : .setCursor, errno: EINVAL)
          let image = try arrow(0xFF00_0002)
          // And no other turn comes.
          let change = FrameLoop.Timer(
            fireTime: stage.clock.now + .milliseconds(5), .onMain { _ in stage.display.cursor = Cursor(image: image) })
          stage.loop.add(change, to: .default)
          stage.run(for: .milliseconds(60))
          XCTAssertEqual(stage.refusals.count, 1, place)
          XCTAssertNil(try stage.shown, place)
          XCTAssertEqual(stage.display.state, .showing, place)
        }
      }
    }
  }

  /// The hardware has no room for it beside the mode: the screen is shown without, after a mode-set too that follows a lost
  /// flip or an absence, and the application is told once.
  func testADriverRefusesItWithTheModeSet() throws {
    try onMain {
      for errno in [EINVAL, ENOSPC, ERANGE, ENOMEM] {
        let stage = try CursorStage(isShown: false)
        stage.card.refuseCursors(errno: errno)
        stage.display.cursor = Cursor(image: try arrow(0xFF00_0000))
        try stage.expectFrameWithoutCursor(errno, "the first frame")
        XCTAssertNil(stage.display.lastError)
        try stage.expectFrameWithoutCursor(errno, "a frame")
        stage.card.loseFlipEvents(1)
        try stage.present()
        stage.run(for: .seconds(2))
        try stage.expectFrameWithoutCursor(errno, "after a lost flip")
        stage.display.isPowered = false
        stage.run(for: .milliseconds(100))
        stage.display.isPowered = true
        try stage.expectFrameWithoutCursor(errno, "after an absence")
        // A screen that comes back asks anew.
        stage.card.refuseCursors(errno: 0)
        stage.display.isPowered = false
        stage.display.isPowered = true
        try stage.present()
        stage.run(for: .milliseconds(40))
        XCTAssertNotNil(try stage.shown)
        XCTAssertEqual(stage.display.cursorState, .on)
      }
    }
  }

  /// Nor does it hold up the frames of a screen that is on, whatever is short.
  func testADriverRefusesItWithAFlip() throws {
    try onMain {
      for errno in [EINVAL, ENOSPC, ERANGE, ENOMEM] {
        let stage = try CursorStage()
        stage.card.refuseCursors(errno: errno)
        stage.display.cursor = Cursor(image: try arrow(0xFF00_0000))
        for _ in 0..<2 { try stage.expectFrameWithoutCursor(errno, "a frame") }
        XCTAssertEqual(stage.display.kmsPresenter?.lostFlips, 0)
        XCTAssertEqual(stage.display.kmsPresenter?.takesDamage, true)
      }
    }
  }

  /// Memory that is short for a moment leaves no cursor behind that was to go.
  func testAHiddenCursorGoesAllTheSame() throws {
    try onMain {
      let stage = try CursorStage()
      try stage.showArrow()
      stage.card.fail(next: .commit, errno: ENOMEM)
      stage.display.cursor = nil
      try stage.present()
      stage.run(for: .milliseconds(17))
      XCTAssertEqual(stage.seen, 2, "the frame does not wait for it")
      stage.run(for: .milliseconds(43))
      XCTAssertNil(try stage.shown)
      XCTAssertEqual(stage.seen, 2)
      XCTAssertEqual(stage.refusals, [])
    }
  }

  /// Something else is on its way to the screen, or its event is lost: the cursor comes all the same, and so do frames.
  func testWhatIsInTheWay() throws {
    try onMain {
      for isLost in [false, true] {
        let stage = try CursorStage()
        try stage.showArrow()
        if isLost { stage.card.loseFlipEvents(1) } else { stage.card.fail(next: .commit, errno: EBUSY) }
        stage.turn { $0.cursorPosition = Point(30, 30) }
        stage.run(for: isLost ? .seconds(2) : .milliseconds(50))
        XCTAssertEqual(try stage.shown?.x, 30)
        stage.turn { $0.cursorPosition = Point(40, 30) }
        let seen = stage.seen
        try stage.present()
        stage.run(for: .milliseconds(100))
        XCTAssertEqual(try stage.shown?.x, 40)
        XCTAssertEqual(stage.seen, seen + 1)
      }
    }
  }

  /// A driver that is busy, takes the cursor then, and never tells: that it was busy is no sign of life, and the third time
  /// the screen is given up.
  func testACursorThatWaitsIsNotSeen() throws {
    try onMain {
      let stage = try CursorStage()
      try stage.showArrow()
      let presenter = try XCTUnwrap(stage.display.kmsPresenter)
      for round in 1...3 {
        XCTAssertNil(stage.display.lastError)
        stage.card.fail(next: .commit, errno: EBUSY)
        stage.card.loseFlipEvents(1)
        stage.turn { $0.cursorPosition = Point(Double(round), 30) }
        stage.run(for: .milliseconds(1_100))
        XCTAssertEqual(presenter.lostFlips, UInt64(round))
        // Sets the mode, which is told.
        try stage.present()
        stage.run(for: .milliseconds(100))
      }
      guard case .lost("HDMI-A-1", _, let reason) = stage.display.lastError else {
        return XCTFail("\(String(describing: stage.display.lastError))")
      }
      XCTAssertEqual(reason.errno, ETIMEDOUT)
    }
  }

  /// What another program had on the plane is there again, where it was.
  func testTheEnd() throws {
    try onMain {
      for isAtomic in [true, false] {
        let stage = CardStage(isAtomic: isAtomic)
        if isAtomic { stage.card.addLeftovers(on: "HDMI-A-1") }
        let before = stage.card.screens
        let display = try stage.openDisplay()
        display.cursor = Cursor(image: try arrow(0xFF00_0000))
        display.cursorPosition = Point(12, 13)
        XCTAssertNotNil(try stage.show(1, in: IntRect(x: 0, y: 0, width: 64, height: 48), on: display))
        stage.run(for: .milliseconds(40))
        XCTAssertEqual(try stage.card.shownCursor(of: "HDMI-A-1")?.x, 12)
        XCTAssertNotEqual(stage.card.screens, before)
        XCTAssertFalse(stage.card.screens.contains("blend mode 1"), stage.card.screens)
        display.invalidate()
        XCTAssertEqual(stage.card.screens, before)
        XCTAssertEqual(stage.card.holdings, SimulatedCard.Holdings())
      }
    }
  }

  func testWhereItIs() {
    func place(_ position: Point) -> [Int32] {
      let look = CursorState.Look(image: 1, hotSpot: Point(2, 3), position: position)
      return [look.x, look.y]
    }
    XCTAssertEqual(place(Point(10, 10)), [8, 7])
    XCTAssertEqual(place(Point(0, 0)), [-2, -3])
    XCTAssertEqual(place(Point(.nan, .infinity)), [-2, -3])
    XCTAssertEqual(place(Point(1e300, -1e300)), [999_998, -1_000_003])
  }
}

extension Image {
  fileprivate func pixel(_ x: Int, _ y: Int) -> UInt32 { row(y).assumingMemoryBound(to: UInt32.self)[x] }
}

private func arrow(_ color: UInt32) throws -> Image {
  let bitmap = try Bitmap(width: 16, height: 16)
  for y in 0..<16 { for x in 0..<16 { bitmap.row(y).assumingMemoryBound(to: UInt32.self)[x] = color } }
  return bitmap.freeze()
}

/// A display that shows a first frame.
@MainActor
private final class CursorStage {
  let stage: CardStage
  let display: KMSDisplay
  private(set) var seen = 0
  private(set) var ticks = 0
  private(set) var refusals: [FeatureRefusal] = []
  var onRefused: (any Error) -> Void = { _ in }
  private var link: DisplayLink?
  var card: SimulatedCard { stage.card }
  var loop: FrameLoop { stage.loop }
  var clock: ManualClock { stage.clock }

  init(isAtomic: Bool = true, hasVBlanks: Bool = true, hasCursors: Bool = true, isShown: Bool = true) throws {
    stage = CardStage(hasVBlanks: hasVBlanks, isAtomic: isAtomic, hasCursors: hasCursors)
    display = try stage.openDisplay()
    display.presenter.onEvent = { [unowned self] event in
      switch event {
      case .presented: seen += 1
      case .refused(let error): onRefused(error)
      case .reset: break
      }
    }
    display.onRefusal = { [unowned self] in refusals.append($0) }
    if isShown { try present() }
    run(for: .milliseconds(100))
  }

  isolated deinit {
    link?.invalidate()
    display.invalidate()
    XCTAssertEqual(card.holdings, SimulatedCard.Holdings())
  }

  var shown: SimulatedCard.ShownCursor? { get throws { try card.shownCursor(of: "HDMI-A-1") } }

  func run(for duration: Nanoseconds) { stage.run(for: duration) }

  /// What happens, happens in a turn.
  func turn(_ body: @escaping @MainActor (KMSDisplay) -> Void) {
    loop.add(FrameLoop.Timer(fireTime: clock.now, .onMain { [unowned self] _ in body(display) }), to: .default)
    loop.run(mode: .default, until: clock.now)
  }

  func showArrow() throws {
    let image = try arrow(0xFF00_0000)
    turn { $0.cursor = Cursor(image: image) }
    run(for: .milliseconds(40))
  }

  func present() throws {
    guard let buffer = display.presenter.acquireBuffer() else { return }
    try display.presenter.present(buffer, damage: DamageRegion(IntRect(x: 1, y: 1, width: 8, height: 8)))
  }

  /// A frame is seen, and no cursor, which the driver has refused.
  func expectFrameWithoutCursor(_ errno: Int32, _ place: String) throws {
    let seen = seen
    try present()
    run(for: .milliseconds(40))
    XCTAssertEqual(self.seen, seen + 1, "\(place), errno \(errno)")
    XCTAssertEqual(display.state, .showing, "\(place), errno \(errno)")
    guard case .refused(.driver("HDMI-A-1", .cursor, let error)) = display.cursorState else {
      return XCTFail("\(display.cursorState), \(place), errno \(errno)")
    }
    XCTAssertEqual(error.errno, errno, place)
    XCTAssertNil(try shown, place)
    XCTAssertEqual(refusals.count, 1, "\(place), errno \(errno)")
  }

  /// A frame at each tick.
  func animate() {
    let link = DisplayLink(ticker: display.ticker) { [unowned self] _ in
      ticks += 1
      do { try present() } catch { XCTFail("\(error)") }
    }
    link.add(to: loop, mode: .default)
    self.link = link
  }
}
