import ArgumentParser

/// The option that writes what happened when, for every command that measures the frames of a scene.
struct TraceOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Also write what happened when, for https://ui.perfetto.dev; of more than \(RunTimeline.mostFrames) frames the last.",
      valueName: "file"),
    completion: .file(extensions: ["json"]))
  var trace: String?

  func validate() throws { try OutputPath.requireName(trace, option: "--trace") }
}
