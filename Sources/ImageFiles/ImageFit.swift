internal import Raster

/// The size in which a picture is decoded, by that of its file. A picture never becomes larger.
package enum ImageFit: Hashable, Sendable {
  /// Its own size.
  case natural
  /// The largest that fits into a box.
  case inside(PixelSize)
  /// The smallest that covers a box.
  case covering(PixelSize)
}

extension ImageFile.Header {
  /// The upright size in which the picture is decoded.
  func size(_ fit: ImageFit) -> PixelSize {
    switch fit {
    case .natural: return size
    case .inside(let box): return size.fitting(box)
    case .covering(let box):
      let scale = max(Double(box.width) / Double(size.width), Double(box.height) / Double(size.height))
      guard scale < 1 else { return size }
      func side(_ length: Int) -> Int { Int((Double(length) * scale).rounded(.up)) }
      return size.fitting(PixelSize(width: side(size.width), height: side(size.height)))
    }
  }

  /// The same as the file's rows lie.
  func storedSize(_ fit: ImageFit) -> PixelSize { size(fit).turned(if: orientation.swapsSides) }
}

/// The pictures of a file, and what its header says.
package struct DecodedImage: Sendable {
  package let header: ImageFile.Header
  /// One, of duration 0, unless the file moves.
  package let frames: [ImageFrame]

  var bytes: Int { frames.reduce(0) { $0 + $1.image.bytesPerRow * $1.image.height } }
}
