import Geometry
import Glibc
import LinuxSystem
import RenderTree
import TestLength
import Testing

/// The proof of damage: on rings of one to four buffers, partly painted frames equal frames that are painted whole, byte for byte,
/// whatever is edited, animated or arrives late.
@Suite struct DamageProofTests {
  private static let framesOfProgram = 50

  /// 20,000 edits; as many as `FRAMEPACE_DAMAGE_EDITS` says, or in a long run five times as many.
  private static let edits =
    getenv("FRAMEPACE_DAMAGE_EDITS").flatMap { Int(String(cString: $0)) } ?? (isLongRun ? 100_000 : 20_000)

  @MainActor @Test func partlyPaintedFramesEqualWholeOnes() async throws {
    var (edits, moves) = (0, 0)
    var seed = UInt64(runSeed) << 24
    while edits < Self.edits {
      seed += 1
      let program = DamageProgram(seed: seed, frames: Self.framesOfProgram)
      let outcome = try DamagePlayer.play(program, upTo: .seconds(isLongRun ? 10 : 1))
      if outcome.failure != nil {
        Issue.record("\(try Self.report(of: Self.shrunk(program)))")
        return
      }
      edits += outcome.edits
      moves += outcome.moves
      await Task.yield()
    }
    // Otherwise nothing would have been proven of them.
    #expect(moves > edits / 100, "\(moves) moves in \(edits) edits")
  }

  /// The proof finds moves that go a pixel wrong, and those that a buffer does not get.
  @MainActor @Test func wrongMovesAreFound() throws {
    let faults: [(String, DamagePlayer.Fault)] = [
      (
        "a column off",
        {
          $0.move?.rect.minX += 1
          $0.move?.dx += 1
        }
      ),
      (
        "a row off",
        {
          $0.move?.rect.maxY -= 1
          $0.move?.dy -= 1
        }
      ),
      ("forgotten", { $0.move = nil }),
    ]
    for (name, fault) in faults {
      let isFound = try (1...20).contains { seed in
        try DamagePlayer.failure(of: DamageProgram(seed: 2 * seed, frames: 30), fault: fault) != nil
      }
      #expect(isFound, "\(name)")
    }
  }

  /// A program that fails is printed with as little in it as still fails: here in frames that damage much.
  @MainActor @Test func aFailureIsPrintedInShort() throws {
    let fault: DamagePlayer.Fault = { change in
      if change.damage.area > 2_000 { change.damage.removeAll() }
    }
    let failing = try (1...40).lazy.map { DamageProgram(seed: $0, frames: 30) }
      .first { try DamagePlayer.failure(of: $0, fault: fault) != nil }
    let program = try #require(failing)
    let short = try Self.shrunk(program, fault: fault)
    #expect(try DamagePlayer.failure(of: short, fault: fault) != nil)
    #expect(short.edits <= 3 && short.frames.count <= 3, "\(short.edits) edits in \(short.frames.count) frames")
    let report = try Self.report(of: short, fault: fault)
    #expect(report.contains("size 90 80") || report.contains("size 160 130"), "\(report)")
    #expect(report.contains(" of layer ") || report.contains("viewport") || report.contains("backdrop"), "\(report)")
  }

  // MARK: Shrinking

  /// The program without all edits and frames that a failure does not need.
  @MainActor
  private static func shrunk(_ program: DamageProgram, fault: DamagePlayer.Fault? = nil) throws -> DamageProgram {
    var best = program
    if let last = try DamagePlayer.failure(of: program, fault: fault)?.frame { best.frames.removeSubrange((last + 1)...) }
    func accept(_ shorter: DamageProgram) throws -> Bool {
      guard try DamagePlayer.failure(of: shorter, fault: fault) != nil else { return false }
      best = shorter
      return true
    }
    var count = max(best.frames.count / 2, 1)
    while count > 0 {
      var (start, hasShrunk) = (0, false)
      while start < best.frames.count {
        var shorter = best
        shorter.frames.removeSubrange(start..<min(start + count, best.frames.count))
        if try accept(shorter) { hasShrunk = true } else { start += count }
      }
      if !(count == 1 && hasShrunk) { count /= 2 }
    }
    for frame in best.frames.indices {
      for edit in best.frames[frame].edits.indices.reversed() {
        var shorter = best
        shorter.frames[frame].edits.remove(at: edit)
        _ = try accept(shorter)
      }
    }
    return best
  }

  /// The difference, the scene before the frame, and the edits that led there.
  @MainActor
  private static func report(of program: DamageProgram, fault: DamagePlayer.Fault? = nil) throws -> String {
    guard let failure = try DamagePlayer.failure(of: program, fault: fault) else { return "no difference" }
    let frames = zip(program.frames, failure.edits).enumerated().map { number, frame in
      let (program, names) = frame
      return
        "\(number): after \(program.after) ms, buffer \(program.buffer)\(program.arrives ? "" : ", pictures are late"): "
        + zip(program.edits, names).map { "\($1) (seed \($0))" }.joined(separator: ", ")
    }
    return """
      seed \(program.seed), \(program.buffers) buffers, frame \(failure.frame): \(failure.difference)
      damage: \(failure.change.damage.rects.map { $0 }), move: \(failure.change.move.map { "\($0)" } ?? "none")
      the scene before it:
      \(failure.text)
      the edits:
      \(frames.joined(separator: "\n"))
      before: \(failure.before)
      after: \(failure.after)
      """
  }
}
