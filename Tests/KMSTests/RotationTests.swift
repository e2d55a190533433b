import Framepace
import FramepaceTesting
import Glibc
import KMSTesting
import XCTest

@testable import KMS

/// A screen that is mounted sideways or upside down.
@preconcurrency @MainActor final class RotationTests: XCTestCase {
  /// Frames, cursor and copies are where they belong, whichever part turns the picture, and the console is back at the end.
  func testThePictureIsTurnedByThePlaneWhereItCan() throws {
    for rotation in [DisplayRotation.right, .half, .left] {
      // All is taken; only upside down; nothing is, as by the legacy calls.
      for (isAtomic, refused) in [(true, []), (true, [90, 270]), (false, [])] as [(Bool, Set<Int>)] {
        let place = "turned by \(rotation.rawValue), atomic \(isAtomic), refused \(refused)"
        let isByPlane = isAtomic && (refused.isEmpty || rotation == .half)
        let stage = CardStage(isAtomic: isAtomic)
        stage.card.refuseRotations(refused)
        let display = try stage.openDisplay()
        let root = Layer()
        root.backgroundColor = Color(hex: 0x20_40_60)
        let engine = Engine(display: display, root: root, loop: stage.loop)
        stage.run(for: .milliseconds(100))
        let modeSets = stage.card.callCount(of: .setCRTC)
        display.rotation = rotation
        if isAtomic { XCTAssertEqual(stage.card.callCount(of: .setCRTC), modeSets, "\(place): the console came back") }
        let geometry = DisplayGeometry(
          width: 64, height: 48, rotation: rotation, rotatedBy: isByPlane ? .plane : .compositor)
        XCTAssertEqual(display.geometry, geometry, place)
        let size = geometry.pictureSize
        XCTAssertEqual(root.bounds, Rect(x: 0, y: 0, width: Double(size.width), height: Double(size.height)), place)

        let child = Layer(frame: Rect(x: 3, y: 5, width: 8, height: 2))
        child.backgroundColor = .white
        root.addSublayer(child)
        let pointer = try Bitmap(width: 4, height: 2)
        pointer.row(0).storeBytes(of: 0xFFFF_0000, as: UInt32.self)
        display.cursor = Cursor(image: pointer.freeze(), hotSpot: Point(1, 1))
        for step in 0..<3 {
          Transaction.withoutActions { child.frame.origin.x = Double(3 + step) }
          display.cursorPosition = Point(Double(10 + step), 5)
          stage.run(for: .milliseconds(100))
          let panel = try XCTUnwrap(try stage.card.copyShownImage(of: "HDMI-A-1"))
          XCTAssertEqual(Self.pixels(of: try display.capture()), Self.pixels(of: panel), place)
          let upright = try Bitmap(width: size.width, height: size.height)
          for y in 0..<size.height {
            for x in 0..<size.width {
              let isChild = (3 + step..<11 + step).contains(x) && (5..<7).contains(y)
              upright.row(y).storeBytes(of: isChild ? 0xFF_FFFF : 0x20_4060, toByteOffset: 4 * x, as: UInt32.self)
            }
          }
          let picture = upright.freeze()
          XCTAssertEqual(Self.pixels(of: try picture.turned(rotation)), Self.pixels(of: panel), "\(place), step \(step)")
          // Read back from the memory that is scanned out, which a plane turns later.
          let copy = try ScreenCapture.image(of: nil, on: try XCTUnwrap(display.device)).get()
          XCTAssertEqual(Self.pixels(of: copy), Self.pixels(of: isByPlane ? picture : panel), place)

          let cursor = try XCTUnwrap(try stage.card.shownCursor(of: "HDMI-A-1"), place)
          let corner = try Bitmap(width: size.width, height: size.height)
          corner.row(4).storeBytes(of: 0xFFFF_0000, toByteOffset: 4 * (9 + step), as: UInt32.self)
          let (found, expected) = (Self.marked(cursor.image), Self.marked(try corner.freeze().turned(rotation)))
          XCTAssertEqual([cursor.x + found[0], cursor.y + found[1]], expected, place)
        }

        // While the screen is away the picture is not turned yet.
        display.isPowered = false
        display.rotation = .none
        XCTAssertEqual(display.geometry, geometry, place)
        display.isPowered = true
        XCTAssertEqual(display.geometry, DisplayGeometry(width: 64, height: 48), place)
        display.rotation = rotation
        stage.run(for: .milliseconds(100))
        engine.invalidate()
        stage.expectNothingLeft(place)
      }
    }
  }

  /// The driver refuses to turn the plane back: the picture comes back all the same.
  func testARefusedTurnBackKeepsNoPictureAway() throws {
    let stage = CardStage()
    let display = try stage.openDisplay()
    display.rotation = .half
    XCTAssertNotNil(try stage.show(0x12_34_56, on: display))
    XCTAssertTrue(stage.card.screens.contains("rotation 4"), stage.card.screens)
    stage.card.fail(.commit, errno: EBUSY)
    display.invalidate()
    XCTAssertEqual(stage.card.screens.replacing("rotation 4", with: "rotation 1"), stage.before)
  }

  /// The colours of an image, row by row.
  private static func pixels(of image: Image) -> [[UInt32]] {
    (0..<image.height).map { y in (0..<image.width).map { image.pixel($0, y) & 0xFF_FFFF } }
  }

  /// The place of the red pixel.
  private static func marked(_ image: Image) -> [Int] {
    for y in 0..<image.height { for x in 0..<image.width where image.pixel(x, y) == 0xFFFF_0000 { return [x, y] } }
    return []
  }
}
