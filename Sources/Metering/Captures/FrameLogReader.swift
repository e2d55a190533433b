import FrameTiming
import LinuxSystem

/// Reads what `FrameLogFormat` writes.
enum FrameLogReader {
  /// The columns that figures need.
  private enum Column: String, CaseIterable {
    case number, outcome, tick, promised, delivered, presented, work, frameInterval, cause, animationError
    /// Earlier programs did not write these.
    case inputArrival, intervalsPerTick, missed, missedWhileStopped, standstill, standstillCause, behindLate, layer,
      layerName,
      refreshRate, budget
    case processorTime, targetKnown, presentedKnown, predictionError
    case intervals, intervalTime, ticks, idle, early, hitchTime

    /// The name that earlier programs gave it; nil if it is the same. Since then a phase has that name.
    var formerName: String? { self == .inputArrival ? "input" : nil }

    /// True if there are fewer figures without it.
    var isOptional: Bool {
      switch self {
      case .outcome, .delivered, .presented, .work, .frameInterval, .cause, .animationError: false
      default: true
      }
    }

    /// The whole numbers that it may have: more intervals than a run has in two years, and times and durations in nanoseconds that no clock
    /// has in 36 years, and no work in a hundred days.
    var range: ClosedRange<Int64> {
      let (intervals, durations): (Int64, Int64) = (1 << 32, 1 << 53)
      switch self {
      case .number: return .min ... .max
      case .layer: return 0...Int64(UInt32.max)
      case .intervalsPerTick: return 1...4096
      case .early: return 0...1
      case .intervals, .missed, .missedWhileStopped, .standstill, .behindLate: return 0...intervals
      case .ticks, .idle: return -intervals...intervals
      case .work, .frameInterval, .processorTime, .hitchTime, .budget: return 0...durations
      case .animationError, .predictionError, .intervalTime: return -durations...durations
      default: return -(1 << 60)...1 << 60
      }
    }

    /// The values that it may have, in words.
    var expected: String {
      func one(of names: [String]) -> String { "one of \(names.joined(separator: ", "))" }
      switch self {
      case .number: return "a whole number"
      case .layer, .intervalsPerTick, .intervals, .missed, .missedWhileStopped, .ticks, .idle, .standstill, .behindLate,
        .early:
        return "a whole number from \(range.lowerBound) to \(range.upperBound)"
      case .targetKnown, .presentedKnown: return "true or false"
      case .outcome: return one(of: LoggedFrame.Outcome.allCases.map(\.rawValue))
      case .cause: return one(of: FrameRecord.Cause.allCases.map(\.name))
      case .standstillCause: return one(of: FrameRecord.StandstillCause.allCases.map(\.name))
      case .layerName: return "a name"
      case .refreshRate: return "a rate from 1 to 1000 Hz, such as \"60000/1001\","
      default: return "a whole number of nanoseconds from \(range.lowerBound) to \(range.upperBound)"
      }
    }
  }

  /// The figures of a frame, in nanoseconds; nil where they are not known.
  struct Frame {
    /// The number of its refresh interval.
    var number: Int64?
    /// The vblank of its tick, and that of the next one; nil if it needed none.
    var tick: Int64?
    var promised: Int64?
    var outcome: LoggedFrame.Outcome
    var delivered: Int64?
    var presented: Int64?
    var work: Int64?
    var interval: Int64?
    var cause: FrameRecord.Cause?
    var animationError: Int64?
    var input: Int64?
    var processorTime: Int64?
    var predictionError: Int64?
    var isTargetKnown = true
    var isPresentedKnown = true
    var intervalsPerTick = 1
    var counts = RunCounts()
    /// True if the log has missed intervals.
    var hasMissed = false
    /// True if it has all counts.
    var hasCounts = false
    var standstill: Standstill?
    var behindLate = 0
    var layer: UInt32?
    var layerName: String?
    var toldRate: RefreshRate?
    var budget: Int64?
  }

  /// A line of a file, whatever its format.
  private protocol Line {
    /// A whole number; nil if it is not known.
    func number(_ column: Column) throws(CaptureError) -> Int64?
    /// Nil if it is not known.
    func word(_ column: Column) throws(CaptureError) -> String?
    /// Nil if it is not known.
    func truth(_ column: Column) throws(CaptureError) -> Bool?
    func wrong(_ column: Column) -> CaptureError
  }

