import Foundation
import Testing

@testable import FramepaceCLI

/// The completions of shells.
struct CompletionTests {
  /// The options of the default command are offered for the command itself.
  @Test(arguments: ["bash", "zsh", "fish"])
  func theDefaultCommandsOptionsAreOffered(shell: String) throws {
    let result = try framepace("--generate-completion-script", shell)
    #expect(result.status == 0, "\(result.error)")
    let script = result.output
    // In bash and zsh the command's function ends at that of `run`; fish has separate lines.
    let own =
      shell == "fish"
      ? script.split(separator: "\n").filter { !$0.contains("subcommands_and_positionals") || $0.contains("'framepace'") }
        .joined(separator: "\n")
      : String(script[..<(script.range(of: "_framepace_run()")?.lowerBound ?? script.startIndex)])
    for option in ["fps", "scene", "display", "mode", "duration", "mirror"] {
      #expect(own.contains(shell == "fish" ? "'\(option)'" : "--\(option)"), "\(shell): \(option)")
    }
    #expect(own.contains("dashboard"), "\(shell): no scenes")
  }

  @Test func aShellIsAnsweredForEachCommand() throws {
    for command in [[], ["run"], ["vblank"]] {
      let result = try framepace(
        ["---completion"] + command + ["--", "--display", "2", "0", "framepace"] + command + ["--display", ""])
      #expect(result.status == 0, "\(command): \(result.error)")
      #expect(result.output.hasPrefix("auto\nfallback\nkms\n"), "\(command): \(result.output)")
    }
  }

  /// A scene is a sample's name or a file, which may lie in a folder. In its place a command may begin.
  @Test(arguments: [[], ["run"]])
  func aSceneIsANameOrAFile(command: [String]) throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path + "/more", withIntermediateDirectories: false)
    for file in ["a.scene", "b.txt", ".c.scene", "more/d.scene"] {
      try "layer".write(toFile: "\(folder.path)/\(file)", atomically: true, encoding: .utf8)
    }
    let names = try framepace("scenes").output.split(separator: "\n").map { $0.prefix { $0 != " " } }
    for (word, paths) in [("", ["a.scene", "more/"]), ("more/", ["more/d.scene"]), ("none/", [])] {
      let place = ["\(command.count + 1)", "\(word.utf8.count)", "framepace"]
      let result = try framepace(
        ["---completion"] + command + ["--", "positional@0"] + place + command + [word], in: folder.path)
      let words = names + paths.map { $0[...] } + (command.isEmpty ? FramepaceCommand.commandNames.map { $0[...] } : [])
      #expect(result.output.split(separator: "\n") == words, "\(word): \(result.error)")
    }
  }

  @Test func screensAreThoseOfTheKernel() throws {
    let folder = try TemporaryFolder()
    for (name, status, modes) in [
      ("card0-HDMI-A-1", "connected", "1920x1080\n1920x1080\n1280x720\n"), ("card0-DP-1", "disconnected", "640x480\n"),
      ("card1-DP-2", "connected", "1280x720\n720x576i\n"), ("renderD128", "connected", ""),
    ] {
      let path = folder.path + "/" + name
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      try "\(status)\n".write(toFile: path + "/status", atomically: false, encoding: .utf8)
      try modes.write(toFile: path + "/modes", atomically: false, encoding: .utf8)
    }
    #expect(
      ConnectedScreens.displays(in: folder.path) == ["auto", "fallback", "kms", "wayland", "kms:DP-2", "kms:HDMI-A-1"])
    #expect(ConnectedScreens.modes(in: folder.path) == ["1280x720", "720x576i", "1920x1080"])
    #expect(ConnectedScreens.displays(in: folder.path + "/nowhere") == ["auto", "fallback", "kms", "wayland"])
  }
}
