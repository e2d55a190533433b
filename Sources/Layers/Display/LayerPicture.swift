package import Raster

/// The contents of a layer, as a state or a scene's text keeps them.
package enum LayerPicture: Sendable {
  /// A picture that was set; nil for none.
  case image(Image?)
  case drawn(Image, DrawnMeasures)
  /// The one that the layer draws, as it is when it is drawn.
  case own
}

extension Layer {
  /// The picture in the layer, `own` where it draws itself.
  package var layerPicture: LayerPicture {
    get { canDraw && (drawsContents || needsDisplay) ? .own : presentPicture }
    set {
      switch newValue {
      case .image(let image): contents = image
      case .drawn(let image, let measures):
        contents = nil
        setContents(image, drawn: measures)
      case .own where canDraw: return setNeedsDisplay()
      case .own: contents = nil
      }
      needsDisplay = false
    }
  }

  /// The picture in the layer, never `own`.
  package var presentPicture: LayerPicture {
    if let contents, let drawnMeasures { .drawn(contents, drawnMeasures) } else { .image(contents) }
  }

  /// False for a layer that nobody has given anything to draw.
  private var canDraw: Bool { type(of: self) != Layer.self || delegate != nil }
}
