import TestLength
import WindowScripts
import XCTest

/// A few of the scripts, with the assertions that an optimized program leaves out. `window-scripts` plays the others.
final class WindowScriptTests: XCTestCase {
  func testRandomScripts() { play((0..<60).map { UInt64(runSeed) &* 100_000 &+ $0 }) }

  /// Frames that were held up made the learned period grow without end.
  func testAPeriodThatGrew() { play([81_182, 82_717, 611_207_701, 990_002_448]) }

  private func play(_ seeds: [UInt64]) {
    for seed in seeds {
      do {
        try MainActor.assumeIsolated { try WindowScript.play(seed) }
      } catch {
        XCTFail("seed \(seed): \(error)")
      }
    }
  }
}
