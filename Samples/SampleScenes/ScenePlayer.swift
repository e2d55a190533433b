public import Framepace

/// Plays a scene on an engine. At each tick it shows the state of the scene at the time at which the frame will be
/// presented.
@MainActor
public final class ScenePlayer {
  private let scene: any SampleScene
  private let start: MonotonicTime
  private var link: DisplayLink?

  /// - Parameter start: the time at which the scene's own time is 0.
  public init(scene: any SampleScene, engine: Engine, start: MonotonicTime) {
    self.scene = scene
    self.start = start
    show(at: start)
    guard scene.isMoving else { return }
    link = engine.makeDisplayLink { [weak self] link in self?.show(at: link.targetTimestamp) }
  }

  /// Stops the scene's movement.
  public func invalidate() {
    link?.invalidate()
    link = nil
  }

  private func show(at time: MonotonicTime) {
    // The scene sets all positions itself, so nothing may ease by an implicit animation.
    Transaction.withoutActions {
      scene.update(at: max((time - start).seconds, 0))
    }
  }
}
