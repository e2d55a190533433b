import Framepace
import Metering

/// The frames of a page's timeline, as lists of whole numbers: one list for each figure.
struct PageFrames {
  /// A figure of a frame that is shown beside its phases.
  private struct Column {
    var name: String
    var unit: String
    var value: @Sendable (LoggedFrame) -> Int64?

    /// A duration, in microseconds.
    static func duration(_ name: String, _ value: @escaping @Sendable (LoggedFrame) -> Nanoseconds?) -> Column {
      Column(name: name, unit: "ms") { value($0).map(microseconds) }
    }

    static let all: [Column] = [
      .duration("without a tick before it") { $0.record.missedTime > .zero ? $0.record.missedTime : nil },
      .duration("begun after it was due") { $0.record.delivered - $0.record.start },
      .duration("handed over after it was begun") { $0.record.submitted - $0.record.delivered },
      .duration("held back, ready") { $0.record.heldBack },
      .duration("seen after it was begun") { $0.record.presented - $0.record.delivered },
      .duration("seen after its input arrived") { frame in frame.record.input.map { frame.record.presented - $0 } },
      .duration("from the frame before") { $0.step?.interval },
      .duration("animation error") { $0.step?.animationError },
      .duration("with a processor") { $0.record.processorTime },
      .duration("ready, without a processor") { frame in frame.record.processorTime.map { _ in frame.record.runDelay } },
      .duration("without a processor before it was begun") { frame in
        frame.record.processorTime.map { _ in frame.record.startDelay }
      },
      .duration("blocked") { $0.record.blockedTime },
      Column(name: "painted", unit: "pixels") { Int64($0.record.paintedPixels) },
    ]
  }

  static let causes = FrameRecord.Cause.allCases

  private let frames: [LoggedFrame]
  /// The frames that came before those.
  private let leftOut: Int
  private let first: MonotonicTime

  /// - Parameters:
  ///   - first: the zero of times.
  ///   - last: the last frame that counts.
  ///   - all: the number of frames of the run.
  init(timeline: FrameTimeline, first: MonotonicTime, last: FrameRecord?, all: Int) {
    // A timeline also has frames that were never seen, or after the last one.
    frames = timeline.frames.filter { frame in
      frame.outcome == .presented && last.map { frame.record.submitted <= $0.submitted } ?? false
    }
    leftOut = max(all - frames.count, 0)
    self.first = first
  }

  var count: Int { frames.count }

  /// The place of a frame; nil if it is one of those left out.
  func index(of record: FrameRecord) -> Int? {
    frames.firstIndex { $0.record.submitted == record.submitted && $0.record.frameNumber == record.frameNumber }
  }

  func append(to bytes: inout [UInt8]) {
    // Times that go back, which only a broken record has, would not be found.
    var latest = Int64.min
    let ticks = frames.map { frame in
      latest = max(Self.microseconds(frame.record.tickTimestamp - first), latest)
      return latest
    }
    bytes += "{\"count\":\(frames.count),\"leftOut\":\(leftOut)".utf8
    var before: Int64 = 0
    list("at", to: &bytes) { index, _ in
      defer { before = ticks[index] }
      return ticks[index] - before
    }
    var lastNumber: Int64 = 0
    list("number", to: &bytes) { _, frame in
      let number = Int64(clamping: frame.record.frameNumber)
      defer { lastNumber = number }
      return number - lastNumber
    }
    list("due", to: &bytes) { index, frame in
      Self.microseconds((frame.record.promised ?? frame.record.target) - first) - ticks[index]
    }
    list("seen", to: &bytes) { index, frame in Self.microseconds(frame.record.presented - first) - ticks[index] }
    list("cause", to: &bytes) { _, frame in
      frame.causes.flatMap { Self.causes.firstIndex(of: $0.main) }.map { Int64($0) + 1 } ?? 0
    }
    bytes += ",\"phases\":[".utf8
    for phase in FrameRecord.Phase.allCases {
      if phase != FrameRecord.Phase.allCases.first { bytes.append(UInt8(ascii: ",")) }
      values(to: &bytes) { _, frame in max(Self.microseconds(frame.record.phases[phase]), 0) }
    }
    bytes += "],\"columns\":[".utf8
    // Without those that no frame has, such as of input.
    let columns = Column.all.filter { column in frames.contains { column.value($0) != nil } }
    for (place, column) in columns.enumerated() {
      bytes += "\(place > 0 ? "," : ""){\"name\":\"\(column.name)\",\"unit\":\"\(column.unit)\",\"values\":".utf8
      values(to: &bytes) { _, frame in column.value(frame) }
      bytes.append(UInt8(ascii: "}"))
    }
    bytes += "]}".utf8
  }

  private func list(_ name: String, to bytes: inout [UInt8], _ value: (Int, LoggedFrame) -> Int64?) {
    bytes += ",\"\(name)\":".utf8
    values(to: &bytes, value)
  }

  private func values(to bytes: inout [UInt8], _ value: (Int, LoggedFrame) -> Int64?) {
    bytes.append(UInt8(ascii: "["))
    for (index, frame) in frames.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      if let value = value(index, frame) {
        JSONBytes.append(value, to: &bytes)
      } else {
        JSONBytes.append("null", to: &bytes)
      }
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// Rounded, and at most eleven days: JavaScript has no whole numbers beyond 2⁵³.
  private static func microseconds(_ duration: Nanoseconds) -> Int64 {
    let limit: Int64 = 1_000_000_000_000_000
    let count = min(max(duration.count, -limit), limit)
    return (count + (count < 0 ? -500 : 500)) / 1000
  }
}
