internal import Raster

/// The size in which a picture is decoded, by that of its file. A picture never becomes larger.
package enum ImageFit: Hashable, Sendable {
  /// Its own size.
  case natural
  /// The largest that fits into a box.
  case inside(PixelSize)
  /// The smallest that covers a box.
  case covering(PixelSize)

  /// The box that the picture is to be fitted into, as `ImageFile.decode(fitting:isCancelled:)` takes it.
  func box(of size: PixelSize) -> PixelSize? {
    switch self {
    case .natural: return nil
    case .inside(let box): return box
    case .covering(let box):
      let scale = max(Double(box.width) / Double(size.width), Double(box.height) / Double(size.height))
      guard scale < 1 else { return nil }
      func side(_ length: Int) -> Int { Int((Double(length) * scale).rounded(.up)) }
      return PixelSize(width: side(size.width), height: side(size.height))
    }
  }
}

/// The pictures of a file, and what its header says.
package struct DecodedImage: Sendable {
  package let header: ImageFile.Header
  /// One, of duration 0, unless the file moves.
  package let frames: [ImageFrame]

  var bytes: Int { frames.reduce(0) { $0 + $1.image.bytesPerRow * $1.image.height } }
}
