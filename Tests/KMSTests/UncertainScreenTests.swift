import FramepaceTesting
import Geometry
import KMSTesting
import LinuxSystem
import Presentation
import RunLoops
import XCTest

@testable import KMS

/// A connector whose driver cannot tell whether a screen is connected: it is shown on, and goes on being shown on.
final class UncertainScreenTests: XCTestCase {
  func testItStaysWhateverIsAsked() throws {
    try onMain {
      for (isAtomic, showsConsole) in [(true, true), (true, false), (false, true), (false, false)] {
        let place = "atomic \(isAtomic), console \(showsConsole)"
        let stage = CardStage(connectors: [.absent, .uncertain], showsConsole: showsConsole, isAtomic: isAtomic)
        // Nobody tells of anything: it is asked every 5 s.
        let access = CardAccess(open: { () throws(KMSError) in throw .noDevice }, checkInterval: .seconds(5))
        let card = KMSCard(device: try stage.card.open(), access: access)
        let display = try card.display(clock: stage.loop.clock)
        XCTAssertEqual(display.connectorName, "VGA-1", place)
        display.add(to: stage.loop, mode: .default)
        var states: [DisplayState] = []
        display.observe { if case .stateChanged(let state) = $0 { states.append(state) } }.keep()
        XCTAssertNotNil(try stage.show(1, in: .all, on: display), place)
        let asked = stage.card.callCount(of: .connector)
        card.lookForScreens()
        stage.run(for: .seconds(16))
        XCTAssertEqual(
          stage.card.callCount(of: .connector), asked + 4, "\(place): asked once a time, and no other connector")
        XCTAssertEqual(states, [], place)
        XCTAssertNotNil(try stage.show(2, in: .all, on: display), place)
        // The driver has no modes for it any more: now there is nothing to show.
        stage.card.setModes([], of: "VGA-1")
        card.lookForScreens()
        XCTAssertEqual(states, [.waiting(.unplugged)], place)
        stage.card.setModes([.simulated(64, 48)], of: "VGA-1")
        card.lookForScreens()
        XCTAssertEqual(display.state, .showing, place)
        display.invalidate()
      }
    }
  }

  /// Beside a screen that is connected for sure it is taken by name, and not by chance.
  func testItIsTakenByNameBesideOthers() throws {
    try onMain {
      let stage = CardStage(connectors: [.uncertain, .init("DP-1", modes: [.simulated(64, 48)])])
      let card = try stage.open()
      let others = try card.displays(clock: stage.loop.clock).displays
      XCTAssertEqual(others.map(\.connectorName), ["DP-1"])
      let display = try card.display(connector: "VGA-1", clock: stage.loop.clock)
      display.add(to: stage.loop, mode: .default)
      XCTAssertNotNil(try stage.show(1, in: .all, on: display))
      card.lookForScreens()
      stage.run(for: .milliseconds(100))
      XCTAssertEqual(display.state, .showing)
      XCTAssertNil(display.lastError)
      for display in others + [display] { display.invalidate() }
    }
  }
}

extension SimulatedCard.Connector {
  fileprivate static var absent: Self { Self("DP-1", modes: [.simulated(64, 48)], isConnected: false) }

  fileprivate static var uncertain: Self { Self("VGA-1", modes: [.simulated(64, 48)], isUncertain: true) }
}

extension IntRect {
  fileprivate static var all: IntRect { IntRect(x: 0, y: 0, width: 64, height: 48) }
}
