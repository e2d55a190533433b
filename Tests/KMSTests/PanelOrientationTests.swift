import Framepace
import KMSTesting
import XCTest

@testable import KMS

/// Panels that are mounted another way, which the kernel knows of many tablets.
@preconcurrency @MainActor final class PanelOrientationTests: XCTestCase {
  /// The picture stands upright, and a finger at a corner of the mounted panel finds the layer that is seen there. With the left side up the
  /// panel's own left upper corner is at the right, above.
  func testThePictureStandsUprightAndFingersFindIt() throws {
    let cases: [(orientation: UInt64?, rotation: DisplayRotation, corner: Point)] = [
      (nil, .none, Point(0, 0)), (0, .none, Point(0, 0)), (1, .half, Point(1, 1)), (2, .left, Point(1, 0)),
      (3, .right, Point(0, 1)), (7, .none, Point(0, 0)),
    ]
    for (orientation, rotation, corner) in cases {
      let place = "\(orientation.map { "\($0)" } ?? "not told")"
      let stage = CardStage(
        connectors: [.init("DSI-1", modes: [.simulated(80, 60)], panelOrientation: orientation)])
      let display = try stage.openDisplay()
      XCTAssertEqual(display.rotation, rotation, place)
      let engine = Engine(display: display, root: Layer(), loop: stage.loop)
      let sideways = rotation == .left || rotation == .right
      XCTAssertEqual(engine.root.bounds.size, sideways ? Size(60, 80) : Size(80, 60), place)
      var touched: Point?
      engine.root.addGestureRecognizer(
        LongPressGestureRecognizer(LongPressMachine()) { touched = $0.location })
      let finger = InputDevice(id: InputDevice.ID(rawValue: 1), name: "finger", abilities: .touch)
      for action in [.added(finger), .touch(finger: 0, .down(Point(0.01, 0.01)))] as [InputEvent.Action] {
        engine.inputRouter.receive(InputEvent(time: stage.clock.now, device: finger.id, action: action))
      }
      stage.run(for: .seconds(1))
      let seen = try XCTUnwrap(touched, place)
      let size = engine.root.bounds.size
      XCTAssertEqual(seen.x, corner.x * size.width, accuracy: 1, place)
      XCTAssertEqual(seen.y, corner.y * size.height, accuracy: 1, place)
      // The program's own choice stays, also when the screen comes back.
      display.rotation = .none
      stage.card.setConnected(false, "DSI-1")
      stage.run(for: .seconds(20))
      stage.card.setConnected(true, "DSI-1")
      stage.run(for: .seconds(20))
      XCTAssertEqual(display.geometry.rotation, .none, place)
      XCTAssertEqual(engine.root.bounds.size, Size(80, 60), place)
      engine.invalidate()
      stage.expectNothingLeft(place)
    }
  }

  /// A display that takes another connector, as one of another dock, is turned as its panel is, unless the program has chosen.
  func testAnotherPanelHasItsOwnTurn() throws {
    for isAtomic in [true, false] {
      for chosen in [nil, DisplayRotation.none, .half, .left] {
        let place = "atomic \(isAtomic), chosen \(chosen.map { "\($0)" } ?? "nothing")"
        let stage = CardStage(
          connectors: [
            .init("DSI-1", modes: [.simulated(80, 60)], panelOrientation: 2),
            .init("DP-1", modes: [.simulated(80, 60)], isConnected: false, panelOrientation: 1),
            .init("DP-2", modes: [.simulated(80, 60)], isConnected: false),
          ], showsConsole: false, isAtomic: isAtomic)
        let display = try stage.openDisplay()
        let engine = Engine(display: display, root: Layer(), loop: stage.loop)
        XCTAssertEqual(display.rotation, .left, place)
        if let chosen { display.rotation = chosen }
        var last = "DSI-1"
        for (connector, upright) in [("DP-1", DisplayRotation.half), ("DP-2", .none)] {
          stage.run(for: .seconds(1))
          stage.card.removeConnector(last)
          display.card.lookForScreens()
          stage.run(for: .seconds(1))
          stage.card.setConnected(true, connector)
          display.card.lookForScreens()
          stage.run(for: .seconds(20))
          XCTAssertEqual(display.state, .showing, place)
          XCTAssertEqual(display.connectorName, connector, place)
          XCTAssertEqual(display.rotation, chosen ?? upright, "\(place), \(connector)")
          XCTAssertEqual(display.geometry.rotation, chosen ?? upright, "\(place), \(connector)")
          let isSideways = chosen == .left
          XCTAssertEqual(engine.root.bounds.size, isSideways ? Size(60, 80) : Size(80, 60), "\(place), \(connector)")
          last = connector
        }
        engine.invalidate()
        XCTAssertEqual(stage.card.holdings, SimulatedCard.Holdings(), place)
      }
    }
  }
}
