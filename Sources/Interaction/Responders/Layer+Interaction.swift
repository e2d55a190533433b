import Geometry
public import Layers

/// The parts of a layer that answer input.
@MainActor
final class LayerInteraction {
  var responder: Responder?
  var recognizers: [AnyGestureRecognizer] = []
  /// The router of a root layer.
  weak var router: InputRouter?
}

extension Layer {
  var interaction: LayerInteraction? { interactionBox as? LayerInteraction }

  private func makeInteraction() -> LayerInteraction {
    if let interaction { return interaction }
    let made = LayerInteraction()
    interactionBox = made
    return made
  }

  /// Answers touches and other input at the layer, and in it where no other responder does. The layer keeps it alive. A responder has one layer:
  /// set for another one it leaves the first.
  public var responder: Responder? {
    get { interaction?.responder }
    set {
      guard newValue !== responder else { return }
      responder?.layer = nil
      newValue?.layer?.interaction?.responder = nil
      newValue?.layer = self
      if newValue != nil { _ = makeInteraction() }
      interaction?.responder = newValue
    }
  }

  /// The gesture recognizers, in the order in which they were added.
  public var gestureRecognizers: [AnyGestureRecognizer] { interaction?.recognizers ?? [] }

  /// Lets a recognizer look at the touches of this layer and of those in it. It leaves the layer that it had.
  public func addGestureRecognizer(_ recognizer: AnyGestureRecognizer) {
    recognizer.layer?.removeGestureRecognizer(recognizer)
    recognizer.layer = self
    makeInteraction().recognizers.append(recognizer)
  }

  /// Takes a recognizer away; a gesture under way is cancelled.
  public func removeGestureRecognizer(_ recognizer: AnyGestureRecognizer) {
    guard recognizer.layer === self else { return }
    interaction?.recognizers.removeAll { $0 === recognizer }
    recognizer.layer = nil
    recognizer.cancel()
  }

  /// A point of the output in the layer's own coordinates; nil where the layer is not seen there.
  func point(ofOutput point: Point) -> Point? {
    let top = top
    guard let own = top.ownPoint(of: point) else { return nil }
    return top === self ? own : top.convert(own, to: self)
  }

  /// The layer's own responder or that of the nearest layer above.
  var nearestResponder: Responder? {
    var layer: Layer? = self
    while let current = layer {
      if let responder = current.responder { return responder }
      layer = current.superlayer
    }
    return nil
  }

  /// The root of the tree that the layer is in.
  var top: Layer {
    var top = self
    while let superlayer = top.superlayer { top = superlayer }
    return top
  }

  /// The router of the tree that the layer is in.
  var router: InputRouter? { top.interaction?.router }

  func setRouter(_ router: InputRouter?) { makeInteraction().router = router }
}
