import ArgumentParser
import Framepace
import Glibc

/// The file of `--frame-log` and of `--csv`: a line for each frame, written while the run goes on.
///
/// Frames are collected in chunks, and a thread makes text of them and writes it: the loop does not wait for a disk, nor for the
/// reader of a pipe.
@MainActor
final class FrameLogFile {
  private let writer: FrameLogWriter
  private let isPatient: Bool
  private let meter: FPSMeter
  /// The rate that the display told at the beginning.
  private let toldRate: RefreshRate
  private let budget: Nanoseconds?
  /// The names of layers; nil where they are not measured.
  private let layers: LayerCosts?
  private var ledger = FrameLedger()
  private var chunk: [LoggedFrame] = []

  /// A chunk is handed to the writer when it has so many frames, or the first of them is so old.
  private static let chunkLength = 64
  private static let chunkAge = Nanoseconds.milliseconds(500)

  /// The format that the ending of a file's name means.
  nonisolated static func format(of path: String) throws(ValidationError) -> FrameLogFormat {
    let format = FrameLogFormat.allCases.first { path.lowercased().hasSuffix(".\($0.rawValue)") }
    guard let format, !path.contains("\0") else {
      throw ValidationError("--frame-log '\(path)': use a file whose name ends in .csv or .jsonl.")
    }
    return format
  }

  /// Replaces the file at `path` by an empty log.
  ///
  /// - Parameters:
  ///   - format: nil for the one that the file's name means.
  ///   - meter: records all events that the log does, before it.
  ///   - budget: the one that was given for the run; nil without one.
  ///   - layers: measures the layers of the run; nil where none does.
  ///   - isPatient: true to let the loop wait for a writer that is behind. Otherwise frames that find no room are left out, and
  ///     `finish` says so.
  init(
    path: String, format: FrameLogFormat? = nil, meter: FPSMeter, budget: Nanoseconds? = nil,
    layers: LayerCosts? = nil, isPatient: Bool
  ) throws {
    (self.meter, toldRate, self.budget, self.layers) = (meter, meter.refreshRate, budget, layers)
    writer = try FrameLogWriter(path: path, format: try format ?? Self.format(of: path))
    self.isPatient = isPatient
    chunk.reserveCapacity(Self.chunkLength)
  }

  /// Logs the frames whose outcome is known by an event that the meter has recorded just now.
  ///
  /// - Parameter causes: the meter's answer.
  /// - Throws: the error of an earlier write.
  func record(_ event: FrameEvent, causes: FrameRecord.Causes?) throws {
    ledger.handle(event, of: meter, causes: causes) { add($0) }
    guard let first = chunk.first, let last = chunk.last else { return }
    let age = last.record.submitted - first.record.submitted
    if event.isIdle || chunk.count >= Self.chunkLength || age >= Self.chunkAge { try handOver() }
  }

  /// Writes the rest, and waits until it is written, or its reader takes nothing for a while.
  ///
  /// - Parameter end: the end of the run, see `FPSMeter.report(at:)`.
  /// - Throws: the error of a write, or a sentence about the frames that were left out.
  func finish(at end: MonotonicTime?) throws {
    ledger.end { add($0) }
    if let rest = ledger.rest(of: meter, at: end) { add(rest) }
    // Also after an error the thread ends, and says what is missing.
    let handedOver = Result { try handOver() }
    try writer.finish()
    try handedOver.get()
  }

  private func add(_ frame: LoggedFrame) {
    chunk.append(frame.ofRun(at: toldRate, budget: budget) { layers?.name(of: $0) })
  }

  private func handOver() throws {
    try writer.take(chunk, waits: isPatient)
    chunk = []
    chunk.reserveCapacity(Self.chunkLength)
  }
}

extension LoggedFrame {
  /// The frame with the columns that its run fills.
  func ofRun(at toldRate: RefreshRate, budget: Nanoseconds?, naming name: (UInt32) -> String?) -> LoggedFrame {
    var frame = self
    (frame.toldRate, frame.budget, frame.layerName) = (toldRate, budget, blamedLayer.flatMap(name))
    return frame
  }
}

extension FrameEvent {
  fileprivate var isIdle: Bool { if case .idle = self { true } else { false } }
}

/// Writes chunks of frames on a thread of its own, in their order.
private final class FrameLogWriter: Sendable {
  private struct State {
    /// Frames that wait to be written.
    var waiting = 0
    /// Frames that found no room.
    var leftOut = 0
    var failure: SystemError?
  }

  private let path: String
  private let format: FrameLogFormat
  private let output: AtomicFile.Output
  private let pool = WorkerPool(threads: 1)
  private let state = Lock(State())

  /// The frames that may wait: some minutes of them, in 4 MB.
  private static let capacity = 1 << 14
  /// How long the end waits for a reader that takes nothing.
  private static let patience = Nanoseconds.seconds(3)

  init(path: String, format: FrameLogFormat) throws {
    self.path = path
    self.format = format
    do throws(SystemError) {
      output = try AtomicFile.begin(path)
      try output.write(format.header)
    } catch {
      throw Refusal(path, error)
    }
  }

  /// Takes a chunk to be written, unless too many frames wait already.
  ///
  /// - Parameter waits: true to wait until the chunk is written.
  /// - Throws: the error of an earlier write.
  func take(_ chunk: [LoggedFrame], waits: Bool) throws {
    let (failure, hasRoom) = state.withLock { state in
      let hasRoom = state.waiting + chunk.count <= Self.capacity
      if hasRoom { state.waiting += chunk.count } else { state.leftOut += chunk.count }
      return (state.failure, hasRoom)
    }
    if let failure { throw error(failure) }
    guard hasRoom else { return }
    pool.submit(.drawing) { [self] in write(chunk) }
    guard waits else { return }
    let written = Latch()
    pool.submit(.drawing) { written.open() }
    written.wait()
  }

  /// Waits until everything is written, as long as the reader goes on reading.
  func finish() throws {
    let end = Latch()
    pool.submit(.drawing) { end.open() }
    var waiting = state.withLock(\.waiting)
    while !end.wait(for: Self.patience) {
      let (rest, leftOut) = state.withLock { ($0.waiting, $0.leftOut) }
      if rest == waiting {
        let seconds = Int(Self.patience.seconds)
        throw Refusal("'\(path)' lacks \(rest + leftOut) frames: its reader took nothing for \(seconds) s")
      }
      waiting = rest
    }
    let (failure, leftOut) = state.withLock { ($0.failure, $0.leftOut) }
    if let failure { throw error(failure) }
    if leftOut > 0 { throw Refusal("'\(path)' lacks \(leftOut) frames: they came faster than they could be written") }
  }

  private func write(_ chunk: [LoggedFrame]) {
    var failure = state.withLock { $0.failure }
    if failure == nil {
      var bytes: [UInt8] = []
      for frame in chunk { format.append(frame, to: &bytes) }
      do throws(SystemError) { try output.write(bytes) } catch { failure = error }
    }
    state.withLock { state in
      state.waiting -= chunk.count
      state.failure = failure
    }
  }

  /// The end of a pipe's reader ends the run without an error.
  private func error(_ failure: SystemError) -> any Error {
    failure.errno == EPIPE ? ReaderGone() : Refusal(path, failure)
  }
}
