import LinuxSystem

/// Reads the CSV of MangoHud's `log_duration` and `toggle_logging`: lines about the system, then a line for each sample, which is a
/// frame where `log_interval` is 0. See src/logging.cpp of https://github.com/flightlessmango/MangoHud.
enum MangoHudReader {
  /// The unit of `frametime`, which is microseconds in old versions. The frame rate in the same line tells.
  private enum Unit: Int {
    case milliseconds = 6
    case microseconds = 3

    /// - Parameters:
    ///   - rate: frames a second.
    ///   - time: of a frame, as it is written.
    init(rate: Double, time: Double) { self = rate * time < 31_623 ? .milliseconds : .microseconds }
  }

  /// - Parameters:
  ///   - cells: has read the first line.
  ///   - first: the texts of its cells.
  /// - Returns: nil if it is no file of MangoHud.
  static func read(_ cells: inout CaptureCells, first: [String]) throws(CaptureError) -> FrameCapture.Stream? {
    var names = first
    guard ["fps", "os", "v1"].contains(first.first) else { return nil }
    // At most: a version, MangoHud's own, two titles, and the system's names and values.
    var rest = 7
    while !names.starts(with: columns) {
      if names.contains(where: { columns.contains($0.lowercased()) }) { throw missingColumn(cells, names) }
      rest -= 1
      let expected = "the line 'fps,frametime,…' is"
      guard rest > 0 else { throw cells.unexpected(0, expected: expected) }
      guard try cells.read() else { throw CaptureError(line: cells.line + 1, column: 1, expected: expected, found: nil) }
      names = cells.cells.indices.map { cells.text($0) }
    }
    return try read(&cells, names: names)
  }

  /// The columns at the beginning of the line of names, which figures need.
  private static let columns = ["fps", "frametime"]

  /// The error of a line of names without one of `columns` at its place.
  private static func missingColumn(_ cells: CaptureCells, _ names: [String]) -> CaptureError {
    let place = columns.indices.first { $0 >= names.count || names[$0] != columns[$0] } ?? 0
    let expected = "the column '\(columns[place])' is"
    return place < names.count ? cells.unexpected(place, expected: expected) : cells.atEnd(expected: expected)
  }

  private static func read(_ cells: inout CaptureCells, names: [String]) throws(CaptureError) -> FrameCapture.Stream {
    let elapsed = names.firstIndex(of: "elapsed")
    var stream = FrameCapture.Stream()
    stream.intervalKind = .presentCalls
    var unit: Unit?
    var (start, end) = (Int64?.none, Int64(0))
    while try cells.read() {
      try cells.require(columns: names)
      if unit == nil {
        let rate = try cells.positive(0, decimals: 6, expected: "frames a second are") ?? 0
        let time = try cells.positive(1, decimals: 6, expected: "the time of a frame is") ?? 0
        unit = Unit(rate: Double(rate) / 1e6, time: Double(time) / 1e6)
      }
      let decimals = (unit ?? .milliseconds).rawValue
      let expected = decimals == Unit.milliseconds.rawValue ? "milliseconds are" : "microseconds are"
      guard let time = try cells.positive(1, decimals: decimals, expected: expected) else {
        throw cells.unexpected(1, expected: expected)
      }
      stream.frames += 1
      if time > 0 { stream.intervals.append(Nanoseconds(time)) }
      if let elapsed {
        guard let stamp = try cells.positive(elapsed, decimals: 0, expected: "nanoseconds are"), stamp >= end else {
          throw cells.unexpected(elapsed, expected: "a time in nanoseconds, not before the line above, is")
        }
        if start == nil { start = stamp }
        end = stamp
      }
    }
    guard stream.frames > 0 else {
      throw CaptureError(line: cells.line + 1, column: 1, expected: "the line of a frame is", found: nil)
    }
    // The first row's frame was before the first stamp.
    if let start, end > start, let first = stream.intervals.first {
      let sum = stream.intervals.reduce(.zero, +) - first
      stream.coverage = sum.seconds / Nanoseconds(end - start).seconds
    }
    return stream
  }
}
