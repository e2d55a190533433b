import CKernels
import Geometry
import Glibc
import Raster
import RenderTree

/// The way in which the output's pixels are made of an image that is not shown pixel by pixel: from one copy of it, or from up to three
/// in sizes next to each other.
struct ImageSampling {
  private var samplers: InlineArray<3, ckernels_sampler>
  /// For each copy but the first, the share of it in the mixture of all up to it, in parts of 255.
  private var shares = InlineArray<3, UInt32>(repeating: 0)
  private var count = 1
  private var isNearest = false

  /// Nil for an image that is too flat or too large on the output.
  ///
  /// - Parameter place: the rectangle of the whole image, in the layer's coordinates.
  init?(_ image: Image, _ place: Rect, _ transform: Affine, _ cut: ContentCut) {
    let toOutput = ImageRows.toOutput(image, place, transform)
    let filter = abs(toOutput.determinant) < 1 ? cut.minification : cut.magnification
    // An image that is shown smaller is averaged first, or pixels that no sample meets would be lost.
    let (across, down) =
      filter == .nearest ? (0, 0) : (Self.level(toOutput.a, toOutput.b), Self.level(toOutput.c, toOutput.d))
    guard filter != .nearest, cut.minification == .trilinear else {
      let copy = image.halved(columns: Int(across.rounded()), rows: Int(down.rounded()))
      guard let sampler = Self.sampler(of: copy, place, transform) else { return nil }
      samplers = InlineArray(repeating: sampler)
      isNearest = filter == .nearest
      return
    }
    let (columns, rows) = (Int(across), Int(down))
    guard let sampler = Self.sampler(of: image.halved(columns: columns, rows: rows), place, transform) else { return nil }
    samplers = InlineArray(repeating: sampler)
    // Both directions are near the next level by the lesser fraction. The one that is nearer has the rest to itself.
    let (right, below) = (across - Double(columns), down - Double(rows))
    let (lesser, greater) = (min(right, below), max(right, below))
    add(
      image.halved(columns: columns + (right > below ? 1 : 0), rows: rows + (below > right ? 1 : 0)),
      share: (greater - lesser) / (1 - lesser), place, transform)
    add(image.halved(columns: columns + 1, rows: rows + 1), share: lesser, place, transform)
  }

  private mutating func add(_ copy: @autoclosure () -> Image, share: Double, _ place: Rect, _ transform: Affine) {
    let share = UInt32((share * 255).rounded())
    // A copy is made when it is seen.
    guard share > 0, let sampler = Self.sampler(of: copy(), place, transform) else { return }
    (samplers[count], shares[count]) = (sampler, share)
    count += 1
  }

  /// Writes the pixels of a row of the output from `x` on.
  func write(_ count: Int, from x: Int32, row y: Int32, to row: UnsafeMutablePointer<UInt32>, with painter: BandPainter) {
    if isNearest {
      withUnsafePointer(to: samplers[0]) { ckernels_sample_nearest(row, Int64(count), x, y, $0) }
      return
    }
    withUnsafePointer(to: samplers[0]) { painter.kernels.pointee.sample(row, Int64(count), x, y, $0) }
    for index in 1..<self.count {
      let copy = painter.scratch.copySamples
      withUnsafePointer(to: samplers[index]) { painter.kernels.pointee.sample(copy, Int64(count), x, y, $0) }
      painter.kernels.pointee.mix(row, copy, Int64(count), shares[index])
    }
  }

  /// True if the pixels are those of `old`, so many pixels from there.
  func isMoved(from old: ImageSampling, dx: Int32, dy: Int32) -> Bool {
    count == old.count && isNearest == old.isNearest
      && (0..<count).allSatisfy {
        shares[$0] == old.shares[$0] && samplers[$0].isMoved(from: old.samplers[$0], dx: Int64(dx), dy: Int64(dy))
      }
  }

  /// How often an image would be halved in a direction until its pixels lie as far apart as those of the output: a binary logarithm.
  ///
  /// - Parameters:
  ///   - x: of the step from one of the image's pixels to the next, in pixels of the output.
  ///   - y: as `x`.
  private static func level(_ x: Double, _ y: Double) -> Double {
    let length = x * x + y * y
    // No image is longer than 2³¹ pixels.
    return length < 1 ? min(-log2(max(length, 0x1p-62)) / 2, 31) : 0
  }

  private static func sampler(of image: Image, _ place: Rect, _ transform: Affine) -> ckernels_sampler? {
    let toOutput = ImageRows.toOutput(image, place, transform)
    guard let toImage = toOutput.inverted else { return nil }
    // Fixed point is exact next to the image's own centre and half a step of 2⁻³² off for each pixel from there.
    let center = toOutput.apply(Point(x: Double(image.width) / 2, y: Double(image.height) / 2))
    func whole(_ value: Double) -> Double { value.isFinite ? min(max(value.rounded(), -0x1p30), 0x1p30) : 0 }
    let anchor = Point(x: whole(center.x), y: whole(center.y))
    let start = toImage.apply(Point(x: anchor.x + 0.5, y: anchor.y + 0.5))
    let x = Int64(anchor.x)
    let y = Int64(anchor.y)
    let (ux, uy) = (ImageRows.fixed(toImage.a), ImageRows.fixed(toImage.c))
    let (vx, vy) = (ImageRows.fixed(toImage.b), ImageRows.fixed(toImage.d))
    return ckernels_sampler(
      base: image.base.assumingMemoryBound(to: UInt8.self), bytes_per_row: Int64(image.bytesPerRow),
      width: Int32(image.width), height: Int32(image.height),
      u: ImageRows.fixed(start.x - 0.5) &- x &* ux &- y &* uy, ux: ux, uy: uy,
      v: ImageRows.fixed(start.y - 0.5) &- x &* vx &- y &* vy, vx: vx, vy: vy)
  }
}

extension ckernels_sampler {
  fileprivate func isMoved(from old: ckernels_sampler, dx: Int64, dy: Int64) -> Bool {
    base == old.base && width == old.width && height == old.height && bytes_per_row == old.bytes_per_row
      && ux == old.ux && uy == old.uy && vx == old.vx && vy == old.vy
      && u == old.u &- dx &* ux &- dy &* uy && v == old.v &- dx &* vx &- dy &* vy
  }
}

extension Image {
  /// The image halved so often in each direction, both together as far as they go; a side of one pixel stays.
  fileprivate func halved(columns: Int, rows: Int) -> Image {
    var (image, columns, rows) = (self, columns, rows)
    while columns > 0 || rows > 0, let half = image.halved(width: columns > 0, height: rows > 0) {
      (image, columns, rows) = (half, columns - 1, rows - 1)
    }
    return image
  }
}
