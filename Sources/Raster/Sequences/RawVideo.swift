internal import CPictures
import Glibc
import LinuxSystem

/// Writes raw video for other programs to read, such as an encoder behind a pipe: a YUV4MPEG2 stream, 8 bits a component.
///
/// Two columns and two rows share a colour (4:2:0, the mean of four pixels), which every encoder and player takes. Values
/// have the limited range of ITU-R BT.709 for pictures of more than 576 rows or at least 1280 columns, and of BT.601 below:
/// the stream cannot name the matrix, and players choose by size. Pixels that are not opaque are put on black.
///
/// ```swift
/// let video = RawVideo(width: 640, height: 360, rate: PictureRate(numerator: 60))
/// var stream = video.header
/// for image in images { stream += try video.frame(image) }
/// ```
public struct RawVideo: Sendable {
  /// Why a picture cannot become a frame.
  public enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The picture has another size than the video.
    case size(width: Int, height: Int, expectedWidth: Int, expectedHeight: Int)
    case outOfMemory(bytes: Int)

    public var description: String {
      switch self {
      case .size(let width, let height, let expectedWidth, let expectedHeight):
        "video: a picture of \(width)x\(height) pixels in a video of \(expectedWidth)x\(expectedHeight); all must have one size"
      case .outOfMemory(let bytes):
        "video: no memory for \(bytes) bytes; use a smaller size"
      }
    }
  }

  private let width: Int
  private let height: Int
  private let rate: PictureRate

  /// - Parameters:
  ///   - width: of every picture, in pixels.
  ///   - height: of every picture, in pixels.
  ///   - rate: how many are shown in a second.
  public init(width: Int, height: Int, rate: PictureRate) {
    self.width = width
    self.height = height
    self.rate = rate.fitting(Int64(Int32.max))
  }

  /// The beginning of the stream.
  public var header: [UInt8] {
    Array(
      "YUV4MPEG2 W\(width) H\(height) F\(rate.numerator):\(rate.denominator) Ip A1:1 C420jpeg XCOLORRANGE=LIMITED\n".utf8)
  }

  /// The bytes of a picture: those of brightness, of blue and of red. Any thread may call this.
  public func frame(_ image: Image) throws(Failure) -> [UInt8] {
    guard image.width == width, image.height == height else {
      throw .size(width: image.width, height: image.height, expectedWidth: width, expectedHeight: height)
    }
    let mark = Array("FRAME\n".utf8)
    let (columns, rows) = ((width + 1) / 2, (height + 1) / 2)
    let size = mark.count + width * height + 2 * columns * rows
    guard Memory.hasRoom(for: size) else { throw .outOfMemory(bytes: size) }
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = size
      guard let base = buffer.baseAddress else { return }
      mark.withUnsafeBufferPointer { base.update(from: $0.baseAddress ?? UnsafePointer(base), count: mark.count) }
      let brightness = base + mark.count
      let blue = brightness + width * height
      let red = blue + columns * rows
      for row in 0..<rows {
        let (y, below) = (2 * row, min(2 * row + 1, height - 1))
        cpictures_video_rows(
          brightness + y * width, brightness + below * width, blue + row * columns, red + row * columns,
          image.row(y).assumingMemoryBound(to: UInt32.self), image.row(below).assumingMemoryBound(to: UInt32.self),
          Int64(width), height > 576 || width >= 1280)
      }
      withExtendedLifetime(image) {}
    }
  }
}
