import Glibc
public import Raster

extension VirtualDisplay {
  /// A copy of the frame that is on the display now; all clear before the first one.
  public func copyShownImage() throws(BitmapError) -> Image {
    let copy = try Bitmap(width: presenter.width, height: presenter.height)
    if let shown = shownBitmap {
      for y in 0..<copy.height { memcpy(copy.row(y), shown.row(y), copy.width * 4) }
    }
    return copy.freeze()
  }
}
