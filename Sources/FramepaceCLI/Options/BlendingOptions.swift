import ArgumentParser
import Framepace

/// The option for the light in which colours mix, for every command that makes pictures.
struct BlendingOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      How colours mix where one lies over another: by their stored values (srgb), or as light (linear), which takes longer. \
      (default: srgb, a file's scene as it says)
      """, valueName: "blending"),
    completion: .list(Blending.allCases.map(\.rawValue)), transform: Accepted.choice)
  var blending: Blending?
}
