import Foundation
import FrameTiming
import LinuxSystem
import Metering
import TestLength
import Testing

/// The trace of a run: numbers worked by hand, the rules of the format for any run, and a checker that finds what is wrong.
@Suite struct FrameTraceTests {
  private static let interval = Nanoseconds.milliseconds(10)

  private static func time(_ microseconds: Int64) -> MonotonicTime { .zero + .microseconds(microseconds) }

  /// A frame of the tick at `number` times 10 ms: 1 ms of callbacks and 2 ms of composite, handed over after 4 ms.
  private static func frame(
    _ number: UInt64, presentedAfter intervals: Int64? = 1, _ change: (inout FrameRecord) -> Void = { _ in }
  ) -> LoggedFrame {
    var record = FrameRecord()
    record.frameNumber = number
    record.tickTimestamp = time(Int64(number) * 10_000)
    record.start = record.tickTimestamp
    record.promised = record.tickTimestamp + interval
    record.target = record.tickTimestamp + interval
    record.delivered = record.tickTimestamp + .microseconds(100)
    record.submitted = record.tickTimestamp + .milliseconds(4)
    if let intervals { record.presented = record.tickTimestamp + interval * intervals }
    record.phases[.callbacks] = .milliseconds(1)
    record.phases[.composite] = .milliseconds(2)
    record.paintedPixels = 7
    change(&record)
    var frame = LoggedFrame(record: record, outcome: record.presented == .zero ? .discarded : .presented)
    frame.causes = record.causes(interval: interval)
    return frame
  }

  private static func tick(_ number: UInt64, missed: UInt64 = 0) -> DisplayLink.Tick {
    let stamp = time(Int64(number) * 10_000)
    return DisplayLink.Tick(
      timestamp: stamp, targetTimestamp: stamp + interval, duration: interval, frameNumber: number,
      delivered: stamp + .microseconds(100), missed: missed)
  }

  private static func timeline(_ frames: [LoggedFrame], capacity: Int = 1000) -> FrameTimeline {
    var timeline = FrameTimeline(capacity: capacity)
    for frame in frames {
      if frame.record.promised != nil { timeline.add(tick(frame.record.frameNumber)) }
      timeline.add(frame)
    }
    return timeline
  }

  private static func write(_ timeline: FrameTimeline, title: String = "a test") throws -> [UInt8] {
    var bytes: [UInt8] = []
    try FrameTrace(title: title, facts: [("scene", title)], timeline: timeline, interval: interval)
      .write { (piece) throws(SystemError) in bytes += piece }
    return bytes
  }

  private func text(_ slices: [TraceChecker.Slice]) -> [String] {
    slices.map { "\($0.name) \($0.start)-\($0.end)" }
  }

  // MARK: - By hand

