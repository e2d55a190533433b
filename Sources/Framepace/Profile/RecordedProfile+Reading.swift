import FrameTiming
import Geometry
import LinuxSystem
package import Metering

extension RecordedProfile {
  /// True if a file begins as one of these does.
  package static func isOne(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "{\"framepaceProfile\":".utf8) }

  /// Reads a file. Whatever is in it, no figure that is computed from it overflows. A last line that is cut is left out.
  package init(_ bytes: [UInt8]) throws(CaptureError) {
    let read = try bytes.withUnsafeBufferPointer { bytes throws(CaptureError) in
      try CutText.read(bytes, line: \.line, as: Self.read)
    }
    self = read.value
    cut = read.cut
  }

  private static func read(_ bytes: UnsafeBufferPointer<UInt8>) throws(CaptureError) -> RecordedProfile {
    var reader = JSONReader(bytes)
    let header = try header(&reader)
    var profile = header.profile
    var rows = Rows(reader: reader, frames: frameColumns.placed(header.frames), ticks: tickColumns.placed(header.ticks))
    try rows.read(into: &profile)
    return profile
  }

  private static func header(_ reader: inout JSONReader) throws(CaptureError) -> (
    profile: RecordedProfile, frames: [String], ticks: [String]
  ) {
    guard let header = try reader.next(), header["framepaceProfile"]?.integer != nil else {
      throw reader.error(expected: "an object with 'framepaceProfile' before this place is")
    }
    func missing(_ key: String) -> CaptureError {
      reader.error(expected: "an object with a fitting '\(key)' before this place is")
    }
    func text(_ key: String) throws(CaptureError) -> String {
      guard let text = header[key]?.string else { throw missing(key) }
      return text
    }
    func count(_ key: String, _ range: ClosedRange<Int64> = 0...1 << 40) throws(CaptureError) -> Int {
      guard let count = header[key]?.integer, range.contains(count) else { throw missing(key) }
      return Int(count)
    }
    func columns(_ key: String) throws(CaptureError) -> [String] {
      guard let names = header[key]?.elements?.map({ $0.string ?? "" }) else { throw missing(key) }
      return names
    }
    let numerator = try count("refreshNumerator", 1...1 << 40), denominator = try count("refreshDenominator", 1...1 << 40)
    // From a refresh in a second to a thousand.
    guard numerator >= denominator, numerator / denominator <= 1000,
      let rate = RefreshRate(numerator: Int64(numerator), denominator: Int64(denominator))
    else { throw missing("refreshNumerator") }
    var profile = RecordedProfile(
      program: try text("program"), display: try text("display"), clock: try text("clock"),
      width: try count("width", 1...65_536), height: try count("height", 1...65_536), refreshRate: rate,
      environment: RunEnvironment(
        processor: try text("processor"), cores: try count("cores"), kernel: try text("kernel"),
        build: try text("build"), version: try text("version")))
    if header["scene"] != nil { profile.scene = try text("scene") }
    if header["realTime"] != nil {
      profile.began = ClockReading(
        wall: Nanoseconds(Int64(try count("realTime", 0...1 << 62))),
        loop: MonotonicTime(nanoseconds: Int64(try count("loopTime", 0...1 << 60))))
    }
    if header["endTime"] != nil { profile.ended = MonotonicTime(nanoseconds: Int64(try count("endTime", 0...1 << 60))) }
    profile.lostEvents = try count("lostEvents")
    profile.lostRegions = try count("lostRegions")
    let frames = Self.presentNames(try columns("frame"))
    profile.missingPhases = FrameRecord.Phase.allCases.filter { !frames.contains($0.column) }
    return (profile, frames, try columns("tick"))
  }
}

extension RecordedProfile {
  /// The names of columns as they are now. Earlier programs gave the arrival of input the name that its phase has since then.
  fileprivate static func presentNames(_ names: [String]) -> [String] {
    if names.contains("inputArrival") { return names }
    return names.map { $0 == "input" ? "inputArrival" : $0 == "inputDelivery" ? "input" : $0 }
  }
}

