import ArgumentParser
import Framepace

/// The option that shows how frames are made, for every command that makes pictures.
struct OverlayOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      Draw over the frames: the rectangles that changed (damage), the layers and properties that caused them (reasons), the \
      bounds of all layers (borders), how often pixels were painted (overdraw). Several with commas between them. That is no \
      work in the figures, but delays frames by some milliseconds.
      """, valueName: "overlays"),
    completion: .list(FrameOverlay.allCases.map(\.rawValue)), transform: Accepted.overlays)
  var show: Set<FrameOverlay> = []
}
