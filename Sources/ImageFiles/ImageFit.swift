internal import LinuxSystem
internal import Raster

/// The size in which a picture is decoded, by that of its file. A picture never becomes larger, but a drawing does.
package enum ImageFit: Hashable, Sendable {
  /// Its own size.
  case natural
  /// Its own size, of a drawing so many times.
  case scaled(Double)
  /// The largest that fits into a box.
  case inside(PixelSize)
  /// The smallest that covers a box.
  case covering(PixelSize)

  /// The same size in the one way in which a cache knows it: that of a file of pixels does not go by a scale, that of a drawing does.
  func kept(isDrawing: Bool) -> ImageFit {
    switch self {
    case .natural where isDrawing: .scaled(1)
    case .scaled where !isDrawing: .natural
    default: self
    }
  }

  /// True for the size of the file.
  package var isOfFile: Bool {
    switch self {
    case .natural, .scaled: true
    case .inside, .covering: false
    }
  }
}

extension ImageFile.Header {
  /// The upright size in which the picture is decoded.
  func size(_ fit: ImageFit) -> PixelSize {
    switch fit {
    case .natural: return size
    case .scaled(let scale): return isDrawing ? size.scaled(by: scale) : size
    case .inside(let box): return isDrawing ? size.scaled(by: size.scale(inside: box)) : size.fitting(box)
    case .covering(let box):
      let scale = max(Double(box.width) / Double(size.width), Double(box.height) / Double(size.height))
      if isDrawing { return size.scaled(by: scale) }
      guard scale < 1 else { return size }
      func side(_ length: Int) -> Int { Int((Double(length) * scale).rounded(.up)) }
      return size.fitting(PixelSize(width: side(size.width), height: side(size.height)))
    }
  }

  /// The same as the file's rows lie.
  func storedSize(_ fit: ImageFit) -> PixelSize { size(fit).turned(if: orientation.swapsSides) }
}

extension PixelSize {
  /// The most pixels that a drawing is given.
  private static let largestDrawing = 1 << 24

  fileprivate func scale(inside box: PixelSize) -> Double {
    min(Double(max(box.width, 1)) / Double(width), Double(max(box.height, 1)) / Double(height))
  }

  /// The size of a drawing, rounded to the nearest, but not too large to be drawn.
  fileprivate func scaled(by scale: Double) -> PixelSize {
    let most = min(
      (Double(Self.largestDrawing) / Double(pixels)).squareRoot(), Double(Bitmap.maximumSide) / Double(max(width, height)))
    func side(_ length: Int) -> Int { max(Int((Double(length) * min(scale, most)).rounded()), 1) }
    return PixelSize(width: side(width), height: side(height))
  }
}

/// The pictures of a file, and what its header says.
package struct DecodedImage: Sendable {
  package let header: ImageFile.Header
  /// One, of duration 0, unless the file moves.
  package let frames: [ImageFrame]

  init(header: ImageFile.Header, frames: [ImageFrame]) { (self.header, self.frames) = (header, frames) }

  init(header: ImageFile.Header, still: Image) {
    self.init(header: header, frames: [ImageFrame(image: still, duration: .zero)])
  }

  var bytes: Int { frames.reduce(0) { $0 + $1.image.bytesPerRow * $1.image.height } }
}
