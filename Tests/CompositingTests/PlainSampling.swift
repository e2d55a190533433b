import Geometry
import Glibc
import Raster
import RenderTree

/// The definition of an image that is shown in another size, in real numbers.
struct PlainSampling {
  /// Blue, green, red, alpha: 0…1, alpha multiplied in.
  typealias Color = SIMD4<Double>

  private let width: Int
  private let height: Int
  private let pixels: [Color]

  init(_ image: Image) {
    (width, height) = (image.width, image.height)
    pixels = (0..<height).flatMap { [width] y in
      let row = image.row(y).assumingMemoryBound(to: UInt32.self)
      return (0..<width).map { PlainCompositor.color(row[$0]) }
    }
  }

  private init(_ width: Int, _ height: Int, _ pixel: (_ x: Int, _ y: Int) -> Color) {
    (self.width, self.height) = (width, height)
    pixels = (0..<height).flatMap { y in (0..<width).map { pixel($0, y) } }
  }

  /// The colour at each point of the rectangle that the image fills. Points count from its corner, and its sides are 1.
  ///
  /// - Parameters:
  ///   - across: the length of one of the image's columns on the output.
  ///   - down: the length of one of its rows.
  func colors(across: Double, down: Double, _ filter: ImageFilter) -> (Point) -> Color {
    let (columns, rows) = (max(-log2(across), 0), max(-log2(down), 0))
    switch filter {
    case .nearest:
      return { pixel(Int(($0.x * Double(width)).rounded(.down)), Int(($0.y * Double(height)).rounded(.down))) }
    case .linear: return halved(Int(columns.rounded()), Int(rows.rounded())).bilinear
    case .trilinear:
      let (column, row) = (Int(columns), Int(rows))
      let (right, below) = (columns - Double(column), rows - Double(row))
      let (large, small) = (halved(column, row), halved(column + 1, row + 1))
      let middle = right > below ? halved(column + 1, row) : halved(column, row + 1)
      return { point in
        large.bilinear(point) * (1 - max(right, below)) + middle.bilinear(point) * abs(right - below)
          + small.bilinear(point) * min(right, below)
      }
    }
  }

  private func bilinear(_ point: Point) -> Color {
    let (x, y) = (point.x * Double(width) - 0.5, point.y * Double(height) - 0.5)
    let (left, top) = (Int(x.rounded(.down)), Int(y.rounded(.down)))
    let (right, below) = (x - Double(left), y - Double(top))
    let upper = pixel(left, top) * (1 - right) + pixel(left + 1, top) * right
    let lower = pixel(left, top + 1) * (1 - right) + pixel(left + 1, top + 1) * right
    return upper * (1 - below) + lower * below
  }

  /// The edge pixels go on outside.
  private func pixel(_ x: Int, _ y: Int) -> Color {
    pixels[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)]
  }

  private func halved(_ columns: Int, _ rows: Int) -> PlainSampling {
    if columns > 0, width > 1 {
      return PlainSampling((width + 1) / 2, height) { (pixel(2 * $0, $1) + pixel(2 * $0 + 1, $1)) / 2 }.halved(
        columns - 1, rows)
    }
    if rows > 0, height > 1 {
      return PlainSampling(width, (height + 1) / 2) { (pixel($0, 2 * $1) + pixel($0, 2 * $1 + 1)) / 2 }.halved(
        columns, rows - 1)
    }
    return self
  }
}
