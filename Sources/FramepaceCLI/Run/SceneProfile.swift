import Framepace
import Glibc
import Input
import Metering
import SampleScenes
import Wayland

/// A profile of a scene: it measures a number of frames on a display and prints the table.
@MainActor
final class SceneProfile {
  /// The target of the figures.
  enum Target {
    /// A table on the standard output.
    case table
    /// JSON on the standard output.
    case output
    /// A table on the standard output, and JSON in a file.
    case file(String)
  }

  /// The end of a profile.
  enum Length {
    case frames(Int)
    case duration(Nanoseconds)

    /// The largest number of frames that are measured.
    var frames: Int { if case .frames(let count) = self { count } else { 1_000_000 } }
  }

  private let session: SceneSession
  private let length: Length
  private let target: Target
  private var profile: PhaseProfile
  private let meter: FPSMeter
  /// The phases of each frame, for the histogram and for comparisons.
  private var phases: [FrameRecord.PhaseDurations] = []
  private let areas: PaintedAreas
  /// Nil unless it is written to a file.
  private let timeline: RunTimeline?
  private let trace: String?
  private let html: String?
  private let log: FrameLogFile?
  private var lastFrame: FrameRecord?
  private let layers: LayerCosts
  /// The costs of the frames that are measured.
  private var layerCosts = LayerCosts.Summary(rows: [])
  private var damages: DamageLog
  private var reader: RegionReader
  private var regions = RegionTally()
  /// True once the scene was still for so long that no more frames will come.
  private var isAtRest = false

  /// - Parameters:
  ///   - policy: the rule for the beginnings of frames.
  ///   - budget: the time that a frame may take; nil for that of the rate that the scene asks for.
  ///   - trace: the file of the trace; nil for none.
  ///   - html: the file of the page; nil for none.
  ///   - csv: the file with a line for each frame; nil for none.
  ///   - script: the events that are played; nil for none.
  init(
    scene: SceneChoice, options: SceneOptions, policy: FramePolicy, length: Length, budget: Nanoseconds?, target: Target,
    trace: String?, html: String?, csv: String?, script: InputScript?
  ) throws {
    session = try SceneSession(scene, options: options, policy: policy, script: script)
    self.length = length
    self.target = target
    (self.trace, self.html) = (trace, html)
    profile = PhaseProfile(refreshRate: session.display.ticker.refreshRate, budget: budget)
    meter = FPSMeter(refreshRate: session.display.ticker.refreshRate)
    meter.follow(session.display)
    phases.reserveCapacity(min(length.frames, 10_000))
    session.engine.measuresThreads = true
    areas = session.engine.measureAreas()
    let layers = session.engine.measureLayers()
    self.layers = layers
    log = try csv.map { [meter] in
      try FrameLogFile(path: $0, format: .csv, meter: meter, budget: budget, layers: layers, isPatient: false)
    }
    timeline =
      trace == nil && html == nil
      ? nil : RunTimeline(frames: length.frames, hasDrawings: trace != nil, engine: session.engine)
    var meters = [meter]
    if timeline != nil {
      // The meter of the timeline counts all frames, also those after the last that is reported.
      let frameMeter = FPSMeter(refreshRate: profile.refreshRate)
      frameMeter.follow(session.display)
      session.measure(with: frameMeter, timeline: timeline)
      meters.append(frameMeter)
    }
    damages = DamageLog(frames: min(length.frames + 16, RunTimeline.mostFrames))
    reader = FrameProfile.startRecording(clock: session.engine.loop.clock)
    meter.readResumed = { [clock = session.engine.loop.clock] in ProcessStops.lastEnd(on: clock) }
    session.engine.output.observe { [weak self] event in self?.record(event) }.keep()
    session.onNote = { [unowned session, meters] _ in
      for meter in meters { meter.follow(session.display) }
    }
    session.afterInput { [weak self] in self?.finishUnlessMoreComes() }
  }

