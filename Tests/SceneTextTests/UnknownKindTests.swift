import FramepaceTesting
import XCTest

/// The errors where a layer begins whose kind there is not.
final class UnknownKindTests: XCTestCase {
  func testErrorsListTheKinds() {
    let kinds =
      "layer, text, paragraph, shape, gradient, scroll, surface, tiled, space, replicator, emitter or picture"
    let cases = [
      (
        "layer { list { } }",
        "1:9: expected a property of a layer, or a layer: \(kinds), found \"list\""
      ),
      (
        "text { opacity 1; shap { } }",
        "1:19: expected a property of a text layer, or a layer: \(kinds), such as shape, found \"shap\""
      ),
      (
        "layer { mask list {} }",
        "1:14: expected a layer as the mask: \(kinds), found \"list\""
      ),
      (
        "label { }",
        "1:1: expected size, blending, image or at, or a layer: \(kinds), such as text, found \"label\""
      ),
      ("list 1", "1:1: expected a layer, size, blending, image or at, found \"list\""),
      (
        "image { file \"a.png\" }",
        "1:1: expected size, blending, image or at, or a layer: \(kinds), such as picture, found \"image\""
      ),
      (
        "layer { layer {}\n image photo { } }",
        "2:2: expected a property of a layer, or a layer: \(kinds), such as picture, found \"image\""
      ),
      (
        "tiled { CAScrollLayer \"a b\" { } }",
        "1:9: expected a property of a tiled layer, or a layer: \(kinds), such as scroll, found \"CAScrollLayer\""
      ),
      (
        "layer { mask TransformLayer { } }",
        "1:14: expected a layer as the mask: \(kinds), such as space, found \"TransformLayer\""
      ),
      (
        "layer { stat open { } }",
        "1:9: expected a property of a layer, or a layer: \(kinds), such as state, found \"stat\""
      ),
    ]
    onMain { checkErrors(cases) }
  }
}
