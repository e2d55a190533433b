import Framepace
import Glibc

/// The towns of a map with their names: layers in it that stand upright on the screen and keep their size, however the map is turned and magnified.
@MainActor
final class MapNames {
  private let map: Layer
  private let fonts: SceneFonts
  /// All towns of the land with their names, the most important first.
  private let towns: [(town: MapTerrain.Town, name: String)]
  /// By the index of the town.
  private var layers: [Int: MapName] = [:]

  /// - Parameter map: the layer of the land, in whose coordinates the towns lie.
  init(_ terrain: MapTerrain, on map: Layer, fonts: SceneFonts) {
    (self.map, self.fonts) = (map, fonts)
    let land = Rect(x: 0, y: 0, width: MapTerrain.side, height: MapTerrain.side)
    towns = terrain.towns(in: land, around: 0).sorted { $0.importance > $1.importance }
      .map { ($0, terrain.name(of: $0)) }
  }

  /// Shows the names for a placement of the map.
  ///
  /// - Parameters:
  ///   - mapToView: from the land to the view.
  ///   - view: the rectangle of the view.
  ///   - glide: the placement from which the map glides to that one, and for how long; nil if it is there at once.
  func update(_ mapToView: Affine, in view: Rect, glide: (from: Affine, duration: Nanoseconds)? = nil) {
    guard let viewToMap = mapToView.inverted else { return }
    let upright = viewToMap.withoutTranslation
    let scale = hypot(mapToView.a, mapToView.b)
    // A map that glides shows what is beside the view too.
    let seen = view.insetBy(dx: -view.width / 2, dy: -view.height / 2)
    let least = scale < 0.125 ? 0.86 : scale < 0.25 ? 0.7 : scale < 0.5 ? 0.4 : 0
    var shown: [(index: Int, place: Point)] = []
    for (index, (town, _)) in towns.enumerated() where town.importance >= least {
      let place = mapToView.apply(town.place)
      // The more important of two has its name if there is no room for both.
      let isCovered = shown.contains { abs($0.place.x - place.x) < 120 && abs($0.place.y - place.y) < 30 }
      if seen.contains(place), !isCovered { shown.append((index, place)) }
    }
    let old = layers
    layers = [:]
    Transaction.withoutActions {
      for (index, place) in shown {
        let layer = old[index] ?? makeLayer(towns[index])
        // Letters are sharp where they begin on a whole pixel.
        layer.position = viewToMap.apply(Point(place.x.rounded(), place.y.rounded()))
        layer.affineTransform = upright
        layer.hasDot = scale < 1
        layer.removeAnimation(forKey: "transform")
        // Turned back as far as the map is turned.
        if let glide, let back = glide.from.inverted { layer.glide(from: back.withoutTranslation, for: glide.duration) }
        layers[index] = layer
      }
      for (index, layer) in old where layers[index] == nil { layer.removeFromSuperlayer() }
    }
  }

  private func makeLayer(_ town: (town: MapTerrain.Town, name: String)) -> MapName {
    let isCity = town.town.importance > 0.8
    let font = isCity ? fonts.bold(size: 22) : fonts.medium(size: 17)
    let layer = MapName(TextLine(town.name, font: font), dot: isCity ? 9 : 6)
    map.addSublayer(layer)
    return layer
  }
}

/// A name with the dot of its town, whose middle is the layer's position.
private final class MapName: Layer {
  /// False where the streets of the town are seen.
  var hasDot = true {
    didSet { if hasDot != oldValue { setNeedsDisplay() } }
  }
  private let text: TextLine
  private let dot: Double

  init(_ text: TextLine, dot: Double) {
    (self.text, self.dot) = (text, dot)
    super.init()
    let half = (text.width / 2).rounded(.up) + 3
    bounds = Rect(x: -half, y: -38, width: 2 * half, height: 46)
    (anchorPoint, isInteractionEnabled) = (Point(0.5, 38.0 / 46), false)
    setNeedsDisplay()
  }

  override func makeDrawing() -> (any Drawing)? { Picture(text: text, dot: hasDot ? dot : nil) }

  private struct Picture: Drawing {
    let text: TextLine
    let dot: Double?

    func draw(in context: DrawingContext) {
      if let dot {
        let circle = Path.ellipse(in: Rect(x: -dot / 2, y: -dot / 2, width: dot, height: dot))
        context.fill(circle, color: .white)
        context.stroke(circle, StrokeStyle(width: 2), color: Color(hex: 0x4A4038))
      }
      let baseline = Point(-text.width / 2, -11)
      // A light rim keeps letters apart from roads.
      for step in 0..<8 {
        let (x, y) = (cos(Double(step) * .pi / 4), sin(Double(step) * .pi / 4))
        context.draw(text, at: baseline + Point(x, y) * 2, color: Color(white: 1, alpha: 0.85))
      }
      context.draw(text, at: baseline, color: Color(hex: 0x3A322B))
    }
  }
}

extension Layer {
  /// Lets the layer's transform go to its value from another one, and slow down on the way.
  func glide(from transform: Affine, for duration: Nanoseconds) {
    add(
      BasicAnimation(.transform, from: Transform3D(transform), duration: duration, timingFunction: .easeOut),
      forKey: "transform")
  }
}

extension Affine {
  fileprivate var withoutTranslation: Affine { Affine(a: a, b: b, c: c, d: d, tx: 0, ty: 0) }
}
