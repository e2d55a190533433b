import Framepace
import FramepaceTesting
import Glibc
import KMSTesting
import Seats
import XCTest

@testable import KMS

/// A program's displays on the machine's cards, each opened by itself: a card is opened once.
@preconcurrency @MainActor final class SharedCardTests: XCTestCase {
  /// Two calls, two screens of one card; the third one takes the other card's. One call takes all that is free.
  func testDisplaysOfACardShareIt() throws {
    let machine = try Machine()
    let before = machine.cards.map(\.screens)
    for isAtOnce in [false, true] {
      let displays = isAtOnce ? try machine.all().displays : try (0..<3).map { _ in try machine.display() }
      XCTAssertEqual(displays.map(\.connectorName), ["DP-1", "DP-2", "HDMI-A-1"])
      XCTAssertTrue(displays[0].card === displays[1].card)
      XCTAssertEqual(machine.cards.map(\.openCount), [1, 1])
      XCTAssertThrowsError(try machine.display("DP-2")) {
        XCTAssertEqual($0 as? KMSError, .inUse(connector: "DP-2"))
      }
      XCTAssertThrowsError(try machine.all()) {
        XCTAssertEqual($0 as? KMSError, .noUsableDevice([.inUse(connector: "DP-1"), .inUse(connector: "HDMI-A-1")]))
      }
      machine.expectEachAtItsRate(displays, hertz: [60, 75, 50])
      // Master is dropped with the card's last display.
      displays[0].invalidate()
      XCTAssertTrue(machine.cards[0].hasMaster)
      XCTAssertEqual(try machine.display().connectorName, "DP-1")
      machine.expectEachAtItsRate([displays[1]], hertz: [75])
      for display in displays { display.invalidate() }
      XCTAssertEqual(machine.cards.map(\.hasMaster), [false, false])
      XCTAssertEqual(machine.cards.map(\.screens), before)
      XCTAssertEqual(machine.cards.map(\.holdings), [.init(), .init()])
    }
  }

  /// Opening a card twice is an error of its own; the second one works after the first has ended.
  func testACardThatIsOpenedTwiceSaysSo() throws {
    let stage = CardStage(connectors: ["DP-1", "DP-2"].map { .init($0, modes: [.simulated(64, 48)]) })
    let display = try stage.open().display(clock: stage.loop.clock)
    let second = try stage.open()
    XCTAssertThrowsError(try second.display(clock: stage.loop.clock)) {
      XCTAssertEqual($0 as? KMSError, .openTwice(path: "/dev/dri/card0"))
    }
    display.invalidate()
    let next = try second.display(clock: stage.loop.clock)
    // Another program as master is another error.
    try next.device?.dropMaster()
    let other = try stage.card.open()
    XCTAssertTrue(other.isMaster)
    XCTAssertThrowsError(try second.display(connector: "DP-2", clock: stage.loop.clock)) {
      XCTAssertEqual($0 as? KMSError, .notMaster(path: "/dev/dri/card0"))
    }
    next.invalidate()
  }

  /// A driver, or who writes to sysfs, need not say `HOTPLUG=1`. However many events come at once, screens are asked once.
  func testEveryChangeOfACardIsAReasonToAskItsScreens() throws {
    let machine = try Machine()
    let display = try machine.display()
    display.add(to: machine.loop, mode: .default)
    let probes = { machine.cards[0].callCount(of: .connector) }
    machine.turn()

    var before = probes()
    machine.change(card: 0, ["PROPERTY": "102", "HOTPLUG": "1"])
    machine.change(card: 1)
    machine.turn()
    XCTAssertEqual(probes(), before, "asked for what is no news of its connectors")

    machine.change(card: 0)
    machine.turn()
    // Its own; the card's other connector is nobody's.
    XCTAssertEqual(probes() - before, 1)
    XCTAssertEqual(display.state, .showing)

    before = probes()
    for _ in 0..<5 { machine.change(card: 0, ["HOTPLUG": "1"]) }
    machine.turn()
    XCTAssertEqual(probes() - before, 1)

    let other = try machine.display("DP-2")
    other.add(to: machine.loop, mode: .default)
    // Another screen each.
    machine.cards[0].setModes([.simulated(80, 48)], of: "DP-1")
    machine.cards[0].setModes([.simulated(64, 60)], of: "DP-2")
    machine.change(card: 0)
    machine.turn()
    XCTAssertEqual([display.mode.width, other.mode.height], [80, 60])
    display.invalidate()
    other.invalidate()
  }

  /// A handler of one event may report the next: earlier answers of screens do not count for it.
  func testAnEventWithinAnotherIsAReasonToAskAgain() throws {
    let machine = try Machine()
    let display = try machine.display("DP-1")
    var states: [DisplayState] = []
    display.observe { [unowned display] event in
      guard case .stateChanged(let state) = event else { return }
      states.append(state)
      guard state == .waiting(.unplugged) else { return }
      machine.cards[0].setConnected(true, "DP-1")
      display.card.lookForScreens()
    }.keep()
    machine.cards[0].setConnected(false, "DP-1")
    display.card.lookForScreens()
    XCTAssertEqual(states, [.waiting(.unplugged), .showing])
    display.invalidate()
  }

