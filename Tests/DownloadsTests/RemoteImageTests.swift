import Glibc
import ImageFiles
import LinuxSystem
import LoopTestSupport
import Raster
import RunLoops
import Synchronization
import XCTest

@testable import Downloads

/// Pictures from a server on the loopback, on the main loop. (XCTest runs synchronous tests on the main thread.)
final class RemoteImageTests: XCTestCase {
  private typealias Server = ScriptedServer
  private let folder = TemporaryFolder()
  private let workers = WorkerPool(threads: 2)

  private static func picture(width: Int = 40, height: Int = 20) throws -> [UInt8] {
    let bitmap = try Bitmap(width: width, height: height)
    for y in 0..<height { memset(bitmap.base + y * bitmap.bytesPerRow, 255, width * 4) }
    return try PNG.encode(bitmap.freeze())
  }

  /// A loader and the pictures that came.
  @MainActor
  private final class Stage {
    let loader: RemoteImageLoader
    let cache: DownloadCache
    let transfers: TransferLoop
    var results: [String] = []
    /// Seconds since 1970, for the age of answers.
    let wallTime: Lock<Int64>

    init(_ folder: String, _ workers: WorkerPool, limit: Int = 32) throws {
      cache = try DownloadCache(folder: folder, limit: 1 << 20)
      var configuration = TransferConfiguration.local(limit: limit, perHost: limit)
      wallTime = Lock<Int64>(1_000)
      configuration.wallClock = { [wallTime] in wallTime.withLock { $0 } }
      transfers = try TransferLoop(configuration)
      loader = RemoteImageLoader(transfers: transfers, workers: workers, cache: cache, retries: .never)
    }

    @discardableResult
    func load(_ name: String, _ address: String, _ box: PixelSize? = nil, order: Int = 0) throws -> RemoteImageRequest {
      loader.load(try WebAddress(address), fitting: box, order: order) { [self] result in
        switch result {
        case .success(let image): results.append("\(name) \(image.width)x\(image.height)")
        case .failure(.transfer(.status(_, let status, _))): results.append("\(name) status \(status)")
        case .failure(.transfer): results.append("\(name) transfer")
        case .failure(.picture(.damaged)), .failure(.picture(.unknownFormat)): results.append("\(name) damaged")
        case .failure(.picture): results.append("\(name) picture")
        }
      }
    }

    /// Runs the main loop until so many results have come. It sleeps meanwhile.
    func wait(for count: Int, file: StaticString = #file, line: UInt = #line) {
      let end = SystemClock.monotonic.now + .seconds(60)
      while results.count < count, SystemClock.monotonic.now < end {
        FrameLoop.main.run(mode: .default, until: end, returnAfterSourceHandled: true)
      }
      XCTAssertEqual(results.count, count, "\(results)", file: file, line: line)
    }

    /// Runs the main loop, and a worker's last job, until a condition holds.
    func run(until condition: () -> Bool) {
      spin {
        FrameLoop.main.run(mode: .default, until: .zero, returnAfterSourceHandled: true)
        return condition()
      }
    }
  }

  func testRequestsForOneAddressAreOneTransfer() throws {
    try MainActor.assumeIsolated { [folder, workers] in
      let picture = try Self.picture()
      let server = try Server { _ in [.hold, Server.answer("200 OK", ["Content-Type: image/png", "ETag: x"], picture)] }
      let stage = try Stage(folder.path, workers)
      let box = PixelSize(width: 20, height: 20)
      for name in ["a", "b"] { try stage.load(name, server.address("/p")) }
      try stage.load("c", server.address("/p"), box)
      let left = try stage.load("d", server.address("/p"), box)
      left.cancel()
      stage.run { server.held == 1 }
      try stage.load("e", server.address("/p"), box)
      XCTAssertEqual(stage.loader.downloadCount, 1)
      server.release()
      stage.wait(for: 4)
      XCTAssertEqual(Set(stage.results), ["a 40x20", "b 40x20", "c 20x10", "e 20x10"])
      XCTAssertEqual(server.paths, ["/p"])
      XCTAssertEqual(stage.loader.downloadCount, 0)
      // Nothing comes for the one that has left.
      stage.run { stage.cache.count == 1 }
      XCTAssertEqual(stage.results.count, 4)
    }
  }