  /// The refresh intervals of a log: as the meter of a run counts them, they last as long as those between its ticks.
  fileprivate struct Span {
    private var numbers: ClosedRange<Int64>?
    private var first: (number: Int64, tick: Int64)?
    private var last: (number: Int64, tick: Int64)?
    /// From each tick to the next.
    private var distances: [Nanoseconds] = []

    mutating func add(_ frame: Frame) {
      guard let number = frame.number else { return }
      numbers = min(numbers?.lowerBound ?? number, number)...max(numbers?.upperBound ?? number, number)
      guard let tick = frame.tick else { return }
      if number < first?.number ?? .max { first = (number, tick) }
      if number >= last?.number ?? .min { last = (number, tick) }
      guard let promised = frame.promised, promised > tick else { return }
      distances.append(MonotonicTime(nanoseconds: promised) - MonotonicTime(nanoseconds: tick))
    }

    /// The median of the times from a tick to the next; nil without a tick.
    var distance: Nanoseconds? {
      distances.isEmpty ? nil : distances.sorted()[distances.count / 2]
    }

    /// Nil without two ticks.
    var time: Nanoseconds? {
      guard let numbers, let first, let last, last.number > first.number, last.tick > first.tick else { return nil }
      let interval = (Double(last.tick) - Double(first.tick)) / (Double(last.number) - Double(first.number))
      return .seconds((Double(numbers.upperBound) - Double(numbers.lowerBound) + 1) * interval / 1e9)
    }
  }

  private static func frame(_ line: some Line) throws(CaptureError) -> Frame {
    func whole(_ column: Column) throws(CaptureError) -> Int64? {
      guard let number = try line.number(column) else { return nil }
      guard column.range.contains(number) else { throw line.wrong(column) }
      return number
    }
    func count(_ column: Column) throws(CaptureError) -> Int? { try whole(column).map { Int($0) } }
    /// Finds a word among those that may stand there.
    func one<Value>(
      of values: [Value], _ name: (Value) -> String, _ column: Column
    ) throws(CaptureError) -> Value? {
      guard let word = try line.word(column) else { return nil }
      guard let value = values.first(where: { name($0) == word }) else { throw line.wrong(column) }
      return value
    }
    guard let outcome = try one(of: LoggedFrame.Outcome.allCases, \.rawValue, .outcome) else {
      throw line.wrong(.outcome)
    }
    let promised = try whole(.promised)
    var frame = Frame(
      number: try whole(.number), tick: promised == nil ? nil : try whole(.tick), promised: promised,
      outcome: outcome, delivered: try whole(.delivered), presented: try whole(.presented),
      work: try whole(.work), interval: try whole(.frameInterval),
      cause: try one(of: FrameRecord.Cause.allCases, \.name, .cause),
      animationError: try whole(.animationError), input: try whole(.inputArrival),
      processorTime: try whole(.processorTime))
    frame.intervalsPerTick = try count(.intervalsPerTick) ?? 1
    frame.predictionError = try whole(.predictionError)
    frame.isTargetKnown = try line.truth(.targetKnown) ?? true
    frame.isPresentedKnown = try line.truth(.presentedKnown) ?? true
    if let missed = try count(.missed) { (frame.hasMissed, frame.counts.missed) = (true, missed) }
    frame.counts.missedWhileStopped = try count(.missedWhileStopped) ?? 0
    let (intervals, ticks, idle) = (try count(.intervals), try count(.ticks), try count(.idle))
    let (time, hitchTime) = (try whole(.intervalTime), try whole(.hitchTime))
    if let intervals, let ticks, let idle, let time, let hitchTime {
      (frame.counts.intervals, frame.counts.ticks, frame.counts.idle) = (intervals, ticks, idle)
      (frame.counts.time, frame.counts.hitchTime) = (Nanoseconds(time), Nanoseconds(hitchTime))
      frame.hasCounts = frame.hasMissed
    }
    frame.counts.early = try count(.early) ?? 0
    frame.behindLate = try count(.behindLate) ?? 0
    if let cause = try one(of: FrameRecord.StandstillCause.allCases, \.name, .standstillCause) {
      // Its time is in no figure.
      frame.standstill = Standstill(time: .zero, intervals: try count(.standstill) ?? 0, cause: cause)
    }
    frame.layer = try count(.layer).map { UInt32($0) }
    frame.layerName = try line.word(.layerName)
    if let rate = try line.word(.refreshRate) {
      let parts = rate.split(separator: "/", omittingEmptySubsequences: false).map { Int64($0) ?? 0 }
      let told = parts.count <= 2 ? RefreshRate(numerator: parts[0], denominator: parts.count == 2 ? parts[1] : 1) : nil
      guard let told else { throw line.wrong(.refreshRate) }
      frame.toldRate = told
    }
    frame.budget = try whole(.budget)
    return frame
  }

  private static func stream(_ frames: [Frame], line: Int) throws(CaptureError) -> FrameCapture.Stream {
    var stream = FrameCapture.Stream.ofFrameLog
    var span = Span()
    for frame in frames {
      if frame.outcome != .noFrame { stream.add(frame) }
      span.add(frame)
    }
    guard stream.frames > 0 else {
      throw CaptureError(line: line + 1, column: 1, expected: "the line of a frame is", found: nil)
    }
    stream.run = LoggedRun(frames, of: stream, interval: span.distance)
    stream.loggedTime = stream.run?.time ?? span.time
    return stream
  }

