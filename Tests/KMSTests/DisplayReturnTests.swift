import Framepace
import FramepaceTesting
import Glibc
import KMSTesting
import TestLength
import XCTest

@testable import KMS

/// A display comes back by itself from any trouble at any moment, and the scene goes on.
@preconcurrency @MainActor final class DisplayReturnTests: XCTestCase {
  func testAScreenIsUnpluggedAndPluggedInAgain() throws {
    try Troubled.all(waiting: .unplugged) { stage in
      stage.card.setConnected(false, "HDMI-A-1")
      stage.shown?.tell(.hotplug)
    } mend: { stage in
      stage.card.setConnected(true, "HDMI-A-1")
      stage.shown?.tell(.hotplug)
    }
  }

  func testAScreenIsChangedForALargerOne() throws {
    try Troubled.all(waiting: nil) { stage in
      stage.card.setModes([.simulated(80, 60, hertz: 75)], of: "HDMI-A-1")
      stage.shown?.tell(.hotplug)
    } mend: { stage in
      XCTAssertEqual(stage.display.mode.description, "80x60@75.00")
      XCTAssertEqual(stage.display.ticker.refreshRate.description, "75.00 Hz")
      XCTAssertEqual(stage.root.bounds.width, 80)
      XCTAssertEqual(stage.root.bounds.height, 60)
    }
  }

  /// Meanwhile the screen may be replaced.
  func testAnotherProgramTakesTheCardForAWhile() throws {
    for isReplaced in [false, true] {
      var other: DRMDevice?
      try Troubled.all(waiting: .taken) { stage in
        try? stage.display.device?.dropMaster()
        other = try? stage.card.open()
        XCTAssertEqual(other?.isMaster, true)
        if isReplaced { stage.card.setModes([.simulated(80, 60, hertz: 75)], of: "HDMI-A-1") }
      } mend: { stage in
        other = nil
        stage.run(.seconds(2))
        if isReplaced { XCTAssertEqual(stage.display.mode.description, "80x60@75.00") }
      }
    }
  }

  /// Another program has come and gone while a scene was at rest: the next probe notices its picture.
  func testAnotherProgramHasLeftItsPicture() throws {
    let stage = try Troubled(.idle, isAtomic: true, hasVBlanks: true, hearsEvents: true)
    try XCTUnwrap(stage.display.device).dropMaster()
    let other = try stage.card.open()
    let buffer = try other.interface.createDumbBuffer(width: 64, height: 48)
    try other.interface.setCRTC(
      stage.display.crtc,
      framebuffer: try other.interface.addFramebuffer(buffer, width: 64, height: 48, format: .xrgb8888), x: 0, y: 0,
      connectors: [try other.connectors()[0].id], mode: stage.display.mode)
    try other.dropMaster()
    stage.turn { $0.shown?.tell(.hotplug) }
    stage.run(.seconds(1))
    XCTAssertEqual(stage.states, [.waiting(.taken), .showing])
    let image = try XCTUnwrap(try stage.card.copyShownImage(of: "HDMI-A-1"))
    XCTAssertEqual(image.pixel(0, 5) & 0xFF_FFFF, 0xFF_FFFF)
    stage.end()
  }

  /// With an event, or noticed by a failing call.
  func testTheDeviceIsRemovedAndComesBack() throws {
    for hearsEvents in [true, false] {
      try Troubled.all(hearsEvents: hearsEvents, waiting: .deviceRemoved) { stage in
        stage.card.unplug()
        guard hearsEvents else { return }
        stage.shown?.tell(.deviceRemoved)
        XCTAssertEqual(stage.card.openCount, 0, "the removed device is still open")
      } mend: { stage in
        stage.stage.replaceCard()
        if hearsEvents { stage.shown?.tell(.deviceAdded) }
      }
    }
  }

  func testAnotherSessionHasTheSeatForAWhile() throws {
    var other: DRMDevice?
    try Troubled.all(waiting: .sessionInactive) { stage in
      try? stage.display.device?.dropMaster()
      other = try? stage.card.open()
      XCTAssertEqual(other?.isMaster, true)
      stage.shown?.tell(.session(isActive: false))
    } mend: { stage in
      other = nil
      XCTAssertEqual(stage.shows, 1, "another session's card was asked for")
      stage.shown?.tell(.session(isActive: true))
    }
  }

  func testTheScreenIsSwitchedOffForAWhile() throws {
    try Troubled.all(waiting: .switchedOff) { stage in
      stage.display.isPowered = false
      XCTAssertTrue(stage.card.screens.hasPrefix("HDMI-A-1: off"), stage.card.screens)
    } mend: { stage in
      stage.display.isPowered = true
    }
  }

