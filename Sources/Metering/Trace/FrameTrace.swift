import FrameTiming
public import LinuxSystem

/// A run as trace events: a file that https://ui.perfetto.dev and chrome://tracing open.
///
/// | track | a slice |
/// | --- | --- |
/// | ticks | from a tick's vblank until it was delivered |
/// | expected frames | for each frame, from when it was to be begun to the vblank that it was due at |
/// | actual frames | for each frame, from when it was begun until it was seen, or else handed over; named by its cause if it was late, and with its phases within |
/// | on screen | a picture, from its vblank to that of the next one |
/// | loop | the modes that the loop ran in, and its sleep within |
/// | regions | the application's own regions; those of other threads on tracks of their own |
/// | workers | the drawings of workers, by the names of their layers |
///
/// A flow leads from the tick of a frame through its work to its vblank, and one from the frame that requested a drawing through the
/// drawing to the frame that shows it. Counters have the work of each frame, how late it was, and
/// the pixels that were painted. Frames that overlap others are on further tracks of the same name with a number.
///
/// Records have the duration of each phase, not its place: input and callbacks are drawn from the beginning of a frame, and the
/// others, one after the other, up to the time at which it was ready.
public struct FrameTrace {
  private enum Track {
    static let ticks: Int64 = 1
    static let screen: Int64 = 2
    static let loop: Int64 = 3
    static func expected(_ lane: Int) -> Int64 { 10 + 2 * Int64(lane) }
    static func actual(_ lane: Int) -> Int64 { 11 + 2 * Int64(lane) }
  }

  private let title: String
  private let facts: [(name: StaticString, value: String)]
  private let timeline: FrameTimeline
  private let interval: Nanoseconds

  /// - Parameters:
  ///   - title: the name of the process in the trace.
  ///   - facts: what else the file says of the run; Perfetto does not show it.
  ///   - interval: the display's refresh interval.
  public init(title: String, facts: [(name: StaticString, value: String)], timeline: FrameTimeline, interval: Nanoseconds) {
    (self.title, self.facts, self.timeline, self.interval) = (title, facts, timeline, interval)
  }

  /// Writes the file in pieces of about 256 kB.
  public func write(to output: (UnsafeRawBufferPointer) throws(SystemError) -> Void) throws(SystemError) {
    var writer = Writer(timeline: timeline, interval: interval)
    writer.header(title: title, facts: facts)
    for tick in timeline.ticks {
      writer.add(tick)
      try writer.flushIfFull(to: output)
    }
    for index in timeline.frames.indices {
      writer.addFrame(index)
      try writer.flushIfFull(to: output)
    }
    writer.beginLoop()
    for event in timeline.loop {
      writer.add(event)
      try writer.flushIfFull(to: output)
    }
    writer.endLoop()
    for region in timeline.regions.sorted(by: { ($0.begin, $1.end) < ($1.begin, $0.end) }) {
      writer.add(region)
      try writer.flushIfFull(to: output)
    }
    writer.beginDrawings()
    for drawing in timeline.drawings.sorted(by: { $0.begun < $1.begun }) {
      writer.add(drawing)
      try writer.flushIfFull(to: output)
    }
    writer.end()
    try writer.flush(to: output)
  }

  private struct Writer {
    private let timeline: FrameTimeline
    private let interval: Nanoseconds
    private var events = TraceEvents(capacity: pieceLength + (1 << 14))

    /// When the slices of ticks begin, by the numbers of their frames.
    private var tickStarts: [UInt64: Int64] = [:]
    private var tickEnd = Int64.min
    /// When each picture was on the screen, by the index of its frame.
    private var shown: [Int: Range<Int64>] = [:]
    /// The end of the last slice on each track for expected frames, and for actual ones.
    private var expectedEnds: [Int64] = []
    private var actualEnds: [Int64] = []
    /// True for each slice of the loop that is open: whether it is a sleep.
    private var loopStack: [Bool] = []
    private var loopTime = Int64.min
    private var frames: [DrawingTracks.Frame] = []
    private var regions = RegionTracks(place: 1_000_002)
    private var drawings = DrawingTracks(frames: [], place: 0)

    private static let pieceLength = 1 << 18

    init(timeline: FrameTimeline, interval: Nanoseconds) {
      (self.timeline, self.interval) = (timeline, interval)
      tickStarts.reserveCapacity(timeline.ticks.count)
      shown.reserveCapacity(timeline.frames.count)
      findPictures()
    }

    // MARK: - Pieces

    mutating func flush(to output: (UnsafeRawBufferPointer) throws(SystemError) -> Void) throws(SystemError) {
      try events.bytes.withUnsafeBufferPointer { (bytes) throws(SystemError) in try output(UnsafeRawBufferPointer(bytes)) }
      events.removeAll()
    }

    mutating func flushIfFull(to output: (UnsafeRawBufferPointer) throws(SystemError) -> Void) throws(SystemError) {
      if events.bytes.count >= Self.pieceLength { try flush(to: output) }
    }