  /// The loader of a list's pictures takes addresses as names.
  func testNamesOfPicturesAreAddresses() throws {
    try MainActor.assumeIsolated { [folder, workers] in
      let picture = try Self.picture()
      let server = try Server { _ in [Server.answer("200 OK", ["Content-Type: image/png"], picture)] }
      let stage = try Stage(folder.path, workers)
      let pictures: any OrderedImageLoader = stage.loader
      @MainActor func load(_ name: String) -> any OrderedImageRequest {
        pictures.load(named: name, fitting: PixelSize(width: 20, height: 20), order: 3) { result in
          switch result {
          case .success(let image): stage.results.append("\(image.width)x\(image.height)")
          case .failure(let error): stage.results.append("\(error is RemoteImageError)")
          }
        }
      }
      let cancelled = load("nowhere at all")
      _ = load("nowhere at all")
      cancelled.cancel()
      // A completion is called later.
      XCTAssertEqual(stage.results, [])
      stage.wait(for: 1)
      XCTAssertEqual(stage.results, ["true"])
      let request = load(server.address("/p"))
      request.order = 1
      stage.wait(for: 2)
      XCTAssertEqual(stage.results.last, "20x10")
    }
  }

  func testTheCacheIsAskedFirstAndTheServerWhenItIsOld() throws {
    try MainActor.assumeIsolated { [folder, workers] in
      let picture = try Self.picture()
      let other = try Self.picture(width: 30)
      let server = try Server { request in
        let isAsked = request.head.contains("If-None-Match: \"one\"\r\n")
        switch request.path {
        case "/fresh" where isAsked && request.earlier < 3:
          return [Server.text("HTTP/1.1 304 Not Modified\r\nCache-Control: max-age=100\r\n\r\n")]
        case "/fresh":
          return [
            Server.answer("200 OK", ["Cache-Control: max-age=100", "ETag: \"one\""], request.earlier == 0 ? picture : other)
          ]
        default: return [Server.answer("200 OK", ["Cache-Control: no-store"], picture)]
        }
      }
      let stage = try Stage(folder.path, workers)
      try stage.load("first", server.address("/fresh"))
      stage.wait(for: 1)
      stage.run { stage.cache.count == 1 }
      try stage.load("kept", server.address("/fresh"))
      stage.wait(for: 2)
      XCTAssertEqual(server.count("/fresh"), 1)
      // It is old: the server says that it is unchanged, and for how long.
      stage.wallTime.withLock { $0 = 1_100 }
      try stage.load("asked", server.address("/fresh"))
      stage.wait(for: 3)
      XCTAssertEqual(server.count("/fresh"), 2)
      stage.run { stage.cache.entry(for: server.address("/fresh"))?.freshness.freshUntil == 1_200 }
      try stage.load("again", server.address("/fresh"))
      stage.wait(for: 4)
      XCTAssertEqual(server.count("/fresh"), 2)
      stage.wallTime.withLock { $0 = 1_250 }
      try stage.load("unchanged", server.address("/fresh"))
      stage.wait(for: 5)
      stage.run { stage.cache.entry(for: server.address("/fresh"))?.freshness.freshUntil == 1_350 }
      stage.wallTime.withLock { $0 = 1_400 }
      try stage.load("changed", server.address("/fresh"))
      stage.wait(for: 6)
      XCTAssertEqual(server.count("/fresh"), 4)
      XCTAssertEqual(
        stage.results, ["first 40x20", "kept 40x20", "asked 40x20", "again 40x20", "unchanged 40x20", "changed 30x20"])
      for _ in 0..<2 {
        try stage.load("n", server.address("/never"))
        stage.wait(for: stage.results.count + 1)
      }
      XCTAssertEqual(server.count("/never"), 2)
    }
  }

