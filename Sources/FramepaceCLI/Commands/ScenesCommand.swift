import ArgumentParser
import SampleScenes

struct ScenesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scenes", abstract: "Lists the sample scenes.")

  func run() throws {
    let width = SceneName.allCases.map(\.rawValue.count).max() ?? 0
    let lines = SceneName.allCases.map { Text.left($0.rawValue, width + 2) + $0.summary }
    try onMainActor { try Terminal.output.line(lines.joined(separator: "\n")) }
  }
}
