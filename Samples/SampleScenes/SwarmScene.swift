public import Framepace
import Glibc

/// 2,000 layers that all move and turn in every frame.
public final class SwarmScene: SampleScene {
  public let root = Layer()
  public let isMoving = true

  private static let thousands = 2
  private static let count = thousands * 1_000
  private static let goldenAngle = Double.pi * (3 - 5.0.squareRoot())

  private var layers: [Layer] = []
  private let center: Point
  private let radii: Size

  public init(settings: SceneSettings) throws {
    let unit = settings.roundUnit
    root.backgroundColor = Palette.night
    let caption = TextLayer(
      "swarm · \(Self.thousands),000 moving layers", font: settings.fonts.regular(size: 28 * unit), color: Palette.dim)
    caption.frame.origin = Point(48 * unit, settings.size.height - 48 * unit - caption.bounds.height)
    // The swarm keeps clear of its caption.
    let height = caption.frame.minY - 24 * unit
    center = Point(settings.size.width / 2, height / 2)
    radii = Size(settings.size.width * 0.44, height * 0.44)
    root.addSublayer(caption)
    for index in 0..<Self.count {
      let layer = Layer()
      layer.bounds = Rect(x: 0, y: 0, width: 26 * unit, height: 9 * unit)
      layer.cornerRadius = 4.5 * unit
      layer.backgroundColor = Palette.accents[index % Palette.accents.count].withAlpha(0.85)
      root.addSublayer(layer)
      layers.append(layer)
    }
  }

  public func update(at time: Double) {
    for (index, layer) in layers.enumerated() {
      let place = self.place(of: index, at: time)
      let ahead = self.place(of: index, at: time + 0.01)
      layer.position = place
      layer.transform = .rotation(atan2(ahead.y - place.y, ahead.x - place.x))
    }
  }

  /// Sunflower seeds on a disc that turns, inner ones faster, while waves run outwards through it.
  private func place(of index: Int, at time: Double) -> Point {
    let share = ((Double(index) + 0.5) / Double(Self.count)).squareRoot()
    let angle = Double(index) * Self.goldenAngle + time * (0.9 - 0.6 * share)
    let radius = share * (1 + 0.1 * sin(time * 1.3 - share * 9) + 0.06 * sin(3 * angle + time))
    return Point(center.x + radii.width * radius * cos(angle), center.y + radii.height * radius * sin(angle))
  }
}
