public import LinuxSystem
internal import Raster

/// Why a picture file cannot be read. `name` is the file's path, or what the caller named the bytes.
public enum ImageFileError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The file cannot be opened or read, or it has more bytes than `ImageLimits.fileBytes` (`EFBIG`).
  case file(SystemError)
  /// The first bytes are those of no format that is read.
  case unknownFormat(name: String)
  /// The file breaks its format's rules, or uses a part of them that is not read.
  case damaged(name: String, format: ImageFormat, reason: String)
  /// The file states more pixels than `ImageLimits.pixels`, or the result has a side above `Bitmap.maximumSide`.
  case tooLarge(name: String, size: PixelSize, maximumPixels: Int)
  /// Decoding takes more than `ImageLimits.memory`.
  case needsMemory(name: String, limit: Int)
  /// An animation has more pictures than `ImageLimits.frames`.
  case tooManyFrames(name: String, limit: Int)
  /// The system has no memory.
  case outOfMemory(name: String)
  /// Decoding took longer than `ImageLimits.duration`.
  case tookTooLong(name: String, limit: Nanoseconds)
  /// The caller's check has ended the decoding.
  case cancelled

  public var description: String {
    func subject(_ name: String) -> String { name.isEmpty ? "picture" : "picture \(name)" }
    let formats = ImageFormat.allCases.map(\.rawValue).joined(separator: ", ")
    return switch self {
    case .file(let error):
      "picture: \(error)"
    case .unknownFormat(let name):
      "\(subject(name)): no format that is read; these are: \(formats)"
    case .damaged(let name, let format, let reason):
      "\(subject(name)): not a whole \(format.rawValue) file (\(reason)); save it again"
    case .tooLarge(let name, let size, let maximumPixels):
      "\(subject(name)): \(size) pixels are too large; at most \(maximumPixels) in all are read, and at most "
        + "\(Bitmap.maximumSide) on a side are made: ask for a smaller size or raise ImageLimits.pixels"
    case .needsMemory(let name, let limit):
      "\(subject(name)): needs more than \(limit) bytes of memory; ask for a smaller size or raise ImageLimits.memory"
    case .tooManyFrames(let name, let limit):
      "\(subject(name)): has more than \(limit) pictures; raise ImageLimits.frames"
    case .outOfMemory(let name):
      "\(subject(name)): there is no memory for it; ask for a smaller size"
    case .tookTooLong(let name, let limit):
      "\(subject(name)): takes longer than \(Duration.nanoseconds(limit.count)); ask for a smaller size or raise ImageLimits.duration"
    case .cancelled:
      "picture: decoding was cancelled"
    }
  }
}