  /// The display is back at once.
  func testAnotherProgramSwitchesTheScreenOff() throws {
    try Troubled.all(waiting: nil) {
      $0.card.switchOff("HDMI-A-1")
    } mend: { stage in
      stage.root.backgroundColor = Color(red: 0, green: 1, blue: 1)
    }
  }

  /// A display that cannot come back reports that once, and its card is closed.
  func testTheSessionEnds() throws {
    let stage = try Troubled(.animating, isAtomic: true, hasVBlanks: true, hearsEvents: true)
    var lost: [any Error] = []
    stage.display.observe { if case .lost(let error) = $0 { lost.append(error) } }.keep()
    stage.turn { $0.shown?.tell(.sessionEnded) }
    stage.run(.seconds(1))
    XCTAssertEqual(lost.map { $0 as? KMSError }, [.sessionEnded(connector: "HDMI-A-1")])
    XCTAssertEqual(stage.card.openCount, 0)
    stage.turn { $0.shown?.tell(.session(isActive: true)) }
    stage.run(.seconds(10))
    XCTAssertEqual(stage.card.openCount, 0, "a session that ended has begun again")
    stage.end()
  }
}

/// A scene on a simulated card, about to get into trouble.
@MainActor
private final class Troubled {
  enum Moment: CaseIterable {
    /// A scene at rest is on the screen.
    case idle
    case animating
    case flipPending
    /// The first frame pends.
    case modeSetPending
  }

  let stage: CardStage
  let root = Layer()
  let engine: Engine
  let display: KMSDisplay
  private(set) var shown: KMSCard?
  var card: SimulatedCard { stage.card }
  /// How often the display began to show, including the first time.
  private(set) var shows = 1
  private(set) var frames = 0
  private(set) var ticks: [DisplayLink.Tick] = []
  private(set) var states: [DisplayState] = []
  private var link: DisplayLink?
  private var moment: Moment

  init(_ moment: Moment, isAtomic: Bool, hasVBlanks: Bool, hearsEvents: Bool) throws {
    let stage = CardStage(hasVBlanks: hasVBlanks, isAtomic: isAtomic)
    self.stage = stage
    let access = CardAccess(open: { () throws(KMSError) in try stage.card.open() }, hearsEvents: hearsEvents)
    let opened = KMSCard(device: try stage.card.open(), access: access)
    shown = opened
    display = try opened.display(clock: stage.loop.clock)
    display.cursor = Cursor(image: try Bitmap(width: 20, height: 20).freeze())
    display.cursorPosition = Point(11, 12)
    root.backgroundColor = .white
    engine = Engine(display: display, root: root, loop: stage.loop)
    self.moment = moment

    display.observe { [unowned self] event in
      guard case .stateChanged(let state) = event else { return }
      states.append(state)
      if state == .showing { shows += 1 }
    }.keep()
    engine.output.observe { [unowned self] in if case .presented = $0 { frames += 1 } }.keep()
    let link = DisplayLink(ticker: display.ticker) { [unowned self] link in if let tick = link.tick { ticks.append(tick) } }
    link.isPaused = moment == .idle
    link.add(to: stage.loop, mode: .default)
    self.link = link
    switch moment {
    case .idle: run(.seconds(1))
    case .animating, .flipPending:
      animate()
      run(.milliseconds(500))
      if moment == .flipPending { stopAtPendingFlip() }
    case .modeSetPending: stage.loop.run(mode: .default, until: stage.clock.now)
    }
    if moment != .modeSetPending { XCTAssertGreaterThan(frames, 0) }
  }

  func run(_ time: Nanoseconds) { stage.run(for: time) }

  /// Runs a change in a turn of the loop.
  func turn(_ body: @escaping @MainActor (Troubled) -> Void) {
    let timer = FrameLoop.Timer(fireTime: stage.clock.now, .onMain { [unowned self] _ in body(self) })
    stage.loop.add(timer, to: .default)
    stage.loop.run(mode: .default, until: stage.clock.now)
  }

  private func animate() {
    let child = Layer()
    child.backgroundColor = .black
    child.bounds = Rect(x: 0, y: 0, width: 8, height: 8)
    Transaction.withoutActions { root.addSublayer(child) }
    var animation = BasicAnimation(.position, from: Point(x: 0, y: 0), to: Point(x: 60, y: 40))
    animation.duration = .milliseconds(700)
    animation.repeatCount = .infinity
    child.add(animation, forKey: "wander")
  }

