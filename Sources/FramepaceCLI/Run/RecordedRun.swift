import ArgumentParser
import Framepace
import Metering

/// The run of a program that wrote its frames for `FRAMEPACE_PROFILE`: its events go again through the meter and the profile that a scene has.
@MainActor
struct RecordedRun {
  let figures: ProfileFigures
  private let recorded: RecordedProfile
  let timeline: FrameTimeline
  /// See `RecordedProfile.missingPhases`.
  var missingPhases: [FrameRecord.Phase] { recorded.missingPhases }
  /// All frames, also those that the timeline has no room for.
  let frames: [LoggedFrame]
  private let last: FrameRecord?

  /// The largest file that is read; a program writes 10 MB at most.
  private static let largestFile = 1 << 27

  /// Reads a file.
  ///
  /// - Parameter budget: the time that a frame may take; nil for that of the rate that the program asked for.
  init(path: String, budget: Nanoseconds?) throws {
    let bytes = try InputFile.contents(of: path, limit: Self.largestFile)
    try Self.requireRecording(bytes, path: path)
    try self.init(path: path, bytes: bytes, budget: budget)
  }

  /// Throws unless a file that begins with `bytes` is a recording.
  static func requireRecording(_ bytes: [UInt8], path: String) throws(Refusal) {
    guard !RecordedProfile.isOne(bytes) else { return }
    throw Refusal(
      FileKind(bytes)?.sentence(of: path)
        ?? "'\(path)' is no scene and no file that a program wrote with FRAMEPACE_PROFILE: use \(SceneChoice.list)")
  }

  /// - Parameters:
  ///   - path: the file's, for errors.
  ///   - bytes: those of a recording.
  init(path: String, bytes: [UInt8], budget: Nanoseconds?) throws {
    do throws(CaptureError) {
      let recorded = try RecordedProfile(bytes)
      self.init(recorded, budget: budget)
      if let cut = recorded.cut { InputFile.tellCut(path, at: cut, frames: figures.profile.frames) }
    } catch {
      throw Refusal("'\(path)' is damaged: \(error)")
    }
    guard figures.profile.frames > 0 else { throw Refusal("'\(path)' has no frame that was seen") }
  }

  init(_ recorded: RecordedProfile, budget: Nanoseconds?) {
    self.recorded = recorded
    var profile = PhaseProfile(refreshRate: recorded.refreshRate, budget: budget)
    let meter = FPSMeter(refreshRate: recorded.refreshRate)
    var timeline = FrameTimeline(capacity: min(recorded.events.count, RunTimeline.mostFrames))
    var ledger = FrameLedger()
    var phases: [FrameRecord.PhaseDurations] = []
    var frames: [LoggedFrame] = []
    var last: FrameRecord?
    var areas = RecordedAreas()
    let layers = LayerCosts.Summary(rows: recorded.layers)
    func keep(_ frame: LoggedFrame) {
      frames.append(frame.ofRun(at: recorded.refreshRate, budget: budget) { layers.name(of: $0) })
    }
    func log(_ frame: LoggedFrame) {
      keep(frame)
      timeline.add(frame)
    }
    recorded.stops.replay(recorded.events) { event, resumed in
      (meter.resumed, profile.resumed) = (resumed, resumed)
      if case .tick(let tick) = event {
        timeline.add(tick)
        // A window may have another one than its desktop told at the start.
        let rate = recorded.refreshRate.followed(by: tick, after: meter.refreshRate)
        meter.isHidden = rate == nil
        if let rate { (meter.refreshRate, profile.currentRate) = (rate, rate) }
      }
      let causes = meter.record(event)
      ledger.handle(event, of: meter, causes: causes, log: log)
      if case .lost = event { profile.addLost() }
      guard case .presented(let frame) = event else { return }
      profile.add(frame)
      phases.append(frame.phases)
      areas.add(frame)
      last = frame
    }
    ledger.end(log: log)
    if let rest = ledger.rest(of: meter, at: recorded.ended) { keep(rest) }
    var regions = RegionTally()
    for region in recorded.regions {
      regions.add(region)
      timeline.add(region)
    }
    regions.lost = recorded.lostRegions
    (self.timeline, self.frames, self.last) = (timeline, frames, last)
    figures = ProfileFigures(
      profile: profile, phases: phases, areas: areas.rows, layers: layers,
      regions: regions, report: profile.report(of: meter, at: recorded.ended),
      subject: ProfileFigures.Subject(
        scene: recorded.subject, display: recorded.display, clock: recorded.clock, width: recorded.width,
        height: recorded.height, environment: recorded.environment, time: recorded.began?.wall,
        notes: Self.notes(recorded)), details: recorded.details)
  }

  private static func notes(_ recorded: RecordedProfile) -> [String] {
    var notes: [String] = []
    if recorded.lostEvents > 0 {
      notes.append(
        "the last \(recorded.events.count) events are recorded; the frames of \(recorded.lostEvents) events before them are in no figure"
      )
    }
    if !recorded.missingPhases.isEmpty {
      let names = recorded.missingPhases.map(\.name).joined(separator: ", ")
      notes.append("an earlier framepace recorded them, for which the time of \(names) was a part of other phases")
    }
    return notes
  }

  /// Prints the report, or writes it where it was asked for, and the files beside it.
  func write(to target: SceneProfile.Target, trace: String?, html: String?, csv: String?) throws {
    if let trace {
      try timeline.writeTrace(
        to: trace, scene: recorded.subject, display: recorded.display, clock: recorded.clock, began: recorded.began,
        interval: recorded.refreshRate.interval, budget: figures.profile.budget)
    }
    if let html { try AtomicFile.write(page, to: html) }
    if let csv { try AtomicFile.write(frameLog, to: csv) }
    if case .output = target { return try figures.write(to: target) }
    try Terminal.output.line(figures.subject.heading(width: Terminal.output.textWidth))
    try figures.write(to: target)
    guard let trace else { return }
    let note = "'\(trace)' has no tracks of the loop and of workers: a program does not record what they do"
    try Terminal.output.line(Text.paragraph(note, width: Terminal.output.textWidth))
  }

  /// The bytes of `--html`.
  var page: [UInt8] { ProfilePage.bytes(PageFigures(figures, timeline: timeline, last: last)) }

  /// The bytes of `--csv`.
  var frameLog: [UInt8] {
    var bytes = FrameLogFormat.csv.header
    for frame in frames { FrameLogFormat.csv.append(frame, to: &bytes) }
    return bytes
  }
}

/// The pixels of recorded frames, as their records have them.
private struct RecordedAreas {
  private var dirty: [Double] = []
  private var painted: [Double] = []
  private var ratios: [Double] = []
  private var overdraws: [Double] = []

  mutating func add(_ frame: FrameRecord) {
    dirty.append(Double(frame.damagePixels))
    painted.append(Double(frame.paintedPixels))
    ratios.append(Double(frame.paintedPixels) / Double(max(frame.damagePixels, 1)))
    // Some renderers do not count.
    if frame.layerPixels > 0 { overdraws.append(frame.overdraw) }
  }

  var rows: [PaintedAreas.Row] {
    zip(PaintedAreas.Row.Kind.allCases, [dirty, painted, ratios, overdraws]).map { PaintedAreas.Row($0, $1) }
  }
}
