import Foundation
import Testing

/// `framepace run`, the default: a scene on a display.
struct RunCommandTests {
  @Test func endsWithASummaryOnSIGTERM() throws {
    let run = try Running(["--fps", "--json", "--scene", "still", "--display", "fallback", "--size", "64x64"])
    // The first line says what it runs on: from then on signals are the loop's.
    let first = try #require(run.readLine())
    #expect(first.contains("fallback clock 60.00 Hz"))
    run.send(SIGTERM)
    let ended = run.finish()
    #expect(ended.status == 0)
    #expect(ended.output.contains("\"summary\""))
  }
}
