import FrameTiming
import LinuxSystem

/// Reads what `FrameLogFormat` writes.
enum FrameLogReader {
  /// The columns that figures need.
  private enum Column: String, CaseIterable {
    case number, outcome, tick, promised, delivered, presented, work, frameInterval, cause, animationError
    /// Earlier programs did not write it.
    case input

    /// True if there are fewer figures without it.
    var isOptional: Bool {
      switch self {
      case .number, .tick, .promised, .input: true
      case .outcome, .delivered, .presented, .work, .frameInterval, .cause, .animationError: false
      }
    }
  }

  /// The figures of a frame, in nanoseconds; nil where they are not known.
  fileprivate struct Frame {
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
    var budget: Nanoseconds? {
      distances.isEmpty ? nil : distances.sorted()[distances.count / 2]
    }

    /// Nil without two ticks.
    var time: Nanoseconds? {
      guard let numbers, let first, let last, last.number > first.number, last.tick > first.tick else { return nil }
      let interval = (Double(last.tick) - Double(first.tick)) / (Double(last.number) - Double(first.number))
      return .seconds((Double(numbers.upperBound) - Double(numbers.lowerBound) + 1) * interval / 1e9)
    }
  }

  private static let outcomes = "one of \(LoggedFrame.Outcome.allCases.map(\.rawValue).joined(separator: ", ")) is"
  private static let causes = "one of \(FrameRecord.Cause.allCases.map(\.name).joined(separator: ", ")) is"
  private static let time = "a whole number of nanoseconds is"

  private static func cause(named name: String) -> FrameRecord.Cause? {
    FrameRecord.Cause.allCases.first { $0.name == name }
  }

  // MARK: - Comma-separated values

  /// - Parameter cells: has read the line of names.
  static func read(_ cells: inout CaptureCells) throws(CaptureError) -> FrameCapture.Stream {
    let names = cells.cells.indices.map { cells.text($0) }
    var indices: [Column: Int] = [:]
    for column in Column.allCases {
      guard let index = names.firstIndex(of: column.rawValue) else {
        if column.isOptional { continue }
        throw cells.unexpected(0, expected: "a line of names with a column '\(column.rawValue)' is")
      }
      indices[column] = index
    }
    var stream = FrameCapture.Stream.ofFrameLog
    var span = Span()
    while try cells.read() {
      try cells.require(columns: names)
      let frame = try frame(cells, indices)
      stream.add(frame)
      span.add(frame)
    }
    (stream.loggedTime, stream.budget) = (span.time, span.budget)
    return try checked(stream, line: cells.line)
  }

  private static func frame(_ cells: CaptureCells, _ indices: [Column: Int]) throws(CaptureError) -> Frame {
    func index(_ column: Column) -> Int { indices[column] ?? 0 }
    func number(_ column: Column) throws(CaptureError) -> Int64? {
      if indices[column] == nil { return nil }
      return try cells.integer(index(column), expected: time)
    }
    func duration(_ column: Column) throws(CaptureError) -> Int64? {
      try cells.positive(index(column), decimals: 0, expected: time)
    }
    guard let outcome = LoggedFrame.Outcome(rawValue: cells.text(index(.outcome))) else {
      throw cells.unexpected(index(.outcome), expected: outcomes)
    }
    let name = cells.text(index(.cause))
    let cause = cause(named: name)
    if cause == nil, !name.isEmpty { throw cells.unexpected(index(.cause), expected: causes) }
    let promised = try number(.promised)
    return Frame(
      number: try number(.number), tick: promised == nil ? nil : try number(.tick), promised: promised, outcome: outcome,
      delivered: try number(.delivered), presented: try number(.presented), work: try duration(.work),
      interval: try duration(.frameInterval), cause: cause, animationError: try number(.animationError),
      input: try number(.input))
  }

  // MARK: - JSON Lines

  static func readLines(_ bytes: UnsafeBufferPointer<UInt8>) throws(CaptureError) -> FrameCapture.Stream {
    var reader = JSONReader(bytes)
    var stream = FrameCapture.Stream.ofFrameLog
    var span = Span()
    while let value = try reader.next() {
      let frame = try frame(value, reader)
      stream.add(frame)
      span.add(frame)
    }
    (stream.loggedTime, stream.budget) = (span.time, span.budget)
    return try checked(stream, line: reader.line)
  }

  /// - Parameter reader: stands behind the value; its errors name that place.
  private static func frame(_ value: JSONTree, _ reader: JSONReader) throws(CaptureError) -> Frame {
    func number(_ column: Column, least: Int64 = .min) throws(CaptureError) -> Int64? {
      guard let member = value[column.rawValue] else {
        if column.isOptional { return nil }
        throw reader.error(expected: "an object with '\(column.rawValue)' before this place is")
      }
      if member == .null { return nil }
      guard let number = member.integer, number >= least else {
        throw reader.error(expected: "a whole number of nanoseconds as '\(column.rawValue)' before this place is")
      }
      return number
    }
    guard let outcome = value[Column.outcome.rawValue]?.string.flatMap(LoggedFrame.Outcome.init) else {
      throw reader.error(expected: "an object whose 'outcome' is \(outcomes)")
    }
    let name = value[Column.cause.rawValue]?.string
    let cause = name.flatMap(cause(named:))
    if cause == nil, name != nil { throw reader.error(expected: "an object whose 'cause' is \(causes)") }
    let promised = try number(.promised)
    return Frame(
      number: try number(.number), tick: promised == nil ? nil : try number(.tick), promised: promised, outcome: outcome,
      delivered: try number(.delivered), presented: try number(.presented), work: try number(.work, least: 0),
      interval: try number(.frameInterval, least: 0), cause: cause,
      animationError: try number(.animationError), input: try number(.input))
  }

  private static func checked(_ stream: FrameCapture.Stream, line: Int) throws(CaptureError) -> FrameCapture.Stream {
    guard stream.frames > 0 else {
      throw CaptureError(line: line + 1, column: 1, expected: "the line of a frame is", found: nil)
    }
    return stream
  }
}

extension FrameCapture.Stream {
  fileprivate static var ofFrameLog: FrameCapture.Stream {
    var stream = FrameCapture.Stream()
    stream.notShown = 0
    stream.lateFrames = []
    return stream
  }

  fileprivate mutating func add(_ frame: FrameLogReader.Frame) {
    frames += 1
    switch frame.outcome {
    case .presented: break
    case .pending: pending += 1
    case .discarded, .lost: notShown? += 1
    }
    if let interval = frame.interval, interval > 0 { intervals.append(Nanoseconds(interval)) }
    if let error = frame.animationError { animationErrors.append(Nanoseconds(error)) }
    // The work of a frame that newer ones replaced is in no frame of the meter either.
    if frame.outcome != .discarded, let time = frame.work { work.append(Nanoseconds(time)) }
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
