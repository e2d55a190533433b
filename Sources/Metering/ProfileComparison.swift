package import FrameTiming
package import LinuxSystem

/// Two profiles of one scene, phase by phase: which became longer or shorter, beyond the noise within the runs.
///
/// Frames that follow each other are alike, as the scene and the machine's speed change slowly; a test that took each for a
/// measurement of its own would see differences everywhere. So each run is cut into `blockCount` blocks of frames that follow each
/// other, and a block counts as one value, its median. A Mann-Whitney test compares the blocks of the two runs, with Holm's
/// correction for the number of phases: the chance of any false alarm is `level`.
///
/// A machine that is slower during one whole run is no noise within it, and is taken for a difference.
package struct ProfileComparison: Sendable {
  /// The blocks of each run.
  package static let blockCount = 20
  /// A run with fewer frames has blocks of less than 10.
  package static let leastFrames = 200
  /// The chance that a comparison of two runs that are alike finds any difference.
  package static let level = 0.01
  /// Smaller differences, as a part of the budget, are none: nobody would feel them, and the short phases of two runs of the same
  /// program differ by so much on a busy machine.
  package static let leastShare = 0.01

  package enum Change: String, Sendable {
    case longer, shorter
    /// A difference beyond noise, but less than `leastShare` of the budget.
    case tooSmall = "too small"
    /// No difference beyond noise.
    case same

    package var isFelt: Bool { self == .longer || self == .shorter }
  }

  /// A phase, or all together.
  package struct Row: Sendable {
    /// Nil for all phases together.
    package let phase: FrameRecord.Phase?
    /// The median of the blocks' medians.
    package let before: Nanoseconds
    package let after: Nanoseconds
    /// The part of all pairs of blocks in which the one after is longer.
    package let superiority: Double
    /// The probability of such a difference by chance, with the correction.
    package let probability: Double
    package let change: Change
    /// True if it is longer by more than the limit, beyond noise.
    package let isRegression: Bool

    package var name: String { phase?.name ?? "all" }
    /// The difference as a part of the time before; nil if that is zero.
    package var growth: Double? { before == .zero ? nil : (after - before).seconds / before.seconds }
  }

  /// The phases in their order, then all together.
  package let rows: [Row]

  package var regressions: [Row] { rows.filter(\.isRegression) }

  /// - Parameters:
  ///   - before, after: the phases of each frame, at least `leastFrames` frames.
  ///   - limit: the growth that is no regression yet, as a part: 0.05 for 5 %.
  ///   - budget: the time that a frame may take.
  package init(
    before: [FrameRecord.PhaseDurations], after: [FrameRecord.PhaseDurations], limit: Double, budget: Nanoseconds
  ) {
    let phases = FrameRecord.Phase.allCases.map(Optional.some) + [nil]
    let series = phases.map { phase in
      let durations = { (run: [FrameRecord.PhaseDurations]) in
        Self.blocks(run.map { frame in Double((phase.map { frame[$0] } ?? frame.total).count) })
      }
      return (before: durations(before), after: durations(after))
    }
    let tests = series.map { RankTest($0.before, $0.after) }
    // Longer than the time before and the limit together: a growth that just reaches it is as unlikely to fail as none.
    let limits = series.map { RankTest($0.before.map { $0 * (1 + limit) }, $0.after).probabilityOfIncrease }
    let probabilities = RankTest.corrected(tests.map(\.probability))
    let limitProbabilities = RankTest.corrected(limits)
    rows = phases.indices.map { index in
      let before = Self.median(series[index].before)
      let after = Self.median(series[index].after)
      let isFelt = abs(after - before) >= Double(budget.count) * Self.leastShare
      let isDifferent = probabilities[index] < Self.level
      return Row(
        phase: phases[index], before: Nanoseconds(Int64(before)), after: Nanoseconds(Int64(after)),
        superiority: tests[index].superiority, probability: probabilities[index],
        change: !isDifferent ? .same : !isFelt ? .tooSmall : after > before ? .longer : .shorter,
        isRegression: isFelt && after > before && limitProbabilities[index] < Self.level)
    }
  }

  /// The medians of blocks of equal length; the frames that are left over belong to none.
  static func blocks(_ values: [Double]) -> [Double] {
    let length = max(1, values.count / blockCount)
    return (0..<min(blockCount, values.count)).map { block in
      median(Array(values[block * length..<(block + 1) * length]))
    }
  }

  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }
}
