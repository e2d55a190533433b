public import Framepace

/// Plays a scene on an engine: at each tick it shows the scene as it is at the time at which the frame will be seen.
@MainActor
public final class ScenePlayer {
  private let scene: any SampleScene
  private let start: MonotonicTime
  private var link: DisplayLink?

  /// - Parameter start: when the scene's time is 0.
  public init(scene: any SampleScene, engine: Engine, start: MonotonicTime) {
    self.scene = scene
    self.start = start
    show(at: start)
    guard scene.isMoving else { return }
    let link = DisplayLink(ticker: engine.output.display.ticker) { [weak self] link in
      self?.show(at: link.targetTimestamp)
    }
    link.add(to: engine.loop, mode: .common)
    self.link = link
  }

  /// Ends the scene's movement.
  public func invalidate() {
    link?.invalidate()
    link = nil
  }

  private func show(at time: MonotonicTime) {
    // The scene says where everything is at every time: nothing of it should ease there by itself.
    Transaction.withoutActions {
      scene.update(at: max((time - start).seconds, 0))
    }
  }
}
