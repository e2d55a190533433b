public import ImageFiles
import Layers
import LinuxSystem
import Raster
import RunLoops

/// The pictures of a list's rows: loaded off the main thread before their rows are seen, in the order of the rows' distance, and kept within
/// a budget of bytes.
///
/// ```swift
/// list.images = RowImages(loader: WorkerImageLoader(workers: engine.workers))
/// ```
///
/// The data source says which picture a row shows, by `list(_:imageFor:)`, and shows it in the row's layer, by `list(_:show:in:of:)`. Pictures
/// of rows that are seen are loaded first, then those of the rows in the direction of the motion, the nearest first, then those behind. A row
/// that is no longer near has its picture's loading cancelled. While the list moves so fast that nobody sees a picture, those at the place where
/// it will come to rest are loaded instead of those on the way.
@MainActor
public final class RowImages {
  /// When a picture appears that was loaded while its row is seen. One that is there already appears with its row.
  public enum Appearance: Hashable, Sendable, CaseIterable {
    /// In the frame after it was loaded.
    case atOnce
    /// Once the loop runs in its default mode: while a finger drags and content moves on, nothing changes.
    case inDefaultMode
    /// At once, but in a fast fling not before it slows down to `RowWindow.fastViewports`.
    case afterFastFling
  }

  public var appearance: Appearance {
    didSet { if appearance != oldValue { showArrived() } }
  }
  /// The most bytes that pictures take, those under way among them. If the rows that are seen need more, the upper ones get theirs.
  public var byteBudget: Int { store.budget }
  /// The bytes that pictures take now, and those under way at most will.
  public var byteCount: Int { store.bytes }
  /// The number of pictures that are kept.
  public var count: Int { store.keptCount }
  /// The number of pictures that are waited for.
  public var loadingCount: Int { store.loadingCount }
  /// Called with a picture that cannot be loaded. It is tried again when its row comes near another time.
  public var onFailure: (@MainActor (RowImage, any Error) -> Void)?

  private let loader: any OrderedImageLoader
  private var store: RowImageStore
  private var requests: [RowImage: any OrderedImageRequest] = [:]
  /// The pictures that were loaded and do not appear yet.
  private var arrived: [RowImage] = []
  weak var list: ListLayer?

  /// - Parameter byteBudget: the most bytes that pictures take; 64 MiB at first, 120 pictures of 480 × 270 pixels.
  public init(loader: any OrderedImageLoader, byteBudget: Int = 64 << 20, appearance: Appearance = .afterFastFling) {
    (self.loader, self.appearance) = (loader, appearance)
    store = RowImageStore(budget: byteBudget)
  }

  isolated deinit {
    for request in requests.values { request.cancel() }
  }

  /// True while the list moves so fast that nobody sees a picture.
  var isFast = false {
    didSet { if oldValue, !isFast, appearance == .afterFastFling { showArrived() } }
  }

  /// The picture that a row shows now; nil while it is not there or does not appear yet.
  func picture(of image: RowImage) -> Image? { store.picture(of: image) }

  func need(_ needed: [(image: RowImage, order: Int)]) {
    let changes = store.need(needed)
    for image in changes.cancelled { requests.removeValue(forKey: image)?.cancel() }
    for (image, picture) in changes.dropped {
      list?.show(nil, of: image)
      list?.retire(picture)
    }
    for (image, order) in changes.moved { requests[image]?.order = order }
    for (image, order) in changes.begun {
      requests[image] = loader.load(named: image.name, fitting: image.box, order: order) { [weak self] in
        self?.loaded(image, $0)
      }
    }
  }

  private func loaded(_ image: RowImage, _ result: Result<Image, any Error>) {
    requests[image] = nil
    guard store.finish(image, try? result.get()) else {
      if case .failure(let error) = result { onFailure?(image, error) }
      return
    }
    switch appearance {
    case .atOnce: list?.show(store.picture(of: image), of: image)
    case .afterFastFling where !isFast: list?.show(store.picture(of: image), of: image)
    case .afterFastFling: arrived.append(image)
    case .inDefaultMode:
      arrived.append(image)
      if arrived.count > 1 { return }
      // A list in no tree shows nothing to anybody.
      guard let loop = list?.router?.loop else { return showArrived() }
      try? loop.performLater(in: [.default], onMain: { [weak self] in self?.showArrived() })
    }
  }

  private func showArrived() {
    for image in exchange(&arrived, with: []) {
      if let picture = store.picture(of: image) { list?.show(picture, of: image) }
    }
  }
}
