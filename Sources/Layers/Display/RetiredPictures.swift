import LinuxSystem
package import Raster

/// The pictures that were drawn and are no longer shown. They are kept until nobody else holds them, and then released by a worker:
/// the kernel needs a good part of a millisecond to take back the memory of a large one.
@MainActor
struct RetiredPictures {
  /// More are not kept: the application holds them too, and releases them itself.
  private static let limit = 64

  private var pictures: [Image] = []

  mutating func append(_ picture: Image) {
    // The layer of a picture may leave the tree, come back and be drawn again. Twice in here a picture would never be let go.
    guard !pictures.contains(where: { $0 === picture }) else { return }
    if pictures.count == Self.limit { pictures.removeFirst() }
    pictures.append(picture)
  }

  mutating func release(by workers: WorkerPool) {
    guard !pictures.isEmpty else { return }
    let last = LastHolder()
    for index in pictures.indices.reversed() where isKnownUniquelyReferenced(&pictures[index]) {
      last.take(pictures.remove(at: index))
    }
    if !last.isEmpty { workers.submit(.drawing) { last.release() } }
  }

  /// Holds pictures. The thread that calls `release()` lets go of them, whoever still holds the job.
  private final class LastHolder: Sendable {
    private let pictures = Lock<[Image]>([])
    var isEmpty: Bool { pictures.withLock(\.isEmpty) }
    func take(_ picture: Image) { pictures.withLock { $0.append(picture) } }
    func release() {
      let released = pictures.withLock { pictures in
        defer { pictures = [] }
        return pictures
      }
      withExtendedLifetime(released) {}
    }
  }
}

extension Layer {
  /// Has a worker release a picture once nothing shows it any more.
  package func retire(_ picture: Image) { context?.retired.append(picture) }
}
