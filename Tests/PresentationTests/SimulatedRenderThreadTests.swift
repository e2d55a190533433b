import FrameTiming
import LinuxSystem
import Presentation
import RunLoops
import Simulation
import XCTest

/// Frames that are rendered on a simulated thread, in simulated time.
@preconcurrency @MainActor final class SimulatedRenderThreadTests: XCTestCase {
  /// Callbacks and rendering that do not fit into an interval one after the other do so side by side: the longer of the two decides
  /// how many frames are seen. Where each fits, they are even, seen when they were made for, and no work is done for no frame.
  func testTheLongerPartDecidesHowManyFramesAreSeen() throws {
    let parts: [(Int64, Int64)] = [
      (1, 1), (5, 5), (10, 10), (5, 14), (14, 5), (14, 14), (8, 12), (3, 20), (20, 3), (20, 20), (10, 25),
    ]
    for buffering in [Buffering.double, .triple] {
      XCTAssertLessThanOrEqual(try run(10, 10, buffering, onThread: false).frames, 61, "in turns")
      for policy in FramePolicy.allCases {
        for (callbacks, rendering) in parts {
          for isAutomatic in policy == .vblank ? [false, true] : [false] {
            let run = try run(callbacks, rendering, buffering, policy, isAutomatic: isAutomatic, onThread: true)
            let name = "\(callbacks) and \(rendering) ms, \(buffering), \(policy), automatic \(isAutomatic)"
            let intervals = (Double(max(callbacks, rendering) + 1) * 0.06).rounded(.up)
            XCTAssertGreaterThanOrEqual(Double(run.frames), 120 / intervals - 3, name)
            guard intervals == 1 else { continue }
            XCTAssertEqual(run.gaps, [1], name)
            XCTAssertEqual(run.missed, 0, name)
            XCTAssertEqual(run.discarded, 0, name)
          }
        }
      }
    }
  }

  /// Two seconds, after one in which all is learned.
  private func run(
    _ callbacks: Int64, _ rendering: Int64, _ buffering: Buffering, _ policy: FramePolicy = .vblank,
    isAutomatic: Bool = false,
    onThread: Bool
  ) throws -> (frames: Int, gaps: Set<Int>, missed: Int, discarded: Int) {
    let stage = try RenderThreadStage(
      threads: onThread ? WorkerPool(simulatedThreads: 1) : nil, renderTime: .milliseconds(rendering),
      RenderThreadStage.screen(buffering))
    stage.output?.policy = policy
    stage.output?.automaticInterval = isAutomatic ? AutomaticInterval() : nil
    stage.callbackTime = .milliseconds(callbacks)
    stage.run(.seconds(1))
    let before = (frames: stage.shown.count, discarded: stage.discarded)
    stage.run(.seconds(2))
    let shown = stage.shown[before.frames...]
    XCTAssertEqual(stage.faults, [])
    defer { stage.end() }
    return (
      shown.count,
      Set(zip(shown, shown.dropFirst()).map { Int((($1.presented - $0.presented).seconds * 60).rounded()) }),
      shown.count { $0.missedTarget(interval: .milliseconds(16)) }, stage.discarded - before.discarded
    )
  }

