import ImageFiles
import LinuxSystem
import Raster
import RunLoops
import XCTest

@testable import Interaction

@preconcurrency @MainActor final class WorkerImageLoaderTests: XCTestCase {
  private let clock = ManualClock(start: .zero + .seconds(1))
  private let workers = WorkerPool(simulatedThreads: 1)
  private lazy var loop = FrameLoop(clock: .manual(clock))
  private let made = Lock<[String]>([])
  private var told: [String] = []
  private let box = PixelSize(width: 4, height: 4)

  private func loader(_ meanwhile: @escaping @Sendable (String, () -> Bool) throws -> Void = { _, _ in })
    -> WorkerImageLoader
  {
    WorkerImageLoader(workers: workers, loop: loop) { [made] name, box, isCancelled in
      made.withLock { $0.append(name) }
      try meanwhile(name, isCancelled)
      return try Bitmap(width: box.width, height: box.height).freeze()
    }
  }

  private func load(_ name: String, _ order: Int, _ loader: WorkerImageLoader) -> any OrderedImageRequest {
    loader.load(named: name, fitting: box, order: order) { [weak self] result in
      self?.told.append((try? result.get()).map { "\(name) \($0.width)" } ?? "\(name) failed")
    }
  }

  private func turn() { loop.run(mode: .default, until: clock.now) }

  func testTheFirstInOrderIsMadeFirst() {
    let loader = loader()
    let requests = [("a", 5), ("b", 3), ("c", 9), ("d", 3)].map { load($0, $1, loader) }
    XCTAssertTrue(workers.runNextJob())
    // The order changes while the others wait.
    requests[2].order = 1
    requests[0].cancel()
    while workers.runNextJob() {}
    XCTAssertEqual(made.withLock { $0 }, ["b", "c", "d"])
    // Nothing is told but by the loop.
    XCTAssertEqual(told, [])
    turn()
    XCTAssertEqual(told, ["b 4", "c 4", "d 4"])
  }

  func testACancelledPictureEndsEarlyAndIsNotTold() {
    @MainActor final class Held { var request: (any OrderedImageRequest)? }
    let held = Held()
    let answers = Lock<[Bool]>([])
    let loader = loader { name, isCancelled in
      answers.withLock { $0.append(isCancelled()) }
      // Simulated workers work on the test's thread.
      MainActor.assumeIsolated { held.request?.cancel() }
      answers.withLock { $0.append(isCancelled()) }
      throw ImageFileError.cancelled
    }
    held.request = load("a", 0, loader)
    while workers.runNextJob() {}
    turn()
    XCTAssertEqual(answers.withLock { $0 }, [false, true])
    XCTAssertEqual(told, [])
  }

  func testFailuresAreTold() {
    let loader = WorkerImageLoader(workers: workers, loop: loop)
    _ = load("/nowhere.png", 0, loader)
    while workers.runNextJob() {}
    turn()
    XCTAssertEqual(told, ["/nowhere.png failed"])
    // After the end of the pool too.
    workers.shutdown()
    _ = load("/nowhere.png", 0, loader)
    XCTAssertEqual(told.count, 1)
    turn()
    XCTAssertEqual(told.count, 2)
  }
}
