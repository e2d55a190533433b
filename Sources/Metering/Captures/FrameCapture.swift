public import LinuxSystem

/// The frames in a file that another tool wrote, or `framepace run --frame-log`.
///
/// ```swift
/// let capture = try FrameCapture(bytes)
/// for stream in capture.streams { print(stream.name, CaptureReport(stream).frameInterval.p99 as Any) }
/// ```
///
/// Columns are found by their names; those that no figure needs are not read. Memory is at most a few times that of the file.
public struct FrameCapture: Sendable {
  /// The kind of file.
  public enum Format: String, CaseIterable, Sendable {
    /// PresentMon 1.x, or a later one with `--v1_metrics`.
    case presentMon1 = "PresentMon 1"
    /// PresentMon 2.x, with its own columns or with `--v2_metrics`.
    case presentMon2 = "PresentMon 2"
    case mangoHud = "MangoHud"
    /// `framepace run --frame-log`, as CSV or as JSON Lines.
    case frameLog = "framepace frame log"
  }

  /// The two moments that an interval lies between.
  public enum IntervalKind: String, Sendable {
    /// From one frame seen to the next one seen.
    case displayed
    /// From one call that presents a frame to the next such call: when the frames were seen is not in the file.
    case presentCalls
  }

  /// The frames that one program showed in one place, in the file's order.
  public struct Stream: Sendable {
    /// The program; empty where the file does not name it.
    public var name = ""
    /// Empty where the file does not name it.
    public var processID = ""
    /// The address of the swap chain; empty where the file does not name it.
    public var swapChain = ""
    /// The two moments that `intervals` lie between.
    public var intervalKind = IntervalKind.displayed
    /// Frames in the file.
    public var frames = 0
    /// Those of them that are known never to have been seen; nil if the file does not tell.
    public var neverSeen: Int?
    /// Frames that wait for their vblank at the end of the file.
    public var pending = 0
    /// The causes of late frames, each once; nil if the file does not tell.
    public var lateFrames: [LateCount]?
    /// Intervals from frame to frame. One of no length is none.
    public var intervals: [Nanoseconds] = []
    /// The processor's work for each frame: in PresentMon's files how long it was busy before the frame was presented, in a frame log that
    /// for the frames that were seen.
    public var work: [Nanoseconds] = []
    /// From the beginning of each frame until it was seen.
    public var latencies: [Nanoseconds] = []
    /// From the arrival of input until the first frame after it was seen.
    public var inputLatencies: [Nanoseconds] = []
    /// By how much animations moved on more than the interval between the two frames that were seen.
    public var animationErrors: [Nanoseconds] = []
    /// How much of the time from the first row to the last the intervals fill; nil if the file does not tell. Far from 1, rows are samples
    /// of a slower clock, or the same frames again.
    public var coverage: Double?
    /// The run as a whole; nil if the file does not tell.
    package var run: LoggedRun?
    /// The time of all refresh intervals of the run, idle ones too, in which the display could be seen; in logs of earlier programs from that
    /// of the first frame to that of the last. Nil if the file does not tell.
    public var loggedTime: Nanoseconds?

    public init() {}

    /// "game.exe, process 4120, swap chain 0x1F0"; empty where the file names nothing.
    public var title: String {
      let parts = [(name, ""), (processID, "process "), (swapChain, "swap chain ")].filter { !$0.0.isEmpty }
      return parts.map { $1 + $0 }.joined(separator: ", ").withoutControlCharacters
    }
  }

  public let format: Format
  /// In the order of their first frames; at least one, each with at least one frame.
  public let streams: [Stream]
  /// True if the file ends within a line, as that of a program that was killed may, and the line was left out.
  public var isCut: Bool { cut?.isLeftOut ?? false }
  /// The end of the file, if its last line was left out, or has comma-separated values and no line break: the last of them may be cut.
  package let cut: CutText.End?

  /// Reads a file.
  ///
  /// - Parameter bytes: the whole file.
  /// - Throws: the first place that the format does not allow, or that the file has no frames.
  public init(_ bytes: [UInt8]) throws(CaptureError) {
    ((format, streams), cut) = try bytes.withUnsafeBufferPointer { bytes throws(CaptureError) in
      try CutText.read(bytes, hasOpenEnd: bytes.first != UInt8(ascii: "{"), line: \.line, as: Self.read)
    }
  }

  private static func read(_ bytes: UnsafeBufferPointer<UInt8>) throws(CaptureError) -> (Format, [Stream]) {
    if bytes.first == UInt8(ascii: "{") { return (.frameLog, [try FrameLogReader.readLines(bytes)]) }
    var cells = CaptureCells(bytes)
    guard try cells.read() else { throw CaptureError(line: 1, column: 1, expected: "a capture is", found: nil) }
    // A binary file, or a table of something else, may have a long first line.
    let names = cells.cells.indices.prefix(200).map { cells.text($0) }
    if names.starts(with: ["Application", "ProcessID"]) { return try PresentMonReader.read(&cells) }
    if names.starts(with: ["number", "outcome"]) { return (.frameLog, [try FrameLogReader.read(&cells)]) }
    if let stream = try MangoHudReader.read(&cells, first: names) { return (.mangoHud, [stream]) }
    throw cells.unexpected(
      0, expected: "the first line of a PresentMon file, a MangoHud file or a frame log is")
  }
}
