import Framepace
import FramepaceTesting
import ImageFiles
import SceneText
import XCTest

final class SceneErrorTests: XCTestCase {
  func testErrorsSayWhereAndWhat() {
    let formats = ImageFormat.allCases.map(\.rawValue).joined(separator: ", ")
    let cases = [
      ("", "1:1: expected a layer, found the end of the text"),
      ("layer {\n  bounds 0 0 wide 4\n}", "2:14: expected the width of a size, found \"wide\""),
      ("layer { colour #FFF }", "1:9: expected a property of a layer, found \"colour\""),
      (
        "gradient {\n  locations 0 0.5 1; colors #000 #FFF\n}",
        "2:13: expected a location for each of the 2 colors, found 3"
      ),
      ("gradient { colors #000 #FFF #000; locations 0 1 }", "1:45: expected a location for each of the 3 colors, found 2"),
      ("text { fontSize 12 }", "1:8: expected a property of a text layer, such as font, found \"fontSize\""),
      ("text { weight 700 }", "1:8: expected a property of a text layer, found \"weight\", which stands behind font"),
      (
        "layer { backgroundColor #12345 }",
        "1:25: expected a colour such as #FFF, #1E90FF, #1E90FF80 or rgba 0.1 0.5 1 0.5, found #12345"
      ),
      (
        "# colours\nlayer { }",
        "1:1: expected a layer, size, blending, image or at, found \"#\": a comment goes from // to the end of its line"
      ),
      ("layer { bounds 0 0 10px 4 }", "1:20: expected the width of a size, found 10px, where no unit belongs"),
      ("layer { rotation 90px }", "1:18: expected an angle such as 30deg or 0.5rad, found 90px"),
      (
        "gradient { colors #FFF, #000 }",
        "1:25: expected a property of a gradient layer, found #000, behind a comma, which ends a list of values"
      ),
      (
        "layer {\n  layer a { opacity 1\n}\nat 1s: a.state on",
        "4:1: expected a property of a layer, found \"at\", which stands outside of all braces: is there a \"}\" for the \"{\" at 1:7?"
      ),
      ("layer { oppacity 1 }", "1:9: expected a property of a layer, such as opacity, found \"oppacity\""),
      ("layer { opacity 1 2 }", "1:19: expected a property of a layer, found 2"),
      ("layer {\n  // äöü\n  é", "3:3: expected a property of a layer, found \"é\""),
      ("layer { basic opacity { to 1 duration 2 } }", "1:39: expected a time such as 0.5s or 300ms, found 2"),
      (
        "layer { basic masksToBounds {} }",
        "1:15: expected a property that animates, such as position, opacity or transform.scale, found \"masksToBounds\""
      ),
      (
        "layer { basic strokeEnd { to 1 } }",
        "1:15: expected a property that animates, such as position, opacity or transform.scale, "
          + "found \"strokeEnd\", which is a property of a shape layer"
      ),
      (
        "layer { basic transform.rotation.z { to 1 } }",
        "1:15: expected a property that animates, such as rotation, found \"transform.rotation.z\""
      ),
      (
        "layer { basic opacity { fromValue 1 } }",
        "1:25: expected a property of the animation, such as from, found \"fromValue\""
      ),
      ("layer { frame 0 0 1 1 }", "1:9: expected a property of a layer, such as bounds, found \"frame\""),
      (
        "layer { spring opacity { perceptualDuration 1s; mass 2 } }",
        "1:49: expected no mass beside perceptualDuration or bounce, found \"mass\""
      ),
      (
        "layer { spring opacity { damping 3; bounce 1 } }",
        "1:37: expected no bounce beside mass, stiffness, damping or allowsOverdamping, found \"bounce\""
      ),
      (
        "layer { keyframes position { rotationMode auto; values 1 2, 3 4 } }",
        "1:49: expected no values beside path, found \"values\""
      ),
      (
        "layer { keyframes position { tensions 0 0; path move 0 0 } }",
        "1:44: expected no path beside values, found \"path\""
      ),
      (
        "layer { basic opacity { velocity 1 } }",
        "1:25: expected a property of the animation, such as duration, found \"velocity\", which is a property of a spring"
      ),
      (
        "layer { basic opactiy {} }", "1:15: expected a property that animates, such as opacity, found \"opactiy\""
      ),
      (
        "layer { basic opacity { autoreverse true } }",
        "1:25: expected a property of the animation, such as autoreverses, found \"autoreverse\""
      ),
      ("layer { spring opacity { bounce 0.2 } }", "1:9: expected perceptualDuration beside bounce, found \"spring\""),
      ("layer { spring opacity { bounce 0 } }", "1:9: expected perceptualDuration beside bounce, found \"spring\""),
      (
        "shape { path svg \"M1 2L3\" }",
        "1:18: expected a number at character 7 of the path data, found its end"
      ),
      ("shape { path svg \"M1 2X\" }", "1:18: expected a command or a number at character 5 of the path data, found 'X'"),
      ("shape { path svg M1 }", "1:18: expected path data of SVG in quotation marks, found \"M1\""),
      ("layer { keyframes position { rotationMode auto } }", "1:9: expected path beside rotationMode, found \"keyframes\""),
      ("\u{FEFF}layer {\r\n  oops\r\n}", "2:3: expected a property of a layer, found \"oops\""),
      ("\u{FEFF}layer { oops }", "1:9: expected a property of a layer, found \"oops\""),
      (
        "layer {\n  /* opacity 1 */ }",
        "2:3: expected a property of a layer, found \"/*\": a comment goes from // to the end of its line"
      ),
      ("layer { / }", "1:9: expected a property of a layer, found \"/\""),
      (
        "layer { position 9 9 rotate 30deg }",
        "1:22: expected a property of a layer, found \"rotate\", which stands behind transform"
      ),
      ("layer { transition slide {} }", "1:20: expected fade, moveIn, push or reveal, found \"slide\""),
      (
        "layer { group { transition fade {} } }",
        "1:17: expected no transition: it has no effect in a group, found \"transition\""
      ),
      (
        "layer { transition fade { from layer {} } }",
        "1:32: expected record: a picture is a record with records in it, found \"layer\""
      ),
      (
        "layer { transition fade { from record { opacity 2 } } }",
        "1:49: expected an opacity from 0 to 1, found 2"
      ),
      (
        "layer { transition fade { from record { record {} mask record {} } } }",
        "1:51: expected the mask before the other records, found \"mask\""
      ),
      (
        "layer { state open { shad { opacity 1 } }; layer shade {} }",
        "1:22: expected the name of a layer in this one, found \"shad\""
      ),
      (
        "layer { stateTransition { shade { basic opacity {} } } }",
        "1:27: expected the name of a layer in this one, found \"shade\""
      ),
      (
        "layer { layer shade {}; layer { state a { shade {} } } }",
        "1:43: expected the name of a layer in this one, found \"shade\""
      ),
      (
        "layer { mask layer { layer shade {}; state a { shade {} } }; state a { shade {} } }",
        "1:72: expected the name of a layer in this one, found \"shade\""
      ),
      (
        "layer { layer shade {}; stateTransition { shade { group {} } } }",
        "1:51: expected basic, spring, keyframes or transition, found \"group\""
      ),
      (
        "layer { stateTransition { basic {} } }",
        "1:33: expected a property that animates, such as position, opacity or transform.scale, found \"{\""
      ),
      (
        "layer {}\nimage none \"a.png\"",
        "2:7: expected a name that no other image has, and not none, drawn, mixture or text, found \"none\""
      ),
      (
        "layer {\n  state open {}; state open {}\n}",
        "2:24: expected a name that no other state of this layer has, found \"open\""
      ),
      (
        "layer { stateTransition from * to opne {}; state open {} }",
        "1:35: expected the name of a state of this layer, such as open, found \"opne\""
      ),
      (
        "layer { layer { state open {} }; stateTransition from open {} }",
        "1:55: expected the name of a state of this layer, found \"open\""
      ),
      ("layer { inState dim {} }", "1:17: expected the name of a state of this layer, found \"dim\""),
      (
        "layer { basic opacity { duration -1s } }",
        "1:34: expected a duration from 0 on, such as 0.5s or 300ms, found -1s"
      ),
      (
        "layer { spring opacity { perceptualDuration -1s } }",
        "1:45: expected a duration from 0 on, such as 0.5s or 300ms, found -1s"
      ),
      (
        "layer { stateTransition { duration -1s } }",
        "1:36: expected a duration from 0 on, such as 0.5s or 300ms, found -1s"
      ),
      (
        "layer { group { repeatDuration -1ns } }",
        "1:32: expected a duration from 0 on, such as 0.5s or 300ms, found -1ns"
      ),
      (
        "layer { spring opacity { perceptualDuration 1s; bounce 4 } }",
        "1:56: expected a bounce above -1 and at most 1, found 4"
      ),
      (
        "layer { keyframes opacity { values 0 1 0; keyTimes 0 0.5 0.25 } }",
        "1:58: expected a key time from 0.5, the one before it, to 1, found 0.25"
      ),
      (
        "layer { keyframes opacity { values 0 1; keyTimes 0 2 } }",
        "1:52: expected a key time from 0 to 1, found 2"
      ),
      (
        "layer { keyframes opacity { values 0 1 0; keyTimes 0 1 } }",
        "1:9: expected 3 keyTimes, one for each value, found 2"
      ),
      (
        "layer { keyframes opacity { values 0 1; keyTimes 0 1; calculationMode discrete } }",
        "1:9: expected 3 keyTimes, one for each value and one for the end of the last, found 2"
      ),
      (
        "layer { keyframes opacity { keyTimes 0 1 } }",
        "1:9: expected at least two values, or a path, found \"keyframes\" without values"
      ),
      (
        "shape { strokeStyle width {} }",
        "1:21: expected a pen: width, unit, cap, join, miterLimit, dash or dashPhase with its value, found \"width\""
      ),
      ("layer { zz 1 }", "1:9: expected a property of a layer, found \"zz\""),
      (
        "layer { state abce {}; state abcd {}; state abcf {}; inState abcx {} }",
        "1:62: expected the name of a state of this layer, such as abcd, found \"abcx\""
      ),
      (
        "layer { state \"op\\u{9B}n\" {}; inState opn {} }",
        "1:39: expected the name of a state of this layer, such as op n, found \"opn\""
      ),
      (
        "layer { contents \"/nowhere/\\u{1B}[2J.png\" }",
        "1:18: the image /nowhere/ [2J.png cannot be read: No such file or directory; name a PNG file"
      ),
      (
        "layer { contents \"/dev/null/a.png\" }", "1:18: the image /dev/null/a.png cannot be read: Not a directory"
      ),
      ("layer { contentsScale 0 }", "1:23: expected a number above 0, found 0"),
      ("layer { contents photo }", "1:18: expected the name of an image that the scene defines, found \"photo\""),
      ("layer {}\nlayer {}", "2:1: expected no second layer: a scene has one, which holds all others, found \"layer\""),
      (
        "layer card { state open {} }\nat 1s card.state opne",
        "2:18: expected a state of the layer \"card\", such as open, found \"opne\""
      ),
      ("layer { state x {} }\nat 1s card.state open", "2:7: expected the name of a layer, found \"card\""),
      ("layer card {}\nat 1s: crad.state open", "2:8: expected the name of a layer, such as card, found \"crad\""),
      (
        "layer card {}\nat 1s card open",
        "2:12: expected state behind the name of a layer, such as card.state, found \"open\""
      ),
      (
        "text { string \"abc\n\" }",
        "1:15: expected a string in quotation marks, found a string that does not end on its line"
      ),
      (
        "text { string \"a\\q\" }",
        "1:15: expected a string in quotation marks, "
          + #"found a string with a backslash before something else than ", \, n, t or u{…}"#
      ),
      (
        "text { font \"/nowhere/None.ttf\" 12 }",
        "1:13: the font /nowhere/None.ttf cannot be read: No such file or directory; name a font file: .ttf, .otf or .ttc"
      ),
      (
        "picture { file \"/nowhere/None.jpg\" }",
        "1:16: the picture /nowhere/None.jpg cannot be read: No such file or directory; "
          + "name a PNG, JPEG, WebP, GIF, AVIF or SVG file"
      ),
      (
        "picture { file \"/etc/passwd\" }",
        "1:16: picture /etc/passwd: no format that is read; these are: \(formats)"
      ),
      (
        "layer { layer dot {}\n stateTransition to on { dot { basic strokeEnd { to 1 } } }\n state on {} }",
        "2:38: expected a property of a layer, found \"strokeEnd\", which is a property of a shape layer"
      ),
      ("layer { name \"a\n}", "1:9: expected a property of a layer, found \"name\""),
      (
        "layer {\n  layer { state a {\n}\n}",
        "4:2: expected \"}\" for the \"{\" at 1:7, or a property, a layer or an animation, found the end of the text"
      ),
    ]
    onMain { checkErrors(cases) }
  }

