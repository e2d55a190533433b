import Geometry
package import Raster
package import RenderTree

/// The contents of a layer, as a state or a scene's text keeps them.
package enum LayerPicture: Sendable {
  /// A picture that was set; nil for none.
  case image(Image?)
  case drawn(Image, DrawnMeasures)
  /// Text in place of a picture that would have been drawn.
  case text(TextContent)
  /// The layer draws it itself. The payload is its last drawing, for copies that cannot draw; nil if it needs another.
  case own((image: Image, measures: DrawnMeasures)?)
}

extension Layer {
  /// The picture in the layer, `own` where it draws itself.
  package var layerPicture: LayerPicture {
    get {
      // A surface shows its pixels by itself.
      if values.image == nil, values.content is SurfaceContent { return .image(nil) }
      return canDraw && (drawsContents || needsDisplay) ? .own(needsDisplay ? nil : drawnPicture) : presentPicture
    }
    set {
      switch newValue {
      case .image(let image): contents = image
      case .drawn(let image, let measures):
        contents = nil
        setContents(image, drawn: measures)
      case .text(let text): setText(text, drawn: DrawnMeasures(size: text.area.size, scale: text.scale))
      case .own where canDraw: return setNeedsDisplay()
      case .own: contents = nil
      }
      needsDisplay = false
    }
  }

  /// The picture in the layer, never `own`.
  package var presentPicture: LayerPicture {
    if values.image == nil, let text = values.content as? TextContent { return .text(text) }
    return drawnPicture.map { .drawn($0.image, $0.measures) } ?? .image(contents)
  }

  private var drawnPicture: (image: Image, measures: DrawnMeasures)? {
    values.image.flatMap { image in drawnMeasures.map { (image, $0) } }
  }

  /// False for a layer that nobody has given anything to draw.
  private var canDraw: Bool { type(of: self) != Layer.self || delegate != nil }
}