    mutating func header(title: String, facts: [(name: StaticString, value: String)]) {
      events.append(#"{"displayTimeUnit":"ms","otherData":{"clock":"CLOCK_MONOTONIC in microseconds""#)
      for fact in facts {
        events.append(",\"")
        events.append(fact.name)
        events.append("\":")
        events.append(quoted: fact.value)
      }
      events.append("},\"traceEvents\":[\n")
      events.name(process: title)
      events.name("ticks", track: Track.ticks, place: 0)
      events.name("on screen", track: Track.screen, place: 1_000_000)
      // A recorded file has no activities.
      if !timeline.loop.isEmpty { events.name("loop", track: Track.loop, place: 1_000_001) }
    }

    mutating func end() { events.append("\n]}\n") }

    // MARK: - Ticks

    mutating func add(_ tick: DisplayLink.Tick) {
      // Ticks of one output do not overlap; where a broken display's stamps say so, the later one is cut.
      // A tick may be delivered some microseconds before the stamp of its vblank.
      let start = max(TraceEvents.microseconds(min(tick.timestamp, tick.delivered)), tickEnd)
      tickEnd = max(TraceEvents.microseconds(tick.delivered), start + 1)
      tickStarts[tick.frameNumber] = start
      events.slice(Names.tick, track: Track.ticks, from: start, to: tickEnd) { bytes in
        JSONBytes.append(#""number":"#, to: &bytes)
        JSONBytes.append(Int64(clamping: tick.frameNumber), to: &bytes)
        JSONBytes.append(#","missed":"#, to: &bytes)
        JSONBytes.append(Int64(clamping: tick.missed), to: &bytes)
        JSONBytes.append(#","lateness":"#, to: &bytes)
        JSONBytes.append((tick.delivered - tick.start).count, to: &bytes)
      }
    }

    // MARK: - Frames

    /// Finds how long each picture stood. Pictures follow each other; one that a broken display says was seen no later than the one
    /// before has no time of its own.
    private mutating func findPictures() {
      var last: (index: Int, start: Int64)?
      for (index, frame) in timeline.frames.enumerated() where frame.record.presented != .zero {
        let start = TraceEvents.microseconds(frame.record.presented)
        if let last {
          guard start > last.start else { continue }
          shown[last.index] = last.start..<start
        }
        last = (index, start)
      }
      if let last { shown[last.index] = last.start..<(last.start + max(interval.count / 1000, 1)) }
    }

    mutating func addFrame(_ index: Int) {
      let frame = timeline.frames[index]
      let record = frame.record
      let id = Int64(timeline.frames.dropped + index)

      let due = record.promised ?? record.target
      let expected = span(record.start, due)
      let expectedLane = lane(for: expected, \.expectedEnds)
      if expectedLane.isNew { name("expected frames", Track.expected(expectedLane.number), expectedLane.number, place: 1) }
      events.slice(
        Names.expected, track: Track.expected(expectedLane.number), from: expected.lowerBound, to: expected.upperBound
      ) {
        bytes in
        JSONBytes.append(#""number":"#, to: &bytes)
        JSONBytes.append(Int64(clamping: record.frameNumber), to: &bytes)
      }

      let ready = record.submitted - record.heldBack
      let actual = span(
        record.delivered, record.presented == .zero ? record.submitted : max(record.presented, record.submitted))
      let actualLane = lane(for: actual, \.actualEnds)
      let track = Track.actual(actualLane.number)
      if actualLane.isNew { name("actual frames", track, actualLane.number, place: 500_000) }
      events.slice(Names.actual(frame), track: track, from: actual.lowerBound, to: actual.upperBound) { bytes in
        frame.appendColumns(to: &bytes)
      }

      let (animate, diff) = (record.phases[.animate], record.phases[.diff])
      let committed = ready - record.phases[.present] - record.phases[.composite] - diff - animate
      frames.append(
        DrawingTracks.Frame(span: actual, committed: TraceEvents.microseconds(committed), track: track))

      // The flow: where it begins and ends depends on what is known of the frame.
      let tick = record.promised == nil ? nil : tickStarts[record.frameNumber]
      let picture = shown[index]
      if let tick { events.flow(id, .begin, track: Track.ticks, at: tick) }
      if tick != nil || picture != nil {
        events.flow(id, tick == nil ? .begin : picture == nil ? .end : .middle, track: track, at: actual.lowerBound)
      }
      addPhases(of: record, ready: ready, within: actual, track: track)
      if let picture {
        events.slice(Names.picture, track: Track.screen, from: picture.lowerBound, to: picture.upperBound) { bytes in
          JSONBytes.append(#""number":"#, to: &bytes)
          JSONBytes.append(Int64(clamping: record.frameNumber), to: &bytes)
        }
        events.flow(id, .end, track: Track.screen, at: picture.lowerBound)
      }
      addCounters(of: frame)
    }

    private mutating func addPhases(of record: FrameRecord, ready: MonotonicTime, within frame: Range<Int64>, track: Int64) {
      var cursor = frame.lowerBound
      func add(_ name: [UInt8], from start: Int64, to end: Int64, _ duration: Nanoseconds) {
        let start = min(max(start, cursor), frame.upperBound)
        let end = min(max(end, start), frame.upperBound)
        events.slice(name, track: track, from: start, to: end) { bytes in
          JSONBytes.append(#""ns":"#, to: &bytes)
          JSONBytes.append(duration.count, to: &bytes)
        }
        cursor = end
      }
      var time = record.delivered
      for (phase, name) in zip(FrameRecord.Phase.allCases, Names.phases) {
        let duration = record.phases[phase]
        if phase == .layout { time = ready - (record.work - record.phases[.input] - record.phases[.callbacks]) }
        guard duration > .zero else { continue }
        add(name, from: TraceEvents.microseconds(time), to: TraceEvents.microseconds(time + duration), duration)
        time += duration
      }
      let submitted = TraceEvents.microseconds(record.submitted)
      if record.heldBack > .zero {
        add(Names.heldBack, from: TraceEvents.microseconds(ready), to: submitted, record.heldBack)
      }
      guard record.presented > record.submitted else { return }
      add(
        Names.waiting, from: submitted, to: TraceEvents.microseconds(record.presented), record.presented - record.submitted)
    }

    private mutating func addCounters(of frame: LoggedFrame) {
      let record = frame.record
      let submitted = TraceEvents.microseconds(record.submitted)
      events.counter("work ms", at: submitted) { JSONBytes.appendMilliseconds(record.work, to: &$0) }
      events.counter("painted pixels", at: submitted) { JSONBytes.append(Int64(record.paintedPixels), to: &$0) }
      guard record.presented != .zero else { return }
      events.counter("late ms", at: TraceEvents.microseconds(record.presented)) {
        JSONBytes.appendMilliseconds(frame.causes == nil ? .zero : record.lateness, to: &$0)
      }
    }

    /// A span of a microsecond at least: a flow is bound to a slice that has a length.
    private func span(_ start: MonotonicTime, _ end: MonotonicTime) -> Range<Int64> {
      let start = TraceEvents.microseconds(start)
      return start..<max(TraceEvents.microseconds(end), start + 1)
    }

    /// The first track on which nothing overlaps the span.
    private mutating func lane(
      for span: Range<Int64>, _ ends: WritableKeyPath<Writer, [Int64]>
    ) -> (number: Int, isNew: Bool) {
      if let free = self[keyPath: ends].firstIndex(where: { $0 <= span.lowerBound }) {
        self[keyPath: ends][free] = span.upperBound
        return (free, false)
      }
      self[keyPath: ends].append(span.upperBound)
      return (self[keyPath: ends].count - 1, true)
    }

    private mutating func name(_ name: String, _ track: Int64, _ lane: Int, place: Int64) {
      events.name(lane == 0 ? name : "\(name) \(lane + 1)", track: track, place: place + Int64(lane))
    }

    // MARK: - Regions and drawings

    mutating func add(_ region: Region) { regions.add(region, to: &events) }

    mutating func beginDrawings() { drawings = DrawingTracks(frames: frames, place: 2_000_000) }

    mutating func add(_ drawing: FrameTimeline.Drawing) { drawings.add(drawing, to: &events) }

    // MARK: - Loop

    mutating func beginLoop() {
      guard let first = timeline.loop.first else { return }
      loopTime = TraceEvents.microseconds(first.time)
      for mode in timeline.modesBefore { open(mode) }
    }

    mutating func add(_ event: FrameTimeline.LoopEvent) {
      loopTime = max(TraceEvents.microseconds(event.time), loopTime)
      switch event.activity {
      case .entered(let mode): open(mode)
      case .sleeps:
        events.beginSlice(Names.asleep, track: Track.loop, at: loopTime)
        loopStack.append(true)
      case .wakes: if loopStack.last == true { close() }
      case .left:
        if loopStack.last == true { close() }
        if loopStack.last == false { close() }
      }
    }

    mutating func endLoop() {
      while loopStack.popLast() != nil { events.endSlice(track: Track.loop, at: loopTime) }
    }

    private mutating func open(_ mode: String) {
      events.beginSlice(Names.quoted("mode \(mode)"), track: Track.loop, at: loopTime)
      loopStack.append(false)
    }

    private mutating func close() {
      loopStack.removeLast()
      events.endSlice(track: Track.loop, at: loopTime)
    }
  }

  /// Names of slices, with their quotes.
  private enum Names {
    static let tick = quoted("tick")
    static let expected = quoted("expected")
    static let picture = quoted("picture")
    static let heldBack = quoted("held back")
    static let waiting = quoted("waits for its vblank")
    static let asleep = quoted("asleep")
    static let phases = FrameRecord.Phase.allCases.map { quoted($0.name) }
    private static let inTime = quoted("in time")

    /// "in time", "late: display", or what became of a frame that was not seen.
    static func actual(_ frame: LoggedFrame) -> [UInt8] {
      if let cause = frame.causes?.main { return quoted("late: \(cause.name)") }
      if frame.outcome == .presented { return inTime }
      return quoted(frame.outcome.rawValue)
    }

    static func quoted(_ text: String) -> [UInt8] {
      var bytes: [UInt8] = []
      JSONBytes.append(quoted: text, to: &bytes)
      return bytes
    }
  }
}