extension Array {
  /// The columns of this program at the places that they have in a file; nil for those of another program.
  fileprivate func placed<Row>(_ names: [String]) -> [RecordedProfile.Column<Row>?]
  where Element == RecordedProfile.Column<Row> {
    names.map { name in first { $0.name == name } }
  }
}

/// Reads the rows after the header.
private struct Rows {
  var reader: JSONReader
  let frames: [RecordedProfile.Column<FrameRecord>?]
  let ticks: [RecordedProfile.Column<DisplayLink.Tick>?]
  /// The last vblank that showed a frame, and the last tick: both only grow.
  private var lastPresented = MonotonicTime.zero
  private var lastTick: (number: UInt64, time: MonotonicTime) = (0, .zero)

  init(
    reader: JSONReader, frames: [RecordedProfile.Column<FrameRecord>?],
    ticks: [RecordedProfile.Column<DisplayLink.Tick>?]
  ) {
    (self.reader, self.frames, self.ticks) = (reader, frames, ticks)
  }

  mutating func read(into profile: inout RecordedProfile) throws(CaptureError) {
    // Intervals times numbers stay below 2⁶⁰ ns.
    let mostIntervals = UInt64((1 << 60) / profile.refreshRate.interval.count)
    while let row = try reader.next() {
      guard let cells = row.elements, let kind = cells.first?.string else { throw wrong("an array that begins with a name") }
      switch kind {
      case "tick":
        var tick = DisplayLink.Tick(
          timestamp: .zero, targetTimestamp: .zero, duration: .zero, frameNumber: 0, delivered: .zero, missed: 0)
        try fill(&tick, cells, ticks)
        guard tick.frameNumber <= mostIntervals, tick.missed <= tick.frameNumber,
          tick.frameNumber >= lastTick.number, tick.timestamp >= lastTick.time,
          1...4096 ~= tick.intervalsPerTick, day(tick.delivered - tick.start)
        else { throw wrong("a tick after the one before it") }
        lastTick = (tick.frameNumber, tick.timestamp)
        profile.events.append(.tick(tick))
      case "committed": profile.events.append(.committed(try frame(cells, mostIntervals)))
      case "lost": profile.events.append(.lost(try frame(cells, mostIntervals)))
      case "discarded": profile.events.append(.discarded(try frame(cells, mostIntervals)))
      case "presented":
        let frame = try frame(cells, mostIntervals)
        guard frame.presented >= lastPresented else { throw wrong("a frame that was seen after the one before it") }
        lastPresented = frame.presented
        profile.events.append(.presented(frame))
      case "idle": profile.events.append(.idle)
      case "refused": profile.events.append(.refused(RecordedRefusal()))
      case "stopped": profile.stops.append(FrameLog.Stop(index: profile.events.count, end: try stop(cells)))
      case "region": profile.regions.append(try region(cells))
      case "layer": profile.layers.append(try layer(cells))
      case "worst": profile.details.append(try detail(cells))
      default: break  // A later program's.
      }
    }
  }

  private func frame(_ cells: [JSONTree], _ mostIntervals: UInt64) throws(CaptureError) -> FrameRecord {
    var frame = FrameRecord()
    try fill(&frame, cells, frames)
    let times = [frame.tickTimestamp, frame.target, frame.start, frame.delivered, frame.submitted]
    guard frame.frameNumber <= mostIntervals, frame.phases.total >= .zero,
      times.allSatisfy({ day($0 - frame.delivered) }),
      frame.presented == .zero || day(frame.presented - frame.delivered),
      frame.promised.map({ day($0 - frame.delivered) }) ?? true
    else { throw wrong("a frame whose times are within a day") }
    // An application told it, perhaps by another clock.
    if let input = frame.input, !day(input - frame.delivered) { frame.input = nil }
    return frame
  }

