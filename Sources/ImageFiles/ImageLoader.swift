public import LinuxSystem
public import Raster
import Synchronization

/// Decodes files on workers, with a cache. Requests for the same picture at the same size that are under way at the same time are
/// decoded once. Any thread may use a loader.
///
/// ```swift
/// let loader = ImageLoader(workers: WorkerPool())
/// let request = loader.load("photo.jpg", fitting: PixelSize(width: 400, height: 300)) { result in
///   Task { @MainActor in layer.contents = try? result.get() }
/// }
/// ```
public final class ImageLoader: Sendable {
  public typealias Completion = @Sendable (Result<Image, ImageFileError>) -> Void

  private let workers: WorkerPool
  private let cache: ImageCache
  private let limits: ImageLimits
  private let state = Lock(State())

  private struct Wanted: Hashable {
    var path: String
    /// Nil if there is no such file.
    var version: FileVersion?
    var box: PixelSize?
  }

  /// A decoding that waits or is under way.
  private final class Decoding: Sendable {
    /// True once nobody waits for it any more.
    let isAbandoned = Atomic(false)
  }

  private struct Waiting {
    let decoding: Decoding
    /// By the requests' numbers. Whoever takes a completion may call it; the other finds nil.
    var completions: [UInt64: Lock<Completion?>]
  }

  private struct State {
    var waiting: [Wanted: Waiting] = [:]
    var lastNumber: UInt64 = 0
  }

  public init(workers: WorkerPool, cache: ImageCache = .shared, limits: ImageLimits = ImageLimits()) {
    (self.workers, self.cache, self.limits) = (workers, cache, limits)
  }

  /// Has a worker decode a file, or find it in the cache. A file that was written to since is decoded anew.
  ///
  /// - Parameters:
  ///   - box: the pixels into which the picture is to fit, as in `ImageFile.decode(fitting:isCancelled:)`.
  ///   - priority: the place among the pool's work; of requests that are decoded once, the first one's counts.
  ///   - completion: is called once, on a worker; on this thread, with `cancelled`, if the pool was shut down. It is not called
  ///     after `ImageRequest.cancel()`.
  @discardableResult
  public func load(
    _ path: String, fitting box: PixelSize? = nil, priority: WorkerPool.Priority = .drawing,
    _ completion: @escaping Completion
  ) -> ImageRequest {
    let wanted = Wanted(path: path, version: try? FileVersion(of: path), box: box)
    let completion = Lock<Completion?>(completion)
    let (number, decoding): (UInt64, Decoding?) = state.withLock { state in
      state.lastNumber += 1
      if state.waiting[wanted] != nil {
        state.waiting[wanted]?.completions[state.lastNumber] = completion
        return (state.lastNumber, nil)
      }
      let decoding = Decoding()
      state.waiting[wanted] = Waiting(decoding: decoding, completions: [state.lastNumber: completion])
      return (state.lastNumber, decoding)
    }
    if let decoding, !workers.submit(priority, { self.decode(wanted, decoding) }) {
      finish(wanted, decoding, .failure(.cancelled))
    }
    return ImageRequest { [weak self] in
      // The completion is let go of when the lock is open again.
      withExtendedLifetime(completion.withLock { $0.take() }) {}
      self?.cancel(wanted, number)
    }
  }

  private func decode(_ wanted: Wanted, _ decoding: Decoding) {
    let result: Result<Image, ImageFileError>
    do throws(ImageFileError) {
      result = .success(try image(wanted, decoding))
    } catch {
      result = .failure(error)
    }
    finish(wanted, decoding, result)
  }

  private func image(_ wanted: Wanted, _ decoding: Decoding) throws(ImageFileError) -> Image {
    if decoding.isAbandoned.load(ordering: .relaxed) { throw .cancelled }
    let fit = wanted.box.map(ImageFit.inside) ?? .natural
    let decoded = try cache.decoded(wanted.path, version: wanted.version, fit, limits: limits) {
      decoding.isAbandoned.load(ordering: .relaxed)
    }
    return decoded.frames[0].image
  }

  private func finish(_ wanted: Wanted, _ decoding: Decoding, _ result: Result<Image, ImageFileError>) {
    let completions = state.withLock { state in
      // Another decoding stands there if this one was abandoned.
      state.waiting[wanted]?.decoding === decoding ? state.waiting.removeValue(forKey: wanted)?.completions : nil
    }
    // In the order of the requests.
    for (_, completion) in (completions ?? [:]).sorted(by: { $0.key < $1.key }) {
      completion.withLock { $0.take() }?(result)
    }
  }

  private func cancel(_ wanted: Wanted, _ number: UInt64) {
    state.withLock { state in
      state.waiting[wanted]?.completions[number] = nil
      if let waiting = state.waiting[wanted], waiting.completions.isEmpty {
        waiting.decoding.isAbandoned.store(true, ordering: .relaxed)
        state.waiting[wanted] = nil
      }
    }
  }
}

/// A request to a loader. It goes on if nobody holds this object.
public final class ImageRequest: Sendable {
  private let end: @Sendable () -> Void

  init(end: @escaping @Sendable () -> Void) { self.end = end }

  /// Ends the request: its completion is not called unless the call is under way. Decoding ends at its next row if nobody else
  /// waits for it.
  public func cancel() { end() }
}
