import Glibc
package import LinuxSystem
package import Raster
package import RenderTree

/// Hands frames to the presenter of the screen that is there now: the output keeps this one while screens come and go.
@MainActor
package final class ReplaceablePresenter: Presenter {
  /// Nil while there is no screen.
  package private(set) var current: (any Presenter)?
  package private(set) var width: Int
  package private(set) var height: Int
  package var onEvent: (@MainActor (PresenterEvent) -> Void)? {
    didSet { current?.onEvent = onEvent }
  }

  package init(_ presenter: any Presenter) {
    current = presenter
    width = presenter.width
    height = presenter.height
  }

  /// One without a screen yet.
  ///
  /// - Parameters:
  ///   - width: the size until there is one, in pixels.
  ///   - height: as `width`.
  package init(width: Int, height: Int) { (current, self.width, self.height) = (nil, width, height) }

  package func queuedFrames(pending: Int, at now: MonotonicTime) -> Int {
    current?.queuedFrames(pending: pending, at: now) ?? pending
  }
  package var isReady: Bool { current != nil }
  package var shownBitmap: Bitmap? { current?.shownBitmap }

  /// Lets the output begin anew, such as after the display was turned.
  package func reset() { onEvent?(.reset) }

  /// Takes another presenter, or none: then the size stays. The presenter before it tells nothing any more, and is left to
  /// its owner.
  package func replace(with presenter: (any Presenter)?) {
    guard presenter != nil || current != nil else { return }
    current?.onEvent = nil
    current = presenter
    if let presenter {
      (width, height) = (presenter.width, presenter.height)
      presenter.onEvent = onEvent
    }
    onEvent?(.reset)
  }

  package func acquireBuffer() -> PresentationBuffer? { current?.acquireBuffer() }

  package func present(_ buffer: PresentationBuffer, damage: DamageRegion, target: MonotonicTime?) throws {
    // No buffer was to be had.
    guard let current else { throw SystemError(call: "present", errno: ENODEV) }
    try current.present(buffer, damage: damage, target: target)
  }

  package func invalidate() {
    current?.invalidate()
    current = nil
    onEvent = nil
  }
}
