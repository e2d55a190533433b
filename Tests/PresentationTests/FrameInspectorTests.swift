import FrameTiming
import LinuxSystem
import Presentation
import Raster
import RenderTree
import XCTest

/// Inspectors of an output: when they see its frames, and what their time counts as.
@preconcurrency @MainActor final class FrameInspectorTests: XCTestCase {
  /// Takes time on a manual clock for each frame.
  private final class SlowPainter: FramePainter {
    private let clock: ManualClock
    private let time: Nanoseconds

    init(clock: ManualClock, time: Nanoseconds) {
      (self.clock, self.time) = (clock, time)
    }

    func canvas(for buffer: PresentationBuffer) -> Bitmap? { nil }

    func draw(over frame: InspectedFrame) -> DamageRegion {
      clock.advance(by: time)
      return frame.made.written
    }
  }

  /// Frames over which 5 ms of drawing goes on, after those in which all is learned.
  private func frames(_ policy: FramePolicy, threads: WorkerPool?, drawing time: Nanoseconds) throws -> [FrameRecord] {
    let stage = try RenderThreadStage(
      threads: threads, renderTime: .milliseconds(3), RenderThreadStage.screen(.double))
    stage.output?.policy = policy
    stage.output?.inspector = .painter(SlowPainter(clock: stage.clock, time: time))
    stage.run(.seconds(2))
    defer { stage.end() }
    XCTAssertEqual(stage.faults, [])
    XCTAssertGreaterThan(stage.shown.count, 50)
    return stage.shown.suffix(30)
  }

  /// Drawing over frames delays them, and is none of their work. The policy that begins frames late begins them sooner by as much.
  func testDrawingDelaysFramesAndIsNoWork() throws {
    let interval = RefreshRate.hertz60.interval
    for policy in FramePolicy.allCases {
      for threads in [nil, WorkerPool(simulatedThreads: 1)] {
        for frame in try frames(policy, threads: threads, drawing: .milliseconds(5)) {
          let name = "\(policy), \(threads == nil ? "in turns" : "on a thread"): \(frame)"
          XCTAssertEqual(frame.work, .milliseconds(3), name)
          XCTAssertEqual(frame.submitted - frame.delivered, .milliseconds(8), name)
          XCTAssertEqual(frame.heldBack, .zero, name)
          XCTAssertFalse(frame.isLate(interval: interval), name)
        }
      }
    }
  }

  /// A frame that is late for what was drawn over it was kept from being ready: no phase of its work is to blame, and no other frame.
  func testFramesThatDrawingMakesLateAreLateByScheduling() throws {
    let interval = RefreshRate.hertz60.interval
    let frames = try frames(.vblank, threads: nil, drawing: .milliseconds(16))
    XCTAssertGreaterThan(frames.count { $0.isLate(interval: interval) }, 10)
    for frame in frames where frame.isLate(interval: interval) {
      XCTAssertEqual(frame.causes(interval: interval)?.main, .scheduling, "\(frame)")
    }
  }

  /// An observer sees each frame after it was handed over, in their order.
  func testAnObserverSeesFramesThatWereHandedOver() throws {
    for threads in [nil, WorkerPool(simulatedThreads: 1)] {
      let stage = try RenderThreadStage(
        threads: threads, renderTime: .milliseconds(3), RenderThreadStage.screen(.double))
      var painted: [Int] = []
      stage.output?.inspector = .observer { [clock = stage.clock] frame in
        painted.append(frame.made.damage.area)
        clock.advance(by: .milliseconds(4))
      }
      stage.run(.seconds(1))
      XCTAssertGreaterThan(stage.shown.count, 50)
      XCTAssertEqual(stage.shown.map(\.paintedPixels), Array(painted.prefix(stage.shown.count)))
      for frame in stage.shown.suffix(30) {
        XCTAssertEqual(frame.work, .milliseconds(3))
        XCTAssertEqual(frame.submitted - frame.delivered, .milliseconds(3))
      }
      stage.end()
    }
  }
}
