import Framepace

/// A painted landscape, which stands in for a photograph: a sky with a sun and its glow, and ridges that grow darker as they come
/// nearer. The same values always give the same picture.
struct Landscape: Hashable, Sendable {
  var name: String
  /// The colours of the sky, from the top down to the horizon.
  var sky: [UInt32]
  var sun: UInt32
  /// The place of the sun in parts of the picture's size, and its diameter in parts of the shorter side.
  var sunPlace: Point
  var sunSize: Double
  /// The colours of the farthest and the nearest ridge.
  var far: UInt32
  var near: UInt32
  /// The height of the farthest ridge's foot and of the nearest one's, in parts of the picture's height from its top.
  var feet: ClosedRange<Double>
  var ridges: Int
  /// The height of a ridge in parts of the picture's height, and how jagged it is: 0 for dunes, 1 for rock.
  var height: Double
  var roughness: Double
  var stars = 0
  /// True if the last ridge is water, on which the sun glitters.
  var hasWater = false

  func draw(in context: DrawingContext, bounds: Rect) {
    func point(_ x: Double, _ y: Double) -> Point { Point(bounds.minX + x * bounds.width, bounds.minY + y * bounds.height) }
    context.fill(
      bounds, gradient: .linear(from: point(0, 0), to: point(0, feet.lowerBound), colors: sky.map { Color(hex: $0) }))
    for star in 0..<stars {
      let place = point(noise(star, 1), noise(star, 2) * feet.lowerBound * 0.9)
      let side = bounds.height * (0.0015 + 0.0025 * noise(star, 3))
      context.fill(
        .ellipse(in: Rect(x: place.x, y: place.y, width: side, height: side)),
        color: Color(white: 1, alpha: 0.3 + 0.6 * noise(star, 4)))
    }
    let (center, light) = (point(sunPlace.x, sunPlace.y), Color(hex: sun))
    context.fill(
      bounds,
      gradient: .radial(
        center: center, radius: bounds.height * 0.75,
        colors: [light.withAlpha(0.55), light.withAlpha(0.16), light.withAlpha(0)]))
    let side = sunSize * min(bounds.width, bounds.height)
    context.fill(
      .ellipse(in: Rect(x: center.x - side / 2, y: center.y - side / 2, width: side, height: side)),
      gradient: .radial(
        center: center, radius: side / 2, stops: [.init(light, at: 0.9), .init(light.withAlpha(0.6), at: 1)]))
    for ridge in 0..<ridges {
      guard !context.isCancelled else { return }
      let depth = ridges > 1 ? Double(ridge) / Double(ridges - 1) : 1
      let color = Color(hex: far).mixed(with: Color(hex: near), fraction: depth)
      let foot = feet.lowerBound + (feet.upperBound - feet.lowerBound) * depth
      if hasWater, ridge == ridges - 1 {
        drawWater(in: context, top: point(0, foot).y, bounds: bounds, color: color)
        return
      }
      let top = foot - height
      let haze = color.mixed(with: Color(hex: sky.last ?? far), fraction: 0.45 * (1 - depth))
      context.fill(
        outline(of: ridge, foot: foot, bounds: bounds),
        gradient: .linear(from: point(0, top), to: point(0, foot + 0.12), colors: [color, haze]))
    }
  }

  private func outline(of ridge: Int, foot: Double, bounds: Rect) -> Path {
    var path = Path()
    path.move(to: Point(bounds.minX, bounds.maxY))
    let steps = 160
    for step in 0...steps {
      let x = Double(step) / Double(steps)
      // Each octave is half as wide as the one before; rough ridges keep more of the small ones.
      var (y, size, total) = (0.0, 1.0, 0.0)
      for octave in 0..<6 {
        y += size * curve(x * Double(2 + ridge) * Double(1 << octave) * 0.7, row: ridge * 16 + octave)
        total += size
        size *= 0.22 + 0.33 * roughness
      }
      path.line(to: Point(bounds.minX + x * bounds.width, bounds.minY + (foot - height * (y / total)) * bounds.height))
    }
    path.line(to: Point(bounds.maxX, bounds.maxY))
    path.close()
    return path
  }