  // MARK: - Comma-separated values

  private struct CellLine: Line {
    let cells: CaptureCells
    let indices: [Column: Int]

    func number(_ column: Column) throws(CaptureError) -> Int64? {
      guard let index = indices[column] else { return nil }
      return try cells.integer(index, expected: "\(column.expected) is")
    }
    func word(_ column: Column) -> String? {
      guard let index = indices[column], !cells.cells[index].isEmpty else { return nil }
      return cells.text(index)
    }
    func truth(_ column: Column) throws(CaptureError) -> Bool? {
      guard let word = word(column) else { return nil }
      guard let truth = Bool(word) else { throw wrong(column) }
      return truth
    }
    func wrong(_ column: Column) -> CaptureError {
      cells.unexpected(indices[column] ?? 0, expected: "\(column.expected) is")
    }
  }

  /// - Parameter cells: has read the line of names.
  static func read(_ cells: inout CaptureCells) throws(CaptureError) -> FrameCapture.Stream {
    let names = cells.cells.indices.map { cells.text($0) }
    var indices: [Column: Int] = [:]
    for column in Column.allCases {
      let former = column.formerName.flatMap(names.firstIndex(of:))
      guard let index = names.firstIndex(of: column.rawValue) ?? former else {
        if column.isOptional { continue }
        throw cells.unexpected(0, expected: "a line of names with a column '\(column.rawValue)' is")
      }
      indices[column] = index
    }
    var frames: [Frame] = []
    while try cells.read() {
      try cells.require(columns: names)
      frames.append(try frame(CellLine(cells: cells, indices: indices)))
    }
    return try stream(frames, line: cells.line)
  }

  // MARK: - JSON Lines

  private struct ObjectLine: Line {
    let value: JSONTree
    /// Stands behind the value; errors name that place.
    let reader: JSONReader

    private func member(_ column: Column) throws(CaptureError) -> JSONTree? {
      if let member = value[column.rawValue] ?? column.formerName.flatMap({ value[$0] }) {
        return member == .null ? nil : member
      }
      if column.isOptional { return nil }
      throw reader.error(expected: "an object with '\(column.rawValue)' before this place is")
    }
    func number(_ column: Column) throws(CaptureError) -> Int64? {
      guard let member = try member(column) else { return nil }
      guard let number = member.integer else { throw wrong(column) }
      return number
    }
    func word(_ column: Column) throws(CaptureError) -> String? {
      guard let member = try member(column) else { return nil }
      guard let word = member.string else { throw wrong(column) }
      return word
    }
    func truth(_ column: Column) throws(CaptureError) -> Bool? {
      guard let member = try member(column) else { return nil }
      guard case .truth(let truth) = member else { throw wrong(column) }
      return truth
    }
    func wrong(_ column: Column) -> CaptureError {
      reader.error(expected: "an object with \(column.expected) as '\(column.rawValue)' before this place is")
    }
  }

  static func readLines(_ bytes: UnsafeBufferPointer<UInt8>) throws(CaptureError) -> FrameCapture.Stream {
    var reader = JSONReader(bytes)
    var frames: [Frame] = []
    while let value = try reader.next() { frames.append(try frame(ObjectLine(value: value, reader: reader))) }
    return try stream(frames, line: reader.line)
  }
}

extension FrameCapture.Stream {
  fileprivate static var ofFrameLog: FrameCapture.Stream {
    var stream = FrameCapture.Stream()
    stream.neverSeen = 0
    stream.lateFrames = []
    return stream
  }

  fileprivate mutating func add(_ frame: FrameLogReader.Frame) {
    frames += 1
    switch frame.outcome {
    case .presented, .noFrame: break
    case .pending: pending += 1
    case .discarded, .lost: neverSeen? += 1
    }
    if let interval = frame.interval, interval > 0 { intervals.append(Nanoseconds(interval)) }
    if let error = frame.animationError { animationErrors.append(Nanoseconds(error)) }
    // A profile judges no other work either.
    if frame.outcome == .presented, let time = frame.work { work.append(Nanoseconds(time)) }
    if let delivered = frame.delivered, let presented = frame.presented {
      latencies.append(MonotonicTime(nanoseconds: presented) - MonotonicTime(nanoseconds: delivered))
    }
    if let input = frame.input, let presented = frame.presented {
      inputLatencies.append(MonotonicTime(nanoseconds: presented) - MonotonicTime(nanoseconds: input))
    }
    if let cause = frame.cause { count(lateBy: cause) }
  }

  private mutating func count(lateBy cause: FrameRecord.Cause) {
    var late = lateFrames ?? []
    if let index = late.firstIndex(where: { $0.cause == cause }) {
      late[index].frames += 1
    } else {
      late.append(LateCount(cause: cause, frames: 1))
    }
    lateFrames = late
  }
}
