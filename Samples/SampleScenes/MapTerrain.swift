import Framepace
import Glibc

/// A made-up land: heights, woods and towns as functions of the place. The same seed always gives the same land, so that tiles of it that
/// different threads draw fit together.
struct MapTerrain: Sendable {
  /// The side of the land in points; all around it is sea.
  static let side = 4096.0
  /// The side of a square in which there is one town at most.
  static let townSpacing = 176.0

  let seed: UInt64

  struct Town: Sendable {
    var place: Point
    /// From 0 to 1.
    var importance: Double
    var column: Int
    var row: Int
  }

  /// The height at a place: 0 at the coast, negative in the sea.
  ///
  /// - Parameter detail: the width in points of the smallest forms.
  func height(_ x: Double, _ y: Double, detail: Double) -> Double {
    let (u, v) = (x / Self.side - 0.5, y / Self.side - 0.5)
    let falloff = 2.6 * (u * u + v * v)
    return fractal(x, y, width: 1300, detail: detail, layer: 1) - 0.42 - falloff * falloff * 0.75
  }

  /// Above 0 in woods.
  func woods(_ x: Double, _ y: Double, detail: Double) -> Double {
    fractal(x, y, width: 420, detail: detail, layer: 9) - 0.53
  }

  /// The town of a square, where there is land for it.
  func town(_ column: Int, _ row: Int) -> Town? {
    let x = (Double(column) + 0.2 + 0.6 * random(column, row, 20)) * Self.townSpacing
    let y = (Double(row) + 0.2 + 0.6 * random(column, row, 21)) * Self.townSpacing
    guard case 0.015...0.2 = height(x, y, detail: 40) else { return nil }
    return Town(place: Point(x, y), importance: random(column, row, 22), column: column, row: row)
  }

  /// The towns in a rectangle and somewhat around it.
  func towns(in rect: Rect, around margin: Double) -> [Town] {
    func cells(_ from: Double, _ to: Double) -> ClosedRange<Int> {
      let last = Int(Self.side / Self.townSpacing)
      let first = min(max(Int(((from - margin) / Self.townSpacing).rounded(.down)), 0), last)
      return first...min(max(Int(((to + margin) / Self.townSpacing).rounded(.down)), first), last)
    }
    var towns: [Town] = []
    for row in cells(rect.minY, rect.maxY) {
      for column in cells(rect.minX, rect.maxX) { if let town = town(column, row) { towns.append(town) } }
    }
    return towns
  }

  func name(of town: Town) -> String {
    let (starts, ends) = (Self.starts, Self.ends)
    func pick(_ list: [String], _ salt: Int) -> String {
      list[Int(random(town.column, town.row, salt) * Double(list.count))]
    }
    let name = pick(starts, 30) + pick(ends, 31)
    return town.importance > 0.8 && random(town.column, town.row, 32) > 0.6 ? "Port " + name : name
  }

  private static let starts = [
    "Al", "Birk", "Crom", "Dun", "Elm", "Fal", "Glen", "Har", "Ingle", "Kel", "Lin", "Mar", "Nor", "Oak", "Pen", "Raven",
    "Sel", "Thorn",
    "Ul", "Wester",
  ]
  private static let ends = [
    "bridge", "by", "combe", "dale", "ford", "ham", "holm", "mere", "mouth", "ness", "sea", "stead", "ton", "wick", "worth",
  ]

  // MARK: Noise

  /// A mean of smooth noises, each of half the width and weight of the one before: about 0.2 to 0.8.
  private func fractal(_ x: Double, _ y: Double, width: Double, detail: Double, layer: Int) -> Double {
    var (sum, total, weight, width, layer) = (0.0, 0.0, 1.0, width, layer)
    for octave in 0..<8 {
      // Forms that are too small to be seen have their mean, so that coarse and fine tiles show the same coast.
      sum += weight * (octave > 2 && width < detail ? 0.5 : smooth(x / width, y / width, layer))
      total += weight
      (weight, width, layer) = (weight * 0.52, width / 2, layer + 1)
    }
    return sum / total
  }

  private func smooth(_ x: Double, _ y: Double, _ layer: Int) -> Double {
    let (left, top) = (x.rounded(.down), y.rounded(.down))
    let (column, row, s, t) = (Int(left), Int(top), ease(x - left), ease(y - top))
    let upper = random(column, row, layer) * (1 - s) + random(column + 1, row, layer) * s
    let lower = random(column, row + 1, layer) * (1 - s) + random(column + 1, row + 1, layer) * s
    return upper * (1 - t) + lower * t
  }

  private func ease(_ part: Double) -> Double { part * part * part * (part * (part * 6 - 15) + 10) }

  /// A number from 0 to 1 that depends on its arguments alone: the mixing step of SplitMix64 (Steele, Lea, Flood, 2014).
  func random(_ column: Int, _ row: Int, _ layer: Int) -> Double {
    var bits = UInt64(truncatingIfNeeded: column &* 0x1_F123_BB5 &+ row &* 0x5_DEEC_E66D &+ layer &* 0x27D4_EB2F) &+ seed
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    bits ^= bits >> 31
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    return Double((bits ^ bits >> 31) >> 11) / Double(1 << 53)
  }
}
