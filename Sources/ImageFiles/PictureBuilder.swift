internal import CImageFiles
internal import Raster

/// Makes an upright image of rows as a file has them: converts colours, reduces to the size that is asked for, multiplies alpha in
/// and puts pixels in their places.
final class PictureBuilder {
  private let source: PixelSize
  private let result: PixelSize
  private let orientation: ImageOrientation
  private let conversion: ColorConversion?
  private let isOpaque: Bool
  private let bitmap: Bitmap
  private var reduction: OpaquePointer?
  /// Rows that do not go straight to the bitmap: one of the source, then one of the result.
  private let rows: UnsafeMutablePointer<UInt32>
  private let writesInPlace: Bool
  private var nextRow = 0

  /// - Parameters:
  ///   - source: the size of the rows that come.
  ///   - result: the size that is made of them, not turned upright yet; no side is longer.
  ///   - memory: the bytes that the decoder takes for itself, which count too.
  init(
    source: PixelSize, result: PixelSize, orientation: ImageOrientation, conversion: ColorConversion?, isOpaque: Bool,
    memory: Int, watch: DecodingWatch
  ) throws(ImageFileError) {
    let shown = result.turned(if: orientation.swapsSides)
    guard max(shown.width, shown.height) <= Bitmap.maximumSide else {
      throw .tooLarge(name: watch.name, size: shown, maximumPixels: watch.limits.pixels)
    }
    let bytesPerRow = (shown.width * 4 + 63) & ~63
    try watch.take(memory + bytesPerRow * shown.height)
    guard let bitmap = try? Bitmap(width: shown.width, height: shown.height) else { throw .outOfMemory(name: watch.name) }
    (self.source, self.result, self.orientation, self.conversion, self.isOpaque, self.bitmap) =
      (source, result, orientation, conversion, isOpaque, bitmap)
    let isReduced = source != result
    writesInPlace = !isReduced && orientation == .up
    rows = .allocate(capacity: source.width + result.width)
    rows.initialize(repeating: 0, count: source.width + result.width)
    if isReduced {
      reduction = cimagefiles_reduction_open(
        UInt32(source.width), UInt32(source.height), UInt32(result.width), UInt32(result.height))
      if reduction == nil { throw .outOfMemory(name: watch.name) }
    }
  }

  deinit {
    rows.deallocate()
    if let reduction { cimagefiles_reduction_close(reduction) }
  }

  /// The memory to write the next row to before `add()`: words of alpha, red, green and blue, alpha not multiplied in.
  var row: UnsafeMutablePointer<UInt32> {
    guard writesInPlace else { return rows }
    return bitmap.row(min(nextRow, bitmap.height - 1)).assumingMemoryBound(to: UInt32.self)
  }

  /// Takes the row that was written. Rows beyond the picture's height are not taken.
  func add() {
    guard nextRow < source.height else { return }
    let row = row
    conversion?.convert(row, count: source.width)
    if isOpaque {
      if conversion != nil { cimagefiles_make_opaque(row, source.width) }
    } else {
      cimagefiles_premultiply(row, source.width)
    }
    if let reduction {
      let reduced = rows + source.width
      if cimagefiles_reduction_add(reduction, row, reduced) {
        place(reduced, y: resultRow)
        resultRow += 1
      }
    } else if !writesInPlace {
      place(row, y: nextRow)
    }
    nextRow += 1
  }

  private var resultRow = 0

  private func place(_ row: UnsafeMutablePointer<UInt32>, y: Int) {
    let place = orientation.place(ofRow: y, in: result)
    let step = place.stepX + place.stepY * (bitmap.bytesPerRow / 4)
    var target = bitmap.row(place.y).assumingMemoryBound(to: UInt32.self) + place.x
    if step == 1 {
      target.update(from: row, count: result.width)
      return
    }
    for x in 0..<result.width {
      target.pointee = row[x]
      // The pointer does not leave the bitmap.
      if x < result.width - 1 { target += step }
    }
  }

  /// The finished image. Rows that did not come are clear.
  func image() -> Image { bitmap.freeze(isOpaque: isOpaque && nextRow == source.height ? true : nil) }
}
