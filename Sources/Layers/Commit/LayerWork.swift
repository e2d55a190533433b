import Geometry
package import LinuxSystem

/// The work of a commit for one layer.
package struct LayerWork: BitwiseCopyable, Sendable {
  package enum Kind: Hashable, BitwiseCopyable, Sendable, CaseIterable {
    case layout
    /// Drawing with `draw(in:)` on the main thread.
    case drawing
    /// Handing a drawing to the workers.
    case handingOver
    /// Display by other means: a text, or contents that a delegate sets.
    case display
  }

  package var layer: UInt32
  package var kind: Kind
  package var time: Nanoseconds
  /// The pixels of the layer's bitmap; 0 for other work than drawing.
  package var pixels: Int
}

extension LayerContext {
  func layOut(_ layer: Layer) {
    onLayerUnderWay?(layer, true)
    defer { onLayerUnderWay?(nil, true) }
    guard let onLayerWork else { return layer.layoutOnce() }
    let start = clock.now
    layer.layoutOnce()
    onLayerWork(layer, LayerWork(layer: layer.id, kind: .layout, time: clock.now - start, pixels: 0))
  }

  func display(_ layer: Layer) {
    onLayerUnderWay?(layer, false)
    defer { onLayerUnderWay?(nil, false) }
    guard let onLayerWork else { return layer.displayIfNeeded() }
    let start = clock.now
    layer.displayIfNeeded()
    var work = LayerWork(layer: layer.id, kind: .display, time: clock.now - start, pixels: 0)
    if layer.asynchronous.isDrawing {
      work.kind = .handingOver
    } else if let drawn = layer.drawnMeasures, layer.values.image != nil {
      work.kind = .drawing
      work.pixels = Int(drawn.size.width * drawn.scale) * Int(drawn.size.height * drawn.scale)
    }
    onLayerWork(layer, work)
  }
}
