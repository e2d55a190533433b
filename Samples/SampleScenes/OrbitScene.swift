public import Framepace
import Glibc

/// Translucent squares and discs on rings around a sun: many layers that move, turn and overlap in every frame.
public final class OrbitScene: SampleScene {
  public let root = Layer()
  public let isMoving = true

  /// A body that moves around the centre.
  private struct Body {
    var layer: Layer
    var radius: Double
    var phase: Double
    /// The speeds around the centre and around the body's own axis, in radians a second.
    var speed: Double
    var spin: Double
  }

  private var bodies: [Body] = []
  private let center: Point

  public init(settings: SceneSettings) throws {
    let unit = settings.roundUnit
    center = Point(settings.size.width / 2, settings.size.height / 2)
    root.backgroundColor = Palette.night
    // Below the bodies, which let them shine through.
    for ring in 0..<4 { addRing(radius: Self.radius(of: ring, unit: unit), unit: unit) }
    addSun(unit: unit)
    for ring in 0..<4 { addBodies(ring, unit: unit) }
    addCaption(settings: settings)
  }

  public func update(at time: Double) {
    for body in bodies {
      let angle = body.phase + body.speed * time
      body.layer.position = Point(center.x + body.radius * cos(angle), center.y + body.radius * sin(angle))
      body.layer.transform = .rotation(body.phase + body.spin * time)
    }
  }

  private static func radius(of ring: Int, unit: Double) -> Double { unit * (150 + Double(ring) * 105) }

  private func addRing(radius: Double, unit: Double) {
    let path = ShapeLayer()
    path.bounds = Rect(x: 0, y: 0, width: radius * 2 + 4 * unit, height: radius * 2 + 4 * unit)
    path.position = center
    path.path = .ellipse(in: path.bounds.insetBy(dx: 2 * unit, dy: 2 * unit))
    path.fillColor = nil
    path.strokeColor = Palette.line
    path.strokeStyle = StrokeStyle(width: max(1.5 * unit, 0.5))
    root.addSublayer(path)
  }

  private func addBodies(_ ring: Int, unit: Double) {
    let radius = Self.radius(of: ring, unit: unit)
    let count = [5, 8, 11, 14][ring]
    let side = unit * [64, 58, 52, 46][ring]
    for index in 0..<count {
      let layer = Layer()
      layer.bounds = Rect(x: 0, y: 0, width: side, height: side)
      layer.cornerRadius = index.isMultiple(of: 2) ? side / 2 : side / 5
      layer.backgroundColor = Palette.accents[(index + ring) % Palette.accents.count]
      layer.opacity = 0.9
      addMoon(to: layer, side: side)
      root.addSublayer(layer)
      bodies.append(
        Body(
          layer: layer, radius: radius, phase: Double(index) / Double(count) * 2 * .pi,
          speed: (ring.isMultiple(of: 2) ? 1 : -1) * 0.55 / Double(ring + 1), spin: 0.9 + 0.15 * Double(index % 4)))
    }
  }

  /// Adds a dark spot beside the body's centre, so that its turning can be seen.
  private func addMoon(to body: Layer, side: Double) {
    let moon = Layer()
    moon.bounds = Rect(x: 0, y: 0, width: side * 0.26, height: side * 0.26)
    moon.position = Point(side * 0.68, side * 0.32)
    moon.cornerRadius = side * 0.13
    moon.backgroundColor = Palette.night.withAlpha(0.55)
    body.addSublayer(moon)
  }

  private func addSun(unit: Double) {
    for (diameter, alpha) in [(190.0, 0.10), (150, 0.18), (112, 1)] {
      let disc = Layer()
      disc.bounds = Rect(x: 0, y: 0, width: diameter * unit, height: diameter * unit)
      disc.position = center
      disc.cornerRadius = diameter * unit / 2
      disc.backgroundColor = Palette.amber.withAlpha(alpha)
      root.addSublayer(disc)
    }
  }

  private func addCaption(settings: SceneSettings) {
    let unit = settings.roundUnit
    let caption = TextLayer(
      "orbit · \(bodies.count) translucent layers", font: settings.fonts.regular(size: 28 * unit), color: Palette.dim)
    caption.frame.origin = Point(48 * unit, settings.size.height - 48 * unit - caption.bounds.height)
    root.addSublayer(caption)
  }
}
