import FrameTiming
import Framepace
import Simulation
import TestLength
import WaylandTesting
import WindowScripts
import XCTest

@testable import Wayland

/// Outputs that run at another rate than they are told to have, as those of compositors without a screen.
final class LearnedRateTests: XCTestCase {
  /// Wherever the first frame falls, and however late the compositor's timer is, the rate is learned, and then a frame is shown at
  /// every vblank.
  func testAWrongRateIsLearned() throws {
    for index in 0..<(isLongRun ? 2_000 : 30) {
      let seed = UInt64(runSeed) &* 10_000 &+ UInt64(index)
      try MainActor.assumeIsolated { try Self.play(seed) }
    }
  }

  @MainActor
  private static func play(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let periods: [Double] = [17.2, 20.2, 22, 25, 25.2, 28.5]
    let period = periods.randomElement(using: &random) ?? 25
    let rate = RefreshRate(hertz: 1e3 / period) ?? .hertz60
    var faults = DisplayFaults()
    if random.chance(0.5) { faults.noise = .microseconds(Int64.random(in: 10...200, using: &random)) }
    var policy = CompositorPolicy()
    policy.lateness = .microseconds(([0, 0, 100, 500, 1_500] as [Int64]).randomElement(using: &random) ?? 0)
    policy.compositionTime = .milliseconds(Int64.random(in: 1...9, using: &random))
    policy.feedback = .told(after: .microseconds(Int64.random(in: 0...3_000, using: &random)))
    policy.release = .copied
    let clock: WaylandTesting.CompositorClock = random.chance(0.5) ? .raw(ahead: .seconds(-700), gain: 30) : .monotonic
    let stage = try WindowStage(
      globals: .weston, clock: clock, outputs: [CompositorOutput(rate: rate, toldRate: .hertz60)], faults: faults,
      policy: policy, seed: seed)
    let note = "seed \(seed): \(period) ms, \(policy.lateness) late, noise \(faults.noise)"
    stage.run(for: .microseconds(Int64.random(in: 0...50_000, using: &random)))
    stage.animate()
    stage.run(for: .seconds(3))
    stage.forget()
    func vblank() -> UInt64 { stage.compositor.grids[0].vblank(after: stage.clock.now) }
    let first = vblank()
    stage.run(for: rate.offset(ofInterval: 100))
    let count = Int(vblank() - first)
    let mean = period + policy.lateness.milliseconds
    XCTAssertEqual(
      stage.display.ticker.interval.milliseconds, mean, accuracy: mean * 0.12, "\(note): \(stage.display.reason)")
    // A late timer leaves the time of the next vblank open: of 1,300 runs one missed nine of them, and all others five or fewer.
    XCTAssertGreaterThanOrEqual(
      stage.shown.count, count - (policy.lateness > .zero ? 12 : 3), "\(note): \(stage.display.reason)")
    try stage.end()
  }
}
