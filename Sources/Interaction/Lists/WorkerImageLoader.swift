public import ImageFiles
public import LinuxSystem
public import Raster
public import RunLoops

/// Loads pictures on workers: of those that wait, the one that is needed soonest is taken first.
///
/// ```swift
/// let files = WorkerImageLoader(workers: engine.workers)
/// let painted = WorkerImageLoader(workers: engine.workers) { name, box, isCancelled in try paint(name, box) }
/// ```
@MainActor
public final class WorkerImageLoader: OrderedImageLoader {
  /// Makes a picture, on a worker. It may end early, with any error, once `isCancelled` returns true.
  public typealias Make = @Sendable (_ name: String, _ box: PixelSize, _ isCancelled: @escaping () -> Bool) throws -> Image
  public typealias Completion = @MainActor (Result<Image, any Error>) -> Void

  private let workers: WorkerPool
  private let loop: FrameLoop
  private let make: Make
  private let waiting = Lock(WaitingImages())
  private var completions: [UInt64: Completion] = [:]
  private var lastNumber: UInt64 = 0

  /// - Parameters:
  ///   - loop: a loop of the main thread, in whose common modes completions are called.
  ///   - make: makes the picture of a name; by default it decodes the file of that path.
  public init(workers: WorkerPool, loop: FrameLoop = .main, make: @escaping Make = WorkerImageLoader.decode) {
    (self.workers, self.loop, self.make) = (workers, loop, make)
  }

  /// Decodes a file in the size of the box.
  public nonisolated static func decode(
    _ path: String, _ box: PixelSize, _ isCancelled: @escaping () -> Bool
  ) throws -> Image {
    try ImageFile(path: path).decode(fitting: box, isCancelled: isCancelled)
  }

  public func load(
    named name: String, fitting box: PixelSize, order: Int, completion: @escaping Completion
  ) -> any OrderedImageRequest {
    lastNumber += 1
    let number = lastNumber
    completions[number] = completion
    waiting.withLock { $0.add(number, WaitingImages.Item(name: name, box: box, order: order)) }
    // Whichever job comes first takes the picture that is needed soonest; the jobs of cancelled ones find less to do.
    let isSubmitted = workers.submit(.drawing) { [waiting, loop, make, weak self] in
      guard let (number, item) = waiting.withLock({ $0.takeFirst() }) else { return }
      let result = Result { try make(item.name, item.box) { !waiting.withLock { $0.isWanted(number) } } }
      // Refused only when the loop has ended.
      try? loop.performLater(onMain: { self?.finish(number, result) })
    }
    if !isSubmitted {
      try? loop.performLater(onMain: { [weak self] in self?.finish(number, .failure(ImageFileError.cancelled)) })
    }
    return Request(number, order: order, self)
  }

  private func finish(_ number: UInt64, _ result: Result<Image, any Error>) {
    waiting.withLock { $0.remove(number) }
    completions.removeValue(forKey: number)?(result)
  }

  private func move(_ number: UInt64, to order: Int) { waiting.withLock { $0.move(number, to: order) } }

  private func cancel(_ number: UInt64) {
    completions[number] = nil
    waiting.withLock { $0.remove(number) }
  }

  private final class Request: OrderedImageRequest {
    private let number: UInt64
    private weak var loader: WorkerImageLoader?
    var order: Int { didSet { if order != oldValue { loader?.move(number, to: order) } } }

    init(_ number: UInt64, order: Int, _ loader: WorkerImageLoader) {
      (self.number, self.order, self.loader) = (number, order, loader)
    }

    func cancel() { loader?.cancel(number) }
  }
}

/// The pictures that wait for a worker, and those that are being made.
private struct WaitingImages {
  struct Item {
    var name: String
    var box: PixelSize
    var order: Int
  }

  private var items: [UInt64: Item] = [:]
  private var underWay: Set<UInt64> = []

  func isWanted(_ number: UInt64) -> Bool { underWay.contains(number) }

  mutating func add(_ number: UInt64, _ item: Item) { items[number] = item }
  mutating func move(_ number: UInt64, to order: Int) { items[number]?.order = order }

  mutating func remove(_ number: UInt64) {
    items[number] = nil
    underWay.remove(number)
  }

  /// The item that is needed soonest; of equal ones the first that came.
  mutating func takeFirst() -> (UInt64, Item)? {
    guard let first = items.min(by: { ($0.value.order, $0.key) < ($1.value.order, $1.key) }) else { return nil }
    items[first.key] = nil
    underWay.insert(first.key)
    return (first.key, first.value)
  }
}
