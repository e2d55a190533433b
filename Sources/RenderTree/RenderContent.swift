public import Geometry
public import Raster

/// The picture inside a layer: an image, text, a shape, a gradient.
///
/// A content is an immutable object, and the object is its identity: while two snapshots hold the same object, they show the
/// same picture. A kind of content is a class that conforms to this protocol here and to `PaintableContent` in Compositing;
/// `Image` is one.
public protocol RenderContent: AnyObject, Sendable, CustomStringConvertible {
  /// The pixels of the image that the content is or stands for, which decide where it is placed; zero, the default, for a content
  /// that lies in the layer's coordinates by itself.
  var pixelSize: Size { get }
  /// The image that the content is or stands for; nil, the default, for none.
  var image: Image? { get }
  /// True if both look the same wherever they are shown; by default, if they are one object.
  func isEqual(to other: any RenderContent) -> Bool
  /// The part of a layer with these bounds that the content paints, in the layer's coordinates.
  func drawnBounds(in bounds: Rect, _ effects: RenderEffects?) -> Rect
  /// How many pixels of the output it may paint beyond `drawnBounds`, under whatever transform; 0, the default, for a content that is
  /// measured in the layer's coordinates.
  var reachInPixels: Int { get }
  /// The pixels of an output that a layer with these bounds and effects may paint differently since it shows this content instead of
  /// `old`; nil, the default, for all that it paints. `transform` leads from the layer's coordinates to pixels.
  func changedPixels(
    from old: any RenderContent, in bounds: Rect, _ effects: RenderEffects?, _ transform: Affine
  ) -> DamageRegion?
}

extension RenderContent {
  public var pixelSize: Size { .zero }
  public var image: Image? { nil }
  public var reachInPixels: Int { 0 }
  public func isEqual(to other: any RenderContent) -> Bool { self === other }
  public func changedPixels(
    from old: any RenderContent, in bounds: Rect, _ effects: RenderEffects?, _ transform: Affine
  ) -> DamageRegion? { nil }
}

/// A rule that places content in the bounds of its layer, whatever these are.
public struct ContentPlacement: Hashable, BitwiseCopyable, Sendable {
  public var gravity: ContentsGravity
  /// The size of the content in the layer's units.
  public var size: Size
  /// The content's size divided by `size`. Above 1 for a picture whose last column and row lie partly beyond `size`.
  public var overhang: Size

  public init(gravity: ContentsGravity, size: Size, overhang: Size = Size(1, 1)) {
    self.gravity = gravity
    self.size = size
    self.overhang = overhang
  }

  /// True if all its numbers are finite, and do not add up to infinity.
  package var isFinite: Bool { (size.width + size.height + overhang.width + overhang.height).isFinite }

  /// The rectangle of the content in a layer with these bounds.
  public func rect(in bounds: Rect) -> Rect {
    let rect = gravity.rect(of: size, in: bounds)
    return Rect(x: rect.minX, y: rect.minY, width: rect.width * overhang.width, height: rect.height * overhang.height)
  }
}

/// The values beside a record: its entry in the snapshot's side table.
public struct SideValues: Sendable {
  /// Only the package's own kinds of content can be set: a renderer must know how to paint each.
  public package(set) var content: (any RenderContent)?
  public var effects: RenderEffects?

  public init(image: Image? = nil, effects: RenderEffects? = nil) {
    self.init(content: image, effects: effects)
  }

  public init(text: TextContent, effects: RenderEffects? = nil) {
    self.init(content: text, effects: effects)
  }

  public init(shape: ShapeContent, effects: RenderEffects? = nil) {
    self.init(content: shape, effects: effects)
  }

  package init(content: (any RenderContent)?, effects: RenderEffects? = nil) {
    self.content = content
    self.effects = effects
  }
}
