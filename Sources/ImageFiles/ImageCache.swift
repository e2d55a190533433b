internal import LinuxSystem
internal import Raster

/// Decoded images within a budget of bytes, shared by those who show them. Any thread may use it.
///
/// An image counts with the bytes of its rows, a file that moves with those of all its pictures. When the images have more than the
/// budget, the one that was asked for longest ago leaves first, and so on. An image that is larger than the budget is not kept. Images
/// that leave stay in memory while somebody shows them.
public final class ImageCache: Sendable {
  /// The cache that loaders use unless they are told otherwise: 64 MiB.
  public static let shared = ImageCache(bytes: 64 << 20)

  /// A file at a time, and the size in which its picture was decoded.
  private struct Key: Hashable, Sendable {
    var path: String
    var version: FileVersion
    var fit: ImageFit
    var moves: Bool
  }

  private let images: Lock<RecentlyUsed<Key, DecodedImage>>

  /// Makes an empty cache.
  ///
  /// - Parameter bytes: the budget; 0 or less keeps nothing.
  public init(bytes: Int) {
    images = Lock(RecentlyUsed(limit: bytes))
  }

  /// The bytes of all images that are kept.
  public var bytes: Int { images.withLock { $0.cost } }

  /// The number of images that are kept.
  public var count: Int { images.withLock { $0.count } }

  /// Lets all images go.
  public func removeAll() {
    // Memory is freed when the lock is open again.
    let all = images.withLock { images in
      defer { images = RecentlyUsed(limit: images.limit) }
      return images
    }
    withExtendedLifetime(all) {}
  }

  /// The pictures of a file, decoded on this thread if they are not kept.
  ///
  /// - Parameters:
  ///   - version: the file's, if it is known already.
  ///   - movingBytes: the bytes that all pictures of a file that moves have at most, see `ImageFile.frames`; nil for the first one.
  ///   - showCoarse: is called with pictures of the first scans of a large progressive JPEG, which are not kept.
  package func decoded(
    _ path: String, version: FileVersion? = nil, _ fit: ImageFit, movingBytes: Int? = nil, limits: ImageLimits,
    isCancelled: @escaping () -> Bool, showCoarse: ((DecodedImage) -> Void)? = nil
  ) throws(ImageFileError) -> DecodedImage {
    let known: FileVersion
    if let version { known = version } else { known = try FileVersion(of: path) }
    func key(isDrawing: Bool) -> Key {
      Key(path: path, version: known, fit: fit.kept(isDrawing: isDrawing), moves: movingBytes != nil)
    }
    // The kind of the file is not known yet.
    if let kept = images.withLock({ $0.value(for: key(isDrawing: false)) ?? $0.value(for: key(isDrawing: true)) }) {
      return kept
    }
    let file = try ImageFile(path: path, limits: limits)
    let frames: [ImageFrame]
    if let movingBytes, file.header.animation != nil {
      frames = try file.frames(fit, limit: movingBytes, isCancelled: isCancelled)
    } else {
      let image = try file.decode(
        to: file.header.storedSize(fit), clock: .monotonic, isCancelled: isCancelled,
        showCoarse: showCoarse.map { show in { show(DecodedImage(header: file.header, still: $0)) } })
      frames = DecodedImage(header: file.header, still: image).frames
    }
    let decoded = DecodedImage(header: file.header, frames: frames)
    let left = images.withLock {
      $0.insert(decoded, for: key(isDrawing: file.header.isDrawing), cost: decoded.bytes)
    }
    withExtendedLifetime(left) {}
    return decoded
  }
}