  /// Whatever takes how long, the pictures are those of the trees, in turns and on a thread, on each buffer; and when nothing
  /// changes any more, the last tree is shown, and no tick is asked for.
  func testFramesAreThoseOfTheirTrees() throws {
    for seed in 0..<40 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let renderTime = Nanoseconds.milliseconds(Int64.random(in: 0...30, using: &random))
      let threads = seed % 4 == 0 ? nil : WorkerPool(simulatedThreads: 1)
      let stage = try RenderThreadStage(
        threads: threads, renderTime: renderTime, seed: seed,
        random.chance(0.5)
          ? RenderThreadStage.screen(random.chance(0.5) ? .double : .triple) : RenderThreadStage.virtualDisplay)
      if random.chance(0.3) { stage.output?.automaticInterval = AutomaticInterval() }
      if random.chance(0.3) { stage.output?.policy = .lateStart }
      for _ in 0..<30 {
        stage.callbackTime = .milliseconds(Int64.random(in: 0...30, using: &random))
        stage.isEditing = random.chance(0.8)
        stage.run(.milliseconds(Int64.random(in: 1...200, using: &random)))
        if random.chance(0.5) { stage.edit() }
        if random.chance(0.1) { stage.output?.setNeedsFullRepaint() }
      }
      stage.callbackTime = .zero
      stage.isEditing = false
      stage.run(.seconds(1))
      XCTAssertEqual(stage.faults, [], "seed \(seed)")
      XCTAssertGreaterThan(stage.shown.count, 40, "seed \(seed)")
      XCTAssertEqual(stage.output?.displayLink?.isPaused, true, "seed \(seed)")
      XCTAssertEqual(stage.renderer.collisions, 0)
      stage.end()
    }
  }

  /// The record of a frame tells what its rendering took, and how long it was ready before the main thread took it.
  func testARecordTellsOfTheThread() throws {
    let stage = try RenderThreadStage(
      threads: WorkerPool(simulatedThreads: 1), renderTime: .milliseconds(5), RenderThreadStage.screen(.double))
    stage.callbackTime = .milliseconds(4)
    stage.run(.seconds(1))
    let frame = try XCTUnwrap(stage.shown.last)
    XCTAssertEqual(frame.phases[.callbacks], .milliseconds(4))
    XCTAssertEqual(frame.phases[.composite], .milliseconds(5))
    XCTAssertEqual(frame.submitted - frame.delivered, .milliseconds(9))
    // It is in time, as it would be in turns.
    XCTAssertLessThan(frame.lateness.count.magnitude, 100)
    XCTAssertGreaterThan(stage.shown.count, 57)
    stage.end()
  }

  /// A frame whose work is done while the thread renders another is begun as soon as that one is ready, and waits for no vblank.
  func testAThreadIsNotIdleWhileAFrameWaitsForIt() throws {
    XCTAssertGreaterThan(try run(5, 25, .triple, onThread: true).frames, 75)
  }

  /// Frames that a thread renders for longer than an interval are made, and animated, for the vblank at which they are seen.
  func testFramesOfALongRenderingAreMadeForTheirVBlank() throws {
    for (callbacks, rendering) in [(3, 20), (1, 25), (10, 25), (3, 40)] as [(Int64, Int64)] {
      let stage = try RenderThreadStage(
        threads: WorkerPool(simulatedThreads: 1), renderTime: .milliseconds(rendering), RenderThreadStage.screen(.double))
      stage.callbackTime = .milliseconds(callbacks)
      stage.run(.seconds(2))
      XCTAssertGreaterThan(stage.shown.count, 30)
      for frame in stage.shown.suffix(20) {
        let name = "\(callbacks) and \(rendering) ms: \(frame)"
        XCTAssertLessThan((frame.presented - frame.target).count.magnitude, 1_000_000, name)
        XCTAssertLessThan((frame.presented - frame.animationTime).count.magnitude, 1_000_000, name)
      }
      stage.end()
    }
  }

  /// The output ends, and is let go of, while a frame waits to be rendered: it is rendered all the same, into memory that is
  /// still there, and nobody hears of it.
  func testAnOutputThatEndsWhileAFrameIsRendered() throws {
    for isDisplayEnded in [true, false] {
      let threads = WorkerPool(simulatedThreads: 1)
      let stage = try RenderThreadStage(threads: threads, renderTime: .seconds(9), RenderThreadStage.screen(.double))
      stage.run(.milliseconds(20))
      weak let output = stage.output
      stage.end(isDisplayEnded)
      XCTAssertNil(output)
      XCTAssertEqual(stage.renderer.frames, 0)
      XCTAssertTrue(threads.runNextJob())
      XCTAssertEqual(stage.renderer.frames, 1)
      stage.run(.seconds(1))
      XCTAssertEqual(stage.shown.count, 0)
    }
  }

  /// An observer ends the output as it hears that a frame's work was for nothing: the frame that takes its place is not rendered any more.
  func testAnObserverOfDiscardedWorkEndsTheOutput() throws {
    for (callbacks, rendering) in [(3, 20), (10, 25)] as [(Int64, Int64)] {
      let stage = try RenderThreadStage(
        threads: nil, renderTime: .milliseconds(rendering), RenderThreadStage.screen(.double))
      stage.callbackTime = .milliseconds(callbacks)
      var rendered: Int?
      stage.output?.observe { event in
        guard case .discarded = event, rendered == nil else { return }
        rendered = stage.renderer.frames
        stage.end()
      }.keep()
      stage.run(.seconds(2))
      XCTAssertEqual(stage.renderer.frames, try XCTUnwrap(rendered), "\(callbacks) and \(rendering) ms")
    }
  }

  /// Work that changes nothing of what is seen makes no frame: it takes the place of none.
  func testWorkThatChangesNothingDiscardsNoFrame() throws {
    var discarded = 0
    for callbacks in [3, 10] as [Int64] {
      for rendering in 20...27 as ClosedRange<Int64> {
        let stage = try RenderThreadStage(
          threads: nil, renderTime: .milliseconds(rendering), RenderThreadStage.screen(.double))
        stage.callbackTime = .milliseconds(callbacks)
        stage.run(.seconds(1))
        (stage.isStill, discarded) = (true, discarded + stage.discarded)
        let before = stage.shown.count
        stage.run(.milliseconds(500))
        XCTAssertLessThanOrEqual(stage.shown.count - before, 4)
        XCTAssertEqual(stage.discardedSinceLastFrame, 0, "\(callbacks) and \(rendering) ms")
        XCTAssertEqual(stage.faults, [])
        stage.end()
      }
    }
    XCTAssertGreaterThan(discarded, 0)
  }

  /// The display goes while a frame is rendered, and comes back before or after its end: that frame is not shown, and those after it
  /// are right.
  func testADisplayThatGoesWhileAFrameIsRendered() throws {
    for away in [1, 3, 40, 2500] as [Int64] {
      let stage = try RenderThreadStage(
        threads: WorkerPool(simulatedThreads: 1), renderTime: .milliseconds(12), RenderThreadStage.virtualDisplay)
      let display = try XCTUnwrap(stage.display as? VirtualDisplay)
      for _ in 0..<20 {
        stage.run(.milliseconds(103))
        let before = stage.shown.count
        display.isHidden = true
        stage.forgetPendingFrames()
        stage.run(.milliseconds(away))
        XCTAssertEqual(stage.shown.count, before)
        display.isHidden = false
        stage.run(.milliseconds(101))
        XCTAssertGreaterThan(stage.shown.count, before + 2, "away for \(away) ms")
      }
      XCTAssertEqual(stage.faults, [], "away for \(away) ms")
      stage.end()
    }
  }
}
