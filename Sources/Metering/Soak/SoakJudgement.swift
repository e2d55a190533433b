public import LinuxSystem

/// The figures of one moment of a long run.
public struct SoakSample: Sendable {
  /// Since the start of the run.
  public var time: Nanoseconds
  public var process: ProcessFigures
  /// Frames that were seen since the start.
  public var presented: Int
  /// Those of them that were seen late.
  public var late: Int
  /// Intervals in which a frame was wanted since the start: those that were ticked and those that were missed.
  public var wanted: Int

  public init(time: Nanoseconds, process: ProcessFigures, presented: Int, late: Int, wanted: Int) {
    (self.time, self.process) = (time, process)
    (self.presented, self.late, self.wanted) = (presented, late, wanted)
  }
}

/// The judgement of a long run: whether the process takes more and more, and whether it makes fewer and fewer
/// frames, or later ones.
///
/// The first tenth of the run, 5 s at least, is for warming up and does not count. The rest is cut into blocks; see `Trend`. In a short run
/// a cache that is still filling grows as a leak does: there growth is `undecided`, and no finding.
public struct SoakJudgement: Equatable, Sendable {
  /// Something that grows, or falls.
  public enum Finding: Equatable, Sendable {
    /// Resident memory grows by so many bytes an hour.
    case memory(perHour: Double)
    /// So many more descriptors are open after each hour.
    case descriptors(perHour: Double)
    /// So many more threads run after each hour.
    case threads(perHour: Double)
    /// Fewer of the wanted intervals bring a frame: the parts in the first and the last block.
    case frameRate(first: Double, last: Double)
    /// More of the frames that are seen are late: the parts in the first and the last block.
    case lateFrames(first: Double, last: Double)
  }

  /// The least growth, over the whole of the judged time, that is a finding. Less is taken for chance.
  public enum Least {
    /// An allocator takes memory in such pieces.
    public static let memory = 1_048_576.0
    public static let descriptors = 4.0
    public static let threads = 2.0
    /// A part of the frames.
    public static let frames = 0.02
  }

  /// The least judged time after which growth of memory, descriptors or threads is a finding.
  public static let leastSpan = Nanoseconds.seconds(25 * 60)

  public private(set) var findings: [Finding] = []
  /// Growth that would be a finding in a run that is judged for `leastSpan` or longer.
  public private(set) var undecided: [Finding] = []
  /// The time that was judged: without the warm-up.
  public let span: Nanoseconds
  /// The growth of the floor of resident memory, in bytes an hour; a leak or not.
  public let memoryPerHour: Double
  /// True if frames were judged: if some were wanted in each block.
  public let judgesFrames: Bool

  /// - Parameter samples: those of the whole run, in their order, evenly spread. Nil if they are too few after the warm-up: two for each block.
  public init?(_ samples: [SoakSample]) {
    guard let end = samples.last?.time else { return nil }
    let warm = max(Nanoseconds(end.count / 10), .seconds(5))
    let judged = samples.filter { $0.time >= warm }
    guard let first = judged.first, let last = judged.last, last.time > first.time,
      let memory = Trend(judged.map { Double($0.process.residentMemory) }),
      let descriptors = Trend(judged.map { Double($0.process.descriptors) }),
      let threads = Trend(judged.map { Double($0.process.threads) })
    else { return nil }
    span = last.time - first.time
    let hours = span.seconds / 3600 * Double(Trend.blockCount - 1) / Double(Trend.blockCount)
    memoryPerHour = memory.growth / hours
    var growing: [Finding] = []
    // Counts rise in steps, and may be level for a quarter of the run.
    if memory.rises(by: Least.memory), memory.goesOn { growing.append(.memory(perHour: memoryPerHour)) }
    if descriptors.rises(by: Least.descriptors) { growing.append(.descriptors(perHour: descriptors.growth / hours)) }
    if threads.rises(by: Least.threads) { growing.append(.threads(perHour: threads.growth / hours)) }
    if span >= Self.leastSpan { findings = growing } else { undecided = growing }

    let seen = Self.parts(\.presented, of: \.wanted, in: judged)
    let late = Self.parts(\.late, of: \.presented, in: judged)
    judgesFrames = seen.count == Trend.blockCount
    // A step down is no trend, but the end of all frames is a finding.
    if judgesFrames, seen.last == 0 || Trend(floors: seen.map { -$0 }).rises(by: Least.frames * seen[0]) {
      findings.append(.frameRate(first: seen[0], last: seen[Trend.blockCount - 1]))
    }
    // A block in which no frame was seen has none that was late.
    if late.count == Trend.blockCount, Trend(floors: late).rises(by: Least.frames) {
      findings.append(.lateFrames(first: late[0], last: late[Trend.blockCount - 1]))
    }
  }

  /// For each block the growth of one count as a part of another's. Blocks in which that does not grow are left out.
  private static func parts(
    _ count: (SoakSample) -> Int, of whole: (SoakSample) -> Int, in samples: [SoakSample]
  ) -> [Double] {
    (0..<Trend.blockCount).compactMap { block in
      let first = samples[(samples.count - 1) * block / Trend.blockCount]
      let last = samples[(samples.count - 1) * (block + 1) / Trend.blockCount]
      guard whole(last) > whole(first) else { return nil }
      return Double(count(last) - count(first)) / Double(whole(last) - whole(first))
    }
  }
}

extension SoakJudgement.Finding: CustomStringConvertible {
  /// A clause: "memory grows by 216.0 MB an hour".
  public var description: String {
    switch self {
    case .memory(let perHour): "memory grows by \(Text.decimal(perHour / 1e6, 1)) MB an hour"
    case .descriptors(let perHour): "open descriptors grow by \(Text.decimal(perHour, 1)) an hour"
    case .threads(let perHour): "threads grow by \(Text.decimal(perHour, 1)) an hour"
    case .frameRate(let first, let last):
      "fewer frames come: \(Text.decimal(first * 100, 1)) % of the wanted ones at first, \(Text.decimal(last * 100, 1)) % at last"
    case .lateFrames(let first, let last):
      "more frames are late: \(Text.decimal(first * 100, 1)) % of those seen at first, \(Text.decimal(last * 100, 1)) % at last"
    }
  }
}