  @Test func aFrameInTimeAndALateOne() throws {
    let late = Self.frame(2, presentedAfter: 3) { record in
      record.phases[.composite] = .milliseconds(12)
      record.submitted = record.tickTimestamp + .milliseconds(14)
      record.heldBack = .microseconds(500)
    }
    let trace = TraceChecker(try Self.write(Self.timeline([Self.frame(1), late])))
    #expect(trace.violations == [])
    #expect(trace.process == "a test")
    #expect(text(trace.slices(of: "ticks")) == ["tick 10000-10100", "tick 20000-20100"])
    #expect(text(trace.slices(of: "expected frames")) == ["expected 10000-20000", "expected 20000-30000"])
    #expect(text(trace.slices(of: "actual frames", depth: 0)) == ["in time 10100-20000", "late: composite 20100-50000"])
    #expect(
      text(trace.slices(of: "actual frames", depth: 1)) == [
        "callbacks 10100-11100", "composite 12000-14000", "waits for its vblank 14000-20000",
        "callbacks 20100-21100", "composite 21500-33500", "held back 33500-34000", "waits for its vblank 34000-50000",
      ])
    #expect(text(trace.slices(of: "on screen")) == ["picture 20000-50000", "picture 50000-60000"])
    #expect(trace.counters["work ms"] == [3, 13] && trace.counters["late ms"] == [0, 20])
    #expect(trace.counters["painted pixels"] == [7, 7])
    #expect(trace.flows.count == 2)
    #expect(trace.flows[1]?.steps.map(\.time) == [20_000, 20_100, 50_000])
    #expect(trace.slices(of: "actual frames", depth: 0)[1].arguments["lateness"] as? Int == 20_000_000)
  }

  /// A frame that is never seen has a flow from its tick to its work; one that no tick asked for, from its work to its vblank.
  @Test func flowsOfFramesWithoutATickOrAVBlank() throws {
    let untold = Self.frame(2) { $0.promised = nil }
    let neither = Self.frame(3, presentedAfter: nil) { $0.promised = nil }
    let trace = TraceChecker(try Self.write(Self.timeline([Self.frame(1, presentedAfter: nil), untold, neither])))
    #expect(trace.violations == [])
    let tracks = trace.flows.mapValues { flow in flow.steps.map { trace.tracks[$0.track] ?? "" } }
    #expect(tracks == [0: ["ticks", "actual frames"], 1: ["actual frames", "on screen"]])
    #expect(text(trace.slices(of: "actual frames", depth: 0)).first == "discarded 10100-14000")
  }

  @Test func theLoopsModesAndItsSleep() throws {
    var timeline = Self.timeline([Self.frame(1)], capacity: 1)
    func add(_ activity: FrameTimeline.LoopActivity, _ time: Int64) { timeline.add(activity, at: Self.time(time)) }
    add(.entered(mode: "default"), 0)
    add(.sleeps, 10)
    add(.wakes, 30)
    add(.entered(mode: "tracking"), 40)
    add(.sleeps, 50)
    add(.wakes, 60)
    add(.left, 70)
    add(.sleeps, 80)
    var trace = TraceChecker(try Self.write(timeline))
    #expect(trace.violations == [])
    #expect(
      text(trace.slices(of: "loop")) == [
        "mode default 0-80", "asleep 10-30", "mode tracking 40-70", "asleep 50-60", "asleep 80-80",
      ])
    // There is room for eight: the first two go, and the mode is remembered.
    add(.wakes, 90)
    add(.left, 95)
    trace = TraceChecker(try Self.write(timeline))
    #expect(trace.violations == [])
    #expect(
      trace.slices(of: "loop").map { "\($0.name) \($0.start)-\($0.end) \($0.depth)" } == [
        "mode default 30-95 0", "mode tracking 40-70 1", "asleep 50-60 2", "asleep 80-90 1",
      ])
  }

  private static func drawing(_ layer: String, _ requested: Int64, _ work: Range<Int64>, shown: Int64?)
    -> FrameTimeline.Drawing
  {
    FrameTimeline.Drawing(
      layer: layer, requested: time(requested), begun: time(work.lowerBound), ended: time(work.upperBound),
      shown: shown.map { time($0) })
  }

  /// Drawings that overlap are on two tracks. The first is requested in the commit of frame 1 and shown by frame 2, which is begun later; the
  /// second was superseded; of the third no frame is known.
  @Test func drawingsOfWorkers() throws {
    var timeline = Self.timeline([Self.frame(1), Self.frame(2)])
    timeline.drawings = [
      Self.drawing("b", 11_500, 13_000..<17_000, shown: nil), Self.drawing("a", 11_000, 12_500..<15_000, shown: 18_000),
      Self.drawing("c", 35_000, 35_000..<35_000, shown: 36_000),
    ]
    let trace = TraceChecker(try Self.write(timeline))
    #expect(trace.violations == [])
    let slices = trace.slices(of: "workers").map { "\(trace.tracks[$0.track] ?? ""): \($0.name) \($0.start)-\($0.end)" }
    #expect(slices == ["workers: a 12500-15000", "workers 2: b 13000-17000", "workers: c 35000-35001"])
    let flows = trace.drawingFlows.mapValues { flow in flow.steps.map { "\(trace.tracks[$0.track] ?? "") \($0.time)" } }
    #expect(
      flows == [
        1: ["actual frames 11000", "workers 12500", "actual frames 20100"],
        2: ["actual frames 11500", "workers 2 13000"],
      ])
    #expect(trace.slices(of: "workers")[1].arguments["shown"] as? Bool == false)
    #expect(trace.slices(of: "workers")[0].arguments["waitedNs"] as? Int == 1_500_000)
  }

  /// Regions lie in each other on their thread's track; one that a broken file lets end after the one around it is cut.
  @Test func regionsOfTheApplication() throws {
    var timeline = Self.timeline([Self.frame(1)])
    func add(_ name: String, _ time: Range<Int64>, thread: Int = 0) {
      timeline.add(
        Region(name: name, begin: Self.time(time.lowerBound), end: Self.time(time.upperBound), thread: thread))
    }
    add("inner", 10..<20)
    add("broken", 15..<50)
    add("outer", 10..<30)
    add("decode \"1\"", 12..<80, thread: 2)
    add("next", 30..<40)
    let trace = TraceChecker(try Self.write(timeline))
    #expect(trace.violations == [])
    #expect(
      trace.slices(of: "regions").map { "\($0.track % 10) \($0.name) \($0.start)-\($0.end) \($0.depth)" } == [
        "0 outer 10-30 0", "0 inner 10-20 1", "2 decode \"1\" 12-80 0", "0 broken 15-20 2", "0 next 30-40 0",
      ])
    #expect(trace.tracks.values.contains("regions of thread 3"))
  }

  @Test func framesThatFindNoRoomAreLeftOut() throws {
    let timeline = Self.timeline((1...10).map { Self.frame($0) }, capacity: 4)
    #expect(timeline.frames.map(\.record.frameNumber) == [7, 8, 9, 10] && timeline.frames.dropped == 6)
    let trace = TraceChecker(try Self.write(timeline))
    #expect(trace.violations == [])
    #expect(trace.flows.keys.sorted() == [6, 7, 8, 9])
  }

  @Test func withoutFrames() throws {
    let trace = TraceChecker(try Self.write(FrameTimeline(capacity: 1)))
    #expect(trace.violations == [] && trace.slices.isEmpty)
  }

  @Test(arguments: ["</script><b>\"\\\n\u{7F}\u{0}", "Ärger \u{2028} 🎉", ""]) func namesAreEscaped(_ name: String) throws {
    let bytes = try Self.write(Self.timeline([Self.frame(1)]), title: name)
    let trace = TraceChecker(bytes)
    #expect(trace.violations == [] && trace.process == name)
    #expect(!bytes.contains(UInt8(ascii: "<")))
  }

  // MARK: - Any run

  /// The format's rules hold whatever a broken display or driver says.
  @Test func recordsOfAnyKind() throws {
    for seed in 0..<UInt64(isLongRun ? 2000 : 100) {
      var random = SplitMix64(seed: seed)
      var timeline = FrameTimeline(capacity: Int.random(in: 1...40, using: &random))
      func any() -> MonotonicTime {
        let reach: Int64 = [3, 1000, 100_000, 100_000_000, 1 << 60][Int.random(in: 0..<5, using: &random)]
        return MonotonicTime(nanoseconds: Int64.random(in: -reach...reach, using: &random))
      }
      var loopTime = MonotonicTime.zero
      for number in 0..<UInt64(50) {
        if Bool.random(using: &random) {
          var tick = Self.tick(number, missed: UInt64.random(in: 0...(.max), using: &random))
          if Bool.random(using: &random) { (tick.timestamp, tick.delivered) = (any(), any()) }
          timeline.add(tick)
        }
        let frame = Self.frame(number, presentedAfter: Bool.random(using: &random) ? 1 : nil) { record in
          if Bool.random(using: &random) { record.promised = Bool.random(using: &random) ? any() : nil }
          if Bool.random(using: &random) { (record.start, record.delivered) = (any(), any()) }
          if Bool.random(using: &random) { (record.submitted, record.heldBack) = (any(), any() - any()) }
          if Bool.random(using: &random) { record.presented = any() }
          if Bool.random(using: &random) { record.phases[.diff] = any() - .zero }
        }
        timeline.add(frame)
        timeline.add(Region(name: "r", begin: any(), end: any(), thread: Int.random(in: 0...2, using: &random)))
        timeline.drawings.append(
          FrameTimeline.Drawing(
            layer: "l", requested: any(), begun: any(), ended: any(), shown: Bool.random(using: &random) ? any() : nil))
        loopTime += .microseconds(Int64.random(in: 0...2, using: &random))
        timeline.add(
          [.entered(mode: "a"), .left, .sleeps, .wakes][Int.random(in: 0..<4, using: &random)], at: loopTime)
      }
      let violations = TraceChecker(try Self.write(timeline)).violations
      // A flow goes back in time where a display's stamps do.
      let broken = violations.filter { !$0.hasSuffix("goes back in time") }
      #expect(broken == [], "seed \(seed)")
      if !broken.isEmpty { return }
    }
  }

  // MARK: - The checker

  /// Changes of a good trace that break it, and a part of the sentence that the checker says.
  private static let mistakes: [(find: String, replace: String, says: String)] = [
    (#""ph":"f""#, #""ph":"t""#, "has the steps"),
    (#""ph":"s""#, #""ph":"t""#, "has the steps"),
    (#""name":"frame","cat":"frame","id":0"#, #""name":"frame","cat":"frame""#, "without id"),
    (#","bp":"e""#, "", "binds to the next slice"),
    (#""ts":10100,"dur":9900"#, #""ts":10100,"dur":2900"#, "ends after"),
    (#""ts":12000,"dur":2000"#, #""ts":12000,"dur":-2000"#, "without a name or a length"),
    (#""ts":12000,"dur":2000"#, #""ts":12000.5,"dur":2000"#, "no whole number"),
    (#""ts":10000,"dur":100,"#, #""ts":10500,"dur":100,"#, "no slice on track"),
    (#""value":3"#, #""value":1e999"#, "no JSON object"),
    (#""value":3"#, #""value":null"#, "is null"),
    (#""name":"expected","args":{"number":1"#, #""name":"expected","args":{"number":3"#, "frames are expected as"),
    (#""ph":"E""#, #""ph":"B","name":"asleep""#, "does not end"),
    (#""ph":"B""#, #""ph":"E""#, "an end without a beginning"),
    (#""name":"thread_name","args":{"name":"loop"}"#, #""name":"thread_name","args":{"name":"ticks"}"#, "one name"),
    (#""name":"thread_name","args":{"name":"loop"}"#, #""name":"other","args":{}"#, "nobody reads"),
    (#""pid":1,"tid":11,"ts":10100"#, #""pid":2,"tid":11,"ts":10100"#, "process 2"),
    (#""ph":"C""#, #""ph":"Q""#, "kind Q"),
    ("\n]}", "\n]", "no JSON object"),
  ]

  @Test func theCheckerFindsMistakes() throws {
    var timeline = Self.timeline([Self.frame(1), Self.frame(2)])
    timeline.add(.entered(mode: "default"), at: Self.time(9_000))
    timeline.add(.left, at: Self.time(30_000))
    let good = String(decoding: try Self.write(timeline), as: UTF8.self)
    #expect(TraceChecker(good.utf8).violations == [])
    for mistake in Self.mistakes {
      let range = try #require(good.range(of: mistake.find), "\(mistake.find)")
      let violations = TraceChecker(good.replacingCharacters(in: range, with: mistake.replace).utf8).violations
      #expect(violations.contains { $0.contains(mistake.says) }, "\(mistake): \(violations)")
    }
  }
}
