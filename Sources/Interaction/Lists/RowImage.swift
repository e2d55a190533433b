import Geometry
public import ImageFiles
import Raster

/// The picture of a row: its name, as the list's loader knows it, and the pixels into which it is to fit.
public struct RowImage: Hashable, Sendable {
  public let name: String
  public let box: PixelSize

  public init(_ name: String, fitting box: PixelSize) { (self.name, self.box) = (name, box) }

  /// - Parameter scale: pixels a point of the size.
  init(_ name: String, size: Size, scale: Double) {
    func pixels(_ length: Double) -> Int {
      let pixels = (length * scale).rounded(.up)
      return pixels > 1 ? Int(min(pixels, Double(Bitmap.maximumSide))) : 1
    }
    self.init(name, fitting: PixelSize(width: pixels(size.width), height: pixels(size.height)))
  }

  /// The most bytes that the picture takes: the rows of bitmaps begin at multiples of 64 bytes.
  var mostBytes: Int {
    let (row, isTooLong) = max(box.width, 1).multipliedReportingOverflow(by: 4)
    if isTooLong || row > .max - 64 { return .max }
    let (bytes, isTooMuch) = ((row + 63) & ~63).multipliedReportingOverflow(by: max(box.height, 1))
    return isTooMuch ? .max : bytes
  }
}
