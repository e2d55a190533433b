import Framepace
import KMSTesting
import TestLength
import XCTest

@testable import KMS

/// The pointer's picture on simulated cards: where input says, and only while it is to be seen.
@preconcurrency @MainActor final class PointerTests: XCTestCase {
  private static let mouse = InputDevice(id: InputDevice.ID(rawValue: 1), name: "mouse", abilities: .pointer)
  private static let panel = InputDevice(id: InputDevice.ID(rawValue: 2), name: "panel", abilities: .touch)

  @MainActor
  private struct Stage {
    let stage = CardStage()
    let display: KMSDisplay
    let engine: Engine
    let root = Layer()
    var router: InputRouter { engine.inputRouter }

    init(scale: Double = 1, rotation: DisplayRotation = .none) throws {
      display = try stage.openDisplay()
      display.rotation = rotation
      engine = Engine(display: display, root: root, scale: scale, loop: stage.loop)
      root.backgroundColor = .black
      run()
    }

    func run() { stage.run(for: .milliseconds(100)) }

    func send(_ actions: InputEvent.Action..., from device: InputDevice = PointerTests.mouse) {
      for action in actions {
        router.receive(InputEvent(time: stage.clock.now, device: device.id, action: action))
      }
      run()
    }

    var cursor: SimulatedCard.ShownCursor? { try? stage.card.shownCursor(of: "HDMI-A-1") }

    func end(_ place: String = "") {
      engine.invalidate()
      stage.expectNothingLeft(place)
    }
  }

  /// A picture of which one pixel is marked: its hot spot.
  private static func mark() throws -> Cursor {
    let bitmap = try Bitmap(width: 5, height: 3)
    bitmap.row(1).storeBytes(of: 0xFFFF_0000, toByteOffset: 4 * 3, as: UInt32.self)
    return Cursor(image: bitmap.freeze(), hotSpot: Point(3, 1))
  }

  /// The first pixel of a colour.
  private static func place(of colour: UInt32, in image: Image) -> (x: Int, y: Int)? {
    for y in 0..<image.height {
      for x in 0..<image.width where image.pixel(x, y) & 0xFF_FFFF == colour { return (x, y) }
    }
    return nil
  }

  /// However the screen is mounted, the hot spot lies on the panel's pixel of the layer that the pointer is over.
  func testItLiesOverTheLayerThatIsHit() throws {
    var random = SplitMix64(seed: UInt64(runSeed))
    for rotation in DisplayRotation.allCases {
      for (scale, isAbsolute) in [(1.0, false), (1, true), (2, false), (2, true)] {
        let place = "turned by \(rotation.rawValue), scale \(scale), absolute \(isAbsolute), FRAMEPACE_SEED=\(runSeed)"
        let stage = try Stage(scale: scale, rotation: rotation)
        stage.engine.pointerPicture = .cursor(try Self.mark())
        stage.send(.added(Self.mouse))
        XCTAssertNil(stage.cursor, place)
        let pixel = Layer(frame: Rect(x: 0, y: 0, width: 1 / scale, height: 1 / scale))
        pixel.backgroundColor = .white
        stage.root.addSublayer(pixel)
        for _ in 0..<8 {
          let size = stage.display.geometry.pictureSize
          let (x, y) = (
            Double(Int.random(in: 0..<size.width, using: &random)), Double(Int.random(in: 0..<size.height, using: &random))
          )
          Transaction.withoutActions { pixel.frame.origin = Point(x / scale, y / scale) }
          stage.run()
          let shown = try XCTUnwrap(try stage.stage.card.copyShownImage(of: "HDMI-A-1"))
          let onPanel = try XCTUnwrap(Self.place(of: 0xFF_FFFF, in: shown), place)
          if isAbsolute {
            let part = Point(
              (Double(onPanel.x) + 0.5) / Double(shown.width), (Double(onPanel.y) + 0.5) / Double(shown.height))
            stage.send(.position(part))
          } else {
            let from = stage.router.visiblePointer ?? Point(stage.root.bounds.midX, stage.root.bounds.midY)
            stage.send(.motion(Point((x + 0.5) / scale - from.x, (y + 0.5) / scale - from.y)))
          }
          let cursor = try XCTUnwrap(stage.cursor, place)
          let mark = try XCTUnwrap(Self.place(of: 0xFF_0000, in: cursor.image), place)
          XCTAssertEqual([cursor.x + mark.x, cursor.y + mark.y], [onPanel.x, onPanel.y], place)
        }
        stage.end(place)
      }
    }
  }

