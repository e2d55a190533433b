public import Geometry
public import RenderTree

/// A layer that shows pixels which the application writes itself, on any thread: a camera, a terminal, a decoder.
///
/// ```swift
/// let screen = SurfaceLayer(frame: Rect(x: 0, y: 0, width: 640, height: 480))
/// screen.surface = try Surface(width: 640, height: 480, isOpaque: true)
/// ```
///
/// Each frame shows the newest generation that was committed, and paints the regions that were updated since the one before. The
/// pixels lie where contents do: `contentsGravity`, `contentsScale`, `contentsRect` and all else about contents hold for them. No
/// change of them begins an animation. `contents` that are set take their place, until the layer is given another surface.
open class SurfaceLayer: Layer {
  /// The pixels; nil, the initial value, for none. Several layers may show the same ones.
  public var surface: Surface? {
    didSet {
      guard surface !== oldValue else { return }
      if surface != nil { Transaction.withoutActions { contents = nil } }
      listen()
      takeNewest()
    }
  }
  private var listener: Surface.Listener?

  /// The size that shows each of the surface's pixels as `contentsScale` says, one a point without.
  open override var preferredSize: Size {
    guard let surface else { return super.preferredSize }
    return surface.content.pixelSize / (contentsScale ?? 1)
  }

  override func entered(_ context: LayerContext) {
    listen()
    takeNewest()
  }

  override func left(_ context: LayerContext) {
    listener = nil
    context.surfaceLayers[id] = nil
  }

  private func listen() {
    guard let context else { return }
    context.surfaceLayers[id] = surface == nil ? nil : self
    listener = surface?.listen { [inbox = context.drawings.inbox] in inbox.postSurface() }
  }

  /// - Returns: true if there is a newer generation than the one that is shown.
  @discardableResult
  func takeNewest() -> Bool {
    let newest = surface?.content
    guard newest !== values.content else { return false }
    // It begins no animation.
    values.content = newest
    markRecord()
    return true
  }
}
