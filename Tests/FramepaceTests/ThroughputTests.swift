import Framepace
import FramepaceTesting
import Simulation
import XCTest

/// Frames whose work takes longer than an interval, in simulated time: how many are seen, and whether any work is lost.
@preconcurrency @MainActor final class ThroughputTests: XCTestCase {
  /// Work of w gives a frame every ⌈(w + 1 ms) / T⌉ intervals or more often, whichever phase it falls into, evenly: no frame is
  /// seen for longer than those, or for more than one interval longer than another. No work is done for no frame. The article
  /// has the table.
  func testWorkOfAnyLengthBecomesFrames() throws {
    var faults: [String] = []
    var table = """
      | work | 24 Hz | 60 Hz | 144 Hz |
      |---|---|---|---|

      """
    for work in [4, 8, 15, 16, 20, 30, 33, 40, 60] as [Int64] {
      table += "| \(work) ms |"
      for hertz in [24, 60, 144] as [Double] {
        var rates: Set<String> = []
        for phase in [FrameRecord.Phase.callbacks, .layout, .display] {
          for (buffering, policy) in Self.ways {
            let gaps = try Self.gaps(
              of: .milliseconds(work), in: phase, hertz: hertz, buffering, policy, faults: &faults)
            rates.insert(String(format: "%.1f", hertz * Double(gaps.count) / Double(gaps.reduce(0, +))))
          }
        }
        table += " \(rates.sorted().joined(separator: " or ")) |"
      }
      table += "\n"
    }
    XCTAssertEqual(faults, [])
    let path = #filePath.dropLast("Tests/FramepaceTests/ThroughputTests.swift".count)
    let article = try String(contentsOfFile: path + "Sources/FrameTiming/FrameTiming.docc/Pacing.md", encoding: .utf8)
    XCTAssertTrue(article.contains("\n\n\(table)\n"), "Pacing.md is to have this table:\n\(table)")
  }

  private static let ways: [(Buffering, FramePolicy)] = [
    (.double, .vblank), (.double, .lateStart), (.triple, .vblank), (.triple, .lateStart),
  ]

  /// How many intervals lie between the frames of two seconds.
  private static func gaps(
    of work: Nanoseconds, in phase: FrameRecord.Phase, hertz: Double, _ buffering: Buffering, _ policy: FramePolicy,
    faults: inout [String]
  ) throws -> [Int] {
    let stage = try WorkStage(hertz: hertz, buffering)
    stage.engine.output.policy = policy
    stage.work[phase] = work
    // Late start learns how long frames take.
    _ = stage.frames(in: .seconds(1))
    let (lost, first) = (stage.discarded, stage.shown.count)
    let count = stage.frames(in: .seconds(2))
    let most = ((work + .milliseconds(1)).seconds * hertz).rounded(.up)
    let seen = stage.shown[(first - 1)...].map(\.presented)
    let gaps = zip(seen, seen.dropFirst()).map { Int((($1 - $0).seconds * hertz).rounded()) }
    let name = "\(hertz) Hz, \(work.milliseconds) ms in \(phase.name), \(buffering), \(policy)"
    if Double(count) < 2 * hertz / most - 1.5 { faults.append("\(name): \(count) frames, not \(2 * hertz / most)") }
    if let longest = gaps.max(), let shortest = gaps.min(), longest > Int(most) || longest > shortest + 1 {
      faults.append("\(name): every \(shortest) to \(longest) intervals, not \(Int(most))")
    }
    if stage.discarded > lost { faults.append("\(name): \(stage.discarded - lost) for no frame") }
    stage.end()
    return gaps
  }

  /// Whatever takes how long: all work is in the record of a frame, or in the figure of work for no frame; targets rise, each is
  /// of one frame; and no frame is seen before it was promised.
  func testAllWorkIsAccountedFor() throws {
    for seed: UInt64 in 0..<12 {
      var random = SplitMix64(seed: seed)
      let stage = try WorkStage(
        hertz: 60, random.chance(0.5) ? .double : .triple, on: random.chance(0.5) ? .screen : .memory)
      stage.engine.output.policy = random.chance(0.5) ? .vblank : .lateStart
      if random.chance(0.5) { stage.engine.output.automaticInterval = AutomaticInterval() }
      let (frames, worked) = (stage.shown.count, stage.worked)
      for _ in 0..<60 {
        for phase in [FrameRecord.Phase.callbacks, .layout, .display] {
          stage.work[phase] = random.chance(0.4) ? .milliseconds(Int64.random(in: 0...40, using: &random)) : .zero
        }
        _ = stage.frames(in: .milliseconds(Int64.random(in: 20...300, using: &random)))
      }
      stage.work = FrameRecord.PhaseDurations()
      _ = stage.frames(in: .milliseconds(300))
      let shown = stage.shown[frames...]
      let inFrames = shown.reduce(Nanoseconds.zero) { $0 + $1.work }
      XCTAssertEqual(inFrames + stage.discarded, stage.worked - worked, "seed \(seed)")
      for (frame, next) in zip(shown, shown.dropFirst()) {
        XCTAssertLessThan(frame.target, next.target, "seed \(seed): \(frame) \(next)")
      }
      let half = RefreshRate.hertz60.interval / 2
      let early = shown.count { $0.presented + half < max($0.target, $0.promised ?? $0.target) }
      XCTAssertEqual(early, 0, "seed \(seed)")
      stage.end()
    }
  }

  /// A long frame among short ones, or one that just misses its vblank: those after it do not stay one behind.
  func testALongFrameLeavesNoQueue() throws {
    let interval = RefreshRate.hertz60.interval
    try onMain {
      for buffering in [Buffering.double, .triple] {
        for policy in FramePolicy.allCases {
          for work in [Nanoseconds.milliseconds(45), .microseconds(16_200)] {
            let stage = try WorkStage(hertz: 60, buffering)
            stage.engine.output.policy = policy
            stage.work[.layout] = .milliseconds(3)
            _ = stage.frames(in: .seconds(1))
            stage.work[.layout] = work
            let frames = stage.shown.count
            let name = "\(buffering), \(policy), \(work)"
            stage.run(name) { stage.shown.last?.work ?? .zero >= work }
            stage.work[.layout] = .milliseconds(3)
            _ = stage.frames(in: .milliseconds(300))
            let late = stage.shown[frames...].filter { $0.isLate(interval: interval) }
            XCTAssertGreaterThan(late.count, 0, name)
            XCTAssertLessThanOrEqual(late.count, 3, name)
            XCTAssertFalse(stage.shown.suffix(10).contains { $0.isLate(interval: interval) }, name)
            stage.end()
          }
        }
      }
    }
  }
}
