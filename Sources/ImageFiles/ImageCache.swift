internal import LinuxSystem
internal import Raster

/// Decoded images within a budget of bytes, shared by those who show them. Any thread may use it.
///
/// An image counts with the bytes of its rows. When the images have more than the budget, the one that was asked for longest ago
/// leaves first, and so on. An image that is larger than the budget is not kept. Images that leave stay in memory while
/// somebody shows them.
public final class ImageCache: Sendable {
  /// The cache that loaders use unless they are told otherwise: 64 MiB.
  public static let shared = ImageCache(bytes: 64 << 20)

  /// A file at a time, and the box that its picture was fitted into.
  struct Key: Hashable, Sendable {
    var path: String
    var version: FileVersion
    var box: PixelSize?
  }

  private let images: Lock<RecentlyUsed<Key, Image>>

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

  func image(for key: Key) -> Image? { images.withLock { $0.value(for: key) } }

  func insert(_ image: Image, for key: Key) {
    let left = images.withLock { $0.insert(image, for: key, cost: image.bytesPerRow * image.height) }
    withExtendedLifetime(left) {}
  }
}