  /// Runs until a frame is committed and not presented.
  private func stopAtPendingFlip() {
    var committed = 0
    let counting = engine.output.observe { if case .committed = $0 { committed += 1 } }
    let seen = frames
    for _ in 0..<100 where committed == 0 { run(.milliseconds(1)) }
    counting.invalidate()
    XCTAssertEqual(committed, 1)
    XCTAssertLessThanOrEqual(frames - seen, 1)
  }

  func end() {
    link?.invalidate()
    engine.invalidate()
    shown = nil
  }

  /// Tries every moment on two kinds of drivers; in a short run some moments, others for each seed.
  ///
  /// - Parameter waiting: the display's state meanwhile; nil if it is back at once.
  static func all(
    hearsEvents: Bool = true, waiting: DisplayState.Absence?,
    trouble: @escaping @MainActor (Troubled) -> Void, mend: @escaping @MainActor (Troubled) -> Void
  ) throws {
    // Every pair of moment, interface and vblanks.
    for (index, moment) in some(3, of: Array(Moment.allCases.enumerated())) {
      for isAtomic in [true, false] {
        let hasVBlanks = (index % 2 == 0) == isAtomic
        let name = "\(moment), atomic \(isAtomic), vblanks \(hasVBlanks)"
        let stage = try Troubled(moment, isAtomic: isAtomic, hasVBlanks: hasVBlanks, hearsEvents: hearsEvents)
        stage.go(name, waiting: waiting, trouble: trouble, mend: mend)
        try stage.expectTheSceneToGoOn(name)
        XCTAssertEqual(try stage.card.shownCursor(of: "HDMI-A-1")?.x, 11, name)
        stage.end()
        XCTAssertFalse(stage.card.hasMaster, name)
        XCTAssertEqual(stage.card.holdings, SimulatedCard.Holdings(), name)
        // A replaced screen does not show the old one's picture.
        if waiting != nil { XCTAssertEqual(stage.card.screens, stage.stage.before, name) }
      }
    }
  }

  private func go(
    _ name: String, waiting: DisplayState.Absence?, trouble: @escaping @MainActor (Troubled) -> Void,
    mend: @escaping @MainActor (Troubled) -> Void
  ) {
    turn(trouble)
    // A scene at rest makes no calls, and so notices nothing by itself.
    if waiting != nil, moment == .idle || moment == .modeSetPending, display.state == .showing {
      turn { $0.root.backgroundColor = .black }
    }
    run(.seconds(3))
    if let waiting {
      XCTAssertEqual(display.state, .waiting(waiting), name)
      XCTAssertEqual(states, [.waiting(waiting)], name)
    }
    let (calls, seen, ticked) = (card.callCount, frames, ticks.count)
    run(.seconds(5))
    if waiting != nil {
      XCTAssertEqual(frames, seen, "\(name): a frame was seen on a screen that is away")
      XCTAssertLessThan(card.callCount - calls, 150, "\(name): the card is asked and asked")
      if moment != .idle {
        XCTAssertEqual(Double(ticks.count - ticked), 300, accuracy: 3, "\(name): the links do not go on")
      }
    }
    turn(mend)
    run(.seconds(7))
    XCTAssertEqual(display.state, .showing, "\(name): \(states), \(display.lastError.map { "\($0)" } ?? "")")
  }

  private func expectTheSceneToGoOn(_ name: String) throws {
    for (first, second) in zip(ticks, ticks.dropFirst()) {
      XCTAssertLessThan(first.timestamp, second.timestamp, name)
      XCTAssertLessThan(first.frameNumber, second.frameNumber, name)
    }
    let (seen, ticked) = (frames, ticks.count)
    run(.seconds(2))
    let expected = 2 * display.ticker.refreshRate.hertz
    if moment == .animating || moment == .flipPending {
      XCTAssertEqual(Double(frames - seen), expected, accuracy: 3, "\(name): the animation does not go on")
    }
    if moment != .idle { XCTAssertEqual(Double(ticks.count - ticked), expected, accuracy: 3, name) }
    turn { stage in Transaction.withoutActions { stage.root.backgroundColor = Color(red: 1, green: 0, blue: 0) } }
    run(.milliseconds(100))
    let image = try XCTUnwrap(try card.copyShownImage(of: "HDMI-A-1"), "\(name): the screen is off")
    XCTAssertEqual(image.width, display.mode.width, name)
    // A corner that no animation reaches.
    let pixel = image.pixel(image.width - 1, image.height - 1)
    XCTAssertEqual(pixel & 0xFF_FFFF, 0xFF_0000, "\(name): the screen does not show the scene")
  }
}
