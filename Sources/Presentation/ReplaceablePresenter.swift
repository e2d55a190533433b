import Glibc
import LinuxSystem
package import RenderTree

/// What an output holds while the screens behind its display come and go: hands frames to the presenter of the moment.
@MainActor
package final class ReplaceablePresenter: Presenter {
  /// Nil while there is no screen.
  package private(set) var current: (any Presenter)?
  package private(set) var width: Int
  package private(set) var height: Int
  package var onPresented: (@MainActor (PresentationFeedback) -> Void)? {
    didSet { current?.onPresented = onPresented }
  }
  package var onRefused: (@MainActor (any Error) -> Void)? {
    didSet { current?.onRefused = onRefused }
  }
  package var onReset: (@MainActor () -> Void)?

  package init(_ presenter: any Presenter) {
    current = presenter
    width = presenter.width
    height = presenter.height
  }

  package var isReady: Bool { current != nil }

  /// Takes another presenter, or none: then the size stays. The one before is left to its owner, and tells nobody any more.
  package func replace(with presenter: (any Presenter)?) {
    guard presenter != nil || current != nil else { return }
    current?.onPresented = nil
    current?.onRefused = nil
    current = presenter
    if let presenter {
      (width, height) = (presenter.width, presenter.height)
      presenter.onPresented = onPresented
      presenter.onRefused = onRefused
    }
    onReset?()
  }

  package func acquireBuffer() -> PresentationBuffer? { current?.acquireBuffer() }

  package func present(_ buffer: PresentationBuffer, damage: DamageRegion) throws {
    // No buffer was to be had.
    guard let current else { throw SystemError(call: "present", errno: ENODEV) }
    try current.present(buffer, damage: damage)
  }

  package func invalidate() {
    current?.invalidate()
    current = nil
    onPresented = nil
    onRefused = nil
    onReset = nil
  }
}
