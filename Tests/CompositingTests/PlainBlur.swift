import Glibc

/// A blur by the definition, along one axis.
enum PlainBlur {
  /// The values around a place, weighted by a bell of this standard deviation. One below 0.3 is none: a place between two pixels has
  /// a share of each.
  static func sum(at place: Double, deviation: Double, _ value: (Int) -> Double) -> Double {
    if deviation < 0.3 {
      let first = place.rounded(.down)
      let rest = place - first
      return value(Int(first)) * (1 - rest) + (rest > 0 ? value(Int(first) + 1) * rest : 0)
    }
    let reach = (deviation * 3).rounded(.up) + 1
    var (sum, weights) = (0.0, 0.0)
    for pixel in Int((place - reach).rounded(.up))...Int((place + reach).rounded(.down)) {
      let distance = Double(pixel) - place
      let weight = exp(-distance * distance / (2 * deviation * deviation))
      weights += weight
      sum += weight * value(pixel)
    }
    return sum / weights
  }
}
