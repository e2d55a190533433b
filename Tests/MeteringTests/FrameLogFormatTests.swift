import Foundation
import FrameTiming
import LinuxSystem
import Metering
import Testing

/// The text of a frame log.
@Suite struct FrameLogFormatTests {
  /// A frame with everything that a record can have, or without what may be missing.
  private static func frame(_ random: inout SplitMix64) -> LoggedFrame {
    func time() -> MonotonicTime { MonotonicTime(nanoseconds: Int64.random(in: 1...(1 << 60), using: &random)) }
    func duration() -> Nanoseconds { Nanoseconds(Int64.random(in: -(1 << 40)...(1 << 40), using: &random)) }
    var record = FrameRecord()
    record.frameNumber = UInt64.random(in: 0...(1 << 50), using: &random)
    (record.tickTimestamp, record.target, record.start) = (time(), time(), time())
    (record.delivered, record.submitted, record.heldBack) = (time(), time(), duration())
    (record.missedTime, record.lostVBlankTime, record.missedWait) = (duration(), duration(), duration())
    record.isTargetKnown = Bool.random(using: &random)
    record.paintedPixels = Int.random(in: 0...(1 << 30), using: &random)
    record.damagePixels = Int.random(in: 0...(1 << 30), using: &random)
    if Bool.random(using: &random) {
      (record.processorTime, record.runDelay, record.startDelay) = (duration(), duration(), duration())
    }
    record.dirtyLayers = Int.random(in: 0...1000, using: &random)
    record.laidOutLayers = Int.random(in: 0...1000, using: &random)
    record.drawnLayers = Int.random(in: 0...1000, using: &random)
    record.missedPictures = Int.random(in: 0...1000, using: &random)
    (record.pictureTime, record.layerPixels) = (duration(), Int.random(in: 0...(1 << 30), using: &random))
    for phase in FrameRecord.Phase.allCases { record.phases[phase] = duration() }
    record.intervalsPerTick = Int.random(in: 1...4, using: &random)
    let outcome = LoggedFrame.Outcome.allCases.dropLast().randomElement(using: &random) ?? .pending
    var frame = LoggedFrame(record: record, outcome: outcome)
    frame.toldRate = RefreshRate(numerator: Int64.random(in: 60_000...61_000, using: &random), denominator: 1001)
    if Bool.random(using: &random) { frame.budget = duration() }
    if Bool.random(using: &random) { frame.record.promised = time() }
    if Bool.random(using: &random) { frame.record.input = time() }
    if outcome != .discarded { frame.record.animationTime = time() }
    guard outcome == .presented else { return frame }
    for path in [\RunCounts.intervals, \.missed, \.missedWhileStopped, \.ticks, \.idle, \.early] {
      frame.counts[keyPath: path] = Int.random(in: 0...9, using: &random)
    }
    frame.counts.time = Nanoseconds(Int64.random(in: 0...1 << 40, using: &random))
    frame.counts.hitchTime = Nanoseconds(Int64.random(in: 0...1 << 40, using: &random))
    if random.chance(0.5) { frame.predictionError = Nanoseconds(Int64.random(in: -9_999_999...9_999_999, using: &random)) }
    frame.missedBehindLateFrames = Int.random(in: 0...9, using: &random)
    frame.standstill = FrameRecord.StandstillCause.allCases.randomElement(using: &random).map { cause in
      Standstill(time: duration(), intervals: 3, cause: cause)
    }
    if Bool.random(using: &random) { frame.layerName = "a layer" }
    frame.record.phases[.layout] = .milliseconds(3)
    frame.record.layerTimes.add(
      FrameRecord.LayerTime(
        layer: UInt32.random(in: 0...9, using: &random), phase: .layout,
        time: .milliseconds(Int64.random(in: 1...3, using: &random))))
    (frame.record.presented, frame.record.isPresentedKnown) = (time(), Bool.random(using: &random))
    frame.causes = FrameRecord.Cause.allCases.randomElement(using: &random).map { main in
      FrameRecord.Causes(main: main, other: Bool.random(using: &random) ? .scheduling : nil)
    }
    var next = frame.record
    next.presented += .microseconds(Int64.random(in: 0...1, using: &random))
    next.animationTime += Nanoseconds(Int64.random(in: 0...1, using: &random))
    frame.step = FrameStep(from: frame.record, to: next)
    return frame
  }

