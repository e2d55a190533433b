import ArgumentParser
import Framepace

/// The option that shows how frames are made, for every command that makes pictures.
struct OverlayOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      Draw over the frames: the rectangles that changed (damage), the layers and properties that caused them (reasons), the \
      bounds of all layers (borders), how often pixels were painted (overdraw), the rate and the last frames (meter). Several \
      with commas between them. That is no work in the figures, but delays frames: damage and meter by less than a \
      millisecond, the others by some.
      """, valueName: "overlays"),
    completion: .list(FrameOverlay.allCases.map(\.rawValue)), transform: Accepted.overlays)
  var show: Set<FrameOverlay> = []
}
