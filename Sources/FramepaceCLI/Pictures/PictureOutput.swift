import Framepace
import Glibc

/// A place that takes the pictures of a scene in their order. They are encoded on threads while the next ones are rendered.
@MainActor
enum PictureOutput {
  /// A PNG file for each picture.
  case files(EncodingQueue<Void>, path: (Int) -> String, scale: Double)
  /// All of them in one stream of bytes.
  case stream(PictureStream)

  /// Adds the picture with this number. It may not be written yet when the call returns.
  ///
  /// - Throws: the error of this picture or of an earlier one.
  func add(_ image: Image, number: Int) throws {
    switch self {
    case .files(let queue, let path, let scale):
      let file = path(number)
      try queue.add { try PNG.write(image, to: file, scale: scale) }
    case .stream(let stream): try stream.add(image)
    }
  }

  /// Waits until all pictures are encoded and written.
  func finish() throws {
    switch self {
    case .files(let queue, _, _): try queue.finish()
    case .stream(let stream): try stream.finish()
    }
  }

  /// Waits for the pictures that were added. A file for all pictures is left as it was.
  func stop() throws {
    switch self {
    case .files(let queue, _, _): try queue.finish()
    case .stream(let stream): try stream.stop()
    }
  }
}

/// Pictures in one stream of bytes: a picture or video on the standard output, or a file that appears when it is complete.
@MainActor
final class PictureStream {
  /// A picture in the form that a worker gives it.
  private enum Encoded: Sendable {
    case bytes([UInt8])
    case part(AnimatedPNG.Picture)
  }

  private enum Form {
    case png(scale: Double)
    case animation(AnimatedPNG)
    case video(RawVideo)
  }

  private var form: Form
  private let bytes: ByteOutput
  /// The picture that was added last, for an animation.
  private var previous: Image?
  private lazy var queue = EncodingQueue<Encoded>(pool: pool) { [unowned self] encoded in
    try MainActor.assumeIsolated { try self.write(encoded) }
  }
  private let pool: WorkerPool
  private let wrote: () -> Void

  /// - Parameters:
  ///   - path: of the file; "-" for the standard output.
  ///   - wrote: called for each picture that was written.
  init(
    _ format: PictureFormat, to path: String, size: PixelSize, scale: Double, rate: RefreshRate, pictures: Int,
    pool: WorkerPool, wrote: @escaping () -> Void
  ) throws {
    self.pool = pool
    self.wrote = wrote
    bytes = try ByteOutput(path)
    let rate = PictureRate(numerator: rate.numerator, denominator: rate.denominator)
    switch format {
    case .png: form = .png(scale: scale)
    case .apng:
      form = .animation(AnimatedPNG(width: size.width, height: size.height, pictures: pictures, rate: rate, scale: scale))
    case .y4m:
      let video = RawVideo(width: size.width, height: size.height, rate: rate)
      form = .video(video)
      try bytes.write(video.header)
    }
  }

  func add(_ image: Image) throws {
    switch form {
    case .png(let scale): try queue.add { .bytes(try PNG.encode(image, scale: scale)) }
    case .video(let video): try queue.add { .bytes(try video.frame(image)) }
    case .animation:
      try queue.add { [previous] in .part(try AnimatedPNG.encode(image, after: previous)) }
      previous = image
    }
  }

  func finish() throws {
    try stop()
    try bytes.finish()
  }

  func stop() throws { try queue.finish() }

  private func write(_ encoded: Encoded) throws {
    switch encoded {
    case .bytes(let picture): try bytes.write(picture)
    case .part(let picture):
      guard case .animation(var animation) = form else { return }
      try bytes.write(animation.bytes(of: picture))
      form = .animation(animation)
    }
    wrote()
  }
}

/// A file that is replaced when it is complete, or the standard output.
@MainActor
private final class ByteOutput {
  /// Nil for the standard output, and when the file is complete.
  private var file: AtomicFile.Replacement?
  private let path: String

  init(_ path: String) throws {
    self.path = path
    guard path != "-" else { return }
    do throws(SystemError) {
      file = try AtomicFile.Replacement(path)
    } catch {
      throw Refusal(path, error)
    }
  }

  func write(_ bytes: [UInt8]) throws {
    guard path != "-" else { return try Terminal.output.write(bytes) }
    do throws(SystemError) {
      try file?.output.write(bytes)
    } catch {
      throw error.errno == EPIPE ? ReaderGone() : Refusal(path, error)
    }
  }

  func finish() throws {
    do throws(SystemError) {
      try file.take()?.commit()
    } catch {
      throw Refusal(path, error)
    }
  }
}
