import Glibc
import LinuxSystem
import LoopTestSupport
import RunLoops
import XCTest

/// Plays random programs with CFRunLoop and with `FrameLoop`, in real time and on manual time.
///
/// `FRAMEPACE_LOOP_PROGRAMS=100000` plays that many instead of 700. `FRAMEPACE_LOOP_SEED=…` sets the first seed instead of
/// 1; the default is fixed so that all changes are tested with the same programs. A program on which the loops differ is
/// reduced and printed.
final class RandomProgramTests: XCTestCase {
  // Statements 1, 3, 5, 6, 7, 8, 10, 12, 13, 14, 15, 18, 19, 22, 23, 26, 27, 29, 33, 35, 36, 38, 42, 43, 47, 48, 49, 50, 53, 54, 56
  func testBothLoopsDoTheSame() {
    let first = Self.setting("FRAMEPACE_LOOP_SEED") ?? 1
    let count = Self.setting("FRAMEPACE_LOOP_PROGRAMS") ?? 700
    print("random programs: \(count) from seed \(first)")
    var failures = 0
    for seed in first..<first + count {
      let program = Program(seed: seed)
      guard disagree(on: program) else { continue }
      XCTFail("seed \(seed): the loops disagree\n\(Self.report(program))")
      failures += 1
      if failures == 3 { return }
    }
  }

  func testProgramsDoSomething() {
    // Among some hundred programs every kind of event happens often.
    var words: [String: Int] = [:]
    for seed in 0..<300 as Range<UInt64> {
      for word in Program(seed: seed).words(on: .frameLoop) ?? [] {
        words[word.trimmingCharacters(in: .decimalDigits), default: 0] += 1
      }
    }
    for word in [
      "source", "descriptor", "timer", "observer", "block", "entry", "sleep", "→stopped", "→finished", "→timedOut",
      "→handledSource",
    ] {
      XCTAssertGreaterThan(words[word] ?? 0, 20, word)
    }
  }

  func testShrinkingKeepsWhatMatters() {
    // Two operations are enough for “It has a stop and a signal”.
    for seed in 1..<40 as Range<UInt64> {
      func counts(_ program: Program) -> (Int, Int) {
        let text = "\(program)"
        return (text.components(separatedBy: "Operation.stop").count - 1, text.components(separatedBy: ".signal(").count - 1)
      }
      let program = Program(seed: seed)
      guard counts(program).0 > 0, counts(program).1 > 0 else { continue }
      let shrunk = program.shrunk { counts($0).0 > 0 && counts($0).1 > 0 }
      let (stops, signals) = counts(shrunk)
      XCTAssertEqual([stops, signals], [1, 1], "seed \(seed)")
      for number in 0..<shrunk.size {
        let (stops, signals) = counts(shrunk.keeping { $0 != number })
        XCTAssert(stops == 0 || signals == 0, "seed \(seed): operation \(number) is not needed")
      }
    }
  }

  // MARK: -

  /// True if the loops write different words, ten times out of ten: on a busy machine the few milliseconds of a brief run may
  /// be over before its timer fires, with one loop and not with the other.
  private func disagree(on program: Program) -> Bool {
    (0..<10).allSatisfy { _ in Self.differs(program) }
  }

  private static let ours: [LoopKind] = [.frameLoop, .frameLoopOnManualTime]

  private static func differs(_ program: Program) -> Bool {
    let reference = program.words(on: .coreFoundation)
    return ours.contains { program.words(on: $0) != reference }
  }

  private static func report(_ program: Program) -> String {
    // Each candidate is played twice, so that the result is not luck.
    let shrunk = program.shrunk { candidate in differs(candidate) && differs(candidate) }
    return "\(shrunk.items)\n\(shrunk.script)"
      + ([.coreFoundation] + ours).map { kind in
        "\n\(kind.name): \(shrunk.words(on: kind)?.joined(separator: " ") ?? "did not end")"
      }.joined()
  }

  private static func setting(_ name: String) -> UInt64? {
    getenv(name).flatMap { UInt64(String(cString: $0)) }
  }
}
