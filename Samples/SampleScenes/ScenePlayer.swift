public import Framepace

/// Plays a scene on an engine. At each tick it shows the state of the scene at the time at which the frame will be
/// presented. On a display that gets another size, as a window does, the scene is scaled as a whole and stays in the middle.
@MainActor
public final class ScenePlayer {
  private let scene: any SampleScene
  private let start: MonotonicTime
  private var link: DisplayLink?
  private var resizing: Observation?

  /// - Parameter start: the time at which the scene's own time is 0.
  public init(scene: any SampleScene, engine: Engine, start: MonotonicTime) {
    self.scene = scene
    self.start = start
    show(at: start)
    let (display, size) = (engine.output.display, scene.root.bounds.size)
    resizing = display.observe { [root = scene.root] event in
      if case .geometryChanged = event { Self.fit(root, from: size) }
    }
    guard scene.isMoving else { return }
    link = engine.makeDisplayLink { [weak self] link in self?.show(at: link.targetTimestamp) }
  }

  /// Stops the scene's movement.
  public func invalidate() {
    link?.invalidate()
    link = nil
    resizing?.invalidate()
    resizing = nil
  }

  /// - Parameter size: the one that the scene was made for.
  private static func fit(_ root: Layer, from size: Size) {
    let bounds = root.bounds
    let factor = min(bounds.width / size.width, bounds.height / size.height)
    guard factor.isFinite, factor > 0 else { return }
    // The engine puts the root's anchor point, about which sublayers are transformed, into its upper left corner.
    let middle = Affine.translation(
      x: (bounds.width - size.width * factor) / 2, y: (bounds.height - size.height * factor) / 2)
    Transaction.withoutActions { root.sublayerTransform = Transform3D(.scale(factor).concatenating(middle)) }
  }

  private func show(at time: MonotonicTime) {
    // The scene sets all positions itself, so nothing may ease by an implicit animation.
    Transaction.withoutActions {
      scene.update(at: max((time - start).seconds, 0))
    }
  }
}
