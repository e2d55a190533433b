package import LinuxSystem
public import Raster

/// A picture file, whose format is known by its first bytes. Decoding gives an upright `Image` in sRGB, at the size at
/// which the picture is shown.
///
/// ```swift
/// let file = try ImageFile(path: "photo.jpg")
/// let image = try file.decode(fitting: PixelSize(width: 400, height: 300))
/// ```
///
/// A value may be used by several threads at once. `decode` takes from a few milliseconds to the limits' duration, so call it on
/// a worker.
public struct ImageFile: Sendable {
  /// The facts that stand before the pixels.
  public struct Header: Hashable, Sendable {
    public var format: ImageFormat
    /// The size of the upright picture.
    public var size: PixelSize
    /// How the file's rows lie in the picture. `size` and decoded images are upright already.
    public var orientation: ImageOrientation
    /// The times of the pictures if the file moves; ``ImageFrames`` decodes them.
    public var animation: ImageAnimation?
    /// True for a drawing, which has no pixels of its own and is as sharp in every size.
    public var isDrawing: Bool { format == .svg }
  }

  public let header: Header
  public let limits: ImageLimits
  let bytes: [UInt8]
  let name: String

  /// The longest side that a file may state: that of JPEG.
  static let longestSide = 65_535

  /// Reads a file and its header.
  public init(path: String, limits: ImageLimits = ImageLimits()) throws(ImageFileError) {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try OwnedDescriptor.contents(of: path, limit: limits.fileBytes)
    } catch {
      throw .file(error)
    }
    try self.init(bytes: bytes, name: path, limits: limits)
  }

  /// Reads the header of a file in memory.
  ///
  /// - Parameter name: the file's name in errors.
  public init(bytes: [UInt8], name: String = "", limits: ImageLimits = ImageLimits()) throws(ImageFileError) {
    header = try bytes.withUnsafeBufferPointer { (bytes) throws(ImageFileError) in
      try Self.header(of: UnsafeRawBufferPointer(bytes), name: name, limits: limits)
    }
    (self.bytes, self.name, self.limits) = (bytes, name, limits)
  }

  /// - Parameter isWhole: false for bytes that a file begins with. They may be too few, which throws, and do not say how it moves.
  static func header(
    of bytes: UnsafeRawBufferPointer, name: String, limits: ImageLimits, isWhole: Bool = true
  ) throws(ImageFileError) -> Header {
    guard let format = ImageFormat(of: bytes) else { throw .unknownFormat(name: name) }
    let (size, orientation, animation): (PixelSize, ImageOrientation, ImageAnimation?)
    switch format {
    case .png:
      let file = try PNGFile(bytes, limits: limits, name: name)
      let parts = isWhole ? try PNGAnimationParts(of: bytes, size: file.size, limits: limits, name: name) : nil
      (size, orientation, animation) = (file.size, file.orientation, parts?.animation)
    case .jpeg:
      let file = try JPEGFile(bytes, name: name)
      (size, orientation, animation) = (file.size, file.orientation, nil)
    case .webp:
      let file = try WebPFile(bytes, limits: limits, name: name)
      (size, orientation, animation) = (file.size, file.orientation, file.animation)
    case .gif:
      let file = try GIFFile(bytes, limits: limits, name: name)
      (size, orientation, animation) = (file.size, .up, isWhole ? try file.animation(limits: limits) : nil)
    case .avif:
      let file = try AVIFFile(bytes, limits: limits, name: name)
      (size, orientation, animation) = (file.size, file.orientation, nil)
    case .svg:
      (size, orientation, animation) = (try SVGFile(bytes, name: name).size, .up, nil)
    }
    guard size.width <= longestSide, size.height <= longestSide, size.pixels <= limits.pixels else {
      throw .tooLarge(name: name, size: size, maximumPixels: limits.pixels)
    }
    return Header(
      format: format, size: size.turned(if: orientation.swapsSides), orientation: orientation, animation: animation)
  }

  /// Decodes the picture, of an animation the first one, or the one that the file has for readers of stills: upright, in sRGB, by
  /// the embedded profile if there is one.
  ///
  /// A JPEG is decoded at the eighth, quarter or half that is not below the result, in as many parts of the time, and then
  /// reduced. Reduction is exact: each pixel is the mean of the area that it covers.
  ///
  /// - Parameters:
  ///   - box: the pixels into which the whole picture is to fit, as `PixelSize.fitting(_:)` says; nil for its own size. A
  ///     picture never becomes larger, except for a drawing, which fills the box up to 16 million pixels.
  ///   - isCancelled: is called between rows, on this thread; true ends the decoding with `cancelled`.
  public func decode(
    fitting box: PixelSize? = nil, isCancelled: @escaping () -> Bool = { false }
  ) throws(ImageFileError) -> Image {
    try decode(fitting: box, clock: .monotonic, isCancelled: isCancelled)
  }

  /// The same with the time on another clock.
  package func decode(
    fitting box: PixelSize?, clock: SystemClock, isCancelled: @escaping () -> Bool = { false }
  ) throws(ImageFileError) -> Image {
    try decode(to: header.storedSize(box.map(ImageFit.inside) ?? .natural), clock: clock, isCancelled: isCancelled)
  }

  /// - Parameters:
  ///   - result: the size, not turned upright.
  ///   - showCoarse: is called with pictures of the first scans of a large progressive JPEG, while the others are decoded.
  func decode(
    to result: PixelSize, clock: SystemClock, isCancelled: @escaping () -> Bool, showCoarse: ((Image) -> Void)? = nil
  ) throws(ImageFileError) -> Image {
    let watch = DecodingWatch(name: name, limits: limits, clock: clock, isCancelled: isCancelled)
    try watch.check()
    return try bytes.withUnsafeBufferPointer { (buffer) throws(ImageFileError) in
      let bytes = UnsafeRawBufferPointer(buffer)
      let source: any FrameSource
      switch header.format {
      case .png: return try PNGFile(bytes, limits: limits, name: name).decode(to: result, watch: watch)
      case .jpeg: return try JPEGFile(bytes, name: name).decode(to: result, watch: watch, showCoarse: showCoarse)
      case .webp where header.animation == nil:
        return try WebPFile(bytes, limits: limits, name: name).decode(to: result, watch: watch)
      case .webp: source = try WebPAnimation(bytes, limits: limits, name: name)
      case .gif: source = try GIFFile(bytes, limits: limits, name: name)
      case .avif: return try AVIFFile(bytes, limits: limits, name: name).decode(to: result, watch: watch)
      case .svg: return try SVGFile(bytes, name: name).decode(to: result, watch: watch)
      }
      guard let frame = try source.next(to: result, watch: watch) else {
        throw .damaged(name: name, format: header.format, reason: "there is no picture")
      }
      return frame.image
    }
  }
}
