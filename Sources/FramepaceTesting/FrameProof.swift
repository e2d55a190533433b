import Compositing
package import Framepace
import Glibc
package import RenderTree

/// Paints every frame of an output a second time, whole, and compares it with what the display shows: the proof that painting
/// by parts gives the same pixels, on every buffer.
@MainActor
package final class FrameProof {
  /// The frames that were shown.
  package private(set) var frames: [FrameRecord] = []
  package private(set) var partialFrames = 0
  /// The buffers that were shown, by address; empty for a presenter that keeps none.
  package private(set) var buffers: Set<UnsafeMutableRawPointer> = []
  /// The first difference that was found.
  package private(set) var difference: String?

  private let engine: Engine
  private let viewport: Viewport?
  private let copyShown: @MainActor () throws -> Image?
  private let expected: Bitmap
  private let whole: DamageRegion
  private var observation: Observation?

  /// - Parameters:
  ///   - viewport: the place of the tree on the output.
  ///   - copyShown: makes a copy of what can be seen, nil while the screen is off; without it the display is asked.
  package init(
    _ output: Output, of engine: Engine, viewport: Viewport? = nil, copyShown: (@MainActor () throws -> Image?)? = nil
  ) throws {
    let presenter = output.display.presenter
    (self.engine, self.viewport) = (engine, viewport)
    self.copyShown = copyShown ?? { [display = output.display] in try display.capture() }
    expected = try Bitmap(width: presenter.width, height: presenter.height)
    whole = DamageRegion(IntRect(x: 0, y: 0, width: presenter.width, height: presenter.height))
    observation = output.observe { [unowned self] event in
      switch event {
      case .refused(let error): difference = "\(error)"
      case .committed(let frame):
        paint(at: frame.target)
        if frame.paintedPixels < whole.area { partialFrames += 1 }
      case .presented(let frame):
        frames.append(frame)
        if let buffer = presenter.shownBitmap { buffers.insert(buffer.base) }
        compare("frame \(frame.frameNumber)")
      case .tick, .idle, .lost, .discarded: break
      }
    }
  }

  /// Checks that the display shows the newest tree, unless something in it moves on, such as an emitter's particles.
  package func checkAtRest() {
    if engine.context.isAnimating { return }
    paint(at: engine.loop.clock.now)
    compare("at rest")
  }

  /// Frames from now on are not compared.
  package func end() { observation?.invalidate() }

  private func paint(at time: MonotonicTime) {
    var tree = engine.context.renderTree(at: time)
    tree.viewport = viewport
    // Nothing that the output's renderer keeps, nor this one.
    Compositor(blending: engine.blending).render(tree, damage: whole, into: expected)
  }

  private func compare(_ moment: String) {
    guard difference == nil else { return }
    guard let shown = try? copyShown() else { return difference = "\(moment): nothing is shown" }
    for y in 0..<expected.height where memcmp(shown.row(y), expected.row(y), expected.width * 4) != 0 {
      return difference = "\(moment), row \(y) of what is shown differs from the row painted anew"
    }
  }
}