  private func fill<Row>(_ row: inout Row, _ cells: [JSONTree], _ columns: [RecordedProfile.Column<Row>?])
    throws(CaptureError)
  {
    guard cells.count == columns.count + 1 else { throw wrong("an array with \(columns.count) columns after the name") }
    for (cell, column) in zip(cells.dropFirst(), columns) {
      guard let column, cell != .null else { continue }
      guard let value = cell.integer, column.kind.range.contains(value) else {
        throw wrong("an array with a fitting '\(column.name)'")
      }
      column.set(&row, value)
    }
  }

  private func stop(_ cells: [JSONTree]) throws(CaptureError) -> MonotonicTime {
    guard cells.count >= 2, let end = cells[1].integer, RecordedProfile.Kind.time.range.contains(end) else {
      throw wrong("a stop with its end")
    }
    return MonotonicTime(nanoseconds: end)
  }

  private func region(_ cells: [JSONTree]) throws(CaptureError) -> Region {
    let times = cells.dropFirst(2).prefix(2).compactMap(\.integer).filter(RecordedProfile.Kind.time.range.contains)
    guard cells.count >= 5, let name = cells[1].string, times.count == 2, let thread = cells[4].integer,
      0...1 << 20 ~= thread, day(Nanoseconds(times[1] - times[0])), times[1] >= times[0]
    else { throw wrong("a region with name, begin, end and thread") }
    return Region(
      name: name, begin: MonotonicTime(nanoseconds: times[0]), end: MonotonicTime(nanoseconds: times[1]),
      thread: Int(thread))
  }

  private func layer(_ cells: [JSONTree]) throws(CaptureError) -> LayerCosts.Row {
    let numbers = cells.dropFirst(4).compactMap(\.integer)
    guard cells.count >= 8, numbers.count == cells.count - 4, numbers.allSatisfy({ 0...1 << 60 ~= $0 }),
      let id = cells[1].integer, let name = cells[2].string, let work = cells[3].string.flatMap(LayerCosts.Work.init(named:))
    else { throw wrong("a layer with number, name, work, times, pixels, time and maximum") }
    return LayerCosts.Row(
      id: UInt32(clamping: id), layer: name, work: work, count: Int(numbers[0]), pixels: Int(numbers[1]),
      time: Nanoseconds(numbers[2]), maximum: Nanoseconds(numbers[3]))
  }

  private func detail(_ cells: [JSONTree]) throws(CaptureError) -> FrameDetail {
    func numbers(_ index: Int, by stride: Int, _ range: ClosedRange<Int64>) -> [[Int64]]? {
      guard let numbers = cells[index].elements?.map({ $0.integer ?? .min }), numbers.count % stride == 0,
        numbers.allSatisfy(range.contains)
      else { return nil }
      return Swift.stride(from: 0, to: numbers.count, by: stride).map { Array(numbers[$0..<$0 + stride]) }
    }
    let place = cells.dropFirst().prefix(4).compactMap(\.integer)
    guard cells.count >= 7, place.count == 4, RecordedProfile.Kind.count.range.contains(place[0]),
      place[2...].allSatisfy({ 1...65_536 ~= $0 }), let rects = numbers(5, by: 4, 0...65_536),
      let layers = numbers(6, by: 3, 0...RecordedProfile.Kind.duration.range.upperBound)
    else { throw wrong("a frame with number, time, size, rectangles and layers") }
    var frame = FrameRecord()
    (frame.frameNumber, frame.submitted) = (UInt64(place[0]), MonotonicTime(nanoseconds: place[1]))
    return FrameDetail(
      of: frame, width: Int(place[2]), height: Int(place[3]),
      damage: rects.map { IntRect(x: Int($0[0]), y: Int($0[1]), width: Int($0[2]), height: Int($0[3])) },
      layers: layers.map {
        FrameRecord.LayerTime(
          layer: UInt32(clamping: $0[0]), phase: $0[1] != 0 ? .layout : .display, time: Nanoseconds($0[2]))
      })
  }

  private func day(_ time: Nanoseconds) -> Bool { RecordedProfile.Kind.duration.range.contains(time.count) }

  private func wrong(_ expected: String) -> CaptureError { reader.error(expected: "\(expected) before this place is") }
}

/// Stands for the error of a display in another program.
private struct RecordedRefusal: Error {}
