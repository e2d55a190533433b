import Foundation
import Testing

/// `framepace soak`: a long run, which says at its end what has grown.
struct SoakCommandTests {
  private static func soak(_ more: String...) throws -> Finished {
    try framepace(["soak", "orbit", "--size", "64x64", "--simulate", "steady", "--fast"] + more)
  }

  /// Ten simulated seconds: a line in every two, none wider than a terminal, and a sentence at the end.
  @Test func aSteadyRunIsSaidToBeOne() throws {
    let result = try Self.soak("--duration", "10s", "--every", "2s")
    #expect(result.status == 0, "\(result.output)\(result.error)")
    let lines = result.output.split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 80 })
    #expect(lines.contains { $0.hasPrefix("   0:00:02") })
    #expect(lines.contains { $0.hasPrefix("   0:00:08") })
    #expect(result.output.contains("No leak and no drift was found in 0:00:05 after the warm-up"))
  }

  /// Nothing asks for frames but the first: the run ends in time all the same.
  @Test func aSceneThatStandsStillEndsInTime() throws {
    let result = try framepace(
      "soak", "still", "--size", "64x64", "--simulate", "steady", "--fast", "--duration", "12s", "--every", "4s")
    #expect(result.status == 0, "\(result.output)\(result.error)")
    #expect(result.output.contains("1 seen, 0 late"), "\(result.output)")
    #expect(result.output.contains("No leak and no drift was found in 0:00:07"), "\(result.output)")
  }

  @Test func aRunThatWasTooShortIsNotJudged() throws {
    let run = try Running(["soak", "still", "--size", "64x64", "--display", "fallback", "--hours", "1"])
    // SIGINT may be ignored in these tests: a shell begins what runs in the background so.
    run.waitUntilHandled(SIGTERM)
    run.send(SIGTERM)
    let ended = run.finish()
    #expect(ended.status == 2, "\(ended.output)\(ended.error)")
    #expect(ended.output.contains("was too short to be judged"))
    #expect(ended.output.contains(" turns of 2 s or more, "), "\(ended.output)")
  }
}
