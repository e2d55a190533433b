import Framepace
import FramepaceTesting
import Layers
import SceneText
import XCTest

final class StageTests: XCTestCase {
  func testOnlyStatesThatALayerHasAreSet() throws {
    try onMain {
      let text = """
        layer {
          layer card { state open { opacity 0.5 }; state dim {} }
          layer lamp { state dim { opacity 0 } }
        }
        """
      let stage = SceneStage(try Scene(text: text), size: Size(10, 10))
      let card = try XCTUnwrap(stage.scene.root.layer(named: "card"))
      XCTAssertTrue(stage.setState("open"))
      XCTAssertFalse(stage.setState("opne", of: "card"))
      XCTAssertFalse(stage.setState("open", of: "lamp"))
      XCTAssertEqual(card.state, "open")
      // Two layers have it.
      XCTAssertFalse(stage.setState("dim"))
      XCTAssertTrue(stage.setState("dim", of: "lamp"))
      XCTAssertTrue(stage.setState(nil, of: "card"))
      XCTAssertEqual(card.opacity, 1)
    }
  }
}