  /// A device that only claims to be a pointer shows none; the first movement does, a finger hides it, and so does the mouse's end.
  func testItIsSeenWhileAPointerIsUsed() throws {
    let stage = try Stage()
    stage.send(.added(Self.mouse))
    stage.send(.added(Self.panel), from: Self.panel)
    XCTAssertNil(stage.cursor)
    stage.send(.motion(Point(1, 1)))
    // The arrow's tip is black within, white at its edge.
    let arrow = try XCTUnwrap(stage.cursor).image
    XCTAssertEqual([arrow.pixel(2, 6), arrow.pixel(0, 6), arrow.pixel(20, 2)], [0xFF00_0000, 0xFFFF_FFFF, 0])
    stage.send(.touch(finger: 0, .down(Point(0.5, 0.5))), from: Self.panel)
    XCTAssertNil(stage.cursor)
    stage.send(.motion(Point(1, 1)))
    XCTAssertNotNil(stage.cursor)
    stage.engine.pointerPicture = .hidden
    stage.run()
    XCTAssertNil(stage.cursor)
    stage.engine.pointerPicture = .arrow
    stage.run()
    XCTAssertNotNil(stage.cursor)
    stage.send(.removed)
    XCTAssertNil(stage.cursor)
    stage.end()
  }

  /// A pointer that rests is hidden after three seconds, or never if the program wants that; the next movement shows it where it is.
  func testAPointerThatRestsIsHidden() throws {
    let stage = try Stage()
    stage.send(.added(Self.mouse))
    stage.send(.motion(Point(1, 1)))
    let place = try XCTUnwrap(stage.cursor)
    stage.stage.run(for: .milliseconds(2700))
    XCTAssertNotNil(stage.cursor)
    stage.stage.run(for: .milliseconds(500))
    XCTAssertNil(stage.cursor)
    XCTAssertNotNil(stage.router.visiblePointer)
    stage.send(.motion(Point(1, 0)))
    XCTAssertEqual(stage.cursor?.x, place.x + 1)
    // A new picture of one that rests is not seen. What is clicked or scrolled is, and what is held down stays.
    stage.stage.run(for: .seconds(4))
    stage.engine.pointerPicture = .cursor(try Self.mark())
    XCTAssertNil(stage.cursor)
    stage.send(.scroll(.wheel(Point(0, 15))))
    XCTAssertNotNil(stage.cursor)
    stage.stage.run(for: .seconds(4))
    XCTAssertNil(stage.cursor)
    stage.send(.button(.leftButton, isDown: true))
    stage.stage.run(for: .seconds(4))
    XCTAssertNotNil(stage.cursor)
    stage.send(.button(.leftButton, isDown: false))
    stage.stage.run(for: .seconds(4))
    XCTAssertNil(stage.cursor)
    // A movement against the edge of the screen leaves the pointer where it is.
    stage.send(.motion(Point(-1000, 0)))
    stage.stage.run(for: .seconds(4))
    stage.send(.motion(Point(-1000, 0)))
    XCTAssertNotNil(stage.cursor)
    stage.engine.pointerHideDelay = nil
    stage.stage.run(for: .seconds(100))
    XCTAssertNotNil(stage.cursor)
    stage.engine.pointerHideDelay = .milliseconds(500)
    stage.stage.run(for: .seconds(1))
    XCTAssertNil(stage.cursor)
    stage.end()
  }

  /// The picture of a program that moves it by itself is left alone where no pointer moves.
  func testAProgramsOwnPictureStays() throws {
    let stage = try Stage()
    stage.display.cursor = try Self.mark()
    stage.send(.added(Self.panel), .touch(finger: 0, .down(Point(0.5, 0.5))), .touch(finger: 0, .up), from: Self.panel)
    stage.display.rotation = .half
    stage.run()
    XCTAssertNotNil(stage.cursor)
    stage.end()
  }

  /// It goes from a screen to the next one, and is seen on one at a time; with an output that is removed it goes too.
  func testItGoesFromScreenToScreen() throws {
    let stage = try Stage()
    let card = SimulatedCard(
      connectors: [.init("DP-1", modes: [.simulated(80, 60, hertz: 50)])], path: "/dev/dri/card1",
      clock: .manual(stage.stage.clock))
    let vblanks = SimulatedVBlanks(of: card, on: stage.stage.loop)
    let second = try KMSCard(device: try card.open()).display(clock: .manual(stage.stage.clock))
    let output = stage.engine.addOutput(display: second, root: Layer(), scale: 2)
    stage.engine.pointerPicture = .cursor(try Self.mark())
    stage.send(.added(Self.mouse), .motion(Point(1, 1)))
    XCTAssertNotNil(stage.cursor)
    XCTAssertNil(try card.shownCursor(of: "DP-1"))
    // The first screen is 64 points wide: 10 points beyond are 20 pixels of the second one.
    let from = try XCTUnwrap(stage.router.visiblePointer)
    stage.send(.motion(Point(74.25 - from.x, 10.25 - from.y)))
    XCTAssertNil(stage.cursor)
    let shown = try XCTUnwrap(try card.shownCursor(of: "DP-1"))
    XCTAssertEqual([shown.x + 3, shown.y + 1], [20, 20])
    stage.engine.remove(output)
    stage.send(.motion(Point(-1, 0)))
    XCTAssertNotNil(stage.cursor)
    stage.end()
    vblanks.invalidate()
  }
}
