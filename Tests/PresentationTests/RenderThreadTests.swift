import FrameTiming
import LinuxSystem
import Raster
import RenderTree
import XCTest

@testable import Presentation

/// Frames that are rendered on a real thread, which the thread sanitizer watches.
@preconcurrency @MainActor final class RenderThreadTests: XCTestCase {
  /// The tree is edited while a thread renders, and outputs end meanwhile: the pictures are those of the trees.
  func testFramesAreThoseOfTheirTrees() throws {
    let threads = WorkerPool(threads: 1)
    for seed in 0..<6 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let stage = try RenderThreadStage(
        threads: threads, seed: seed, RenderThreadStage.screen(random.chance(0.5) ? .double : .triple))
      while stage.shown.count < 100 {
        stage.run(.milliseconds(Int64.random(in: 1...40, using: &random)))
        stage.edit()
        // The clock of the tests does not wait for it.
        if random.chance(0.5) { Self.finish(threads) }
      }
      XCTAssertEqual(stage.faults, [], "seed \(seed)")
      XCTAssertEqual(stage.renderer.collisions, 0)
      stage.end()
    }
    Self.finish(threads)
  }

  /// An observer ends the output at an event, and lets go of it, while a thread may render its frame. No event follows, and what is
  /// rendered then goes into memory that is still there.
  func testAnObserverEndsTheOutput() throws {
    let threads = WorkerPool(threads: 1)
    var ends: [Event: Int] = [:]
    for seed in 0..<60 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let stage = try RenderThreadStage(
        threads: threads, seed: seed,
        random.chance(0.5) ? RenderThreadStage.virtualDisplay : RenderThreadStage.screen(.triple))
      let kind = Event.allCases[Int(seed) % Event.allCases.count]
      let isDisplayEnded = random.chance(0.5)
      var left = Int.random(in: 1...6, using: &random)
      var later = 0
      weak let output = stage.output
      stage.output?.observe { event in
        if left == 0 { later += 1 }
        guard Event(event) == kind, left > 0 else { return }
        left -= 1
        if left == 0 { stage.end(isDisplayEnded) }
      }.keep()
      for _ in 0..<400 where left > 0 {
        stage.isEditing = random.chance(0.8)
        stage.callbackTime = .milliseconds(Int64.random(in: 0...25, using: &random))
        stage.run(.milliseconds(Int64.random(in: 1...60, using: &random)))
        if random.chance(0.7) { Self.finish(threads) }
      }
      if left == 0 {
        ends[kind, default: 0] += 1
        XCTAssertNil(output, "seed \(seed)")
      } else {
        stage.end()
      }
      stage.run(.milliseconds(100))
      Self.finish(threads)
      stage.run(.milliseconds(100))
      XCTAssertEqual(later, 0, "seed \(seed)")
      XCTAssertEqual(stage.faults, [], "seed \(seed)")
      XCTAssertEqual(stage.renderer.collisions, 0)
    }
    for kind in Event.allCases { XCTAssertGreaterThan(ends[kind, default: 0], 5, "\(kind)") }
  }

  /// Renders frames that take so many milliseconds on a simulated thread. Returns what a frame usually takes after each.
  private func usualDurations(_ durations: [Int64]) throws -> [Int64] {
    let clock = ManualClock(start: .zero + .seconds(10))
    let threads = WorkerPool(simulatedThreads: 1)
    let thread = RenderThread(
      threads: threads, renderer: TimedRenderer(clock: nil, time: .zero), clock: .manual(clock), onFinish: {})
    let bitmap = try Bitmap(width: 4, height: 4)
    return durations.map { duration in
      thread.start(TreeSnapshot(), change: FrameChange(), into: bitmap)
      XCTAssertNil(thread.takeEnd()?.time)
      clock.advance(by: .milliseconds(duration))
      XCTAssertTrue(threads.runNextJob())
      XCTAssertEqual(thread.takeEnd()?.time, clock.now)
      XCTAssertFalse(thread.isBusy)
      return thread.usualDuration.count / 1_000_000
    }
  }

  /// One long frame says nothing of the next.
  func testASingleLongFrameIsNotUsual() throws {
    XCTAssertEqual(try usualDurations([5, 6, 40, 5, 7, 20, 20, 3]), [0, 5, 6, 5, 5, 7, 20, 3])
  }

  /// Threads that were shut down render no frame: the main thread does.
  func testFramesAreRenderedAfterTheThreadsEnd() throws {
    let threads = WorkerPool(threads: 1)
    threads.shutdown()
    let thread = RenderThread(
      threads: threads, renderer: TimedRenderer(clock: nil, time: .zero), clock: .monotonic, onFinish: {})
    thread.start(TreeSnapshot(), change: FrameChange(), into: try Bitmap(width: 4, height: 4))
    XCTAssertNotNil(thread.takeEnd()?.time)
  }

  private enum Event: CaseIterable {
    case tick, committed, presented, idle

    init?(_ event: FrameEvent) {
      switch event {
      case .tick: self = .tick
      case .committed: self = .committed
      case .presented: self = .presented
      case .idle: self = .idle
      case .lost, .discarded, .refused: return nil
      }
    }
  }

  /// Waits until the thread has done what it was given.
  private static func finish(_ threads: WorkerPool) {
    let latch = Latch()
    threads.submit(.compositing) { latch.open() }
    latch.wait()
  }
}
