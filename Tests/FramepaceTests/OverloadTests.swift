import Framepace
import FramepaceTesting
import Simulation
import TestLength
import XCTest

/// Simulated displays and machines that cannot keep up.
@preconcurrency @MainActor final class OverloadTests: XCTestCase {
  private static let interval = RefreshRate.hertz60.interval

  /// Even steps are no less even than those of the vblanks: p50, p95 and p99 of the animation error are larger by no more than the
  /// 32nd of an interval by which a frame catches up. (One error may be, where a frame is later than one that was late.)
  func testSmoothAnimationsAreSmooth() throws {
    for profile in DisplayProfile.all {
      for seed in some(1, of: 0..<8 as Range<UInt64>) {
        for policy in FramePolicy.allCases {
          let (plain, smooth) = (
            try Self.animationError(.presentation, profile, policy, seed),
            try Self.animationError(.smooth, profile, policy, seed)
          )
          let name = "\(profile.name), \(policy), seed \(seed)"
          let step = profile.refreshRate.interval / 32 + .microseconds(5)
          for (figure, percentile) in [
            ("p50", \.p50), ("p95", \.p95), ("p99", \.p99),
          ] as [(String, KeyPath<FrameReport.Distribution, Nanoseconds?>)] {
            let (plain, smooth) = (plain[keyPath: percentile], smooth[keyPath: percentile])
            guard let plain, let smooth else {
              XCTAssertEqual(plain, smooth, "\(name): \(figure)")
              continue
            }
            XCTAssertLessThanOrEqual(smooth, plain + step, "\(name): \(figure)")
          }
        }
      }
    }
  }

  /// A frame that misses its vblank stands for an interval too long. Then time jumps, or goes on from there and catches up by a 32nd
  /// of an interval a frame.
  func testAMissIsOneUnevenStepOrTwo() throws {
    for (policy, jumps) in [(AnimationTime.Policy.presentation, 2), (.smooth, 1)] {
      let stage = try SimulatedStage(.vblank, .steady, work: .even)
      stage.engine.output.animationTime = AnimationTime(policy)
      var shown: [FrameRecord] = []
      stage.run(frames: 60) { _ in }
      let usual = stage.engine.output.observe { [application = stage.application] event in
        if case .committed = event { application.work.mean = .milliseconds(3) }
      }
      stage.application.work.mean = .milliseconds(20)
      stage.run(frames: 120) { shown.append($0) }
      usual.invalidate()
      let errors = zip(shown, shown.dropFirst()).map { frame, next in
        ((next.animationTime - frame.animationTime) - (next.presented - frame.presented)).milliseconds
      }
      XCTAssertEqual(errors.filter { abs($0) > 8 }.count, jumps, "\(policy): \(errors)")
      XCTAssertEqual(errors.filter { abs($0) > 0.3 }.count, policy == .smooth ? 33 : 2, "\(policy): \(errors)")
      XCTAssertEqual(shown.last?.animationTime, shown.last?.target, "\(policy)")
      stage.invalidate()
    }
  }

  private static func animationError(
    _ animation: AnimationTime.Policy, _ profile: DisplayProfile, _ policy: FramePolicy, _ seed: UInt64
  ) throws -> FrameReport.Distribution {
    var work = profile.work
    work.seed = seed
    let stage = try SimulatedStage(policy, profile, work: work, seed: seed)
    stage.engine.output.animationTime = AnimationTime(animation)
    let meter = FPSMeter(refreshRate: profile.refreshRate)
    stage.engine.output.observe { meter.record($0) }.keep()
    stage.run(for: .seconds(20))
    stage.invalidate()
    return meter.report().animationError
  }

  /// All work of the `overloaded` profile becomes frames, but for short work whose vblank a frame before it took by coming late:
  /// that is merged with the next tick's, whose frame would be late in its place.
  func testOnlyMergedWorkIsForNoFrame() throws {
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
