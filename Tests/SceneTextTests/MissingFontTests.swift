import Framepace
import FramepaceTesting
import SceneText
import XCTest

/// The errors for fonts that a scene names and that are not found.
final class MissingFontTests: XCTestCase {
  func testAMissingFontIsNamed() {
    onMain {
      do throws(SceneError) {
        _ = try Scene(text: "text { font \"None.ttf\" 12 }")
        XCTFail("no error")
      } catch {
        // The advice depends on the environment.
        XCTAssertTrue("\(error)".hasPrefix("1:13: font None.ttf is not "), "\(error)")
      }
    }
  }

  /// Files beside the scene are suggested, as they are found.
  func testFontsBesideTheSceneAreSuggested() throws {
    let folder = "/tmp/framepace-scene-fonts-\(getpid())"
    XCTAssertEqual(mkdir(folder, 0o700), 0)
    let file = "\(folder)/Xylograph-Bold.ttf"
    XCTAssertEqual(symlink(try SystemFonts.path(of: "DejaVuSans.ttf"), file), 0)
    defer {
      unlink(file)
      rmdir(folder)
    }
    onMain {
      do throws(SceneError) {
        _ = try Scene(text: "text { font \"xylograph\" 12 }", folder: folder)
        XCTFail("no error")
      } catch {
        XCTAssertTrue("\(error)".contains("such as Xylograph-Bold.ttf"), "\(error)")
      }
    }
  }
}
