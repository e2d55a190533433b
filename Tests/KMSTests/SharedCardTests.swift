import FramepaceTesting
import Glibc
import KMSTesting
import LinuxSystem
import Presentation
import RunLoops
import Seats
import XCTest

@testable import KMS

/// A program's displays on the machine's cards, each asked for by itself: a card is opened once.
final class SharedCardTests: XCTestCase {
  /// Two calls, two screens of one card; the third one takes the other card's.
  func testDisplaysOfACardShareIt() throws {
    try onMain {
      let machine = try Machine()
      let displays = try [nil, nil, nil].map { (_: Int?) in try machine.display() }
      XCTAssertEqual(displays.map(\.connectorName), ["DP-1", "DP-2", "HDMI-A-1"])
      XCTAssertTrue(displays[0].card === displays[1].card)
      XCTAssertEqual(machine.cards.map(\.openCount), [1, 1])
      XCTAssertThrowsError(try machine.display("DP-2")) { error in
        let path = machine.cards[1].path
        XCTAssertEqual(
          error as? KMSError,
          .noUsableDevice([
            .inUse(connector: "DP-2"), .noConnector(path: path, name: "DP-2", available: ["HDMI-A-1 connected"]),
          ]))
      }
      machine.expectEachAtItsRate(displays, hertz: [60, 75, 50])
      // The card is somebody else's when its last display is gone, and not before.
      displays[0].invalidate()
      XCTAssertTrue(machine.cards[0].hasMaster)
      XCTAssertEqual(try machine.display().connectorName, "DP-1")
      machine.expectEachAtItsRate([displays[1]], hertz: [75])
      for display in displays { display.invalidate() }
      XCTAssertEqual(machine.cards.map(\.hasMaster), [false, false])
    }
  }

  /// All screens of all cards; and a second call finds them taken.
  func testAllDisplaysOfAllCards() throws {
    try onMain {
      let machine = try Machine()
      let before = machine.cards.map(\.screens)
      let (displays, refused) = try machine.all()
      XCTAssertEqual(displays.map(\.connectorName), ["DP-1", "DP-2", "HDMI-A-1"])
      XCTAssertEqual(refused, [])
      XCTAssertThrowsError(try machine.all()) {
        XCTAssertEqual($0 as? KMSError, .noUsableDevice([.inUse(connector: "DP-1"), .inUse(connector: "HDMI-A-1")]))
      }
      XCTAssertEqual(machine.cards.map(\.openCount), [1, 1])
      machine.expectEachAtItsRate(displays, hertz: [60, 75, 50])
      for display in displays { display.invalidate() }
      XCTAssertEqual(machine.cards.map(\.screens), before)
      XCTAssertEqual(machine.cards.map(\.holdings), [.init(), .init()])
    }
  }

  /// Who opens a card twice all the same is told what to do, and has it when the first is done.
  func testACardThatIsOpenedTwiceSaysSo() throws {
    try onMain {
      let stage = CardStage(connectors: ["DP-1", "DP-2"].map { .init($0, modes: [.simulated(64, 48)]) })
      let display = try stage.open().display(clock: stage.loop.clock)
      let second = try stage.open()
      XCTAssertThrowsError(try second.display(clock: stage.loop.clock)) { error in
        XCTAssertEqual(error as? KMSError, .openTwice(path: "/dev/dri/card0"))
        XCTAssertEqual(
          "\(error)",
          "/dev/dri/card0 is in use by this program already: make all displays of a card from one KMSCard or DisplaySession")
      }
      display.invalidate()
      let next = try second.display(clock: stage.loop.clock)
      // Another program's is another matter.
      try next.device?.dropMaster()
      let other = try stage.card.open()
      XCTAssertTrue(other.isMaster)
      XCTAssertThrowsError(try second.display(connector: "DP-2", clock: stage.loop.clock)) {
        XCTAssertEqual($0 as? KMSError, .notMaster(path: "/dev/dri/card0"))
      }
      next.invalidate()
    }
  }

  func testDisplaysWithoutASessionShareOne() {
    onMain {
      weak var old: DisplaySession?
      do {
        let session = DisplaySession.unnamed
        XCTAssertTrue(session === DisplaySession.unnamed)
        old = session
      }
      XCTAssertNil(old, "a session that nobody uses is kept")
    }
  }
}

/// A machine with two cards, of two screens and of one.
@MainActor
private final class Machine {
  let clock = ManualClock(start: MonotonicTime(nanoseconds: 1_000_000_000_000))
  let loop: FrameLoop
  let cards: [SimulatedCard]
  private let folder: String
  private let session: DisplaySession
  private let vblanks: [SimulatedVBlanks]

  init() throws {
    var template = Array("/tmp/framepace-cards-XXXXXX".utf8CString)
    let made = try XCTUnwrap(mkdtemp(&template))
    let folder = String(cString: made)
    self.folder = folder
    let clock = SystemClock.manual(clock)
    let connectors: [[SimulatedCard.Connector]] = [
      [.init("DP-1", modes: [.simulated(64, 48)]), .init("DP-2", modes: [.simulated(80, 60, hertz: 75)])],
      [.init("HDMI-A-1", modes: [.simulated(32, 24, hertz: 50)])],
    ]
    let cards = connectors.enumerated().map { number, connectors in
      SimulatedCard(connectors: connectors, path: "\(folder)/card\(number)", clock: clock)
    }
    for card in cards { XCTAssertEqual(close(creat(card.path, 0o600)), 0) }
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

  isolated deinit {
    for card in cards { unlink(card.path) }
    rmdir(folder)
  }

  func display(_ connector: String? = nil) throws -> KMSDisplay {
    try Displays.kms(connector: connector, session: session, clock: loop.clock, folder: folder)
  }

  func all() throws -> (displays: [KMSDisplay], refused: [KMSError]) {
    try Displays.all(session: session, clock: loop.clock, folder: folder)
  }

  /// Frames at each tick of each display's own link, for two seconds.
  func expectEachAtItsRate(_ displays: [KMSDisplay], hertz: [Int], line: UInt = #line) {
    let runs = displays.map { FlipRun($0, on: loop) }
    let end = clock.now + .seconds(2)
    while clock.now < end { loop.run(mode: .default, until: end) }
    for (run, rate) in zip(runs, hertz) {
      XCTAssertNil(run.error, "\(run.error.map { "\($0)" } ?? "")", line: line)
      XCTAssertEqual(run.ticks, 2 * rate, accuracy: 1, run.display.name, line: line)
      XCTAssertEqual(run.feedback.count, 2 * rate, accuracy: 3, run.display.name, line: line)
      run.pause()
    }
  }
}
