import ArgumentParser
import Framepace

/// The time at which frames begin.
struct PolicyOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      When frames begin: as soon as a vblank is reported (vblank), or as late as they can still be ready for the next \
      (late). (default: vblank)
      """, valueName: "policy"),
    completion: .list(FramePolicy.allCases.map(\.rawValue)), transform: Accepted.choice)
  var policy = FramePolicy.vblank
}
