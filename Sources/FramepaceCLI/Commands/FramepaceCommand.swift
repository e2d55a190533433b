import ArgumentParser
import Framepace
import Glibc
import KMS
import Metering
import SampleScenes
import Wayland

/// The `framepace` command. `main` is synchronous because the process's main thread belongs to the frame loop; libdispatch
/// would take it over from an asynchronous `main`.
@main
struct FramepaceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "framepace",
    abstract: "Runs, renders and profiles scenes on a frame loop tied to the display's vblank.",
    discussion: """
      Without a subcommand it runs a scene:

        framepace --fps                    the frame rate of a moving scene
        framepace --fps clock              of another one
        framepace render clock --output .  a picture of a scene
        framepace profile orbit            which phase takes how much
        framepace help scenes              how to write a scene of one's own
      """,
    version: RunEnvironment.packageVersion,
    subcommands: [
      RunCommand.self, RenderCommand.self, DumpCommand.self, ProfileCommand.self, ViewCommand.self, VBlankCommand.self,
      DisplaysCommand.self, InputCommand.self, CaptureCommand.self, SoakCommand.self,
      ScenesCommand.self,
    ],
    defaultSubcommand: RunCommand.self)

  static func main() {
    ProcessState.prepareStreams()
    Glibc.exit(onMainActor { status() })
  }

  /// Runs the command that the arguments name.
  ///
  /// - Returns: the exit status: 0, 64 if the arguments are not accepted, 1 for other errors; 2 for those of a command that judges.
  @MainActor
  private static func status() -> Int32 {
    var failure = EXIT_FAILURE
    do {
      let arguments = try ProcessState.arguments()
      if CompletedCommand.isAsked(arguments) { return try complete(arguments) }
      try refuseUnknownCommand(arguments)
      if arguments.first == "--version", arguments.count > 1 {
        throw ValidationError("--version stands alone: leave out '\(arguments[1])'.")
      }
      var command = try parse(arguments)
      if let judge = command as? any JudgingCommand, judge.judges { failure = ExitCode.notJudged.rawValue }
      try ProcessState.requireDescriptors()
      do { try command.run() } catch KMSError.noDevice {
        throw Refusal("\(DisplaysText.nothing); \(wayWithoutScreen(command))")
      } catch let error as KMSError
        where error.isHeldByAnother && hasWindows(command) && WaylandConnection.isNamedByEnvironment
      {
        throw Refusal("\(reason(of: error)); \(DesktopReport.way)")
      }
      return EXIT_SUCCESS
    } catch {
      return report(error, failure: failure)
    }
  }

  /// Parses the arguments. An option at their end without a value is given an empty one, so that its own parser says what it takes.
  private static func parse(_ arguments: [String]) throws -> any ParsableCommand {
    do {
      return try parseAsRoot(arguments)
    } catch {
      if message(for: error).hasPrefix("Missing value for ") { _ = try parseAsRoot(arguments + [""]) }
      throw error
    }
  }

  /// True for a command that shows something on a display of the user's choice.
  private static func hasWindows(_ command: any ParsableCommand) -> Bool {
    !(command is CaptureCommand || command is DisplaysCommand)
  }

  /// The end of the sentence about a missing screen: the way to use the command without one.
  private static func wayWithoutScreen(_ command: any ParsableCommand) -> String {
    switch command {
    case _ where hasWindows(command) && WaylandConnection.isNamedByEnvironment: DesktopReport.window
    case is CaptureCommand: "render makes pictures of scenes without one"
    case is VBlankCommand: "without --display and --mode a clock is measured"
    default: "without --display and --mode scenes are shown on a clock"
    }
  }

  /// Prints completions for a shell.
  @MainActor
  private static func complete(_ arguments: [String]) throws -> Int32 {
    do {
      _ = try CompletedCommand.parseAsRoot(arguments)
    } catch {
      // The parser reports the completions as an error.
      guard CompletedCommand.exitCode(for: error).isSuccess else {
        guard arguments.first == CompletedCommand.question else { throw error }
        throw ValidationError(
          "\(CompletedCommand.question) is what the completion scripts of shells call, and this is not how they do: "
            + "use --generate-completion-script.")
      }
      try Terminal.output.line(CompletedCommand.fullMessage(for: error))
    }
    return EXIT_SUCCESS
  }

  @MainActor
  private static func report(_ error: any Error, failure: Int32) -> Int32 {
    if error is ReaderGone { return EXIT_SUCCESS }
    // The command has said what there is to say.
    if let status = error as? ExitCode { return status.rawValue }
    let status = exitCode(for: error)
    guard status.isSuccess else {
      // If the message cannot be written, the status alone tells.
      try? Terminal.error.line(message(of: error, isUsage: status == .validationFailure))
      return status == .failure ? failure : status.rawValue
    }
    // The parser reports help as an error.
    do {
      try Terminal.output.line(fullMessage(for: error, columns: min(Terminal.output.columns ?? 80, 100)))
      return EXIT_SUCCESS
    } catch {
      return report(error, failure: failure)
    }
  }

  /// The error as a sentence. A usage error is followed by a line that tells where to find help.
  @MainActor
  private static func message(of error: any Error, isUsage: Bool) -> String {
    let width = Terminal.error.textWidth
    if case .unknownMode(let connector, let mode, let modes)? = error as? KMSError, modes.count > 4 {
      return "framepace: \(connector) has no mode \(mode); it has\n\(Text.columns(modes, width: width))"
    }
    let sentence = Text.paragraph("framepace: \(reason(of: error))", width: width)
    guard isUsage else { return sentence }
    // The parser's own line names no command for what is found before it reads the arguments.
    let word = CommandLine.arguments.dropFirst().first ?? ""
    let command = commandNames.contains(word) ? " \(word)" : word.hasPrefix("-") ? " run" : ""
    return "\(sentence)\nSee 'framepace\(command) --help' for more information."
  }

  static var commandNames: [String] { configuration.subcommands.compactMap { $0.configuration.commandName } }

  /// The error's description, with details that are unknown where the error is thrown.
  private static func reason(of error: any Error) -> String {
    if case .notMaster(let path)? = error as? KMSError {
      DisplaysText.naming(CardReport.users(of: path), in: message(for: error))
    } else {
      // An empty value is none.
      namingScenes(in: namingOwners(in: message(for: error) + noteOfJSON(message(for: error))))
        .replacing("The value '' is invalid for", with: "Missing value for")
        .replacing("Missing expected argument '<scene>'", with: "Name a scene: \(SceneChoice.list).")
    }
  }

  /// The end of a message about a word that was meant as the file of a `--json` that takes none; empty for any other.
  private static func noteOfJSON(_ message: String) -> String {
    let words = CommandLine.arguments.drop { $0 != "--json" }.prefix(2)
    let command = CommandLine.arguments.dropFirst().first.flatMap { commandNames.contains($0) ? $0 : nil } ?? "run"
    guard let word = words.dropFirst().first, word == "-" || word.contains(where: { "./".contains($0) }),
      !["profile", "view"].contains(command), message.contains("'\(word)'")
    else { return "" }
    return " (--json of \(command) takes no file: it prints to the standard output.)"
  }

  /// The parser's message about an unknown option, with the commands that have it.
  private static func namingOwners(in message: String) -> String {
    let parts = message.split(separator: "'", maxSplits: 2)
    guard parts.count > 1, parts[0] == "Unknown option " else { return message }
    let owners = configuration.subcommands.filter { command in
      optionNames(of: command).contains(parts[1])
    }
    let names = owners.compactMap { $0.configuration.commandName }
    guard let last = names.last else { return message }
    let list = (names.count > 1 ? names.dropLast().joined(separator: ", ") + " and " : "") + last
    return "Unknown option '\(parts[1])': it belongs to \(list)."
  }

  /// The names at the beginnings of the lines of a command's help.
  private static func optionNames(of command: any ParsableCommand.Type) -> Set<Substring> {
    let lines = helpMessage(for: command).split(separator: "\n").filter { $0.hasPrefix("  -") }
    return Set(lines.flatMap { $0.split(separator: " ").prefix(2) }.map { $0.hasSuffix(",") ? $0.dropLast() : $0 })
  }

  /// The parser's message about words that no option takes, where scenes are among them.
  private static func namingScenes(in message: String) -> String {
    guard message.hasPrefix("Unexpected argument") || message.contains(" unexpected arguments: ") else { return message }
    let words = message.split(separator: "'").enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
    guard words.contains(where: { (try? SceneChoice.parse($0)) != nil }) else { return message }
    let command = CommandLine.arguments.dropFirst().first.flatMap { commandNames.contains($0) ? $0 : nil } ?? "run"
    let scenes = ["run", "dump", "profile", "soak"].contains(command) ? "one scene at a time" : "no scene"
    return "\(command) takes \(scenes): leave out \(words.map { "'\($0)'" }.joined(separator: ", "))."
  }

  /// Refuses a word that is no command. The parser would call it unexpected, or print the general help for `help`.
  private static func refuseUnknownCommand(_ arguments: [String]) throws {
    guard let word = arguments.first == "help" ? arguments.dropFirst().first : arguments.first, !word.hasPrefix("-"),
      !commandNames.contains(word), word != "help"
    else { return }
    // The default command runs it.
    if word == arguments.first, (try? SceneChoice.parse(word)) != nil { return }
    if word == arguments.first, let kind = FileKind(ofFile: word) {
      throw ValidationError(kind.sentence(of: word))
    }
    if optionNames(of: RunCommand.self).contains("--\(word)") {
      throw ValidationError("There is no command '\(word)'. Did you mean '--\(word)'?")
    }
    // The default command takes a scene.
    let takesScene = word == arguments.first
    let names = commandNames + (takesScene ? SceneChoice.names(near: word) : [])
    let problem = "There is no command \(takesScene ? "or scene " : "")'\(word)'"
    let list = commandNames.joined(separator: ", ")
    throw ValidationError(
      Text.suggestion(for: word, among: names).map { "\(problem). \($0)" }
        ?? (takesScene
          ? "\(problem): the commands are \(list); the scenes are \(SceneChoice.list)." : "\(problem): use \(list)."))
  }
}

/// A command whose exit status says what it found, as that of `diff` does: 0 for nothing, 1 for something.
protocol JudgingCommand: ParsableCommand {
  /// False if the arguments ask for no judgement.
  var judges: Bool { get }
}

extension ExitCode {
  /// Something was found.
  static let found = ExitCode(1)
  /// There is no judgement: the command could not run, or not for long enough.
  static let notJudged = ExitCode(2)
}

/// The command for completions. The parser's completion scripts do not know default commands: after `framepace --` they
/// would offer none of the options of `run`. In this command they are its own options.
struct CompletedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "framepace", version: FramepaceCommand.configuration.version,
    subcommands: FramepaceCommand.configuration.subcommands)

  @OptionGroup var run: RunCommand

  /// The first argument of a question for completions.
  static let question = "---completion"

  /// True if the arguments request completions or a completion script. This command serves only them.
  static func isAsked(_ arguments: [String]) -> Bool {
    arguments.contains { $0 == question || $0.hasPrefix("--generate-completion-script") }
  }
}