  /// Only one of several cards has the requested connector: its error is reported.
  func testTheCardOfANamedConnectorSaysWhyItIsNotUsed() throws {
    let machine = try Machine()
    let other = try machine.cards[0].open()
    XCTAssertTrue(other.isMaster)
    XCTAssertThrowsError(try machine.display("DP-2")) {
      XCTAssertEqual($0 as? KMSError, .notMaster(path: machine.cards[0].path))
    }
    let mode = ModeRequest(width: 13, height: 13)
    XCTAssertThrowsError(try machine.display("HDMI-A-1", mode: mode)) {
      XCTAssertEqual(
        $0 as? KMSError,
        .unknownMode(connector: "HDMI-A-1", mode: "13x13", available: ["32x24@50.00"]))
    }
    // Nobody has it: each card says what it has, as far as it lets itself be asked.
    XCTAssertThrowsError(try machine.display("DP-9")) {
      XCTAssertEqual(
        $0 as? KMSError,
        .noUsableDevice([
          .noConnector(path: machine.cards[0].path, name: "DP-9", available: ["DP-1 connected", "DP-2 connected"]),
          .noConnector(path: machine.cards[1].path, name: "DP-9", available: ["HDMI-A-1 connected"]),
        ]))
    }
  }

  /// A device that a seat has opened, and that turns out to be no card, is closed again; also if the session stays.
  func testADeviceThatIsNoCardIsNotKept() throws {
    let session = DisplaySession(seat: .direct(why: "a test"))
    let before = openDescriptors()
    for _ in 1...3 {
      XCTAssertThrowsError(try session.card(at: "/dev/null")) { error in
        guard case .device("/dev/null", _)? = error as? KMSError else { return XCTFail("\(error)") }
      }
      XCTAssertEqual(openDescriptors(), before)
    }
  }

  func testDisplaysWithoutASessionShareOne() {
    weak var old: DisplaySession?
    do {
      let session = DisplaySession.unnamed
      XCTAssertTrue(session === DisplaySession.unnamed)
      old = session
    }
    XCTAssertNil(old, "a session that nobody uses is kept")
  }
}

/// A machine with two cards, of two screens and of one.
@MainActor
private final class Machine {
  let clock = ManualClock(start: MonotonicTime(nanoseconds: 1_000_000_000_000))
  let loop: FrameLoop
  let cards: [SimulatedCard]
  private let folder: CardFolder
  private let session: DisplaySession
  private let vblanks: [SimulatedVBlanks]

  init() throws {
    let folder = try CardFolder(["card0", "card1"])
    self.folder = folder
    let clock = SystemClock.manual(clock)
    let connectors: [[SimulatedCard.Connector]] = [
      [.init("DP-1", modes: [.simulated(64, 48)]), .init("DP-2", modes: [.simulated(80, 60, hertz: 75)])],
      [.init("HDMI-A-1", modes: [.simulated(32, 24, hertz: 50)])],
    ]
    let cards = connectors.enumerated().map { number, connectors in
      SimulatedCard(connectors: connectors, path: "\(folder.path)/card\(number)", clock: clock)
    }
    let loop = FrameLoop(clock: clock)
    session = DisplaySession(
      seat: .direct(why: "a test"),
      opener: { path, allowsAtomic throws(KMSError) in
        guard let card = cards.first(where: { $0.path == path }) else { throw .noDevice }
        return try card.open(allowsAtomic: allowsAtomic)
      })
    vblanks = cards.map { SimulatedVBlanks(of: $0, on: loop) }
    (self.cards, self.loop) = (cards, loop)
  }

  func display(_ connector: String? = nil, mode: ModeRequest? = nil) throws -> KMSDisplay {
    try Displays.kms(connector: connector, mode: mode, session: session, clock: loop.clock, folder: folder.path)
  }

  /// An event of the kernel's.
  func change(card number: Int, _ properties: [String: String] = [:]) {
    session.happened(
      .changed(
        Device(
          syspath: "/sys/devices/test/drm/card\(number)", subsystem: "drm", node: cards[number].path,
          properties: properties)))
  }

  /// Runs everything that is due now.
  func turn() {
    for _ in 0..<4 { loop.run(mode: .default, until: clock.now, returnAfterSourceHandled: true) }
  }

  func all() throws -> (displays: [KMSDisplay], refused: [KMSError]) {
    try Displays.all(session: session, clock: loop.clock, folder: folder.path)
  }

  /// Frames at each tick of each display's own link, for two seconds.
  func expectEachAtItsRate(_ displays: [KMSDisplay], hertz: [Int], line: UInt = #line) {
    var (ticks, frames) = (hertz.map { _ in 0 }, hertz.map { _ in 0 })
    let links = displays.enumerated().map { index, display in
      display.add(to: loop, mode: .default)
      display.presenter.onEvent = { if case .presented = $0 { frames[index] += 1 } }
      let link = DisplayLink(ticker: display.ticker) { _ in
        ticks[index] += 1
        do { try display.present() } catch { XCTFail("\(error)", line: line) }
      }
      link.add(to: loop, mode: .default)
      do { try display.present() } catch { XCTFail("\(error)", line: line) }
      return link
    }
    let end = clock.now + .seconds(2)
    while clock.now < end { loop.run(mode: .default, until: end) }
    for (index, rate) in hertz.enumerated() {
      XCTAssertEqual(ticks[index], 2 * rate, accuracy: 1, displays[index].name, line: line)
      XCTAssertEqual(frames[index], 2 * rate, accuracy: 3, displays[index].name, line: line)
    }
    for link in links { link.invalidate() }
  }
}
