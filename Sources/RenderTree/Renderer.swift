public import LinuxSystem
public import Raster

/// Paints the damaged pixels of a tree into a target.
///
/// `Compositor` is the renderer of this package; one on a graphics processor would be another. An output gets one and
/// calls it once a frame:
///
/// ```swift
/// let output = Output(display: display, content: content, renderer: Compositor(workers: workers), clock: clock)
/// ```
public protocol Renderer: AnyObject {
  /// Moves the pixels that `change` moves, then paints what `tree` shows in those of its damage, and leaves all others as they are.
  /// Pixels outside of the target are ignored.
  ///
  /// - Returns: when the target holds the picture.
  @discardableResult
  func render(_ tree: TreeSnapshot, change: FrameChange, into target: any RenderTarget) -> RenderFence

  /// The work of the last call of `render`. Read it on the thread that renders. A renderer that does not count has the default, which is
  /// zero.
  var work: RenderWork { get }
}

extension Renderer {
  public var work: RenderWork { RenderWork() }

  /// Paints what `tree` shows in the pixels of `damage`, and leaves all others as they are.
  @discardableResult
  public func render(_ tree: TreeSnapshot, damage: DamageRegion, into target: any RenderTarget) -> RenderFence {
    render(tree, change: FrameChange(damage), into: target)
  }
}

/// The work of a renderer on one frame.
public struct RenderWork: Equatable, BitwiseCopyable, Sendable {
  /// The pictures of layers with effects, and the shadows, that can be kept and were painted anew, as none was kept.
  public var missedPictures = 0
  /// How long that took, as a part of the time of the call: where threads share it, as large a part as of the time of all.
  public var pictureTime = Nanoseconds.zero
  /// The pixels that were painted in the target, each as often as the backdrop, a background, a content, a border, a shadow, a filtered
  /// backdrop, a group or a picture was painted there. What is painted within the picture of a layer with effects does not count.
  public var layerPixels = 0
  /// How long the call waited for threads that share the work and had no processor.
  public var runDelay = Nanoseconds.zero

  public init() {}
}

/// Pixels that a renderer paints. A `Bitmap` is one; a buffer that only a graphics processor reaches would be another.
public protocol RenderTarget: AnyObject {
  var width: Int { get }
  var height: Int { get }
  /// The pixels, where this process can write them; nil for a target that needs a renderer of its own.
  var bitmap: Bitmap? { get }
}

extension Bitmap: RenderTarget {
  public var bitmap: Bitmap? { self }
}

/// When a target holds the picture that was rendered into it.
///
/// A renderer that works on after its call has returned needs a further case, and a presenter that waits for it.
public enum RenderFence: Hashable, Sendable {
  /// The picture was complete when the call returned.
  case signaled
}