  func run() throws {
    if case .output = target {
    } else {
      let width = Terminal.output.textWidth
      let heading = session.heading(width: width) + Text.paragraph(RunEnvironment.current.line, width: width) + "\n\n"
      session.say { _ = try Terminal.output.offer(heading) }
    }
    let start = session.engine.loop.clock.now
    let progress = FrameLoop.Timer(
      fireTime: start + .milliseconds(500), interval: .milliseconds(500),
      .onMain { [weak self] _ in
        guard let self else { return }
        let goal = if case .frames(let count) = length { " of \(count)" } else { "" }
        let absence = if case .waiting(let reason) = session.display.state { ": the display \(reason)" } else { "" }
        Terminal.error.show(progress: "\(profile.frames)\(goal) frames\(absence)")
      })
    session.engine.loop.add(progress, to: .common)
    if case .duration(let duration) = length {
      let end = FrameLoop.Timer(fireTime: start + duration, .onMain { [weak self] _ in self?.session.engine.finish() })
      session.engine.loop.add(end, to: .common)
    }
    let end = session.run()
    if !session.engine.output.isHeld {
      readRegions()
      layerCosts = layers.summary
    }
    FrameProfile.stopRecording()
    progress.invalidate()
    Terminal.error.show(progress: "")
    // After the last frame of those that were asked for nothing is wanted.
    let last = profile.frames == length.frames ? nil : end
    session.finish(log, at: last)
    if profile.frames == 0 || session.isMute { try session.requireSuccess() }
    guard profile.frames > 0 else { throw Refusal("no frame was seen, so there is nothing to report") }
    try write(at: last)
    // The frames until the display was lost are reported too.
    try session.requireSuccess()
  }

  /// - Parameter end: the end of the run; nil for the last interval with a frame.
  private func write(at end: MonotonicTime?) throws {
    timeline?.finish()
    if let trace {
      try timeline?.writeTrace(to: trace, of: session, interval: meter.refreshRate.interval, budget: profile.budget)
    }
    let areas = areas.rows(of: profile.frames)
    let display = session.display
    let size = display.geometry.pictureSize
    let figures = ProfileFigures(
      profile: profile, phases: phases, areas: areas, layers: layerCosts, regions: regions,
      report: profile.report(of: meter, at: end),
      subject: ProfileFigures.Subject(
        scene: session.scene.name, display: display.name, clock: session.clockName, width: size.width,
        height: size.height, environment: .current, time: ClockReading.now(loop: session.engine.loop.clock).wall,
        notes: [session.policyNote].compactMap(\.self)),
      details: profile.worstFrames.compactMap { damages.detail(of: $0.record) })
    if let html, let timeline {
      try AtomicFile.write(ProfilePage.bytes(PageFigures(figures, timeline: timeline.timeline, last: lastFrame)), to: html)
    }
    if case .table = target, display is WaylandDisplay {
      // The heading could not know it.
      let clock = Text.entry(session.clockName, title: "clock: ", width: Terminal.output.textWidth)
      try Terminal.output.line(clock + "\n")
    }
    try figures.write(to: target)
    if case .output = target { return }
    if case .frames(let count) = length, profile.frames < count {
      let end = "ended after \(profile.frames) of \(count) frames\(isAtRest ? ": nothing moves any more" : "")"
      try Terminal.output.line(Text.paragraph(end, width: Terminal.output.textWidth))
    }
  }

  private func record(_ event: FrameEvent) {
    let output = session.engine.output
    if case .idle = event { finishUnlessMoreComes() }
    if output.isHeld {
      // All frames are made: what comes until the last one is seen belongs to none of them.
      switch event {
      case .tick, .idle, .committed, .discarded: return
      case .presented, .lost, .refused: break
      }
    }
    let causes = meter.record(event)
    // The log has the frames that are reported.
    if profile.frames < length.frames {
      do { try log?.record(event, causes: causes) } catch { session.fail(error) }
    }
    (profile.resumed, profile.currentRate) = (meter.resumed, meter.refreshRate)
    if case .committed(let frame) = event { damages.add(frame, of: output) }
    if case .presented(let frame) = event { add(frame) }
    if case .lost = event { profile.addLost() }
    let isComplete = profile.frames + output.pending.count >= length.frames
    if isComplete, !output.isHeld {
      readRegions()
      layerCosts = layers.summary
    }
    output.isHeld = isComplete
  }

  private func readRegions() {
    reader.read { regions.add($0) }
    regions.lost = reader.lost
  }

  private func add(_ frame: FrameRecord) {
    if !session.engine.output.isHeld { readRegions() }
    guard profile.frames < length.frames else { return }
    profile.add(frame)
    lastFrame = frame
    phases.append(frame.phases)
    if profile.frames == length.frames { session.engine.finish() }
  }

  /// Ends the profile if the scene changes nothing for a second: no more frames will come.
  private func finishUnlessMoreComes() {
    let engine = session.engine
    let seen = profile.frames
    let timer = FrameLoop.Timer(
      fireTime: engine.loop.clock.now + .seconds(1),
      .onMain { [weak self] _ in
        guard let self, profile.frames <= seen + 1, !engine.output.wantsFrame, !session.isPlayingInput else { return }
        isAtRest = true
        engine.finish()
      })
    engine.loop.add(timer, to: .common)
  }
}
