import Geometry
import Layers

/// The layers that a layout manager has been set for, for as long as they live.
struct ManagedLayers {
  private var layers: [WeakLayer] = []
  /// The number of layers at which those that no longer live are taken out.
  private var layersBeforeSweep = 16

  private struct WeakLayer {
    weak var layer: Layer?
  }

  @MainActor func setNeedLayout(by manager: any LayoutManager) {
    for case let layer? in layers.map(\.layer) where layer.layoutManager === manager { layer.setNeedsLayout() }
  }

  @MainActor mutating func invalidateLayout(of layer: Layer, by manager: any LayoutManager) {
    let box = layer.itemBox
    if box.manager !== manager {
      box.manager = manager
      if layers.count >= layersBeforeSweep {
        layers.removeAll { $0.layer == nil }
        layersBeforeSweep = 2 * layers.count + 16
      }
      layers.append(WeakLayer(layer: layer))
    }
    // The size that its place gives the layer changes nothing in it.
    guard !layer.isBeingPlaced else { return }
    box.measures.removeAll(keepingCapacity: true)
    layer.preferredSizeChanged()
  }
}

/// A manager that keeps room free inside the edges of its layers.
@MainActor protocol PaddedLayout: LayoutManager {
  var paddingSize: Size { get }
}
