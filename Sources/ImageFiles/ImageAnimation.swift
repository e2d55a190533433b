public import LinuxSystem
public import Raster

/// The pictures of a file that moves.
public struct ImageAnimation: Hashable, Sendable {
  /// How long each picture is shown.
  public var durations: [Nanoseconds]
  /// How often the pictures are shown; nil without end.
  public var repetitions: Int?
}

/// A picture of an animation, complete by itself.
public struct ImageFrame: Sendable {
  public let image: Image
  public let duration: Nanoseconds
}

/// Decodes an animation's pictures one after another, so that no more than one is in memory. One thread at a time may use it.
///
/// ```swift
/// let frames = ImageFrames(of: file, fitting: PixelSize(width: 200, height: 200))
/// while let frame = try frames.next() { show(frame.image, for: frame.duration) }
/// ```
public final class ImageFrames {
  private let file: ImageFile
  private let result: PixelSize
  private let bytes: UnsafeMutableRawBufferPointer
  private var source: (any FrameSource)?
  private var hasEnded = false

  /// Prepares to decode; a file that does not move has one picture, of duration 0.
  ///
  /// - Parameter box: the pixels into which each picture is to fit, as in `ImageFile.decode(fitting:isCancelled:)`.
  public convenience init(of file: ImageFile, fitting box: PixelSize? = nil) {
    self.init(of: file, decodedTo: file.header.storedSize(box.map(ImageFit.inside) ?? .natural))
  }

  /// - Parameter result: the size of each picture, not turned upright.
  fileprivate init(of file: ImageFile, decodedTo result: PixelSize) {
    (self.file, self.result) = (file, result)
    bytes = .allocate(byteCount: file.bytes.count, alignment: 16)
    bytes.copyBytes(from: file.bytes)
  }

  deinit {
    source = nil
    bytes.deallocate()
  }

  /// The next picture; nil after the last one, or after an error. Limits are kept for each picture.
  public func next(isCancelled: @escaping () -> Bool = { false }) throws(ImageFileError) -> ImageFrame? {
    guard !hasEnded else { return nil }
    // Cleared below if all goes well.
    hasEnded = true
    guard let count = file.header.animation?.durations.count, count > 0 else {
      return ImageFrame(image: try file.decode(to: result, clock: .monotonic, isCancelled: isCancelled), duration: .zero)
    }
    let watch = DecodingWatch(name: file.name, limits: file.limits, clock: .monotonic, isCancelled: isCancelled)
    return try next(watch)
  }

  fileprivate func next(_ watch: DecodingWatch) throws(ImageFileError) -> ImageFrame? {
    try watch.check()
    if source == nil { source = try openSource() }
    let frame = try source?.next(to: result, watch: watch)
    hasEnded = frame == nil
    return frame
  }

  /// Begins again at the first picture.
  public func rewind() {
    (source, hasEnded) = (nil, false)
  }

  private func openSource() throws(ImageFileError) -> any FrameSource {
    let bytes = UnsafeRawBufferPointer(bytes)
    return switch file.header.format {
    case .gif: try GIFFile(bytes, limits: file.limits, name: file.name)
    case .png: try PNGAnimation(bytes, limits: file.limits, name: file.name)
    default: try WebPAnimation(bytes, limits: file.limits, name: file.name)
    }
  }
}

extension ImageFile {
  /// All pictures of a file that moves, decoded within the limits of one picture.
  ///
  /// - Parameters:
  ///   - fit: the size of each.
  ///   - limit: the bytes that all of them have at most; they are made smaller where they would have more.
  package func frames(
    _ fit: ImageFit, limit: Int, isCancelled: @escaping () -> Bool
  ) throws(ImageFileError) -> [ImageFrame] {
    var size = header.size(fit)
    let count = header.animation?.durations.count ?? 1
    // A row has whole units of 64 bytes.
    func bytes(_ size: PixelSize) -> Int { ((size.width * 4 + 63) & ~63) * size.height * count }
    while bytes(size) > limit {
      guard size.pixels > 1 else { throw .needsMemory(name: name, limit: limit) }
      let scale = min((Double(limit) / Double(bytes(size))).squareRoot(), 0.99)
      func side(_ length: Int) -> Int { max(Int(Double(length) * scale), 1) }
      size = PixelSize(width: side(size.width), height: side(size.height))
    }
    let source = ImageFrames(of: self, decodedTo: size.turned(if: header.orientation.swapsSides))
    let watch = DecodingWatch(name: name, limits: limits, clock: .monotonic, isCancelled: isCancelled)
    var frames: [ImageFrame] = []
    while frames.count < count, let frame = try source.next(watch) { frames.append(frame) }
    guard !frames.isEmpty else { throw .damaged(name: name, format: header.format, reason: "there is no picture") }
    return frames
  }
}

/// A decoder of the pictures of an animation, in their order.
protocol FrameSource: AnyObject {
  /// The next picture at a size that is not turned upright; nil after the last one.
  func next(to result: PixelSize, watch: DecodingWatch) throws(ImageFileError) -> ImageFrame?
}