  func testADamagedPictureIsAnErrorAndIsNotKept() throws {
    try MainActor.assumeIsolated { [folder, workers] in
      let picture = try Self.picture()
      let server = try Server { request in
        switch request.path {
        case "/text": [Server.answer("200 OK", ["Content-Type: text/html"], "<html>")]
        case "/none": [Server.answer("404 Not Found", [], "")]
        case "/words": [Server.answer("200 OK", ["Cache-Control: max-age=100"], "no picture")]
        default: [Server.answer("200 OK", ["Cache-Control: max-age=100"], Array(picture.dropLast(20)))]
        }
      }
      let stage = try Stage(folder.path, workers)
      for (count, name) in ["text", "none", "words", "cut"].enumerated() {
        try stage.load(name, server.address("/\(name)"))
        stage.wait(for: count + 1)
      }
      XCTAssertEqual(stage.results, ["text transfer", "none status 404", "words damaged", "cut damaged"])
      workers.shutdown()
      XCTAssertEqual(stage.cache.count, 0)
      // Without workers a request ends all the same.
      try stage.load("late", server.address("/other"))
      stage.wait(for: 5)
      XCTAssertEqual(stage.results.last, "late picture")
    }
  }

  func testARowThatLeavesEndsItsTransfer() throws {
    try MainActor.assumeIsolated { [folder, workers] in
      let picture = try Self.picture()
      let server = try Server { _ in [.hold, Server.answer("200 OK", [], picture)] }
      let stage = try Stage(folder.path, workers, limit: 2)
      let requests = try (0..<6).map { number in
        let request = try stage.load("\(number)", server.address("/\(number)"), order: number)
        // Each is with the transfers before the next one comes.
        if number < 2 { stage.run { server.held == number + 1 } }
        return request
      }
      // The others wait, once the cache was asked about them; the list has turned round.
      stage.run { stage.loader.transferCount == 6 }
      for (number, request) in requests.enumerated() { request.order = -number }
      try stage.transfers.loop.performAndWait {}
      requests[0].cancel()
      stage.run { server.count("/5") == 1 }
      requests[4].cancel()
      requests[1].cancel()
      stage.run { server.count("/3") == 1 }
      XCTAssertEqual(server.paths, ["/0", "/1", "/5", "/3"])
      stage.run {
        server.release()
        return stage.results.count == 3
      }
      XCTAssertEqual(Set(stage.results), ["5 40x20", "3 40x20", "2 40x20"])
      XCTAssertEqual(server.count("/4"), 0)
      XCTAssertEqual(stage.loader.downloadCount, 0)
    }
  }

