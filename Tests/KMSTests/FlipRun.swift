import FrameTiming
import Geometry
import Presentation
import RunLoops

@testable import KMS
import RenderTree

/// Presents a small frame at each tick, and keeps account.
@MainActor
final class FlipRun {
  let display: KMSDisplay
  private(set) var ticks = 0
  private(set) var feedback: [PresentationFeedback] = []
  private(set) var error: (any Error)?
  private var link: DisplayLink?

  init(_ display: KMSDisplay, on loop: FrameLoop) {
    self.display = display
    display.add(to: loop, mode: .default)
    display.presenter.onEvent = { [weak self] in if case .presented(let feedback?) = $0 { self?.feedback.append(feedback) } }
    let link = DisplayLink(ticker: display.ticker) { [weak self] _ in self?.tick() }
    link.add(to: loop, mode: .default)
    self.link = link
    present()
  }

  /// Presents nothing more; the display stays.
  func pause() { link?.invalidate() }

  func end() {
    link?.invalidate()
    display.invalidate()
  }

  private func tick() {
    ticks += 1
    present()
  }

  private func present() {
    guard let buffer = display.presenter.acquireBuffer() else { return }
    do {
      try display.presenter.present(buffer, damage: DamageRegion(IntRect(x: 1, y: 1, width: 8, height: 8)))
    } catch {
      self.error = error
    }
  }
}
