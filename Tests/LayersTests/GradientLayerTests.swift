import Geometry
import Layers
import LinuxSystem
import Raster
import RenderTree
import XCTest

@preconcurrency @MainActor final class GradientLayerTests: XCTestCase {
  private let (red, green, blue) = (Color(hex: 0xFF0000), Color(hex: 0x00FF00), Color(hex: 0x0000FF))

  private func content(_ stage: Stage) -> GradientContent? {
    stage.context.renderTree(at: stage.now).sides[1].content as? GradientContent
  }

  func testColorsWithoutLocationsAreSpreadEvenly() throws {
    let layer = GradientLayer(frame: Rect(x: 0, y: 0, width: 20, height: 10))
    let (stage, _) = Stage.showing(layer)
    XCTAssertNil(content(stage))
    // Past the animations that changes begin by themselves.
    layer.colors = [red, green, blue]
    stage.turn()
    stage.turn(after: 500)
    XCTAssertEqual(content(stage)?.course.stops.map(\.location), [0, 0.5, 1])
    XCTAssertEqual(content(stage)?.course.type, .axial)
    XCTAssertEqual(content(stage)?.course.end, Point(0.5, 1))
    layer.locations = [0.1, 0.2]
    stage.turn()
    stage.turn(after: 500)
    XCTAssertEqual(content(stage)?.course.stops.map(\.location), [0, 0.5, 1])
    (layer.locations, layer.type) = ([0.1, 0.2, 0.4], .conic)
    stage.turn()
    stage.turn(after: 500)
    XCTAssertEqual(content(stage)?.course.stops.map(\.location), [0.1, 0.2, 0.4])
    XCTAssertEqual(content(stage)?.course.type, .conic)
    layer.colors = []
    stage.turn()
    stage.turn(after: 500)
    XCTAssertNil(content(stage))
  }

  /// Other changes leave the content the same object, so that they damage no more than they must, and so do animations of others.
  func testTheContentStaysTheSameWhileTheGradientDoes() throws {
    let layer = GradientLayer(frame: Rect(x: 0, y: 0, width: 20, height: 10))
    layer.colors = [red, blue]
    let (stage, _) = Stage.showing(layer)
    let first = try XCTUnwrap(content(stage))
    layer.position.x += 5
    stage.turn()
    XCTAssertTrue(content(stage) === first)
    layer.add(BasicAnimation(.opacity, from: 0, to: 1, duration: .seconds(1)))
    stage.turn(after: 100)
    XCTAssertTrue(content(stage) === first)
    // Another layer with the same gradient has it too.
    let other = GradientLayer(frame: layer.frame)
    other.colors = [red, blue]
    stage.root.insertSublayer(other, at: 0)
    stage.turn()
    XCTAssertTrue(content(stage) === first)
  }

  func testColorsAndPointsAnimate() throws {
    let layer = GradientLayer(frame: Rect(x: 0, y: 0, width: 20, height: 10))
    layer.colors = [red, blue]
    let (stage, _) = Stage.showing(layer)
    layer.add(BasicAnimation(.colors, to: [blue, red], duration: .seconds(1), timingFunction: .linear))
    layer.add(BasicAnimation(.endPoint, to: Point(0.5, 3), duration: .seconds(1), timingFunction: .linear))
    layer.add(BasicAnimation(.locations, from: [0, 0.5], to: [0.5, 1], duration: .seconds(1), timingFunction: .linear))
    stage.turn()
    stage.turn(after: 500)
    let course = try XCTUnwrap(content(stage)).course
    let purple = Color(red: 0.5, green: 0, blue: 0.5)
    XCTAssertEqual(course.stops.map(\.color), [purple, purple])
    XCTAssertEqual(course.stops.map(\.location), [0.25, 0.75])
    XCTAssertEqual(course.end, Point(0.5, 2))
    stage.turn(after: 600)
    XCTAssertEqual(content(stage)?.course.stops.map(\.color), [red, blue])
  }

  func testListsOfOtherLengthsChangeAtOnce() {
    XCTAssertEqual([1.0, 2].mixed(with: [3, 6], fraction: 0.5), [2, 4])
    XCTAssertEqual([1.0, 2].mixed(with: [3], fraction: 0.1), [3])
    XCTAssertEqual([1.0].adding([2, 3]), [1])
    XCTAssertEqual([1.0, 2].adding([2, 3]), [3, 5])
    XCTAssertEqual([1.0, -2].negated, [-1, 2])
    XCTAssertEqual([1.0, 2].distance(to: [4, 6]), 5)
    XCTAssertEqual([1.0].distance(to: []), 1)
  }
}
