import ArgumentParser

/// The `framepace` command. `main` is synchronous: the process's main thread belongs to the frame loop, and an asynchronous
/// `main` would hand it to libdispatch.
@main
struct FramepaceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "framepace",
    abstract: "Runs, renders and profiles scenes on a frame loop tied to the display's vblank.",
    discussion: """
      Without a subcommand it runs a scene:

        framepace --fps                       the frame rate of a moving scene
        framepace --fps --scene dashboard     of another one; see `framepace scenes`
        framepace render clock --output .     a picture of a scene
        framepace profile orbit               which phase takes how much of the frame budget
      """,
    version: "0.1.0",
    subcommands: [RunCommand.self, RenderCommand.self, ProfileCommand.self, ScenesCommand.self],
    defaultSubcommand: RunCommand.self)
}
