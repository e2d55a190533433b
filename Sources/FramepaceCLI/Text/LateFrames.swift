import Framepace
import Metering

/// Remembers for each cause the frame of a run that was late by most, and the longest time without a tick that no late frame
/// explains. Each is drawn as a diagram at the end, with the frames around it: those that the meter's log has at that moment.
final class LateFrames {
  /// The subject of a diagram.
  private enum Event {
    case late(FrameRecord, FrameRecord.Causes)
    case missed(DisplayLink.Tick)
    /// The end of a run without late frames.
    case end
  }

  /// A subject with the frames and ticks around it.
  private struct Scene {
    var event: Event
    /// The last events of that moment.
    var log: [FrameEvent]

    var frames: [FrameRecord] { log.compactMap { if case .presented(let frame) = $0 { frame } else { nil } } }
    var ticks: [DisplayLink.Tick] { log.compactMap { if case .tick(let tick) = $0 { tick } else { nil } } }
  }

  /// The number of refresh intervals kept around a late frame.
  private static let memory = 12

  private let start: MonotonicTime
  private let meter: FPSMeter
  private var late: [FrameRecord.Cause: (frame: FrameRecord, scene: Scene)] = [:]
  private var missed: (tick: DisplayLink.Tick, scene: Scene)?
  /// The newest late frame and missed tick, until the next frame completes their surroundings.
  private var freshLate: (frame: FrameRecord, causes: FrameRecord.Causes)?
  private var freshMissed: DisplayLink.Tick?

  /// - Parameters:
  ///   - start: the start of the run.
  ///   - meter: the meter of the run, whose log has the events around a late frame.
  init(start: MonotonicTime, meter: FPSMeter) {
    self.start = start
    self.meter = meter
  }

  /// Call it for each event, after the meter has recorded it.
  ///
  /// - Parameter causes: why the frame was late that has been seen now; nil for everything else.
  func record(_ event: FrameEvent, causes: FrameRecord.Causes?) {
    switch event {
    case .tick(let tick): if tick.missed > missed?.tick.missed ?? 0 { freshMissed = tick }
    case .presented(let frame):
      keepFresh()
      if let causes, frame.lateness > late[causes.main]?.frame.lateness ?? .zero { freshLate = (frame, causes) }
    case .committed, .lost, .discarded, .idle, .refused: break
    }
  }

  private func keepFresh() {
    if let (frame, causes) = freshLate {
      late[causes.main] = (frame, scene(.late(frame, causes)))
      freshLate = nil
    }
    guard let tick = freshMissed else { return }
    let scene = scene(.missed(tick))
    guard let last = scene.frames.last, last.frameNumber >= tick.frameNumber else { return }
    freshMissed = nil
    if !scene.frames.contains(where: { explains($0, tick) }) { missed = (tick, scene) }
  }

  private func scene(_ event: Event) -> Scene {
    // A tick, a committed and a presented frame in each interval.
    Scene(event: event, log: meter.log.suffix(Self.memory * 3))
  }

  /// True if the frame was late and was made during the missed intervals, or next to them.
  private func explains(_ frame: FrameRecord, _ tick: DisplayLink.Tick) -> Bool {
    frame.frameNumber + tick.missed + 1 >= tick.frameNumber && frame.isLate(interval: interval)
  }

  private var interval: Nanoseconds { meter.refreshRate.interval }

  // MARK: - Text

  /// The diagrams, each with a sentence about it. Without late frames it is a diagram of the last frames, and without frames
  /// it is empty.
  ///
  /// - Parameters:
  ///   - causes: the causes of all late frames, in the order of their diagrams.
  ///   - width: the longest line, in characters.
  func text(causes: [FrameRecord.Cause], width: Int) -> String {
    keepFresh()
    let end = scene(.end)
    guard !end.frames.isEmpty else { return "" }
    var shown = causes.compactMap { late[$0]?.scene }
    if let missed { shown.append(missed.scene) }
    if shown.isEmpty { shown = [end] }
    return (shown.map { text($0, width: width) } + [FrameDiagram.legend]).joined(separator: "\n\n")
  }

  private func text(_ scene: Scene, width: Int) -> String {
    let columns = min(max(width, 40), 100) - 8
    let (begin, end) = bounds(scene)
    var diagram = FrameDiagram(
      vblanks: vblanks(scene), frames: scene.frames, interval: interval, start: begin,
      scale: Self.scale(for: end - begin, columns: columns), columns: columns)
    if case .missed(let tick) = scene.event {
      let due = tick.timestamp - interval * Int64(clamping: tick.missed)
      diagram.fill("-", from: due, to: tick.timestamp, in: "tick")
    }
    return "\(Text.paragraph(sentence(scene.event), width: width))\n\(diagram.ruler)\n\(diagram)"
  }

