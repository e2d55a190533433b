import Framepace
import Glibc
import Input
import KMS
import Metering
import SampleScenes
import Seats
import Wayland

/// A scene on a display. It opens the display, wires the engine, runs and cleans up.
@MainActor
final class SceneSession {
  let scene: SceneChoice
  let engine: Engine
  let display: any Display
  /// The given options that have no effect on this display.
  let unusedOptions: [String]
  /// The features that the screen refused at the start.
  private(set) var refusals: [FeatureRefusal] = []
  /// A line about the choice of the display, for people; nil if there was none.
  private let choice: String?
  /// Called when the display is lost or is back, and when the scene's file has changed.
  var onNote: ((RunNote) -> Void)?
  /// The mirrors; nil unless the scene is mirrored.
  private(set) var mirrors: SceneMirrors?
  /// The server of the figures; nil unless they are served.
  private(set) var metrics: RunMetrics?

  /// The file for the picture that the display shows at the end; nil for none.
  var screenshot: String?

  let settings: OutputSettings
  private let simulation: SimulatedRun?
  /// The session on the cards; nil if there is no card, or no screen is wanted.
  private let cards: DisplaySession?
  private let content: ShownScene
  private let signals: EndSignals
  /// Plays the events of a script; nil without one.
  private var player: InputPlayer?
  /// Nil without a window.
  private var input: WindowInput?
  private var reader: ReaderWatch?
  private var refused = RefusedFrames()
  private var failure: (any Error)?
  /// The source of ticks: at the end the last one of those while the display was shown. A window's is known when the desktop has told
  /// of frames, or has told of none for a while.
  private(set) lazy var clockName = display.ticker.name
  /// The policy in words, for people, as far as is known by now; nil for the usual one. While nobody can see the window, as it was before.
  private(set) lazy var policyNote = policySentence
  /// The last note about the window.
  private var lastSentence = ""
  /// True once the output cannot be written any more, as its reader is gone.
  private(set) var isMute = false

  /// - Parameters:
  ///   - policy: the frame policy of all screens.
  ///   - animation: the rule for the time of animations on all screens.
  ///   - interval: the refresh intervals from frame to frame on all screens.
  ///   - overlays: the drawings over the frames of all screens.
  ///   - simulation: a simulated screen and loop that replace the display and the main loop.
  ///   - script: the events that are played from the beginning of `run()`.
  init(
    _ name: SceneChoice, states: [String] = [], options: SceneOptions, policy: FramePolicy = .vblank,
    animation: AnimationTime.Policy = .presentation, interval: FrameInterval = .one, overlays: Set<FrameOverlay> = [],
    simulation: SimulatedRun? = nil, script: InputScript? = nil
  ) throws {
    let loop = simulation?.loop ?? .main
    scene = name
    self.simulation = simulation
    // The signals must be blocked before any thread exists, so that all threads leave them to the loop.
    signals = try EndSignals()
    ProcessStops.watch()
    let opened = try simulation.map { OpenedDisplay(display: $0.screen) } ?? OpenedDisplay(options, showing: name)
    (display, cards, choice) = (opened.display, opened.cards, opened.note)
    unusedOptions =
      (display is KMSDisplay
        ? options.clockOptions : display is WaylandDisplay ? options.optionsOutsideWindows : options.screenOptions)
      + (simulation != nil && options.rotate != nil ? ["--rotate"] : [])
    settings = OutputSettings(
      policy: policy, animation: animation, interval: interval, wantsVariableRefresh: options.vrr,
      allowsTearing: options.tearing, rotation: options.rotate, overlays: overlays)
    refusals = settings.apply(to: display)
    do {
      let (size, scale) = (display.geometry.pictureSize, display.geometry.scale)
      content = try name.makeScene(
        settings: SceneSettings(
          size: Size(Double(size.width), Double(size.height)) / scale, scale: scale, timeOfDay: Self.localTimeOfDay(),
          work: options.work ?? [.milliseconds(12)], workPhase: options.workPhase ?? .callbacks, fonts: try SceneFonts()))
      try content.setStates(states)
      engine = Engine(
        display: display, root: content.root, loop: loop, blending: options.blending.blending ?? content.blending)
      engine.nameRecording(scene: name.name)
      try settings.apply(to: engine.output, of: engine)
      content.play(on: engine, start: loop.clock.now)
      player = script.map { engine.play($0) }
      if let simulation {
        // The simulated clock does not count the time of workers.
        engine.waitsForDrawings = true
        simulation.occupy(engine) { [content, output = engine.output] in content.isMoving(on: output) }
      }
    } catch {
      display.invalidate()
      throw error
    }
    input = (display as? WaylandDisplay).map { WindowInput(of: $0, to: engine, overlays: overlays) }
    signals.add(to: loop) { [weak engine] in engine?.finish() }
    (display as? KMSDisplay)?.onRefusal = { [weak self] refusal in self?.onNote?(.change("\(refusal)")) }
    display.observe { [weak self] event in
      switch event {
      case .stateChanged(let state): self?.displayChanged(state)
      case .geometryChanged, .closeRequested: break
      case .lost(let error): self?.fail(error)
      }
    }.keep()
    engine.output.observe { [weak self] event in
      guard let self else { return }
      if case .committed = event { refused.accepted() }
      if case .refused(let error) = event, refused.refused() { fail(error) }
    }.keep()
  }

