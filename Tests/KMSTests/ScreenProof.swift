import Compositing
import Framepace
import Glibc
import KMSTesting
import RenderTree

/// Paints every frame of an output a second time, whole, and compares it with what a screen shows.
@MainActor
final class ScreenProof {
  private let expected: Bitmap
  private let whole: DamageRegion
  private(set) var frames: [FrameRecord] = []
  private(set) var partialFrames = 0
  /// The first one found.
  private(set) var difference: String?
  private var observation: Observation?

  /// - Parameters:
  ///   - connector: the screen's.
  ///   - viewport: where it is to show the tree.
  init(
    _ output: Output, of context: LayerContext, _ card: SimulatedCard, _ connector: String, viewport: Viewport? = nil
  ) throws {
    let (width, height) = (output.display.presenter.width, output.display.presenter.height)
    expected = try Bitmap(width: width, height: height)
    whole = DamageRegion(IntRect(x: 0, y: 0, width: width, height: height))
    observation = output.observe { [unowned self] event in
      switch event {
      case .refused(let error): difference = "\(error)"
      case .committed(let frame):
        var tree = context.renderTree(at: frame.target)
        tree.viewport = viewport
        Compositor().render(tree, damage: whole, into: expected)
        if frame.paintedPixels < whole.area { partialFrames += 1 }
      case .presented(let frame):
        frames.append(frame)
        guard difference == nil else { return }
        guard let shown = try? card.copyShownImage(of: connector) else { return difference = "\(connector) is off" }
        for y in 0..<height where memcmp(shown.row(y), expected.row(y), width * 4) != 0 {
          return difference = "frame \(frame.frameNumber), row \(y) of \(connector) differs from the row painted anew"
        }
      case .tick, .idle: break
      }
    }
  }

  /// Frames from now on are not compared.
  func end() { observation?.invalidate() }
}
