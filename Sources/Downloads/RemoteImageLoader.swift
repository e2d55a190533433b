public import ImageFiles
internal import LinuxSystem
public import Raster
public import RunLoops

/// Why a picture from the network is not shown.
public enum RemoteImageError: Error, Sendable, Equatable, CustomStringConvertible {
  case transfer(TransferError)
  case picture(ImageFileError)

  public var description: String {
    switch self {
    case .transfer(let error): error.description
    case .picture(let error): error.description
    }
  }
}

/// Loads pictures over HTTP, with a cache on disk. Files are read and pictures decoded on workers, transfers run on their own thread:
/// the main thread only notes who waits for what.
///
/// ```swift
/// let loader = RemoteImageLoader(transfers: try TransferLoop(), workers: WorkerPool(), cache: cache)
/// let request = loader.load(address, fitting: PixelSize(width: 400, height: 300), order: distance) { result in
///   layer.contents = try? result.get()
/// }
/// request.cancel()  // the row has left
/// ```
///
/// Requests for one address are one transfer, and those for one size one decoding.
@MainActor
public final class RemoteImageLoader {
  public typealias Completion = @MainActor (Result<Image, RemoteImageError>) -> Void

  private let transfers: TransferLoop
  private let workers: WorkerPool
  private let cache: DownloadCache?
  private let limits: ImageLimits
  private let modes: [FrameLoop.Mode]
  private let retries: RetryPolicy
  private let wallClock: @Sendable () -> Int64

  private var shared = SharedRequests<WebAddress>()
  private var waiting: [UInt64: Waiting] = [:]
  private var downloads: [WebAddress: Download] = [:]
  private var lastNumber: UInt64 = 0

  private struct Waiting {
    let box: PixelSize?
    let coarse: (@MainActor (Image) -> Void)?
    let completion: Completion
  }

  /// - Parameters:
  ///   - workers: read the cache and decode.
  ///   - cache: nil to keep nothing.
  ///   - modes: those of the main loop in which completions are called. With `[.default]` none is called while a finger drags.
  public init(
    transfers: TransferLoop, workers: WorkerPool, cache: DownloadCache?, limits: ImageLimits = ImageLimits(),
    modes: [FrameLoop.Mode] = [.common], retries: RetryPolicy = RetryPolicy()
  ) {
    (self.transfers, self.workers, self.cache) = (transfers, workers, cache)
    (self.limits, self.modes, self.retries, self.wallClock) = (limits, modes, retries, transfers.wallClock)
  }

  /// The number of addresses that are being read, transferred or decoded.
  public var downloadCount: Int { downloads.count }

  /// The number of addresses that are with the transfers.
  var transferCount: Int {
    downloads.values.count { if case .transferring = $0.state { true } else { false } }
  }

  /// Loads a picture.
  ///
  /// - Parameters:
  ///   - box: the pixels into which it is to fit, as in `ImageFile.decode(fitting:isCancelled:)`.
  ///   - order: the place among the requests: lower ones are transferred first. In a list, the distance from the rows that are seen.
  ///   - coarse: is called before, on the main thread, with pictures of the first scans of a progressive JPEG while the others come: of its
  ///     first 64 KiB, and then whenever the bytes have doubled. If the transfer fails or the file is damaged, no better picture follows:
  ///     the completion gets the error, and the caller takes the coarse one away. None comes of a transfer that others have begun without it.
  ///   - completion: is called once, later, on the main thread; not after `RemoteImageRequest.cancel()`.
  @discardableResult
  public func load(
    _ address: WebAddress, fitting box: PixelSize? = nil, order: Int = 0, coarse: (@MainActor (Image) -> Void)? = nil,
    completion: @escaping Completion
  ) -> RemoteImageRequest {
    lastNumber += 1
    let number = lastNumber
    waiting[number] = Waiting(box: box, coarse: coarse, completion: completion)
    let change = shared.join(number, address, order: order)
    if let download = downloads[address], case .decoding(let contents) = download.state {
      decode(contents, download, box)
    }
    apply(change)
    return RemoteImageRequest(number, order: order, self)
  }

