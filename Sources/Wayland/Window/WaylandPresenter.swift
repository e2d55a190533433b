import FrameTiming
import Glibc
package import LinuxSystem
package import Presentation
package import Raster
package import RenderTree

/// Hands frames of one size to a window: two buffers of memory shared with the compositor, and a third when it holds both.
///
/// A frame may be painted when the compositor allows one: see `FramePermission`. What becomes of it tells the window's display.
@MainActor
package final class WaylandPresenter: Presenter {
  package let width: Int
  package let height: Int
  package var onEvent: (@MainActor (PresenterEvent) -> Void)?
  private let window: WaylandWindow
  private var buffers: [WindowBuffer] = []
  /// The last one that was handed over, which the compositor shows or is about to.
  private var newest: Int?
  /// Commits a frame for the display, which keeps account of it; nil when the presenter is stopped.
  private var commit: (@MainActor (WindowBuffer, DamageRegion, MonotonicTime?) -> Void)?
  private let mayDraw: @MainActor () -> Bool
  private let queued: @MainActor (MonotonicTime) -> Int

  /// The most buffers. With two that wait for their vblanks and one that is seen, a fourth would only wait longer.
  private static let mostBuffers = 3

  /// - Parameters:
  ///   - mayDraw: tells whether the compositor takes a frame now.
  ///   - queued: the number of frames that will be seen after a time.
  ///   - commit: shows a buffer in the window, if it can at the vblank that is given.
  init(
    window: WaylandWindow, width: Int, height: Int, mayDraw: @escaping @MainActor () -> Bool,
    queued: @escaping @MainActor (MonotonicTime) -> Int,
    commit: @escaping @MainActor (WindowBuffer, DamageRegion, MonotonicTime?) -> Void
  ) throws(SystemError) {
    (self.window, self.width, self.height) = (window, width, height)
    (self.mayDraw, self.queued, self.commit) = (mayDraw, queued, commit)
    for _ in 0..<2 { buffers.append(try window.makeBuffer(width: width, height: height)) }
  }

  package func queuedFrames(pending: Int, at now: MonotonicTime) -> Int { min(queued(now), pending) }
  package var shownBitmap: Bitmap? { newest.flatMap { buffers.indices.contains($0) ? buffers[$0].bitmap : nil } }

  package func acquireBuffer() -> PresentationBuffer? {
    guard commit != nil, mayDraw(), let index = freeBuffer else { return nil }
    return PresentationBuffer(target: buffers[index].bitmap, index: index)
  }

  private var freeBuffer: Int? {
    if let index = buffers.indices.first(where: { $0 != newest && !buffers[$0].isHeld }) { return index }
    guard buffers.count < Self.mostBuffers, let buffer = try? window.makeBuffer(width: width, height: height) else {
      return nil
    }
    buffers.append(buffer)
    return buffers.count - 1
  }

  package func present(_ buffer: PresentationBuffer, damage: DamageRegion, target: MonotonicTime?) throws {
    // The buffer of a presenter that this one has replaced may have another size.
    guard let commit, buffers.indices.contains(buffer.index), buffers[buffer.index].bitmap === buffer.target else {
      throw SystemError(call: "present", errno: EBADF)
    }
    newest = buffer.index
    commit(buffers[buffer.index], damage, target)
  }

  /// Ends it: buffers go when the compositor has let go of them.
  package func invalidate() {
    (onEvent, commit) = (nil, nil)
    for buffer in buffers { window.retire(buffer) }
    buffers = []
  }
}