  /// Reads what is known of the display's clock, unless another one stands in for it.
  private func learnClock(_ state: DisplayState) {
    guard state == .showing else { return }
    (clockName, policyNote) = (display.ticker.name, policySentence)
  }

  private func displayChanged(_ state: DisplayState) {
    if let window = display as? WaylandDisplay {
      // The error says more than that nobody can see it.
      if case .lost = window.connection.state { return }
      learnClock(state)
      var sentence = window.sentence(about: state)
      if state == .showing, display.ticker.source.followsFrames, let policyNote { sentence += "; \(policyNote)" }
      guard sentence != lastSentence else { return }
      lastSentence = sentence
      onNote?(.change(sentence))
    }
    guard let screen = display as? KMSDisplay else { return }
    // While the screen was away, the seat may have belonged to another session.
    if state == .showing { ConsoleKeyboard.giveBack() }
    onNote?(.change(screen.sentence(about: state)))
  }

  /// Reads a scene's file again whenever it changes, and tells of pictures and letters that cannot be shown.
  func watchScene() throws {
    guard case .file(let path) = scene else { return }
    content.stage?.tellOfFaults { [weak self] in self?.onNote?(.change($0)) }
    try content.stage?.watch(path) { [weak self] in
      self?.onNote?(.reload(path: path))
    } onError: { [weak self] error in
      self?.onNote?(.mistake(error))
    }
  }

  /// Mirrors the scene on all other screens.
  func mirror() throws {
    let mirrors = try SceneMirrors(of: engine, session: cards, settings: settings)
    mirrors.onChange = { [weak self] sentence in self?.onNote?(.change(sentence)) }
    self.mirrors = mirrors
  }

  /// Serves the figures of a meter, those of the mirrors, and the counts of hangs, until the end of the run.
  func serve(_ metrics: RunMetrics, of meter: FPSMeter, hangs: RunHangs?) {
    self.metrics = metrics
    metrics.figures = { [unowned self] in
      let now = engine.loop.clock.now
      let mirrored = mirrors?.metrics(scene: scene.name, at: now) ?? []
      return RunMetrics.Figures(
        frames: [display.metrics(of: meter, scene: scene.name, at: now)] + mirrored, hangs: hangs?.counts)
    }
  }

  /// The frame policy; nil at a variable rate, where no vblank is known beforehand and all policies are the same.
  var policy: FramePolicy? { isRateVariable ? nil : settings.policy }
  private var policySentence: String? {
    guard policy == .lateStart else { return nil }
    if display.ticker.source.followsFrames { return "frames are begun at once, as the desktop's vblanks follow them" }
    let note = "frames are begun as late as they can be ready"
    guard let window = display as? WaylandDisplay else { return note }
    // The clock of a hidden window is not the desktop's.
    let isClockKnown = window.isPaceKnown && window.state == .showing
    return isClockKnown ? note : "\(note), or at once if the desktop's vblanks follow them"
  }
  /// The given options that have no effect because the rate of every screen is variable.
  var optionsOfFixedRates: [String] {
    let others = mirrors?.mirrors.map(\.display) ?? []
    guard isRateVariable, others.allSatisfy({ $0.ticker.source.isVariable }) else { return [] }
    return (settings.policy == .lateStart ? ["--policy"] : []) + (settings.animation == .smooth ? ["--animation"] : [])
      + (settings.interval == .auto ? ["--interval"] : [])
  }
  private var isRateVariable: Bool { display.ticker.source.isVariable }

