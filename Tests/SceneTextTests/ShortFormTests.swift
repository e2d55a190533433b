import Framepace
import FramepaceTesting
import SceneText
import TestLength
import XCTest

/// Shapes and turns come out of a tree as the words that a person writes, where these give back exactly the same.
final class ShortFormTests: XCTestCase {
  func testShapesAndTurnsAreWords() throws {
    try onMain {
      let words = [
        "path rect 1 2 3 4", "path ellipse 0 0 20 10", "path roundedRect 0 0 20 10 3", "path move 0 0 line 1 1 close",
        "path rect 1 2 3 4 ellipse 5 5 2 2 move 1 1", "path move 3 3 line 1 1 line 2 0 line 0 0 close",
        "transform rotate 30deg", "transform rotateX 40deg", "transform rotateY -75.5deg", "transform perspective 800",
        "transform translate3D 1 2 3", "transform scale3D 1 2 3", "transform translate 4 5",
      ]
      for word in words {
        let text = "shape { \(word) }\n"
        XCTAssertEqual(try Scene.text(of: Scene(text: text).root), text)
      }
      let circle = try Scene(text: "shape { path circle 10 10 4 }").root
      XCTAssertEqual(try Scene.text(of: circle), "shape { path ellipse 6 6 8 8 }\n")
    }
  }

  func testColoursHaveShortForms() throws {
    try onMain {
      for (short, long) in [("#1AF", "#11AAFF"), ("#1AF8", "#11AAFF88"), ("#1AFF", "#11AAFF"), ("#0000", "#00000000")] {
        let text = try Scene.text(of: Scene(text: "layer { backgroundColor \(short) }").root)
        XCTAssertEqual(text, "layer { backgroundColor \(long) }\n")
      }
    }
  }

  /// A form that is not exact must not be taken for one.
  func testRandomShapesAndTurnsComeBackExactly() throws {
    try onMain {
      let seed = runSeed
      var random = SplitMix64(seed: UInt64(seed))
      func number() -> Double {
        let number = Double.random(in: -300...300, using: &random)
        return Bool.random(using: &random) ? number.rounded() : number
      }
      for index in 0..<2_000 {
        let shape = ShapeLayer()
        let (origin, size) = (Point(number(), number()), Size(abs(number()), abs(number())))
        var path = Path()
        switch index % 5 {
        case 0: path.addRect(Rect(origin: origin, size: size))
        case 1: path.addEllipse(in: Rect(origin: origin, size: size))
        case 2: path.addRoundedRect(Rect(origin: origin, size: size), cornerRadius: abs(number()))
        case 3: path.append(.circle(center: origin, radius: size.width))
        default:
          path.move(to: origin)
          for _ in 0..<Int.random(in: 0...5, using: &random) { path.line(to: Point(number(), number())) }
          path.close()
        }
        if Bool.random(using: &random) { path.line(to: Point(number(), number())) }
        shape.path = path
        let turn: Transform3D =
          switch index / 5 % 5 {
          case 0: .rotation(number(), x: 1, y: 0, z: 0)
          case 1: .rotation(number(), x: 0, y: 1, z: 0)
          case 2: .rotation(number(), x: number(), y: number(), z: number())
          case 3: .perspective(distance: abs(number()))
          default: .translation(x: number(), y: number(), z: number())
          }
        shape.transform = turn
        let text = try Scene.text(of: shape)
        let copy = try XCTUnwrap(try Scene(text: text).root as? ShapeLayer)
        XCTAssertEqual(copy.path?.elements, path.elements, "seed \(seed), \(index): \(text)")
        XCTAssertEqual(copy.transform, turn, "seed \(seed), \(index): \(text)")
      }
    }
  }
}
