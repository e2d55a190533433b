import Compositing
import Framepace
import Glibc
import RenderTree

/// Paints every frame of an output a second time, whole, and compares it with the buffer that is shown.
@MainActor
final class MirrorProof {
  private let compositor = Compositor()
  private let context: LayerContext
  private let display: VirtualDisplay
  private let viewport: Viewport?
  private let expected: Bitmap
  private let whole: DamageRegion
  /// The buffers that were shown, by address.
  private(set) var buffers: Set<UnsafeMutableRawPointer> = []
  private(set) var frames: [FrameRecord] = []
  private(set) var partialFrames = 0
  /// The first one found.
  private(set) var difference: String?

  /// - Parameter viewport: the place at which the output is to show the tree.
  init(_ output: Output, of context: LayerContext, on display: VirtualDisplay, viewport: Viewport?) throws {
    (self.context, self.display, self.viewport) = (context, display, viewport)
    let memory = display.memoryPresenter
    expected = try Bitmap(width: memory.width, height: memory.height)
    whole = DamageRegion(IntRect(x: 0, y: 0, width: memory.width, height: memory.height))
    output.observe { [self] event in
      guard case .committed(let frame) = event else { return }
      paint(at: frame.target)
      if frame.paintedPixels < whole.area { partialFrames += 1 }
    }.keep()
    output.observe { [self] event in
      guard case .presented(let frame) = event, let bitmap = display.shownBitmap else { return }
      frames.append(frame)
      buffers.insert(bitmap.base)
      compare(bitmap, "frame \(frame.frameNumber)")
    }.keep()
  }

  /// Checks that the display shows the newest tree.
  func checkAtRest(at time: MonotonicTime) {
    paint(at: time)
    guard let bitmap = display.shownBitmap else { return difference = "nothing was shown" }
    compare(bitmap, "at rest")
  }

  private func paint(at time: MonotonicTime) {
    var tree = context.renderTree(at: time)
    tree.viewport = viewport
    compositor.render(tree, damage: whole, into: expected)
  }

  private func compare(_ bitmap: Bitmap, _ moment: String) {
    guard difference == nil else { return }
    for y in 0..<bitmap.height where memcmp(bitmap.row(y), expected.row(y), bitmap.width * 4) != 0 {
      return difference = "\(moment), row \(y) of the buffer differs from the row painted anew"
    }
  }
}
