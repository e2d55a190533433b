import ArgumentParser

/// The command as shells complete it. The parser's scripts know no default command: after `framepace --` they would offer
/// nothing of what `run` takes. Here its options are the command's own.
struct CompletedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "framepace", version: FramepaceCommand.configuration.version,
    subcommands: FramepaceCommand.configuration.subcommands)

  @OptionGroup var run: RunCommand

  /// Whether a shell asks, or somebody for a shell: the only arguments that this command is for.
  static func isAsked(_ arguments: [String]) -> Bool {
    arguments.contains { $0 == "---completion" || $0.hasPrefix("--generate-completion-script") }
  }
}
