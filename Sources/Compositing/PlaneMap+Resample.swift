import Geometry
import RenderTree

extension PlaneMap {
  /// The pixels of the output from a picture that has their `source(of:)`. Where it is seen smaller, several places in each pixel
  /// are averaged.
  func sampler(of source: PixelTarget) -> PlaneSampler { PlaneSampler(map: fromOutput, extent: extent, source: source) }
}

/// The pixels of a plane as they are seen on the output: each a function of its own coordinates.
struct PlaneSampler {
  fileprivate let map: Homography
  fileprivate let extent: IntRect
  fileprivate let source: PixelTarget

  /// The places along each side of a pixel that are averaged at most.
  private static let mostPlaces = 8.0

  /// Writes pixels of a row of the output from `x` on.
  func write(_ count: Int, from x: Int32, row y: Int32, to row: UnsafeMutablePointer<UInt32>) {
    for column in 0..<count { row[column] = pixel(Double(Int(x) + column) + 0.5, Double(y) + 0.5) }
  }

  /// The pixel around a point of the output.
  private func pixel(_ x: Double, _ y: Double) -> UInt32 {
    guard let center = place(x, y) else { return 0 }
    let w = map.px * x + map.py * y + map.pw
    let across = length(map.a - center.x * map.px, map.b - center.y * map.px) / w
    let down = length(map.c - center.x * map.py, map.d - center.y * map.py) / w
    let reach = max(across, down)
    // Nothing of the picture is near.
    let margin = reach * 2 + 2
    guard center.x > Double(extent.minX) - margin, center.x < Double(extent.maxX) + margin,
      center.y > Double(extent.minY) - margin, center.y < Double(extent.maxY) + margin
    else { return 0 }
    let count = min(max((reach - 0.25).rounded(.up), 1), Self.mostPlaces)
    var sum = SIMD4<UInt32>(repeating: 0)
    for row in 0..<Int(count) {
      for column in 0..<Int(count) {
        let offset = Point((Double(column) + 0.5) / count - 0.5, (Double(row) + 0.5) / count - 0.5)
        if let place = place(x + offset.x, y + offset.y) { add(place, to: &sum) }
      }
    }
    let weight = UInt32(count * count) << 16
    let mean = (sum &+ (weight >> 1)) / SIMD4(repeating: weight)
    return mean.w << 24 | mean.z << 16 | mean.y << 8 | mean.x
  }

  private func length(_ x: Double, _ y: Double) -> Double { (x * x + y * y).squareRoot() }

  /// The place in the picture that is seen at a point of the output; nil where none is, or one too far away.
  private func place(_ x: Double, _ y: Double) -> Point? {
    let w = map.px * x + map.py * y + map.pw
    guard w >= Homography.nearest, w <= 1 / Homography.nearest else { return nil }
    let place = Point((map.a * x + map.c * y + map.tx) / w, (map.b * x + map.d * y + map.ty) / w)
    return abs(place.x) < 0x1p29 && abs(place.y) < 0x1p29 ? place : nil
  }

  /// Adds the mixture of the four pixels around a place, 2¹⁶ times.
  private func add(_ place: Point, to sum: inout SIMD4<UInt32>) {
    let (left, top) = ((place.x - 0.5).rounded(.down), (place.y - 0.5).rounded(.down))
    let right = UInt32((place.x - 0.5 - left) * 256)
    let bottom = UInt32((place.y - 0.5 - top) * 256)
    let (x, y) = (Int32(left), Int32(top))
    sum &+= channels(x, y) &* ((256 - right) * (256 - bottom))
    sum &+= channels(x + 1, y) &* (right * (256 - bottom))
    sum &+= channels(x, y + 1) &* ((256 - right) * bottom)
    sum &+= channels(x + 1, y + 1) &* (right * bottom)
  }

  private func channels(_ x: Int32, _ y: Int32) -> SIMD4<UInt32> {
    let pixels = source.pixels
    guard x >= pixels.minX, x < pixels.maxX, y >= pixels.minY, y < pixels.maxY else { return SIMD4(repeating: 0) }
    let pixel = source.pointer(x: x, y: y).pointee
    return SIMD4(pixel & 255, pixel >> 8 & 255, pixel >> 16 & 255, pixel >> 24)
  }
}
