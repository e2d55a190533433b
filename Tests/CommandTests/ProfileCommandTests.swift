import Foundation
import Testing

/// `framepace profile`: the table of phases.
struct ProfileCommandTests {
  @Test func aProfileOfASceneThatDoesNotMoveEnds() throws {
    let result = try framepace("profile", "still", "--display", "fallback", "--size", "64x64")
    #expect(result.status == 0, "\(result.error)")
    #expect(result.output.contains("ended after 1 of 600 frames"))
  }

  @Test func profilesIntoAFile() throws {
    let folder = try TemporaryFolder()
    let result = try framepace(
      [
        "profile", "orbit", "--frames", "20", "--display", "fallback", "--rate", "200", "--size", "160x90", "--json",
        "p.json",
      ],
      in: folder.path)
    #expect(result.status == 0, "\(result.error)")
    for phase in ["callbacks", "layout", "display", "diff", "composite", "present"] {
      #expect(result.output.contains(phase))
    }
    let data = try #require(FileManager.default.contents(atPath: folder.path + "/p.json"))
    let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect((object["phases"] as? [[String: Any]])?.count == 6)
    #expect(object["frames"] as? Int == 20)
  }
}
