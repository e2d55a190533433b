internal import ImageFiles
internal import LinuxSystem
internal import Raster
internal import RunLoops
import Synchronization

/// The way of one address to its pictures.
@MainActor
final class Download {
  enum State {
    case lookingUp
    case transferring(Transfer)
    case decoding(Contents)
  }

  nonisolated let address: WebAddress
  var state = State.lookingUp
  /// The sizes in which workers decode the picture; nil for its own.
  var boxes: Set<PixelSize?> = []
  /// True once a worker was told to keep the bytes.
  var isKept = false
  private nonisolated let abandoned = Atomic(false)
  /// The bytes of the newest beginning of the file; `.max` once the whole file is there, or nothing more will come.
  private nonisolated let newestBeginning = Atomic(0)

  init(_ address: WebAddress) { self.address = address }

  /// True once nobody waits for it any more.
  nonisolated var isAbandoned: Bool { abandoned.load(ordering: .relaxed) }
  func abandon() {
    abandoned.store(true, ordering: .relaxed)
    endBeginnings()
  }

  /// Returns true for a beginning of more bytes than those before it, which nobody wants from now on.
  func takeBeginning(of bytes: Int) -> Bool {
    guard bytes > newestBeginning.load(ordering: .relaxed) else { return false }
    newestBeginning.store(bytes, ordering: .relaxed)
    return true
  }
  func endBeginnings() { newestBeginning.store(.max, ordering: .relaxed) }
  /// True while there is nothing better than the picture of so many bytes.
  nonisolated func wantsBeginning(of bytes: Int) -> Bool { newestBeginning.load(ordering: .relaxed) <= bytes }
}

/// The bytes of a picture file.
struct Contents: Sendable {
  enum Source: Sendable {
    case cache
    /// Nil for bytes that may not be kept.
    case network(Freshness?)
  }

  let bytes: [UInt8]
  let source: Source

  /// Decodes the picture, on this thread.
  func image(_ download: Download, _ box: PixelSize?, _ limits: ImageLimits) -> Result<Image, ImageFileError> {
    let isCancelled = { download.isAbandoned }
    if isCancelled() { return .failure(.cancelled) }
    do throws(ImageFileError) {
      let file = try ImageFile(bytes: bytes, name: download.address.text, limits: limits)
      return .success(try file.decode(fitting: box, isCancelled: isCancelled))
    } catch {
      return .failure(error)
    }
  }

  /// Keeps the bytes as the server allows it, on this thread. Those of no picture are not kept.
  func keep(in cache: DownloadCache, key: String, _ result: Result<Image, ImageFileError>) {
    switch (result, source) {
    case (.success, .network(let freshness?)):
      // A full disk costs the next transfer, and nothing else.
      try? cache.store(CacheEntry(key: key, freshness: freshness, bytes: bytes))
    case (.success, .network(nil)): cache.remove(key)
    case (.success, .cache), (.failure(.cancelled), _), (.failure(.outOfMemory), _), (.failure(.tookTooLong), _): break
    case (.failure, _): cache.remove(key)
    }
  }
}