  fileprivate func cancel(_ number: UInt64) {
    waiting[number] = nil
    apply(shared.leave(number))
  }

  fileprivate func move(_ number: UInt64, to order: Int) { apply(shared.move(number, to: order)) }

  private func apply(_ change: SharedRequests<WebAddress>.Change) {
    switch change {
    case .none: break
    case .began(let address): begin(address)
    case .moved(let address, let order):
      if case .transferring(let transfer)? = downloads[address]?.state { transfer.move(to: order) }
    case .abandoned(let address):
      guard let download = downloads.removeValue(forKey: address) else { break }
      download.abandon()
      if case .transferring(let transfer) = download.state { transfer.cancel() }
    }
  }

  /// Does something on the main thread, later, in the modes of completions.
  func later(_ body: @escaping @MainActor @Sendable () -> Void) { post(modes, body) }

  // MARK: Steps of a download, each begun on the main thread

  private func begin(_ address: WebAddress) {
    let download = Download(address)
    downloads[address] = download
    guard let cache else { return transfer(download, nil) }
    let isSubmitted = workers.submit(.drawing) { [weak self, modes] in
      let entry = download.isAbandoned ? nil : cache.entry(for: address.text)
      post(modes) { self?.lookedUp(download, entry) }
    }
    if !isSubmitted { transfer(download, nil) }
  }

  private func isCurrent(_ download: Download) -> Bool { downloads[download.address] === download }

  private func lookedUp(_ download: Download, _ entry: CacheEntry?) {
    guard isCurrent(download) else { return }
    if let entry, wallClock() < entry.freshness.freshUntil {
      decodeAll(Contents(bytes: entry.bytes, source: .cache), download)
    } else {
      transfer(download, entry)
    }
  }

  /// - Parameter entry: the one about which the server is asked.
  private func transfer(_ download: Download, _ entry: CacheEntry?) {
    var request = TransferRequest(download.address)
    request.order = shared.order(of: download.address) ?? 0
    request.acceptedTypes = ["image/", "application/octet-stream", "binary/octet-stream"]
    request.sizeLimit = limits.fileBytes
    request.retries = retries
    request.fields = entry?.freshness.conditions ?? [:]
    let wantsCoarse = shared.numbers(of: download.address).contains { waiting[$0]?.coarse != nil }
    download.state = .transferring(
      transfers.start(
        request,
        .onLoop { [weak self, modes] _, event in
          guard case .finished(let result) = event else { return }
          post(modes) { self?.transferred(download, result, entry) }
        }, beginnings: wantsCoarse ? beginnings(of: download) : nil))
  }

  private func beginnings(of download: Download) -> BeginningHandler {
    BeginningHandler(first: 64 << 10) { [weak self, modes] bytes in
      // The main thread hears of JPEGs alone.
      guard bytes.starts(with: [0xFF, 0xD8]) else { return }
      post(modes) { self?.decodeBeginning(bytes, download) }
    }
  }

  /// Has workers decode the picture of what has come, in the sizes in which somebody would see it. They end when more has come, so that
  /// the whole picture does not wait for them.
  private func decodeBeginning(_ bytes: [UInt8], _ download: Download) {
    guard isCurrent(download), download.takeBeginning(of: bytes.count) else { return }
    let numbers = shared.numbers(of: download.address).filter { waiting[$0]?.coarse != nil }
    for box in Set(numbers.map { waiting[$0]?.box }) {
      workers.submit(.drawing) { [weak self, limits, modes] in
        guard download.wantsBeginning(of: bytes.count) else { return }
        let image = ImageFile.picture(
          ofBeginning: bytes, name: download.address.text, fitting: box, limits: limits,
          isCancelled: { !download.wantsBeginning(of: bytes.count) })
        if let image { post(modes) { self?.showCoarse(image, of: bytes.count, download, box) } }
      }
    }
  }

