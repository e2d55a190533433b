package import FrameTiming
import LinuxSystem
package import Metering

/// The frames that a program recorded, as `FRAMEPACE_PROFILE` writes it and `framepace profile FILE` reads it.
///
/// A file has a JSON value a line. The first is an object with all but the lists, and with the names of the columns of frames and ticks. The
/// others are arrays: an event of the output (`tick`, `committed`, `presented`, `lost`, `discarded`, `idle`, `refused`) with its columns,
/// `stopped` with the end of a stop of the process, before the first event after it, a `region` with name, begin, end and thread, a `layer`
/// with number, name, work, times, pixels, time and maximum, a `worst` frame with number, `submitted`, width, height, the left, top, width and
/// height of each rectangle of its damage, and the number, 1 for layout, and time of each of its slowest layers. Times are nanoseconds
/// of the loop's clock.
package struct RecordedProfile: Sendable {
  /// The name of the program's file.
  package var program: String
  /// The scene that the program showed; nil for a program that shows one thing.
  package var scene: String?
  package var display: String
  package var clock: String
  package var width: Int
  package var height: Int
  package var refreshRate: RefreshRate
  package var environment: RunEnvironment
  /// When the recording began; nil in files of earlier programs.
  package var began: ClockReading?
  /// The end of the run, or of what was recorded of it; nil in files of earlier programs.
  package var ended: MonotonicTime?
  /// The events of the first output that are kept, the oldest first.
  package var events: [FrameEvent] = []
  /// The number of events before them, which are not.
  package var lostEvents = 0
  /// The phases that the program that wrote the file did not know: their times are in others.
  package var missingPhases: [FrameRecord.Phase] = []
  /// The last stops of the process.
  package var stops: [FrameLog.Stop] = []
  package var regions: [Region] = []
  package var lostRegions = 0
  package var layers: [LayerCosts.Row] = []
  /// The damage and the layers of the worst frames.
  package var details: [FrameDetail] = []
  /// The end of the file, if it ended within a line, which was left out.
  package var cut: CutText.End?

  package init(
    program: String, display: String, clock: String, width: Int, height: Int, refreshRate: RefreshRate,
    environment: RunEnvironment
  ) {
    (self.program, self.display, self.clock) = (program, display, clock)
    (self.width, self.height, self.refreshRate, self.environment) = (width, height, refreshRate, environment)
  }

  /// The scene that the frames show, or else the program.
  package var subject: String { scene ?? program }

  /// The worst of the frames that are kept.
  var worstFrames: [FrameRecord] {
    var profile = PhaseProfile(refreshRate: refreshRate)
    stops.replay(events) { event, resumed in
      profile.resumed = resumed
      if case .presented(let frame) = event { profile.add(frame) }
    }
    return profile.worstFrames.map(\.record)
  }

  // MARK: - Columns

  /// The meaning of a column's numbers, which limits them.
  enum Kind {
    case time
    /// At most a day, so that no sum overflows.
    case duration
    case count

    var range: ClosedRange<Int64> {
      switch self {
      case .time: 0...1 << 60
      case .duration: -86_400_000_000_000...86_400_000_000_000
      case .count: 0...1 << 40
      }
    }
  }

  struct Column<Row> {
    let name: String
    let kind: Kind
    let get: (Row) -> Int64?
    let set: (inout Row, Int64) -> Void

    init(_ name: String, _ kind: Kind, _ get: @escaping (Row) -> Int64?, _ set: @escaping (inout Row, Int64) -> Void) {
      (self.name, self.kind, self.get, self.set) = (name, kind, get, set)
    }

    static func time(_ name: String, _ path: WritableKeyPath<Row, MonotonicTime>) -> Column {
      Column(name, .time, { $0[keyPath: path].nanoseconds }) { $0[keyPath: path] = MonotonicTime(nanoseconds: $1) }
    }

    static func duration(_ name: String, _ path: WritableKeyPath<Row, Nanoseconds>) -> Column {
      Column(name, .duration, { $0[keyPath: path].count }) { $0[keyPath: path] = Nanoseconds($1) }
    }

    static func count(_ name: String, _ path: WritableKeyPath<Row, Int>) -> Column {
      Column(name, .count, { Int64($0[keyPath: path]) }) { $0[keyPath: path] = Int($1) }
    }

    static func number(_ name: String, _ path: WritableKeyPath<Row, UInt64>) -> Column {
      Column(name, .count, { Int64(clamping: $0[keyPath: path]) }) { $0[keyPath: path] = UInt64($1) }
    }

    static func truth(_ name: String, _ path: WritableKeyPath<Row, Bool>) -> Column {
      Column(name, .count, { $0[keyPath: path] ? 1 : 0 }) { $0[keyPath: path] = $1 != 0 }
    }
  }

  static var frameColumns: [Column<FrameRecord>] {
    let phases = FrameRecord.Phase.allCases.map { phase in
      Column<FrameRecord>(phase.column, .duration, { $0.phases[phase].count }) { $0.phases[phase] = Nanoseconds($1) }
    }
    let places: [Column<FrameRecord>] = [
      .number("number", \.frameNumber), .time("tick", \.tickTimestamp),
      Column("promised", .time, { $0.promised?.nanoseconds }) { $0.promised = MonotonicTime(nanoseconds: $1) },
      .time("target", \.target), .truth("targetKnown", \.isTargetKnown), .time("animationTime", \.animationTime),
      .time("start", \.start), .time("delivered", \.delivered), .duration("missed", \.missedTime),
      .count("intervalsPerTick", \.intervalsPerTick), .duration("lostVBlanks", \.lostVBlankTime),
      .duration("missedWait", \.missedWait), .time("submitted", \.submitted), .duration("heldBack", \.heldBack),
      Column("inputArrival", .time, { $0.input?.nanoseconds }) { $0.input = MonotonicTime(nanoseconds: $1) },
      .time("presented", \.presented), .truth("presentedKnown", \.isPresentedKnown),
    ]
    let counts: [Column<FrameRecord>] = [
      .count("paintedPixels", \.paintedPixels), .count("damagePixels", \.damagePixels),
      .count("dirtyLayers", \.dirtyLayers), .count("laidOutLayers", \.laidOutLayers),
      .count("drawnLayers", \.drawnLayers), .count("missedPictures", \.missedPictures),
      .count("layerPixels", \.layerPixels),
    ]
    let times: [Column<FrameRecord>] = [
      Column("processorTime", .duration, { $0.processorTime?.count }) { $0.processorTime = Nanoseconds($1) },
      .duration("runDelay", \.runDelay), .duration("startDelay", \.startDelay), .duration("pictureTime", \.pictureTime),
    ]
    return places + phases + counts + times + slowestLayerColumns
  }

  private static var slowestLayerColumns: [Column<FrameRecord>] {
    typealias LayerTime = FrameRecord.LayerTime
    return [
      Column("slowestLayer", .count, { $0.slowestLayer.map { Int64($0.layer) } }) { frame, layer in
        frame.slowestLayer = LayerTime(layer: UInt32(clamping: layer), phase: .display, time: .zero)
      },
      Column("slowestLayerIsLaidOut", .count, { $0.slowestLayer.map { $0.phase == .layout ? 1 : 0 } }) { frame, value in
        frame.slowestLayer?.phase = value != 0 ? .layout : .display
      },
      Column("slowestLayerTime", .duration, { $0.slowestLayer?.time.count }) { frame, time in
        frame.slowestLayer?.time = Nanoseconds(time)
      },
    ]
  }

  static var tickColumns: [Column<DisplayLink.Tick>] {
    [
      .time("timestamp", \.timestamp), .time("target", \.targetTimestamp), .time("nextVBlank", \.nextVBlank),
      .duration("duration", \.duration), .truth("isVariable", \.isVariable), .number("number", \.frameNumber),
      .time("start", \.start), .time("delivered", \.delivered), .number("missed", \.missed),
      .count("intervalsPerTick", \.intervalsPerTick), .number("lostVBlanks", \.lostVBlanks), .time("requested", \.requested),
      .number("unknownIntervals", \.unknownIntervals),
    ]
  }
}

