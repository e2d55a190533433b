package import Geometry
public import Raster
import RenderTree

/// A delegate does for a layer what a subclass would override. Every requirement has a default.
///
/// ```swift
/// final class Dial: LayerDelegate {
///   func draw(_ layer: Layer, in context: DrawingContext) {
///     context.fill(.ellipse(in: layer.bounds), color: .white)
///   }
/// }
/// layer.delegate = dial  // a weak reference
/// layer.setNeedsDisplay()
/// ```
@MainActor
public protocol LayerDelegate: AnyObject {
  /// Sets the frames of the layer's sublayers. Called when the layer needs layout.
  func layoutSublayers(of layer: Layer)
  /// Sets new `contents`. Called when the layer needs display. By default it calls `Layer.displayByDrawing()`, which draws
  /// with `draw(_:in:)` into a bitmap of the layer's size.
  func display(_ layer: Layer)
  /// Draws the layer's contents, in its coordinates.
  func draw(_ layer: Layer, in context: DrawingContext)
  /// The action of a change of the property, or of an event; nil to use the layer's `actions`.
  func action(for layer: Layer, forKey property: AnimatableProperty) -> LayerAction?
}

extension LayerDelegate {
  public func layoutSublayers(of layer: Layer) {}
  public func display(_ layer: Layer) { layer.displayByDrawing() }
  public func draw(_ layer: Layer, in context: DrawingContext) {}
  public func action(for layer: Layer, forKey property: AnimatableProperty) -> LayerAction? { nil }
}

extension Layer {
  /// Makes new contents: with `draw(in:)` at once, or with `makeDrawing()` on worker threads. `LayerDelegate.display(_:)`
  /// does this by default.
  public func displayByDrawing() {
    guard let context, presentation.named.keys.contains(where: Self.needsDisplay) else { return drawContents() }
    // The layer's own values: frames with others are drawn when they are shown.
    context.drawing = (self, values)
    defer { context.drawing = nil }
    drawContents()
  }

  /// The picture of the layer for other values of the properties from which it draws itself, as large as its contents; nil if there is
  /// nothing to draw, or no memory.
  func drawnImage(for values: AnimatableValues, bounds: Rect) -> Image? {
    let scale = drawnMeasures?.scale ?? 1
    guard let context, let target = DrawingTarget(bounds: bounds, scale: scale, isOpaque: isOpaque) else { return nil }
    context.drawing = (self, values)
    defer { context.drawing = nil }
    do {
      return try picture(of: target, pictureMaker()).image
    } catch {
      displayFailed(error)
      return nil
    }
  }

  private func drawContents() {
    willDisplay()
    guard hasPicture else { return }
    let scale = contentsScale ?? context?.scale ?? 1
    guard let target = DrawingTarget(bounds: bounds, scale: scale, isOpaque: isOpaque) else { return }
    hint(
      "is drawn more coarsely than it is shown: a bitmap has 32767 pixels a side and 67 million at most; divide the layer",
      if: target.scale < scale)
    let maker = pictureMaker()
    if let maker, let context {
      context.begin(maker, for: self, target: target)
      return
    }
    if maker == nil, let text = text(for: target) { return setText(text, drawn: target.measures) }
    // These contents are newer than those of a drawing under way.
    asynchronous.cancel()
    do {
      take(try picture(of: target, maker))
    } catch {
      displayFailed(error)
    }
  }

  /// The contents that drawing at this scale of the context gives now; nil if there is nothing to draw. The layer's own stay.
  package func drawnContents(scale: Double) throws -> (image: Image, measures: DrawnMeasures)? {
    guard hasPicture, let target = DrawingTarget(bounds: bounds, scale: contentsScale ?? scale, isOpaque: isOpaque) else {
      return nil
    }
    let picture = try picture(of: target, pictureMaker())
    return (picture.image, picture.measures)
  }

