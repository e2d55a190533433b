import Framepace
import XCTest

/// A text says nothing twice, nothing that could mean one thing or another, and nothing that has no effect.
@preconcurrency @MainActor final class SceneStrictnessTests: XCTestCase {
  func testWhatHasNoEffectIsRefused() {
    checkErrors([
      (
        "layer { string \"a\" }",
        "1:9: expected a property of a layer, found \"string\", which is a property of a text layer"
      ),
      (
        "layer { drawsAsynchronously true }",
        "1:9: expected a property of a layer, found \"drawsAsynchronously\", which is a property of a text layer"
      ),
      (
        "layer { duration 1s }",
        "1:9: expected a property of a layer, found \"duration\", which is a property of an animation"
      ),
      (
        "layer { group { basic opacity {}; from 1 } }",
        "1:35: expected a property of a group, such as duration, found \"from\", "
          + "which is a property of a basic animation and a spring"
      ),
      (
        "layer { state open { a { string \"a\" } }; layer a {} }",
        "1:26: expected a property of a layer, found \"string\", which is a property of a text layer"
      ),
      (
        "layer {\n  text { string \"a\" } }",
        "2:3: expected a font in a text layer, such as font \"Roboto-Regular.ttf\" 24, found \"text\" without font"
      ),
      (
        "layer {\n  opacity 1\n  cornerRadius 2; opacity 1\n}",
        "3:19: opacity is given twice, first at 2:3"
      ),
      (
        "layer { state a {\n opacity 1; opacity 1 } }",
        "2:13: opacity is given twice, first at 2:2"
      ),
      (
        "layer { layer b {}; state a { b { opacity 1 }; b { opacity 0 } } }",
        "1:48: the block of b is given twice, first at 1:31"
      ),
      (
        "layer { layer b {}; state a { b { opacity 1; opacity 0 } } }",
        "1:46: opacity is given twice, first at 1:35"
      ),
      (
        "layer { basic opacity { to 1; to 0 } }", "1:31: to is given twice, first at 1:25"
      ),
      (
        "layer { basic opacity { duration 1s; duration 1s } }",
        "1:38: duration is given twice, first at 1:25"
      ),
      (
        "layer { stateTransition { duration 1s; duration 1s } }",
        "1:40: duration is given twice, first at 1:27"
      ),
      (
        "layer { stateTransition { basic opacity {}; spring opacity {} } }",
        "1:52: the animation of opacity is given twice, first at 1:33"
      ),
      (
        "layer { layer b {}; stateTransition { b { basic opacity {} }; b { basic opacity {} } } }",
        "1:73: the animation of opacity is given twice, first at 1:49"
      ),
      (
        "layer { stateTransition { transition fade {}; transition push {} } }",
        "1:47: the transition is given twice, first at 1:27"
      ),
      ("layer { mask layer {}; mask layer {} }", "1:24: mask is given twice, first at 1:9"),
      ("size 1 1\nlayer {}\nsize 2 2", "3:1: size is given twice, first at 1:1"),
      ("blending srgb\nlayer {}\nblending linear", "3:1: blending is given twice, first at 1:1"),
      ("layer {}\nblending gamma", "2:10: expected srgb or linear, found \"gamma\""),
      (
        "layer { transition fade { from record { opacity 1; opacity 1 } } }",
        "1:52: opacity is given twice, first at 1:41"
      ),
      ("layer { group {} }", "1:9: expected an animation in the group, found \"group\" without one"),
      (
        "layer { keyframes opacity { duration 1s } }",
        "1:9: expected at least two values, or a path, found \"keyframes\" without values"
      ),
      ("layer { keyframes opacity { values 1 } }", "1:9: expected at least two values, or a path, found one value"),
      (
        "layer { group { basic opacity { isRemovedOnCompletion false } } }",
        "1:33: expected no isRemovedOnCompletion: an animation in a group is removed with it, "
          + "found \"isRemovedOnCompletion\""
      ),
      (
        "layer { group { basic opacity { preferredFrameRateRange 20 60 } } }",
        "1:33: expected no preferredFrameRateRange: that of the group counts, found \"preferredFrameRateRange\""
      ),
      (
        "layer { basic opacity { preferredFrameRateRange 60 20 } }",
        "1:52: expected a rate from 60 on, found 20"
      ),
      (
        "layer { basic opacity { preferredFrameRateRange 20 60 90 } }",
        "1:55: expected a rate from 20 to 60, found 90"
      ),
      (
        "layer { group { basic opacity { forKey \"a\" } } }",
        "1:33: expected no forKey: an animation in a group is not found by a key, found \"forKey\""
      ),
      (
        "layer { stateTransition { basic opacity { begun 1s } } }",
        "1:43: expected no begun: no commit begins it, found \"begun\""
      ),
      (
        "layer { stateTransition { basic opacity { forKey \"a\" } } }",
        "1:43: expected no forKey: its key is the name of its property, found \"forKey\""
      ),
    ])
  }

  func testNamesMeanOneLayerOrState() {
    checkErrors([
      (
        "layer card { state open { card { opacity 1 } } }",
        "1:27: expected the name of a layer in this one, found \"card\""
      ),
      (
        "layer {\n  layer a {}\n  layer a {}\n  state open { a { opacity 1 } }\n}",
        "4:16: expected the name of one layer, found \"a\", which the layers at 2:3 and 3:3 have"
      ),
      (
        "layer { layer a {} layer a {} }\nat 1s a.state b",
        "2:7: expected the name of one layer, found \"a\", which the layers at 1:9 and 1:20 have"
      ),
      (
        "at 1s a.state b\nlayer {\n  layer a {}\n  layer { layer a { state b {} } }\n}",
        "1:7: expected the name of one layer, found \"a\", which the layers at 3:3 and 4:11 have"
      ),
      (
        "layer a { state b {} }\nat -1s a.state b",
        "2:4: expected a time from 0 on, such as 0.5s or 300ms, found -1s"
      ),
      (
        "layer { state none {} }",
        "1:15: expected another name of a state: none stands for no state, found \"none\""
      ),
      (
        "layer { state \"none\" {} }",
        "1:15: expected another name of a state: none stands for no state, found the string \"none\""
      ),
    ])
  }

  /// Two layers may have a name in common where none of them is addressed, or only one of them can be.
  func testNamesNeedNotBeDifferent() throws {
    let scene = try Scene(
      text: """
        layer {
          layer card { text shade { font none }; state open { shade { string "a" } } }
          layer card { layer shade {}; state open { shade { opacity 0.5 } } }
          layer box { layer box { cornerRadius 2 }; mask layer box {}; state open { box { opacity 0.5 } } }
        }
        """)
    let box = scene.root.sublayers[2]
    box.state = "open"
    XCTAssertEqual([box.opacity, box.sublayers[0].opacity], [1, 0.5])
    let copy = try Scene(text: try Scene.text(of: scene.root)).root
    XCTAssertEqual(copy.sublayers.map(\.name), ["card", "card", "box"])
  }
}
