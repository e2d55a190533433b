import Framepace
import FramepaceTesting
import Simulation
import TestLength
import XCTest

/// Simulated displays and machines that cannot keep up.
final class OverloadTests: XCTestCase {
  private static let interval = RefreshRate.hertz60.interval

  /// All work of the `overloaded` profile becomes frames, but for short work whose vblank a frame before it took by coming late:
  /// that is merged with the next tick's, whose frame would be late in its place.
  func testOnlyMergedWorkIsForNoFrame() throws {
    try onMain {
      for seed in some(2, of: 0..<8 as Range<UInt64>) {
        let stage = try SimulatedStage(.vblank, .overloaded, work: DisplayProfile.overloaded.work, seed: seed)
        var (shown, discarded): ([FrameRecord], [FrameRecord]) = ([], [])
        stage.engine.output.observe { event in
          if case .presented(let frame) = event { shown.append(frame) }
          if case .discarded(let frame) = event { discarded.append(frame) }
        }.keep()
        stage.run(for: .seconds(60))
        for frame in discarded {
          XCTAssertLessThan(frame.work, Self.interval, "seed \(seed)")
          let before = try XCTUnwrap(shown.last { $0.frameNumber < frame.frameNumber })
          XCTAssertTrue(before.missedTarget(interval: Self.interval), "seed \(seed): \(before)")
          // None queues behind another one: the merged frame is for the vblank after its tick.
          let merged = try XCTUnwrap(shown.first { $0.frameNumber > frame.frameNumber })
          XCTAssertLessThan(merged.target - merged.tickTimestamp, Self.interval * 3 / 2, "seed \(seed): \(merged)")
        }
        XCTAssertLessThan(discarded.count, shown.count / 100, "seed \(seed)")
        stage.invalidate()
      }
    }
  }
}