  private func picture(of target: DrawingTarget, _ maker: (any PictureMaker)?) throws -> MadePicture {
    if let maker { return try maker.makePicture(for: target, isCancelled: { false }, showCoarse: nil) }
    if let image = text(for: target)?.image { return MadePicture(image: image, measures: target.measures) }
    return MadePicture(image: try target.image(drawnBy: draw(in:)), measures: target.measures)
  }
}

/// The size of a layer for which contents were drawn, in points, and their pixels per point.
package struct DrawnMeasures: Hashable, BitwiseCopyable, Sendable {
  package let size: Size
  package let scale: Double

  package init(size: Size, scale: Double) { (self.size, self.scale) = (size, scale) }
}

/// The size and scale of the bitmap for a layer's contents.
struct DrawingTarget: BitwiseCopyable, Sendable {
  /// The pixels of a bitmap at most: twice those of an 8K screen. More would take a gigabyte and seconds of every commit.
  static let maximumPixels = 1 << 26

  let width: Int
  let height: Int
  let scale: Double
  let bounds: Rect
  /// True for a bitmap that begins as opaque black.
  let isOpaque: Bool
  var measures: DrawnMeasures { DrawnMeasures(size: bounds.size, scale: scale) }

  /// Returns nil if there is nothing to draw. If the bitmap would exceed the largest size or number of pixels, the scale is reduced.
  init?(bounds: Rect, scale: Double, isOpaque: Bool = false) {
    guard bounds.isDrawable else { return nil }
    self.bounds = bounds
    self.isOpaque = isOpaque
    let area = bounds.width.squareRoot() * bounds.height.squareRoot()
    self.scale = min(
      scale, Double(Bitmap.maximumSide) / max(bounds.width, bounds.height), Double(Self.maximumPixels).squareRoot() / area)
    // A product slightly above a whole number is rounded to it.
    func pixels(_ length: Double, _ scale: Double) -> Int {
      min(max(Int((length * scale - 1e-6).rounded(.up)), 1), Bitmap.maximumSide)
    }
    width = pixels(bounds.width, self.scale)
    height = pixels(bounds.height, self.scale)
  }

  /// Makes a bitmap, draws into it with `body` in the layer's coordinates, and freezes it.
  func image(
    isCancelled: (() -> Bool)? = nil, drawnBy body: (DrawingContext) -> Void
  ) throws(BitmapError) -> Image {
    let bitmap = try Bitmap(width: width, height: height)
    let context = DrawingContext(bitmap: bitmap, scale: scale, isCancelled: isCancelled)
    if isOpaque { context.fill(color: .black) }
    if bounds.origin != .zero { context.translate(x: -bounds.minX, y: -bounds.minY) }
    body(context)
    context.flush()
    return bitmap.freeze()
  }
}

extension TextContent {
  /// Text in place of a picture.
  ///
  /// - Parameter lines: the rectangle of its lines, without the ink that leans out of them; nil without any.
  convenience init(_ parts: TextParts, for target: DrawingTarget, lines: Rect? = nil) {
    self.init(
      parts, area: target.bounds, width: target.width, height: target.height, scale: target.scale,
      cutEdges: lines.map(target.edges(crossedBy:)) ?? [])
  }
}

extension DrawingTarget {
  /// The edges beyond which lines go on. A layout rounds to pixels: less than one of them is none.
  fileprivate func edges(crossedBy lines: Rect) -> Edges {
    let room = bounds.insetBy(dx: -1 / scale, dy: -1 / scale)
    var edges: Edges = []
    if !(lines.minX > room.minX) { edges.insert(.minX) }
    if !(lines.maxX < room.maxX) { edges.insert(.maxX) }
    if !(lines.minY > room.minY) { edges.insert(.minY) }
    if !(lines.maxY < room.maxY) { edges.insert(.maxY) }
    return edges
  }
}

extension Rect {
  /// True if a bitmap can show it.
  var isDrawable: Bool { !isEmpty && width.isFinite && height.isFinite && minX.isFinite && minY.isFinite }
}