  private func showCoarse(_ image: Image, of bytes: Int, _ download: Download, _ box: PixelSize?) {
    // More may have come meanwhile.
    guard isCurrent(download), download.wantsBeginning(of: bytes) else { return }
    for number in shared.numbers(of: download.address) where waiting[number]?.box == box { waiting[number]?.coarse?(image) }
  }

  private func transferred(_ download: Download, _ result: Result<TransferAnswer, TransferError>, _ entry: CacheEntry?) {
    guard isCurrent(download) else { return }
    switch result {
    case .failure(let error): finish(download, .failure(.transfer(error)))
    case .success(let answer):
      let freshness = Freshness(of: answer.head, now: wallClock())
      if answer.status == 304, let entry {
        // The tag may be a new one; one that is not sent stays.
        var kept = entry.freshness
        kept.freshUntil = freshness?.freshUntil ?? 0
        kept.entityTag = answer.head["etag"] ?? kept.entityTag
        kept.lastModified = answer.head["last-modified"] ?? kept.lastModified
        decodeAll(Contents(bytes: entry.bytes, source: .network(kept)), download)
      } else {
        decodeAll(Contents(bytes: answer.bytes, source: .network(freshness)), download)
      }
    }
  }

  private func decodeAll(_ contents: Contents, _ download: Download) {
    download.state = .decoding(contents)
    download.endBeginnings()
    for number in shared.numbers(of: download.address) { decode(contents, download, waiting[number]?.box) }
  }

  /// Has a worker decode the picture in a size, unless one does so already.
  private func decode(_ contents: Contents, _ download: Download, _ box: PixelSize?) {
    guard download.boxes.insert(box).inserted else { return }
    let keeps = !download.isKept
    download.isKept = true
    let (limits, cache, modes) = (limits, cache, modes)
    let isSubmitted = workers.submit(.drawing) { [weak self] in
      let result = contents.image(download, box, limits)
      post(modes) { self?.decoded(download, box, result) }
      // Behind the picture, which somebody waits for.
      if keeps, let cache { contents.keep(in: cache, key: download.address.text, result) }
    }
    if !isSubmitted { post(modes) { [weak self] in self?.decoded(download, box, .failure(.cancelled)) } }
  }

  private func decoded(_ download: Download, _ box: PixelSize?, _ result: Result<Image, ImageFileError>) {
    guard isCurrent(download) else { return }
    download.boxes.remove(box)
    let served = shared.numbers(of: download.address).filter { waiting[$0]?.box == box }
    finish(download, served, result.mapError(RemoteImageError.picture))
  }

  private func finish(_ download: Download, _ result: Result<Image, RemoteImageError>) {
    finish(download, shared.numbers(of: download.address), result)
  }

  private func finish(_ download: Download, _ numbers: [UInt64], _ result: Result<Image, RemoteImageError>) {
    shared.finish(numbers)
    if shared.order(of: download.address) == nil {
      downloads[download.address] = nil
      download.endBeginnings()
    }
    // A completion may load and cancel.
    for number in numbers { waiting.removeValue(forKey: number)?.completion(result) }
  }
}

/// A request for a picture. It goes on if nobody holds it.
@MainActor
public final class RemoteImageRequest {
  private let number: UInt64
  private weak var loader: RemoteImageLoader?

  /// See `RemoteImageLoader.load`; may be changed while the request waits.
  public var order: Int {
    didSet { if order != oldValue { loader?.move(number, to: order) } }
  }

  init(_ number: UInt64, order: Int, _ loader: RemoteImageLoader) {
    (self.number, self.order, self.loader) = (number, order, loader)
  }

  /// Ends the request: its completion is not called. The transfer ends if nobody else waits for the address.
  public func cancel() { loader?.cancel(number) }
}

/// Has the main thread do something in some modes.
private func post(_ modes: [FrameLoop.Mode], _ body: @escaping @MainActor @Sendable () -> Void) {
  // Refused only when the process ends.
  try? FrameLoop.main.performLater(in: modes, onMain: body)
}
