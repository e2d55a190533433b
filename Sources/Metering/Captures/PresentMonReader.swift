import LinuxSystem

/// Reads PresentMon's CSV, of each of its versions: a line for each call that presented a frame. See README.md at v1.9.2 and
/// README-ConsoleApplication.md at v2.3.0 and later of https://github.com/GameTechDev/PresentMon for its columns.
struct PresentMonReader {
  /// The columns that figures need; nil where the file has none.
  fileprivate struct Columns {
    let names: [String]
    /// The cells at the start that name the stream: program, process and swap chain.
    let identity: Int
    let isVersion1: Bool
    /// 1.x: 1 if the frame was never seen.
    let dropped: Int?
    /// When it was seen; "NA" if it never was.
    let untilDisplayed: Int?
    /// From the frame seen before, or until the frame seen after it. 1.x has 0 where it is not known.
    let betweenDisplayed: Int?
    let betweenPresents: Int?
    let busy: Int?
    /// From the frame's start until it was seen. Without it that is `busy` and `untilDisplayed`.
    let latency: Int?
    let animationError: Int?

    init(_ cells: CaptureCells) throws(CaptureError) {
      names = cells.cells.indices.map { cells.text($0) }
      let lowercased = names.map { $0.lowercased() }
      func index(_ names: String...) -> Int? {
        for name in names { if let index = lowercased.firstIndex(of: name) { return index } }
        return nil
      }
      identity = lowercased.dropFirst(2).first == "swapchainaddress" ? 3 : 2
      dropped = index("dropped")
      isVersion1 = dropped != nil || index("runtime") != nil
      untilDisplayed = isVersion1 ? nil : index("msuntildisplayed", "displaylatency")
      betweenDisplayed = index("msbetweendisplaychange", "displayedtime")
      betweenPresents = index("msbetweenpresents", "frametime", "msbetweenappstart")
      busy = index("mscpubusy", "cpubusy")
      latency = index("displaylatency")
      animationError = index("msanimationerror", "animationerror")
      if betweenDisplayed == nil && betweenPresents == nil {
        throw cells.unexpected(0, expected: "a column such as msBetweenDisplayChange, DisplayedTime or FrameTime is")
      }
    }
  }

  private let columns: Columns
  private var streams: [FrameCapture.Stream] = []
  /// The index of the stream that begins its lines with these bytes.
  private var indices: [[UInt8]: Int] = [:]
  private var last: (identity: [UInt8], index: Int)?

  private init(_ cells: CaptureCells) throws(CaptureError) {
    columns = try Columns(cells)
  }

  /// - Parameter cells: has read the line of names.
  static func read(
    _ cells: inout CaptureCells
  ) throws(CaptureError) -> (FrameCapture.Format, [FrameCapture.Stream]) {
    var reader = try PresentMonReader(cells)
    while try cells.read() {
      try cells.require(columns: reader.columns.names)
      try reader.add(cells)
    }
    guard !reader.streams.isEmpty else {
      throw CaptureError(line: cells.line + 1, column: 1, expected: "the line of a frame is", found: nil)
    }
    return (reader.columns.isVersion1 ? .presentMon1 : .presentMon2, reader.streams)
  }

  private mutating func add(_ cells: CaptureCells) throws(CaptureError) {
    let index = stream(of: cells)
    let frame = try Frame(cells, columns)
    streams[index].add(frame)
  }

  /// The index of the line's stream. Lines of one stream mostly follow each other.
  private mutating func stream(of cells: CaptureCells) -> Int {
    let bytes = UnsafeBufferPointer(
      rebasing: cells.bytes[cells.cells[0].lowerBound..<cells.cells[columns.identity - 1].upperBound])
    if let last, last.identity.count == bytes.count, last.identity.elementsEqual(bytes) { return last.index }
    let identity = Array(bytes)
    let index = indices[identity] ?? begin(cells)
    indices[identity] = index
    last = (identity, index)
    return index
  }

  private mutating func begin(_ cells: CaptureCells) -> Int {
    var stream = FrameCapture.Stream()
    stream.name = cells.text(0)
    stream.processID = cells.text(1)
    if columns.identity > 2 { stream.swapChain = cells.text(2) }
    stream.intervalKind = columns.betweenDisplayed == nil ? .presentCalls : .displayed
    if columns.dropped != nil || columns.untilDisplayed != nil { stream.neverSeen = 0 }
    streams.append(stream)
    return streams.count - 1
  }

  /// The times of a line, in nanoseconds.
  fileprivate struct Frame {
    private(set) var wasShown = true
    private(set) var interval: Int64?
    private(set) var busy: Int64?
    private(set) var latency: Int64?
    private(set) var animationError: Int64?

    private static let milliseconds = "milliseconds, such as 16.667, or NA are"

    init(_ cells: CaptureCells, _ columns: Columns) throws(CaptureError) {
      func time(_ column: Int?) throws(CaptureError) -> Int64? {
        guard let column else { return nil }
        return try cells.positive(column, decimals: 6, expected: Self.milliseconds)
      }
      if let dropped = columns.dropped {
        guard let value = try cells.positive(dropped, decimals: 0, expected: "0 or 1 is"), value < 2 else {
          throw cells.unexpected(dropped, expected: "0 or 1 is")
        }
        wasShown = value == 0
      }
      let untilDisplayed = try time(columns.untilDisplayed)
      if columns.untilDisplayed != nil, untilDisplayed == nil { wasShown = false }
      interval = try time(columns.betweenDisplayed ?? columns.betweenPresents)
      if !wasShown && columns.betweenDisplayed != nil { interval = nil }
      busy = try time(columns.busy)
      if columns.latency != nil {
        latency = try time(columns.latency)
      } else if let busy, let untilDisplayed {
        latency = busy + untilDisplayed
      }
      if let column = columns.animationError {
        animationError = try cells.number(column, decimals: 6, expected: Self.milliseconds)
      }
    }
  }
}

extension FrameCapture.Stream {
  fileprivate mutating func add(_ frame: PresentMonReader.Frame) {
    frames += 1
    if !frame.wasShown { neverSeen? += 1 }
    if let interval = frame.interval, interval > 0 { intervals.append(Nanoseconds(interval)) }
    if let busy = frame.busy { work.append(Nanoseconds(busy)) }
    if let latency = frame.latency, frame.wasShown { latencies.append(Nanoseconds(latency)) }
    if let error = frame.animationError { animationErrors.append(Nanoseconds(error)) }
  }
}
