import Framepace
import XCTest

@testable import KMS

/// The wish for a cursor and the driver's answers, as a value without a card.
final class CursorPlaneTests: XCTestCase {
  private let panel = DisplayGeometry(width: 64, height: 48)

  func testAnswersToTheWish() throws {
    var plane = CursorPlane()
    let (first, second) = (Cursor(image: try arrow(1)), Cursor(image: try arrow(2)))
    let refusal = FeatureRefusal.noCursorPlane(connector: "DP-1")
    XCTAssertNil(plane.show(first, at: .zero, on: panel) { _ in nil })
    XCTAssertTrue(plane.isDue)
    plane.tell()
    XCTAssertFalse(plane.isDue)
    // Want of memory counts until the cursor is shown, or back where it was.
    XCTAssertNil(plane.show(first, at: Point(1, 1), on: panel) { _ in nil })
    XCTAssertFalse(plane.lackMemory())
    XCTAssertNil(plane.show(first, at: .zero, on: panel) { _ in nil })
    XCTAssertNil(plane.show(first, at: Point(2, 2), on: panel) { _ in nil })
    XCTAssertFalse(plane.lackMemory())
    XCTAssertTrue(plane.lackMemory())
    // A refused image is not asked about again, and hides what was shown.
    XCTAssertTrue(plane.refuse(refusal))
    XCTAssertTrue(plane.isDue)
    XCTAssertNil(plane.show(first, at: .zero, on: panel) { _ in refusal })
    XCTAssertEqual(plane.state, .refused(refusal))
    XCTAssertEqual(plane.show(second, at: .zero, on: panel) { _ in refusal }, refusal)
    plane.tell()
    // Hiding is never refused.
    XCTAssertNil(plane.show(nil, at: .zero, on: panel) { _ in nil })
    XCTAssertFalse(plane.refuse(refusal))
    XCTAssertEqual(plane.state, .off)
  }

  func testThePlaceOfTheImage() throws {
    let cursor = Cursor(image: try arrow(1), hotSpot: Point(2, 3))
    func place(_ position: Point) -> [Int32] {
      let look = CursorPlane.Look(cursor, at: position, on: panel)
      return [look.x, look.y]
    }
    XCTAssertEqual(place(Point(10, 10)), [8, 7])
    XCTAssertEqual(place(Point(0, 0)), [-2, -3])
    XCTAssertEqual(place(Point(.nan, .infinity)), [-2, -3])
    XCTAssertEqual(place(Point(1e300, -1e300)), [999_998, -1_000_003])
  }
}