  /// A progressive JPEG filled up by comments, and how much of it is sent before the server waits: 128 KiB and the first scan.
  private static func progressive() throws -> (bytes: [UInt8], held: Int) {
    let tests = String(#filePath.dropLast("DownloadsTests/RemoteImageTests.swift".count))
    let bytes = try OwnedDescriptor.contents(of: tests + "ImageFilesTests/Pictures/progressive.jpg", limit: 1 << 20)
    let comment = [0xFF, 0xFE, 0xFF, 0xFF] + [UInt8](repeating: 32, count: 65_533)
    // The places of the tables before its first two scans.
    for place in [177, 298] { XCTAssertEqual(bytes[place..<place + 2], [0xFF, 0xC4]) }
    // The first scan with its tables comes behind the first beginning that is looked at, and before the second.
    var file = bytes[..<177] + comment + [0xFF, 0xFE, 0x9C, 0x42] + [UInt8](repeating: 32, count: 40_000)
    file += bytes[177..<298] + comment
    return (Array(file + bytes[298...]), file.count)
  }

  func testAProgressivePictureIsSeenWhileItComes() throws {
    try MainActor.assumeIsolated { [folder, workers] in
      let (bytes, held) = try Self.progressive()
      let server = try Server { request in
        let end = request.path == "/whole" ? bytes.count : bytes.count - 20
        let head = Server.text("HTTP/1.1 200 OK\r\nContent-Length: \(end)\r\n\r\n")
        return [head, .send(Array(bytes[..<held])), .hold, .send(Array(bytes[held..<end]))]
      }
      let stage = try Stage(folder.path, workers)
      let box = PixelSize(width: 30, height: 30)
      for path in ["/whole", "/cut"] {
        let address = try WebAddress(server.address(path))
        var (coarse, large, results): ([Image], [Image], [Result<Image, RemoteImageError>]) = ([], [], [])
        stage.loader.load(address, fitting: box, coarse: { coarse.append($0) }) { results.append($0) }
        // Others of the same transfer, one in another size, one that wants no such picture, and one that has left.
        stage.loader.load(address, coarse: { large.append($0) }) { results.append($0) }
        stage.loader.load(address, fitting: box) { results.append($0) }
        stage.loader.load(address, coarse: { _ in XCTFail("It has left.") }) { results.append($0) }.cancel()
        stage.run { coarse.count == 1 && large.count == 1 }
        XCTAssertEqual([coarse[0].width, coarse[0].height, large[0].width, large[0].height], [30, 21, 61, 43])
        XCTAssertEqual(results.count, 0)
        server.release()
        stage.run { results.count == 3 }
        XCTAssertEqual([coarse.count, large.count], [1, 1])
        if path == "/whole" {
          let pictures = try results.map { try $0.get() }
          XCTAssertEqual(Set(pictures.map(\.width)), [30, 61])
          let whole = try ImageFile(bytes: bytes).decode(fitting: box)
          let small = try XCTUnwrap(pictures.first { $0.width == 30 })
          XCTAssertTrue((0..<21).allSatisfy { memcmp(small.row($0), whole.row($0), 120) == 0 })
          XCTAssertFalse((0..<21).allSatisfy { memcmp(coarse[0].row($0), whole.row($0), 120) == 0 })
        } else {
          for result in results {
            guard case .failure(.picture(.damaged)) = result else { return XCTFail("\(result)") }
          }
        }
      }
    }
  }

  /// Beginnings that were not decoded when the file is whole do not delay it.
  func testNoCoarsePictureIsMadeOnceTheFileIsWhole() throws {
    try MainActor.assumeIsolated {
      let (bytes, _) = try Self.progressive()
      let server = try Server { _ in [Server.answer("200 OK", [], bytes)] }
      let workers = WorkerPool(simulatedThreads: 1)
      let loader = RemoteImageLoader(transfers: try TransferLoop(.local()), workers: workers, cache: nil)
      var (coarse, results) = (0, [Result<Image, RemoteImageError>]())
      loader.load(try WebAddress(server.address("/p")), coarse: { _ in coarse += 1 }) { results.append($0) }
      func run(until condition: () -> Bool) {
        spin {
          FrameLoop.main.run(mode: .default, until: .zero, returnAfterSourceHandled: true)
          return condition()
        }
      }
      run { loader.transferCount == 0 }
      var jobs = 0
      while workers.runNextJob() { jobs += 1 }
      XCTAssertEqual(jobs, 3, "those of two beginnings, and the whole one")
      run { results.count == 1 }
      XCTAssertEqual(try results[0].get().width, 61)
      XCTAssertEqual(coarse, 0)
    }
  }

  /// In a mode of its own, as while a finger drags, no completion is called that is meant for the default mode.
  func testCompletionsWaitForTheirMode() throws {
    try MainActor.assumeIsolated { [workers] in
      let picture = try Self.picture()
      let server = try Server { _ in [Server.answer("200 OK", [], picture)] }
      let transfers = try TransferLoop(.local())
      var common = 0
      var later = 0
      let first = RemoteImageLoader(transfers: transfers, workers: workers, cache: nil)
      let second = RemoteImageLoader(transfers: transfers, workers: workers, cache: nil, modes: [.default])
      second.load(try WebAddress(server.address("/2"))) { _ in later += 1 }
      first.load(try WebAddress(server.address("/1"))) { _ in common += 1 }
      FrameLoop.main.addCommonMode(.tracking)
      spin {
        FrameLoop.main.run(mode: .tracking, until: .zero, returnAfterSourceHandled: true)
        return common == 1 && server.count("/2") == 1
      }
      XCTAssertEqual(later, 0)
      spin {
        FrameLoop.main.run(mode: .default, until: .zero, returnAfterSourceHandled: true)
        return later == 1
      }
    }
  }
}