  /// The text that each column must have; nil for what is unknown.
  private static func expected(_ frame: LoggedFrame) -> [String: String] {
    let record = frame.record
    var cells: [String: String?] = [
      "number": "\(record.frameNumber)", "outcome": frame.outcome.rawValue,
      "tick": "\(record.tickTimestamp.nanoseconds)", "target": "\(record.target.nanoseconds)",
      "targetKnown": "\(record.isTargetKnown)", "start": "\(record.start.nanoseconds)",
      "missedTime": "\(record.missedTime.count)", "lostVBlankTime": "\(record.lostVBlankTime.count)",
      "missedWait": "\(record.missedWait.count)",
      "delivered": "\(record.delivered.nanoseconds)", "submitted": "\(record.submitted.nanoseconds)",
      "heldBack": "\(record.heldBack.count)", "work": "\(record.work.count)", "paintedPixels": "\(record.paintedPixels)",
      "inputArrival": record.input.map { "\($0.nanoseconds)" },
      "promised": record.promised.map { "\($0.nanoseconds)" }, "cause": frame.causes?.main.name,
      "otherCause": frame.causes?.other?.name,
      "damagePixels": "\(record.damagePixels)",
      "processorTime": record.processorTime.map { "\($0.count)" },
      "runDelay": record.processorTime.map { _ in "\(record.runDelay.count)" },
      "startDelay": record.processorTime.map { _ in "\(record.startDelay.count)" },
      "dirtyLayers": "\(record.dirtyLayers)", "laidOutLayers": "\(record.laidOutLayers)",
      "drawnLayers": "\(record.drawnLayers)", "missedPictures": "\(record.missedPictures)",
      "intervalsPerTick": "\(record.intervalsPerTick)", "missed": "\(frame.counts.missed)",
      "missedWhileStopped": "\(frame.counts.missedWhileStopped)", "intervals": "\(frame.counts.intervals)",
      "ticks": "\(frame.counts.ticks)", "idle": "\(frame.counts.idle)", "early": "\(frame.counts.early)",
      "intervalTime": "\(frame.counts.time.count)", "hitchTime": "\(frame.counts.hitchTime.count)",
      "predictionError": frame.predictionError.map { "\($0.count)" }, "behindLate": "\(frame.missedBehindLateFrames)",
      "standstill": frame.standstill.map { "\($0.intervals)" }, "standstillCause": frame.standstill?.cause.name,
      "layer": frame.blamedLayer.map { "\($0)" }, "layerName": frame.layerName, "budget": frame.budget.map { "\($0.count)" },
      "refreshRate": frame.toldRate.map { $0.denominator == 1 ? "\($0.numerator)" : "\($0.numerator)/\($0.denominator)" },
      "pictureTime": "\(record.pictureTime.count)", "layerPixels": "\(record.layerPixels)",
      "frameInterval": frame.step.map { "\($0.interval.count)" },
      "animationError": frame.step?.animationError.map { "\($0.count)" },
    ]
    for phase in FrameRecord.Phase.allCases {
      cells[phase == .wait ? "asyncWait" : phase.name] = "\(record.phases[phase].count)"
    }
    if frame.outcome != .discarded { cells["animationTime"] = "\(record.animationTime.nanoseconds)" }
    if frame.outcome == .presented {
      cells["presentedKnown"] = "\(record.isPresentedKnown)"
      cells["presented"] = "\(record.presented.nanoseconds)"
      cells["lateness"] = "\(record.lateness.count)"
    }
    return cells.compactMapValues(\.self)
  }

