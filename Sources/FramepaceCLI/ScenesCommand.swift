import ArgumentParser
import SampleScenes

struct ScenesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scenes", abstract: "Lists the sample scenes.")

  func run() {
    let width = SceneName.accepted.split(separator: ", ").map(\.count).max() ?? 0
    for scene in SceneName.allCases { print(Text.left(scene.rawValue, width + 2) + scene.summary) }
  }
}
