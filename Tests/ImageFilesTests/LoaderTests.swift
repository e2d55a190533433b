import Glibc
import ImageFiles
import LinuxSystem
import Raster
import Testing

@Suite struct LoaderTests {
  /// Results as they came.
  private final class Results: Sendable {
    private let results = Lock<[(Int, Result<Image, ImageFileError>)]>([])

    func completion(_ number: Int) -> ImageLoader.Completion {
      { result in self.results.withLock { $0.append((number, result)) } }
    }

    var numbers: [Int] { results.withLock { $0.map(\.0) } }
    var images: [Image?] { results.withLock { $0.map { try? $0.1.get() } } }
    var errors: [ImageFileError?] {
      results.withLock {
        $0.map { result in
          if case .failure(let error) = result.1 { error } else { nil }
        }
      }
    }
  }

  private let workers = WorkerPool(simulatedThreads: 1)
  private let cache = ImageCache(bytes: 1 << 20)
  private let results = Results()
  private let path = Pictures.folder + "/baseline.jpg"
  private let box = PixelSize(width: 20, height: 20)

  private func work() -> Int {
    var jobs = 0
    while workers.runNextJob() { jobs += 1 }
    return jobs
  }

  @Test func equalRequestsAreDecodedOnce() {
    let loader = ImageLoader(workers: workers, cache: cache)
    for number in 1...3 { loader.load(path, fitting: box, results.completion(number)) }
    loader.load(path, results.completion(4))
    #expect(work() == 2)
    #expect(results.numbers == [1, 2, 3, 4])
    let images = results.images.compactMap { $0 }
    #expect(images.map(\.width) == [20, 20, 20, 61])
    #expect(Set(images.map(\.id)).count == 2)
    #expect(cache.count == 2 && cache.bytes == 128 * 14 + 256 * 43)
    // From the cache.
    loader.load(path, fitting: box, results.completion(5))
    #expect(work() == 1)
    #expect(results.images.last??.id == images[0].id)
    cache.removeAll()
    #expect(cache.count == 0 && cache.bytes == 0)
    loader.load(path, fitting: box, results.completion(6))
    #expect(work() == 1)
    #expect(results.images.last??.id != images[0].id)
  }

  @Test func cancelledRequestsAreNotAnswered() {
    let loader = ImageLoader(workers: workers, cache: cache)
    let requests = (1...2).map { loader.load(path, fitting: box, results.completion($0)) }
    requests[0].cancel()
    #expect(work() == 1)
    #expect(results.numbers == [2])
    // Once nobody waits, nothing is decoded, and a later request is one of its own.
    cache.removeAll()
    loader.load(path, results.completion(3)).cancel()
    #expect(work() == 1 && cache.count == 0)
    loader.load(path, results.completion(3)).cancel()
    loader.load(path, results.completion(4))
    #expect(work() == 2)
    #expect(results.numbers == [2, 4] && results.errors.allSatisfy { $0 == nil })
    #expect(cache.count == 1)
    requests[1].cancel()
  }

  /// A completion may cancel another request that shares its decoding; that one is then not answered.
  @Test func aCompletionCancelsAnotherRequest() {
    let loader = ImageLoader(workers: workers, cache: cache)
    let other = Lock<ImageRequest?>(nil)
    loader.load(path) { [results] result in
      other.withLock { $0 }?.cancel()
      results.completion(1)(result)
    }
    let request = loader.load(path, results.completion(2))
    other.withLock { $0 = request }
    loader.load(path, results.completion(3))
    #expect(work() == 1)
    #expect(results.numbers == [1, 3])
  }

