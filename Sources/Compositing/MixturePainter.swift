import Geometry
import Raster
import RenderTree

extension ImageMixture: PaintableContent {
  func opaquePixels(of record: RenderRecord, _ effects: RenderEffects?, _ transform: Affine) -> IntRect {
    guard isOpaque else { return .zero }
    // All lie in the same place.
    return parts.first?.image.opaquePixels(of: record, effects, transform) ?? .zero
  }

  func paint(_ layer: PaintedLayer, with painter: BandPainter) {
    if let rows = MixtureRows(self, layer) { painter.paint(rows, of: layer) }
  }

  /// True if every pixel of opaque images is opaque in the mixture: no share is taken away, and in all they are one.
  fileprivate var isOpaque: Bool {
    parts.allSatisfy { $0.share >= 0 && $0.image.isOpaque && $0.image.whole == nil }
      && parts.reduce(0) { $0 + $1.share } > 0.9999
  }
}

/// The rows of several images in the same place, added up by their shares.
private struct MixtureRows: ContentRows {
  /// The images with their shares in parts of 2¹⁶.
  private var parts: [(rows: any ContentRows, share: Int32)] = []
  private(set) var shape = LayerShape.empty
  let isOpaque: Bool
  /// True if not all images end at the same edges, which then cut each by itself.
  private let haveOwnEdges: Bool

  /// Nil when no pixel is seen.
  init?(_ mixture: ImageMixture, _ layer: PaintedLayer) {
    isOpaque = mixture.isOpaque
    let seen = mixture.parts.map { part in
      let shown = part.image.shown(in: layer.record.bounds, layer.node.effects, isMasked: layer.masksToBounds)
      return shown.place.intersection(shown.frame)
    }
    guard let first = seen.first else { return nil }
    haveOwnEdges = seen.contains { $0 != first }
    for part in mixture.parts {
      guard let rows = part.image.rows(of: layer) else { return nil }
      let pixels = parts.isEmpty ? rows.shape.pixels : shape.pixels.intersection(rows.shape.pixels)
      shape = rows.shape
      shape.pixels = pixels
      parts.append((rows, Int32((part.share * 65536).rounded())))
    }
    if haveOwnEdges {
      let all = seen.reduce(first) { $0.union($1) }
      // Its edges are moved out, so that nothing is antialiased twice.
      let around = ImageRows.shape(of: all, in: all, layer.node.effects, layer.node.transform, isMasked: true)
      shape = around ?? .empty
    }
    if shape.pixels.isEmpty { return nil }
  }

  func row(
    _ y: Int32, from x: Int32, count: Int32, in room: UnsafeMutablePointer<UInt32>, with painter: BandPainter
  ) -> UnsafePointer<UInt32> {
    let sums = painter.scratch.sums(Int(count))
    sums.initialize(repeating: SIMD4(repeating: 1 << 15), count: Int(count))
    for part in parts {
      if haveOwnEdges {
        addWithEdges(part.rows, part.share, y, x..<x + count, to: sums, in: room, with: painter)
        continue
      }
      let row = part.rows.row(y, from: x, count: count, in: room, with: painter)
      for index in 0..<Int(count) { sums[index] &+= Self.channels(row[index]) &* part.share }
    }
    for index in 0..<Int(count) { room[index] = Self.pixel(sums[index] &>> 16) }
    return UnsafePointer(room)
  }

  /// Adds the pixels of one image, each by what the image's edges cover of it.
  private func addWithEdges(
    _ rows: any ContentRows, _ share: Int32, _ y: Int32, _ columns: Range<Int32>,
    to sums: UnsafeMutablePointer<SIMD4<Int32>>, in room: UnsafeMutablePointer<UInt32>, with painter: BandPainter
  ) {
    let pixels = rows.shape.pixels
    let inside = columns.clamped(to: pixels.minX..<max(pixels.minX, pixels.maxX))
    guard y >= pixels.minY, y < pixels.maxY, !inside.isEmpty else { return }
    let row = rows.row(y, from: inside.lowerBound, count: Int32(inside.count), in: room, with: painter)
    let coverage = painter.scratch.coverage
    rows.shape.coverage(y, inside, painter.kernels, coverage)
    let start = Int(inside.lowerBound - columns.lowerBound)
    for index in 0..<inside.count {
      // A share has 20 bits at most, and the product 28.
      sums[start + index] &+= Self.channels(row[index]) &* (share &* Int32(coverage[index]) / 255)
    }
  }

  private static func channels(_ pixel: UInt32) -> SIMD4<Int32> {
    SIMD4(truncatingIfNeeded: SIMD4(pixel & 255, pixel >> 8 & 255, pixel >> 16 & 255, pixel >> 24))
  }

  /// A pixel of these channels: none is above its alpha.
  private static func pixel(_ channels: SIMD4<Int32>) -> UInt32 {
    let alpha = min(max(channels.w, 0), 255)
    let limited = channels.clamped(lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: alpha))
    let bytes = SIMD4<UInt32>(truncatingIfNeeded: limited)
    return bytes.w << 24 | bytes.z << 16 | bytes.y << 8 | bytes.x
  }
}
