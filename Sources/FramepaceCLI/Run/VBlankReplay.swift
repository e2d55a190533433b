import FrameTiming
import Framepace
import Metering
import Simulation

/// The ticks that an application gets from a row of vblanks.
struct TickFigures {
  /// The ticks that a display link got.
  private(set) var count = 0
  /// Intervals without one.
  private(set) var missed = 0
  /// Vblanks of which none was made: repeated ones, and such as could not be placed.
  private(set) var swallowed = 0
  /// How far the vblank after each tick was from the one that the tick predicted; negative when it came earlier. There is none
  /// before a missed interval.
  private(set) var targetErrors: [Nanoseconds] = []
}

extension TickFigures {
  /// Plays a recording through a display's ticker, in simulated time.
  @MainActor
  init(replaying recording: VBlankRecording) {
    let deliveries = recording.deliveries
    guard let first = deliveries.first, let end = deliveries.last else { return }
    let clock = ManualClock(start: first - recording.refreshRate.interval)
    let loop = FrameLoop(clock: .manual(clock))
    let source = RecordedVBlankSource(recording, clock: loop.clock)
    let ticker = DisplayTicker(source: source)
    var figures = TickFigures()
    figures.targetErrors.reserveCapacity(recording.vblanks.count)
    var last: DisplayLink.Tick?
    let link = DisplayLink(ticker: ticker) { link in
      guard let tick = link.tick else { return }
      figures.count += 1
      figures.missed += Int(clamping: tick.missed)
      if let last, tick.frameNumber == last.frameNumber + 1 { figures.targetErrors.append(tick.timestamp - last.nextVBlank) }
      last = tick
    }
    source.onEnd = { loop.stop() }
    link.add(to: loop, mode: .default)
    // A ticker that asks for no more would leave the loop asleep for ever.
    loop.run(mode: .default, until: end + .seconds(10))
    ticker.invalidate()

    figures.swallowed = recording.vblanks.count - figures.count
    self = figures
  }

  /// By how much the next vblank was predicted wrongly, in either direction.
  var targetError: FrameStatistics { FrameStatistics(targetErrors.map { max($0, -$0) }) }
}

extension VBlankMeasurement {
  /// The figures of a recording.
  @MainActor
  init(_ recording: VBlankRecording, display: String?, clock: String, isFallback: Bool, requested: Int) {
    let samples = zip(recording.vblanks, recording.deliveries).map { VBlankReport.Sample(vblank: $0, arrival: $1) }
    self.init(
      display: display, clock: clock, isFallback: isFallback, requested: requested,
      report: VBlankReport(
        samples, nominalRate: recording.refreshRate, hasArrivals: !recording.arrivals.isEmpty),
      ticks: TickFigures(replaying: recording))
  }

  /// The figures of a recording in a file.
  @MainActor
  init(replaying file: String, _ recording: VBlankRecording) {
    self.init(
      recording, display: recording.isFallback ? nil : recording.displayName,
      clock: "replay of \(file)" + (recording.isFallback ? ": \(recording.displayName)" : ""),
      isFallback: recording.isFallback, requested: recording.vblanks.count)
  }
}

extension VBlankRecording {
  /// A million vblanks with their arrivals, and some comments.
  private static let largestFile = 1 << 27

  /// Reads a file of `--record`. What is said: that a last line is cut and left out, or that its last number may be cut.
  @MainActor
  init(file: String) throws(Refusal) {
    let bytes = try InputFile.contents(of: file, limit: Self.largestFile)
    do throws(ParseError) {
      let read = try bytes.withUnsafeBufferPointer { bytes throws(ParseError) in
        try CutText.read(bytes, hasOpenEnd: true, line: \.line) { bytes throws(ParseError) in
          try Self(parsing: String(decoding: bytes, as: UTF8.self))
        }
      }
      self = read.value
      guard let cut = read.cut else { return }
      InputFile.tellCut(file, at: cut, read: vblanks.count == 1 ? "1 vblank is" : "\(vblanks.count) vblanks are")
    } catch {
      throw Refusal("cannot replay '\(file)': \(error)")
    }
  }
}