  @Test func errorsArriveAndAreNotKept() throws {
    let loader = ImageLoader(workers: workers, cache: cache)
    let missing = Pictures.folder + "/none.jpg"
    loader.load(missing, results.completion(1))
    loader.load(Pictures.folder + "/make", results.completion(2))
    #expect(work() == 2)
    #expect(
      results.errors == [
        .file(SystemError(call: "stat", subject: missing, errno: ENOENT)), .unknownFormat(name: Pictures.folder + "/make"),
      ])
    #expect(cache.count == 0)
  }

  /// A file that was replaced is read again.
  @Test func changedFilesAreReadAgain() throws {
    let path = "/tmp/framepace-images-\(getpid())-\(UInt64.random(in: 0 ... .max)).jpg"
    defer { unlink(path) }
    let loader = ImageLoader(workers: workers, cache: cache)
    for (number, name) in ["baseline.jpg", "grey.png"].enumerated() {
      try AtomicFile.write(Pictures.bytes(name), to: path)
      loader.load(path, results.completion(number))
      #expect(work() == 1)
      #expect(try results.images.last??.pixels == Pictures.file(name).decode().pixels)
    }
    #expect(cache.count == 2)
  }

  /// So is one that was written to with its size and its time left as they were, even while the first request waits.
  @Test func writtenFilesAreReadAgain() throws {
    let path = "/tmp/framepace-images-\(getpid())-\(UInt64.random(in: 0 ... .max)).png"
    defer { unlink(path) }
    let loader = ImageLoader(workers: workers, cache: cache)
    try AtomicFile.write(Pictures.bytes("grey.png"), to: path)
    var before = stat()
    try #require(stat(path, &before) == 0)
    loader.load(path, results.completion(1))
    // The time of the last change goes on with the kernel's ticks.
    var after = before
    while (after.st_ctim.tv_sec, after.st_ctim.tv_nsec) == (before.st_ctim.tv_sec, before.st_ctim.tv_nsec) {
      let times = [before.st_atim, before.st_mtim]
      try #require(utimensat(AT_FDCWD, path, times, 0) == 0 && stat(path, &after) == 0)
    }
    loader.load(path, results.completion(2))
    #expect(work() == 2)
    #expect(results.numbers == [1, 2] && cache.count == 2)
  }

  @Test func aClosedPoolAnswersAtOnce() {
    let workers = WorkerPool(threads: 1)
    workers.shutdown()
    ImageLoader(workers: workers, cache: cache).load(path, results.completion(1))
    #expect(results.errors == [.cancelled])
  }

  /// Threads that load, decode, cancel and answer at the same time: every request that was not cancelled is answered once.
  @Test func threadsShareALoader() {
    let workers = WorkerPool(threads: 3)
    let loader = ImageLoader(workers: workers, cache: ImageCache(bytes: 20_000))
    for number in 0..<200 {
      let name = ["baseline.jpg", "colour.png", "lossy.webp", "still.gif"][number % 4]
      let side = 10 + number % 3
      workers.submit(.drawing) { [results] in
        let request = loader.load(
          Pictures.folder + "/" + name, fitting: PixelSize(width: side, height: side), results.completion(number))
        if number % 5 == 0 { request.cancel() }
        if number % 7 == 0 { loader.load("/none", results.completion(1000 + number)) }
      }
    }
    // Jobs that are submitted by jobs may come too late for the pool; they are answered with an error.
    workers.shutdown()
    let numbers = results.numbers
    #expect(Set(numbers).count == numbers.count)
    let awaited = Set((0..<200).filter { $0 % 5 != 0 } + (0..<200).filter { $0 % 7 == 0 }.map { 1000 + $0 })
    #expect(awaited.subtracting(numbers).isEmpty)
  }

  @Test func imagesLeaveTheCacheByTheirBytes() {
    let cache = ImageCache(bytes: 256 * 43 + 128 * 14 - 1)
    let loader = ImageLoader(workers: workers, cache: cache)
    loader.load(path, fitting: box, results.completion(1))
    loader.load(path, results.completion(2))
    #expect(work() == 2)
    #expect(cache.count == 1 && cache.bytes == 256 * 43)
  }
}