extension RecordedProfile {
  // MARK: - Writing

  /// The bytes of the file.
  package var bytes: [UInt8] {
    var text = Text()
    let (frames, ticks) = (Self.frameColumns, Self.tickColumns)
    text.raw("{\"framepaceProfile\":1")
    for (key, value) in [
      ("program", program), ("display", display), ("clock", clock), ("processor", environment.processor),
      ("kernel", environment.kernel), ("build", environment.build), ("version", environment.version),
    ] {
      text.raw(",\"\(key)\":")
      text.quoted(value)
    }
    for (key, value) in [
      ("width", width), ("height", height), ("cores", environment.cores), ("lostEvents", lostEvents),
      ("lostRegions", lostRegions), ("refreshNumerator", Int(refreshRate.numerator)),
      ("refreshDenominator", Int(refreshRate.denominator)),
    ] { text.raw(",\"\(key)\":\(value)") }
    if let scene {
      text.raw(",\"scene\":")
      text.quoted(scene)
    }
    if let began {
      text.raw(",\"realTime\":\(began.wall.count),\"loopTime\":\(began.loop.nanoseconds)")
    }
    if let ended { text.raw(",\"endTime\":\(ended.nanoseconds)") }
    text.raw(",\"frame\":[\(frames.map { "\"\($0.name)\"" }.joined(separator: ","))]")
    text.raw(",\"tick\":[\(ticks.map { "\"\($0.name)\"" }.joined(separator: ","))]}\n")
    var nextStops = stops[...]
    for (index, event) in events.enumerated() {
      while let stop = nextStops.first, stop.index <= index {
        text.raw("[\"stopped\",\(stop.end.nanoseconds)]\n")
        nextStops.removeFirst()
      }
      switch event {
      case .tick(let tick): text.row("tick", tick, ticks)
      case .committed(let frame): text.row("committed", frame, frames)
      case .presented(let frame): text.row("presented", frame, frames)
      case .lost(let frame): text.row("lost", frame, frames)
      case .discarded(let frame): text.row("discarded", frame, frames)
      case .idle: text.raw("[\"idle\"]\n")
      case .refused: text.raw("[\"refused\"]\n")
      }
    }
    for region in regions {
      text.raw("[\"region\",")
      text.quoted(region.name)
      text.raw(",\(region.begin.nanoseconds),\(region.end.nanoseconds),\(region.thread)]\n")
    }
    for row in layers {
      text.raw("[\"layer\",\(row.id),")
      text.quoted(row.layer)
      text.raw(",\"\(row.work.name)\",\(row.count),\(row.pixels),\(row.time.count),\(row.maximum.count)]\n")
    }
    for detail in details {
      let rects = detail.damage.map { "\($0.minX),\($0.minY),\($0.width),\($0.height)" }
      let layers = detail.layers.map { "\($0.layer),\($0.phase == .layout ? 1 : 0),\($0.time.count)" }
      text.raw("[\"worst\",\(detail.frameNumber),\(detail.submitted.nanoseconds),\(detail.width),\(detail.height),")
      text.raw("[\(rects.joined(separator: ","))],[\(layers.joined(separator: ","))]]\n")
    }
    return text.bytes
  }

  private struct Text {
    var bytes: [UInt8] = []

    mutating func raw(_ text: String) { bytes += text.utf8 }

    mutating func quoted(_ text: String) {
      bytes.append(UInt8(ascii: "\""))
      for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
        case 0..<32: bytes += "\\u00\(byte < 16 ? "0" : "1")\(String(byte & 15, radix: 16))".utf8
        default: bytes.append(byte)
        }
      }
      bytes.append(UInt8(ascii: "\""))
    }

    mutating func row<Row>(_ name: String, _ row: Row, _ columns: [Column<Row>]) {
      raw("[\"\(name)\"")
      for column in columns {
        bytes.append(UInt8(ascii: ","))
        raw(column.get(row).map(String.init) ?? "null")
      }
      raw("]\n")
    }
  }
}