  private func drawWater(in context: DrawingContext, top: Double, bounds: Rect, color: Color) {
    let water = Rect(x: bounds.minX, y: top, width: bounds.width, height: bounds.maxY - top)
    let horizon = Color(hex: sky.last ?? near).mixed(with: color, fraction: 0.35)
    context.fill(
      water, gradient: .linear(from: Point(0, water.minY), to: Point(0, water.maxY), colors: [horizon, color]))
    let lines = 46
    for line in 0..<lines {
      let depth = Double(line) / Double(lines)
      let width = bounds.width * (0.02 + 0.14 * depth) * (0.3 + noise(line, 5))
      let x = bounds.minX + sunPlace.x * bounds.width + (noise(line, 6) - 0.5) * bounds.width * (0.03 + 0.12 * depth)
      let glint = Rect(
        x: x - width / 2, y: water.minY + depth * depth * water.height, width: width,
        height: bounds.height * (0.0015 + 0.005 * depth))
      context.fill(glint, cornerRadius: glint.height / 2, color: Color(hex: sun, alpha: 0.5 - 0.3 * depth))
    }
  }

  /// A smooth curve from 0 to 1 through random heights at whole places.
  private func curve(_ x: Double, row: Int) -> Double {
    let place = Int(x)
    let part = x - Double(place)
    let (from, to) = (noise(place, row + 32), noise(place + 1, row + 32))
    return from + (to - from) * part * part * (3 - 2 * part)
  }

  /// A number from 0 to 1 that depends on two numbers alone: the mixing step of SplitMix64 (Steele, Lea, Flood, 2014).
  private func noise(_ column: Int, _ row: Int) -> Double {
    var bits = UInt64(truncatingIfNeeded: column &* 0x9E37 &+ row &* 0x7F4A_7C15 &+ ridges &* 977) &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return Double((bits ^ bits >> 31) >> 11) / Double(1 << 53)
  }
}

extension Landscape {
  static let pier = Landscape(
    name: "Pier", sky: [0x3C5C86, 0xA9B7C6, 0xF3D3AE], sun: 0xFFF1CF, sunPlace: Point(0.68, 0.42), sunSize: 0.09,
    far: 0x8C9BAE,
    near: 0x31465F, feet: 0.52...0.56, ridges: 3, height: 0.1, roughness: 0.5, hasWater: true)
  static let dawn = Landscape(
    name: "First light", sky: [0x2B3A67, 0xC06C84, 0xF8B195], sun: 0xFFE3B0, sunPlace: Point(0.62, 0.45), sunSize: 0.12,
    far: 0xC68A8F, near: 0x2A1E3B, feet: 0.62...0.98, ridges: 6, height: 0.3, roughness: 0.8)
  static let fjord = Landscape(
    name: "Fjord", sky: [0x5E8FB5, 0xA8CCDC, 0xE8F1EC], sun: 0xFFFDF0, sunPlace: Point(0.3, 0.26), sunSize: 0.08,
    far: 0x8FB0BE,
    near: 0x1F4A5B, feet: 0.56...0.66, ridges: 5, height: 0.34, roughness: 0.9, hasWater: true)
  static let dunes = Landscape(
    name: "Dunes", sky: [0x6FA3C8, 0xCFE0DF, 0xF6E7C8], sun: 0xFFF6DA, sunPlace: Point(0.78, 0.2), sunSize: 0.1,
    far: 0xE8C48F,
    near: 0x9A5B2E, feet: 0.6...1.02, ridges: 5, height: 0.22, roughness: 0)
  static let night = Landscape(
    name: "Clear night", sky: [0x070B1E, 0x14204A, 0x3A4A86], sun: 0xE9EDF8, sunPlace: Point(0.24, 0.24), sunSize: 0.09,
    far: 0x32427A, near: 0x060914, feet: 0.7...1.0, ridges: 5, height: 0.28, roughness: 1, stars: 220)
}

/// Shows a landscape, which workers paint.
final class LandscapeLayer: Layer {
  var landscape: Landscape {
    didSet { if landscape != oldValue { setNeedsDisplay() } }
  }

  init(_ landscape: Landscape, cornerRadius: Double = 0) {
    self.landscape = landscape
    super.init()
    self.cornerRadius = cornerRadius
    (masksToBounds, isOpaque) = (cornerRadius > 0, true)
    setNeedsDisplay()
  }

  override func makeDrawing() -> (any Drawing)? { Painting(landscape: landscape, bounds: bounds) }

  private struct Painting: Drawing {
    let landscape: Landscape
    let bounds: Rect

    func draw(in context: DrawingContext) { landscape.draw(in: context, bounds: bounds) }
  }
}