  func testImageMayBeAName() throws {
    try onMain {
      let scene = try Scene(text: "layer image { state image {} }\nat 1s image.state image\nat 2s \"image\" state none")
      XCTAssertEqual(scene.events.map(\.layer), ["image", "image"])
      XCTAssertEqual(scene.events.map(\.state), ["image", nil])
    }
  }

  func testNumbersOfStatementsAreLimited() {
    onMain {
      func many(_ statement: String) -> String { String(repeating: statement, count: 100_001) }
      for (things, text) in [
        ("states", "layer { \((0...100_000).map { "state a\($0) {}\n" }.joined()) }"),
        ("transitions", "layer { \(many("stateTransition {}\n")) }"),
        ("events", "layer a {}\n\(many("at 1s a.state none\n"))"),
      ] {
        do throws(SceneError) {
          _ = try Scene(text: text)
          XCTFail("no error")
        } catch {
          XCTAssertEqual(error.reason, .tooMany(things, limit: 100_000))
        }
      }
    }
  }

  /// The names of layers are not searched for one by one: the last names take about as long as the first.
  func testManyNamesAreFoundAtOnce() throws {
    try onMain {
      @MainActor
      func time(_ name: (Int) -> Int) throws -> Double {
        let layers = (0..<6000).map { "layer a\($0 + 10_000) {}\n" }.joined()
        let states = (0..<6000).map { "state s\($0) { a\(name($0) + 10_000) { opacity 0.5 } }\n" }.joined()
        return try processorTime { _ = try Scene(text: "layer {\n\(layers)\n\(states)}") }
      }
      // The fastest of several, on a machine with other work.
      let times = try (0..<3).map { _ in (first: try time { _ in 0 }, each: try time { $0 }) }
      let (first, each) = (times.map(\.first).min() ?? 0, times.map(\.each).min() ?? 0)
      XCTAssertLessThan(each / first, 3)
    }
  }

