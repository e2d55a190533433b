internal import CPictures
import Glibc

/// The part of an image that is encoded, as rows of bytes in PNG's form.
struct PNGRows {
  let image: Image
  /// The part's first column and row, in pixels.
  let x: Int
  let y: Int
  let width: Int
  let height: Int
  /// 3 for R, G, B; 4 for R, G, B, A.
  let channels: Int

  /// All of an image, with alpha if it is not opaque.
  init(_ image: Image) {
    self.init(image, x: 0, y: 0, width: image.width, height: image.height, channels: image.isOpaque ? 3 : 4)
  }

  init(_ image: Image, x: Int, y: Int, width: Int, height: Int, channels: Int) {
    self.image = image
    self.x = x
    self.y = y
    self.width = width
    self.height = height
    self.channels = channels
  }

  /// The bytes of a row's pixels.
  var pixelBytes: Int { width * channels }
  /// The bytes of a row behind the number of its filter.
  var rowBytes: Int { 1 + pixelBytes }
  /// The bytes of all rows.
  var size: Int { rowBytes * height }

  /// The room that `filter` works in, in bytes.
  var scratchSize: Int { 3 * pixelBytes }

  /// Writes rows of this part, each behind the number of its filter: 0 for none, 1 for differences to the left, 2 for
  /// differences to the row above.
  ///
  /// - Parameters:
  ///   - rows: counted from the part's first one.
  ///   - output: `rowBytes` for each of them.
  ///   - scratch: `scratchSize` bytes.
  ///   - isFiltered: false for no filter in any row.
  func write(
    _ rows: Range<Int>, to output: UnsafeMutablePointer<UInt8>, scratch: UnsafeMutablePointer<UInt8>, isFiltered: Bool
  ) {
    var (above, current) = (scratch, scratch + pixelBytes)
    if rows.lowerBound > 0 { load(rows.lowerBound - 1, to: above) } else { memset(above, 0, pixelBytes) }
    for row in rows {
      let target = output + (row - rows.lowerBound) * rowBytes
      if isFiltered {
        load(row, to: current)
        cpictures_png_filter(target, current, above, Int64(pixelBytes), Int32(channels), scratch + 2 * pixelBytes)
        swap(&above, &current)
      } else {
        target[0] = 0
        load(row, to: target + 1)
      }
    }
    withExtendedLifetime(image) {}
  }

  private func load(_ row: Int, to bytes: UnsafeMutablePointer<UInt8>) {
    cpictures_png_row(bytes, image.row(y + row).assumingMemoryBound(to: UInt32.self) + x, Int64(width), Int32(channels))
  }
}
