import Raster

/// Decides which pictures of rows are loaded, kept and let go, within a budget of bytes: a value without layers, threads and clocks.
///
/// Those that are needed soonest have a place in the budget before others, from the beginning of their loading on. What is left of it is for
/// pictures that were needed before; of these the ones that were needed longest ago go first.
struct RowImageStore {
  /// The requests and pictures with which something is to be done.
  struct Changes {
    var begun: [(image: RowImage, order: Int)] = []
    var moved: [(image: RowImage, order: Int)] = []
    var cancelled: [RowImage] = []
    /// The pictures that were let go.
    var dropped: [(image: RowImage, picture: Image)] = []
  }

  private enum Entry {
    case loading(order: Int)
    /// It is not tried again as long as it is needed.
    case failed
    /// With the need in which it was last asked for.
    case kept(Image, bytes: Int, need: Int)
  }

  let budget: Int
  private var entries: [RowImage: Entry] = [:]
  /// The number of changes of what is needed.
  private var needs = 0
  /// The bytes of the pictures that are kept, and the most that those under way will have.
  private(set) var bytes = 0

  init(budget: Int) { self.budget = min(max(budget, 0), 1 << 50) }

  func picture(of image: RowImage) -> Image? {
    if case .kept(let picture, _, _)? = entries[image] { picture } else { nil }
  }

  var loadingCount: Int { entries.values.count { if case .loading = $0 { true } else { false } } }
  var keptCount: Int { entries.values.count { if case .kept = $0 { true } else { false } } }

  /// Takes over what is needed now, with its order: the lowest first. A picture may be needed more than once.
  mutating func need(_ needed: [(image: RowImage, order: Int)]) -> Changes {
    var changes = Changes()
    needs += 1
    var (admitted, room): ([RowImage: Int], Int) = ([:], budget)
    for (image, order) in needed.sorted(by: { $0.order < $1.order }) where admitted[image] == nil {
      let bytes: Int
      switch entries[image] {
      case .failed?: bytes = 0
      case .kept(_, let kept, _)?: bytes = kept
      case .loading?, nil: bytes = image.mostBytes
      }
      if bytes > room { continue }
      room -= bytes
      admitted[image] = order
    }
    for (image, entry) in entries where admitted[image] == nil {
      switch entry {
      case .loading: changes.cancelled.append(image)
      case .failed: entries[image] = nil
      case .kept: break
      }
    }
    for image in changes.cancelled { forget(image) }
    let begun = admitted.filter { entries[$0.key] == nil }.sorted { $0.value < $1.value }
    makeRoom(begun.reduce(0) { $0 + $1.key.mostBytes }, besides: admitted, &changes)
    for (image, order) in begun {
      entries[image] = .loading(order: order)
      bytes += image.mostBytes
      changes.begun.append((image, order))
    }
    for (image, order) in admitted {
      switch entries[image] {
      case .loading(let old)? where old != order:
        entries[image] = .loading(order: order)
        changes.moved.append((image, order))
      case .kept(let picture, let bytes, _)?: entries[image] = .kept(picture, bytes: bytes, need: needs)
      case .loading?, .failed?, nil: break
      }
    }
    return changes
  }

  /// Takes over a picture that was loaded; nil for one that could not be.
  ///
  /// - Returns: false if nobody waits for it, or if it is larger than its box and finds no place.
  mutating func finish(_ image: RowImage, _ picture: Image?) -> Bool {
    guard case .loading? = entries[image] else { return false }
    bytes -= image.mostBytes
    let size = picture.map { $0.bytesPerRow * $0.height } ?? 0
    guard let picture, size <= budget - bytes else {
      entries[image] = .failed
      return false
    }
    bytes += size
    entries[image] = .kept(picture, bytes: size, need: needs)
    return true
  }

  /// Lets pictures go until so many bytes are free: first those that nobody needs.
  private mutating func makeRoom(_ needed: Int, besides admitted: [RowImage: Int], _ changes: inout Changes) {
    if needed <= budget - bytes { return }
    let spare = entries.compactMap { image, entry -> (image: RowImage, need: Int, picture: Image)? in
      guard case .kept(let picture, _, let need) = entry, admitted[image] == nil else { return nil }
      return (image, need, picture)
    }
    for (image, _, picture) in spare.sorted(by: { ($0.need, $0.image.name) < ($1.need, $1.image.name) }) {
      if needed <= budget - bytes { return }
      forget(image)
      changes.dropped.append((image, picture))
    }
  }

  private mutating func forget(_ image: RowImage) {
    switch entries.removeValue(forKey: image) {
    case .loading?: bytes -= image.mostBytes
    case .kept(_, let size, _)?: bytes -= size
    case .failed?, nil: break
    }
  }
}
