import Foundation
import Testing

/// `FRAMEPACE_HUD`, which any program on the engine heeds, the command among them.
struct EnvironmentOverlayTests {
  private static let run = "framepace run orbit --display fallback --rate 200 --size 64x64 --duration 0.2s"

  /// A wrong value is told once, and the program runs.
  @Test(arguments: ["yes", "2", "meter,damages"]) func wrongValuesAreTold(_ value: String) throws {
    let result = try shell("export FRAMEPACE_HUD='\(value)'; \(Self.run)")
    #expect(result.status == 0)
    #expect(
      result.error
        == "framepace: FRAMEPACE_HUD is '\(value)'; it takes 1 for the meter and the damage, 0 for nothing, or some of damage, "
        + "borders, reasons, overdraw, meter, with commas between them\n")
  }

  @Test(arguments: ["1", "0", "", "meter,reasons"]) func rightValuesAreTaken(_ value: String) throws {
    let result = try shell("export FRAMEPACE_HUD='\(value)'; \(Self.run)")
    #expect(result.status == 0)
    #expect(result.error == "")
  }

  /// Pictures for files are made on manual time, and are the same.
  @Test func picturesForFilesHaveNone() throws {
    let folder = try TemporaryFolder()
    let render = "framepace render orbit --size 320x180 --time 1s --output"
    let result = try shell("\(render) a.png; export FRAMEPACE_HUD=1; \(render) b.png", in: folder.path)
    #expect(result.status == 0, "\(result.error)")
    let advice = "framepace: FRAMEPACE_HUD is for displays: use --show damage,meter for pictures\n"
    #expect(result.error == advice)
    #expect(try folder.contents(of: "a.png") == folder.contents(of: "b.png"))
  }
}