  /// The time span of a diagram: from an interval before the late frame's tick to an interval after its flip, around the
  /// missed intervals, or the last four intervals of the run.
  private func bounds(_ scene: Scene) -> (MonotonicTime, MonotonicTime) {
    switch scene.event {
    case .late(let frame, _): return (frame.tickTimestamp - interval, frame.presented + interval)
    case .missed(let tick):
      return (tick.timestamp - interval * (Int64(clamping: tick.missed) + 2), tick.timestamp + interval)
    case .end:
      let end = scene.frames.last?.presented ?? start
      return (end - interval * 4, end)
    }
  }

  /// The time of one character: a millisecond if the span fits, otherwise more.
  private static func scale(for time: Nanoseconds, columns: Int) -> Nanoseconds {
    let steps: [Int64] = [100, 200, 250, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 1_000_000]
    let scales = steps.map { Nanoseconds.microseconds($0) }
    // The last character may be half empty.
    return scales.first { $0 * Int64(columns - 1) >= time } ?? .seconds(10)
  }

  /// The vblanks of the diagram. They are the stamps of the ticks; vblanks without a tick are spread evenly between two
  /// ticks.
  private func vblanks(_ scene: Scene) -> [MonotonicTime] {
    var vblanks: [MonotonicTime] = []
    for (tick, next) in zip(scene.ticks, scene.ticks.dropFirst()) {
      let count = Int64(clamping: next.frameNumber &- tick.frameNumber)
      guard count > 0, count <= Self.memory else {
        vblanks.append(tick.timestamp)
        continue
      }
      for k in 0..<count { vblanks.append(tick.timestamp + (next.timestamp - tick.timestamp) * k / count) }
    }
    if let last = scene.ticks.last { vblanks.append(last.timestamp) }
    // Frames without a later tick add their flips.
    for flip in scene.frames.map(\.presented) where flip > (vblanks.last ?? .zero) + interval / 2 { vblanks.append(flip) }
    return vblanks
  }

  private func sentence(_ event: Event) -> String {
    func at(_ time: MonotonicTime) -> String { "at \(Text.decimal((time - start).seconds, 3)) s" }
    switch event {
    case .late(let frame, let causes):
      let lateness = "\(Text.milliseconds(frame.lateness)) ms late"
      let other = causes.other.map { "; \($0.name): \(reason(frame, $0))" } ?? ""
      let main = "\(causes.main.name): frame \(frame.frameNumber) \(at(frame.tickTimestamp)), \(lateness)"
      return "\(main): \(reason(frame, causes.main))\(other)"
    case .missed(let tick):
      let intervals = tick.missed == 1 ? "an interval" : "\(tick.missed) intervals"
      return "missed: \(intervals) before frame \(tick.frameNumber) \(at(tick.timestamp)): no tick came"
    case .end: return "no frame was late; the last ones"
    }
  }

  private func reason(_ frame: FrameRecord, _ cause: FrameRecord.Cause) -> String {
    switch cause {
    case .phase(.wait): "the commit waited \(Text.milliseconds(frame.phases[.wait])) ms for drawings"
    case .phase(let phase):
      "\(phase.name) took \(Text.milliseconds(frame.phases[phase])) ms of \(Text.milliseconds(timeFor(frame))) ms"
    case .overdraw:
      "each of \(frame.paintedPixels) pixels was painted \(Text.decimal(frame.overdraw, 1)) times, in "
        + "\(Text.milliseconds(frame.phases[.composite])) ms"
    case .missedPictures:
      "\(frame.missedPictures) pictures and shadows that were not kept took \(Text.milliseconds(frame.pictureTime)) of the "
        + "\(Text.milliseconds(frame.phases[.composite])) ms of composite"
    case .scheduling: waiting(frame)
    case .machineBusy: "without a processor for \(Text.milliseconds(frame.busyTime)) ms"
    case .commitMissed: "handed over only \(Text.milliseconds(frame.target - frame.submitted)) ms before its vblank"
    case .prediction: "no vblank was where it was predicted"
    case .scanOut: "handed over in time, and not shown"
    case .stuffing: "ready in time, behind a frame that was late"
    case .stopped: "the process was stopped"
    }
  }

  /// The time that the frame had: from its due start to the vblank that it was due at.
  private func timeFor(_ frame: FrameRecord) -> Nanoseconds {
    frame.due > frame.start ? frame.due - frame.start : interval
  }

  /// The reason for a late frame whose work fitted into its interval.
  private func waiting(_ frame: FrameRecord) -> String {
    let before = frame.delivered - frame.start
    let within = frame.submitted - frame.heldBack - frame.delivered - frame.work
    return before >= within
      ? "begun \(Text.milliseconds(before)) ms after it was due" : "held up for \(Text.milliseconds(within)) ms"
  }
}