  private static func text(_ frames: [LoggedFrame], _ format: FrameLogFormat) -> String {
    var bytes = format.header
    for frame in frames { format.append(frame, to: &bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A thousand frames come out of either format as they went in, to the nanosecond.
  @Test(arguments: [1, 2] as [UInt64])
  func whatIsWrittenIsRead(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let frames = (0..<1000).map { _ in Self.frame(&random) }
    let csv = Self.text(frames, .csv).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(csv.count == 1002 && csv.last == "")
    #expect(csv[0] == FrameLogFormat.columns.joined(separator: ","))
    let json = Self.text(frames, .jsonl).split(separator: "\n")
    #expect(json.count == 1000)
    for (index, frame) in frames.enumerated() {
      let cells = csv[index + 1].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      #expect(cells.count == FrameLogFormat.columns.count)
      let row = Dictionary(uniqueKeysWithValues: zip(FrameLogFormat.columns, cells)).filter { !$0.value.isEmpty }
      #expect(row == Self.expected(frame), "seed \(seed), frame \(index)")
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(json[index].utf8)) as? [String: Any], "\(json[index])")
      #expect(Set(object.keys) == Set(FrameLogFormat.columns))
      let members = object.filter { !($0.value is NSNull) }.mapValues { value in
        // A Boolean is a number too.
        (value as? String) ?? (value as? NSNumber).map { "\($0)" } ?? ""
      }
      var expected = Self.expected(frame)
      var found = members
      for name in ["targetKnown", "presentedKnown"] {
        expected[name] = expected[name].map { $0 == "true" ? "1" : "0" }
        if let known = object[name] as? Bool { found[name] = known ? "1" : "0" }
      }
      #expect(found == expected, "seed \(seed), frame \(index)")
    }
  }

  @Test func theLinesOfAFrame() {
    var record = FrameRecord()
    record.frameNumber = 7
    record.tickTimestamp = MonotonicTime(nanoseconds: 1_000)
    record.phases[.layout] = Nanoseconds(20)
    let frame = LoggedFrame(record: record, outcome: .discarded)
    #expect(
      Self.text([frame], .csv) == """
        number,outcome,tick,promised,target,targetKnown,animationTime,start,delivered,missedTime,lostVBlankTime,missedWait,\
        submitted,heldBack,inputArrival,presented,presentedKnown,input,callbacks,layout,display,asyncWait,animate,diff,composite,present,work,\
        frameInterval,lateness,cause,otherCause,animationError,paintedPixels,damagePixels,processorTime,runDelay,startDelay,dirtyLayers,laidOutLayers,drawnLayers,\
        missedPictures,pictureTime,layerPixels,intervalsPerTick,predictionError,intervals,intervalTime,missed,missedWhileStopped,ticks,idle,early,hitchTime,standstill,standstillCause,behindLate,layer,layerName,\
        refreshRate,budget
        7,discarded,1000,,0,true,,0,0,0,0,0,0,0,,,,0,0,20,0,0,0,0,0,0,20,,,,,,0,0,,,,0,0,0,0,0,0,1,,0,0,0,0,0,0,0,0,,,0,,,,

        """)
    #expect(
      Self.text([frame], .jsonl) == """
        {"number":7,"outcome":"discarded","tick":1000,"promised":null,"target":0,"targetKnown":true,"animationTime":null,\
        "start":0,"delivered":0,"missedTime":0,"lostVBlankTime":0,"missedWait":0,"submitted":0,"heldBack":0,"inputArrival":null,"presented":null,"presentedKnown":null,"input":0,"callbacks":0,"layout":20,"display":0,\
        "asyncWait":0,"animate":0,"diff":0,\
        "composite":0,"present":0,"work":20,"frameInterval":null,"lateness":null,"cause":null,"otherCause":null,\
        "animationError":null,"paintedPixels":0,"damagePixels":0,"processorTime":null,"runDelay":null,"startDelay":null,\
        "dirtyLayers":0,"laidOutLayers":0,"drawnLayers":0,"missedPictures":0,\
        "pictureTime":0,"layerPixels":0,"intervalsPerTick":1,"predictionError":null,"intervals":0,"intervalTime":0,"missed":0,"missedWhileStopped":0,\
        "ticks":0,"idle":0,"early":0,"hitchTime":0,"standstill":null,\
        "standstillCause":null,"behindLate":0,"layer":null,"layerName":null,"refreshRate":null,"budget":null}

        """)
  }

  /// A layer may have any name; its line is one line.
  @Test func namesOfLayersAreQuoted() throws {
    var frame = LoggedFrame(record: FrameRecord(), outcome: .presented)
    (frame.layerName, frame.toldRate) = ("a, \"b\"\n\\", .hertz60)
    #expect(Self.text([frame], .csv).hasSuffix(",0,,\"a, \"\"b\"\" \\\",60,\n"))
    #expect(
      Self.text([frame], .jsonl).hasSuffix(
        #""layer":null,"layerName":"a, \"b\" \\","refreshRate":"60","budget":null}"# + "\n"))
  }

  /// The line after the last frame has no times of one.
  @Test func theLineWithoutAFrame() {
    var rest = LoggedFrame(record: FrameRecord(), outcome: .noFrame)
    (rest.record.frameNumber, rest.counts.missed, rest.counts.intervals) = (9, 3, 4)
    (rest.toldRate, rest.budget) = (.hertz60, .milliseconds(8))
    let cells = Self.text([rest], .csv).split(separator: "\n").last?.split(separator: ",").map(String.init)
    #expect(cells == ["9", "noFrame", "4", "0", "3", "0", "0", "0", "0", "60", "8000000"])
  }
}