  /// The pixels of an image that text may become are counted with those of images.
  func testTextMayNotTakeAllMemory() throws {
    try onMain {
      @MainActor
      func scene(_ side: Int) throws(SceneError) -> Scene {
        try Scene(text: "layer { contents text 0 0 10 10 \(side) \(side) 1 }")
      }
      _ = try scene(4000)
      do throws(SceneError) {
        _ = try scene(32_767)
        XCTFail("no error")
      } catch {
        XCTAssertTrue("\(error)".contains("text of fewer pixels"), "\(error)")
      }
    }
  }

  func testAMissingFileIsNamed() {
    onMain {
      do throws(SceneError) {
        _ = try Scene(path: "/nowhere/card.scene")
        XCTFail("no error")
      } catch {
        XCTAssertNil(error.line)
        let reason = "the scene cannot be read: No such file or directory; name a text file of at most 64 MiB"
        XCTAssertEqual("\(error)", "/nowhere/card.scene: \(reason)")
      }
      do throws(SceneError) {
        _ = try Scene(path: "/nowhere/\u{1B}[2J.scene")
        XCTFail("no error")
      } catch {
        XCTAssertTrue("\(error)".hasPrefix("/nowhere/ [2J.scene: "), "\(error)")
      }
      do throws(SceneError) {
        _ = try Scene(text: "layer { contents \"missing.png\" }", folder: "/nowhere")
        XCTFail("no error")
      } catch {
        XCTAssertEqual(
          "\(error)", "1:18: the image /nowhere/missing.png cannot be read: No such file or directory; name a PNG file")
      }
    }
  }
}

/// Checks that each text gives its error.
@MainActor
func checkErrors(_ cases: [(text: String, message: String)], line: UInt = #line) {
  for (text, message) in cases {
    do throws(SceneError) {
      _ = try Scene(text: text)
      XCTFail("no error: \(text)", line: line)
    } catch {
      XCTAssertEqual("\(error)", message, line: line)
    }
  }
}
