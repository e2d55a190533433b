import LinuxSystem
import TestLength
import XCTest

@testable import Layers

/// Random programs over the layer model, against `ReferenceModel`: the same is shown at random times, and the same is told in the same
/// order. `FRAMEPACE_LONG=1` plays 100,000 of them.
@preconcurrency @MainActor final class RandomModelTests: XCTestCase {
  func testProgramsShowAndTellWhatTheReferenceDoes() {
    for (count, seed) in some(2_000, of: 1...100_000).enumerated() {
      // A long run takes minutes, and what prints nothing for long is taken for stuck.
      if count > 0 && count % 10_000 == 0 { print("\(count) programs") }
      let program = ModelProgram(seed: UInt64(seed))
      guard ModelPlayer.failure(of: program) != nil else { continue }
      return XCTFail("seed \(seed): \(report(of: shrunk(program)))")
    }
  }

  /// A program that fails is printed with as little in it as still fails.
  func testAFailureIsPrintedInShort() {
    var program = ModelProgram(seed: 5)
    program.parents = [0, 1]
    program.edits.append(.kill(2))
    let isFailure: @MainActor (ModelProgram) -> Bool = { program in
      program.edits.contains { if case .kill(2) = $0 { true } else { false } }
    }
    let short = shrunk(program, while: isFailure)
    XCTAssertEqual(short.edits.count, 1)
    XCTAssertEqual(short.parents, [0, 1], "a tree is left as it is")
    let text = report(of: short)
    XCTAssertTrue(text.contains("layer layer1"), text)
    XCTAssertTrue(text.contains("0: kill(2)"), text)
  }
}

/// The program without all edits that a failure does not need.
@MainActor
private func shrunk(
  _ program: ModelProgram, while isFailure: @MainActor (ModelProgram) -> Bool = { ModelPlayer.failure(of: $0) != nil }
) -> ModelProgram {
  var best = program
  if let last = ModelPlayer.failure(of: program)?.edit { best.edits.removeSubrange((last + 1)...) }
  var count = best.edits.count / 2
  while count > 0 {
    var (start, hasShrunk) = (0, false)
    while start < best.edits.count {
      var shorter = best
      shorter.edits.removeSubrange(start..<min(start + count, best.edits.count))
      if isFailure(shorter) {
        (best, hasShrunk) = (shorter, true)
      } else {
        start += count
      }
    }
    if count == 1 && hasShrunk { continue }
    count /= 2
  }
  return best
}

/// The difference, the tree as text, and the edits that lead to it.
@MainActor
private func report(of program: ModelProgram) -> String {
  let tree = (try? ModelPlayer.tree(of: program)) ?? "no text"
  let edits = program.edits.enumerated().map { "\($0): \($1)" }.joined(separator: "\n")
  let failure = ModelPlayer.failure(of: program)
  return "\(failure?.text ?? "no difference") at edit \(failure?.edit ?? -1)\n\(tree)\n\(edits)"
}
