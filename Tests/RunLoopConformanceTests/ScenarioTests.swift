import LoopTestSupport
import RunLoops
import XCTest

/// Plays the table of scenarios with CFRunLoop and with `FrameLoop`. These are XCTests because synchronous XCTests run on
/// the main thread, and alone.
final class ScenarioTests: XCTestCase {
  func testBothLoopsDoWhatTheScenariosSay() {
    for scenario in Scenario.all {
      XCTAssertEqual(scenario.deviation == nil, scenario.coreFoundation == scenario.ours, scenario.meaning)
      // Some scenarios wait a few milliseconds; a busy machine gets longer waits. A failure counts if it happens three
      // times.
      var failure: String?
      for slowness in [1.0, 5, 25] {
        failure = play(scenario, slowness)
        if failure == nil { break }
      }
      if let failure { XCTFail(failure) }
    }
  }

  /// - Returns: the failure as text; nil if there is none.
  private func play(_ scenario: Scenario, _ slowness: Double) -> String? {
    var wrong: [String] = []
    let loops: [(LoopKind, String)] = [(.coreFoundation, scenario.coreFoundation), (.frameLoop, scenario.ours)]
    for (kind, expected) in loops {
      let words: [String]?
      switch scenario.place {
      case .freshThread: words = Play.onFreshThread(kind, slowness: slowness, scenario.script)
      case .mainThread: words = Play.onMainThread(kind, slowness: slowness, scenario.script)
      }
      guard let words else {
        wrong.append("\(kind.name) did not end")
        continue
      }
      if words.joined(separator: " ") != expected {
        wrong.append("\(kind.name): \(words.joined(separator: " "))\n  expected: \(expected)")
      }
    }
    return wrong.isEmpty ? nil : "\(scenario.statements) \(scenario.meaning)\n  " + wrong.joined(separator: "\n  ")
  }
}
