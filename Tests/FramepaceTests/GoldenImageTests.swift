import Framepace
import FramepaceTesting
import Testing

@Suite struct GoldenImageTests {
  /// The message names the missing part of the path, and the command that makes it.
  @Test func aMissingFolderIsNamed() throws {
    let image = try Bitmap(width: 2, height: 2).freeze()
    for (path, missing, folder) in [
      ("/nonexistent/a/card.png", "/nonexistent", "/nonexistent/a"),
      ("/tmp/no such/a/card.png", "/tmp/no such", "'/tmp/no such/a'"),
      ("Goldens that are missing/card.png", "Goldens that are missing", "'Goldens that are missing'"),
    ] {
      let error = #expect(throws: GoldenImage.Failure.self) { try GoldenImage.check(image, against: path) }
      #expect(
        error?.description
          == "\(path) does not exist and cannot be written: there is no folder \(missing); make it (mkdir -p \(folder)), then run again"
      )
    }
  }
}
