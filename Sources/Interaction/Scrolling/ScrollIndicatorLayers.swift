import Geometry
import Layers
import LinuxSystem

/// The two bars that show where in its content a layer is. They lie in it, above its content.
@MainActor
final class ScrollIndicatorLayers {
  /// Their thickness, and their distance from the edges.
  private static let thickness = 3.0
  private static let margin = 3.0

  private var bars: (horizontal: Layer, vertical: Layer)?

  func show(_ machine: ScrollMachine, in layer: Layer, at time: MonotonicTime) {
    let bounds = layer.bounds
    let track = Size(bounds.width - 4 * Self.margin, bounds.height - 4 * Self.margin)
    let (x, y) = (machine.x.indicator(track: track.width, at: time), machine.y.indicator(track: track.height, at: time))
    guard bars != nil || x.opacity > 0 || y.opacity > 0 else { return }
    let bars = bars ?? make(in: layer)
    bars.horizontal.frame = Rect(
      x: bounds.minX + 2 * Self.margin + x.offset, y: bounds.maxY - Self.margin - Self.thickness, width: x.length,
      height: Self.thickness)
    bars.vertical.frame = Rect(
      x: bounds.maxX - Self.margin - Self.thickness, y: bounds.minY + 2 * Self.margin + y.offset, width: Self.thickness,
      height: y.length)
    (bars.horizontal.opacity, bars.vertical.opacity) = (x.opacity, y.opacity)
    (bars.horizontal.isHidden, bars.vertical.isHidden) = (x.opacity == 0, y.opacity == 0)
  }

  func hide() {
    bars?.horizontal.removeFromSuperlayer()
    bars?.vertical.removeFromSuperlayer()
    bars = nil
  }

  private func make(in layer: Layer) -> (horizontal: Layer, vertical: Layer) {
    func bar(_ name: String) -> Layer {
      let bar = Layer()
      bar.name = name
      bar.backgroundColor = Color(red: 0.5, green: 0.5, blue: 0.5, alpha: 0.6)
      bar.cornerRadius = Self.thickness / 2
      bar.zPosition = 1_000_000
      bar.isInteractionEnabled = false
      layer.addSublayer(bar)
      return bar
    }
    let made = (horizontal: bar("horizontal indicator"), vertical: bar("vertical indicator"))
    bars = made
    return made
  }
}
