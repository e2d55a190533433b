import FrameTiming
import Framepace
import Simulation
import TestLength
import WaylandTesting
import WindowScripts
import XCTest

@testable import Wayland

/// Frames that are begun as late as a compositor allows.
final class LateStartTests: XCTestCase {
  /// The frames of ten seconds in a window whose frames are begun late.
  @MainActor
  private static func frames(on stage: WindowStage) -> [FrameRecord] {
    stage.engine.output.policy = .lateStart
    stage.animate()
    stage.run(for: .seconds(10))
    stage.forget()
    stage.run(for: .seconds(10))
    return stage.presented
  }

  /// A compositor takes its picture some time before the vblank, which nobody tells: it is learned from frames that were seen late.
  func testTheCompositorsDeadlineIsLearned() throws {
    for (composition, noise) in [(1, 0), (2, 0), (4, 0), (7, 0), (1, 30), (2, 30), (4, 30), (7, 30)] as [(Int64, Int64)] {
      try MainActor.assumeIsolated {
        var policy = CompositorPolicy()
        policy.compositionTime = .milliseconds(composition)
        var faults = DisplayFaults()
        faults.noise = .microseconds(noise)
        let stage = try WindowStage(faults: faults, policy: policy, seed: UInt64(runSeed))
        let frames = Self.frames(on: stage)
        let note = "\(composition) ms, noise \(noise), seed \(runSeed)"
        // A lead is given up only where a fifth of its frames miss, and noise makes some miss at the best one.
        XCTAssertGreaterThanOrEqual(stage.shown.count, noise == 0 ? 598 : 560, note)
        // The others are seen when they were made for, and committed a little before the compositor looks.
        XCTAssertLessThanOrEqual(
          frames.count { $0.missedTarget(interval: RefreshRate.hertz60.interval) }, noise == 0 ? 3 : 40, note)
        let leads = frames.map { ($0.presented - $0.submitted).milliseconds }.sorted()
        XCTAssertEqual(leads[leads.count / 2], Double(composition), accuracy: noise == 0 ? 0.1 : 1, note)
        try stage.end()
      }
    }
  }

  /// A compositor without a screen shows a frame some time after its commit: one that is begun late makes all later ones late.
  func testWithoutAScreenFramesAreBegunAtOnce() throws {
    try MainActor.assumeIsolated {
      let rate = try XCTUnwrap(RefreshRate(hertz: 1e3 / 25.2))
      var policy = CompositorPolicy()
      policy.compositionTime = .milliseconds(8)
      policy.restsWhenIdle = true
      let stage = try WindowStage(
        globals: .weston, clock: .raw(ahead: .seconds(-700), gain: 30),
        outputs: [CompositorOutput(rate: rate, toldRate: .hertz60)], policy: policy, seed: UInt64(runSeed))
      let frames = Self.frames(on: stage)
      XCTAssertGreaterThanOrEqual(stage.shown.count, 390, stage.display.reason)
      XCTAssertGreaterThanOrEqual(frames.count { !$0.isLate(interval: rate.interval) }, 390, stage.display.reason)
      try stage.end()
    }
  }
}