  /// The first lines for people: the scene, its display and clock, and the reasons.
  ///
  /// - Parameter width: the longest line, in characters.
  func heading(width: Int) -> String {
    var lines = ["\(scene.name.withoutControlCharacters) on \(display.name)", display.ticker.name]
    if let choice { lines.append(choice) }
    if let cards { lines.append(cards.seat.reason) }
    lines += mirrors?.heading ?? []
    if let metrics { lines.append("metrics at \(metrics.location)") }
    if let simulation { lines.append(simulation.note) }
    if let policyNote { lines.append(policyNote) }
    if settings.interval == .auto, !isRateVariable { lines.append("frames come less often while they take too long") }
    if settings.animation == .smooth, !isRateVariable { lines.append("animations go in even steps") }
    if !optionsOfFixedRates.isEmpty {
      lines.append(
        "\(optionsOfFixedRates.joined(separator: " and ")) ignored: at a variable rate no vblank is known beforehand")
    }
    lines += refusals.map(\.description)
    if player != nil, let note = engine.root.noteOfUntakenInput { lines.append(note) }
    if display is WaylandDisplay {
      for option in unusedOptions {
        lines.append("\(option) ignored: \(SceneOptions.reason(inWindow: option) ?? "it is a window")")
      }
    } else if !unusedOptions.isEmpty {
      let reason =
        display is KMSDisplay
        ? "a screen has its own"
        : simulation == nil ? "there is no screen" : "a simulated screen is what its profile says"
      lines.append("\(unusedOptions.joined(separator: " and ")) ignored: \(reason)")
    }
    return lines.map { Text.paragraph($0, width: width) + "\n" }.joined()
  }

  /// Passes the output's ticks and frames to the meter, the log, the late frames, the plot and the timeline.
  func measure(
    with meter: FPSMeter, log: FrameLogFile? = nil, lateFrames: LateFrames? = nil, plot: PacingPlot? = nil,
    timeline: RunTimeline? = nil
  ) {
    engine.measuresThreads = true
    meter.readResumed = { [clock = engine.loop.clock] in ProcessStops.lastEnd(on: clock) }
    engine.output.observe { [weak self] event in
      let causes = meter.record(event)
      do { try log?.record(event, causes: causes) } catch { self?.fail(error) }
      lateFrames?.record(event, causes: causes)
      timeline?.record(event, meter: meter, causes: causes)
      guard case .presented(let frame) = event else { return }
      plot?.record(presented: frame, step: meter.step, interval: meter.refreshRate.interval)
    }.keep()
  }

  /// Runs until the engine is finished, a signal arrives or the display is lost. Then it restores the display and the
  /// signals.
  ///
  /// - Returns: the end of the run, before the display was restored.
  @discardableResult
  func run() -> MonotonicTime {
    player?.start(at: engine.loop.clock.now)
    engine.run()
    let end = engine.ended ?? engine.loop.clock.now
    learnClock(display.state)
    player?.stop()
    takeScreenshot()
    metrics?.invalidate()
    content.invalidate()
    simulation?.invalidate()
    input?.invalidate()
    engine.invalidate()
    reader?.invalidate()
    signals.invalidate()
    return end
  }

  /// True until the last event of the script was played.
  var isPlayingInput: Bool { player?.isPlaying ?? false }

  /// Calls `body` after the last event of the script.
  func afterInput(_ body: @escaping @MainActor () -> Void) { player?.onEnd = body }

  private func takeScreenshot() {
    guard let screenshot else { return }
    guard display.state == .showing else {
      return fail(Refusal("no picture is written to '\(screenshot)': nobody can see the display, and it may show no frame"))
    }
    do { try PNG.write(display.capture(), to: screenshot) } catch { fail(error) }
  }

  /// Ends the run when the reader of the standard output is gone.
  func endWithReader() {
    reader = ReaderWatch { [weak self] in self?.say { throw ReaderGone() } }
    reader?.add(to: engine.loop)
  }

  /// Runs `body`, which writes output. If it fails, the run ends, and later calls do nothing.
  func say(_ body: () throws -> Void) {
    guard !isMute else { return }
    do {
      try body()
    } catch {
      isMute = true
      fail(error)
    }
  }

  /// Writes the rest of the log. An error of it is thrown by `requireSuccess`.
  ///
  /// - Parameter end: the end of the run; nil for the last interval with a frame.
  func finish(_ log: FrameLogFile?, at end: MonotonicTime?) {
    do { try log?.finish(at: end) } catch { fail(error) }
  }

  /// The name of the signal that ended the run; nil if none did.
  var endSignal: String? { signals.heardName }

  /// Throws the error that ended the run; does nothing if the user ended it.
  func requireSuccess() throws {
    if let failure { throw failure }
  }

  func fail(_ error: any Error) {
    if failure == nil { failure = error }
    engine.finish()
  }

  private static func localTimeOfDay() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    var seconds = now.tv_sec
    var local = tm()
    localtime_r(&seconds, &local)
    return Double(local.tm_hour * 3600 + local.tm_min * 60 + local.tm_sec) + Double(now.tv_nsec) / 1e9
  }
}

/// Decides when to give up a display that refuses frames. A display may be busy for a moment, and the output tries again at
/// each tick.
struct RefusedFrames {
  /// The number of frames that a display may refuse in a row.
  static let limit = 10

  private var inARow = 0

  mutating func accepted() { inARow = 0 }

  /// - Returns: true if this was one refusal too many.
  mutating func refused() -> Bool {
    inARow += 1
    return inARow > Self.limit
  }
}
