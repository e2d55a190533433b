import Foundation
import Testing

/// The command as a user meets it: a process, its output and its status.
struct CommandTests {
  @Test func listsScenes() throws {
    let result = try framepace("scenes")
    #expect(result.status == 0)
    let names = result.output.split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(names == ["orbit", "clock", "dashboard", "still", "stress"])
  }

  @Test func tellsItsVersion() throws {
    let result = try framepace("--version")
    #expect(result.status == 0)
    #expect(result.output.split(separator: ".").count == 3)
  }
}
