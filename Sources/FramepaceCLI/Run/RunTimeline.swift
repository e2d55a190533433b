import ArgumentParser
import Framepace
import Metering

/// Keeps the last frames, ticks and loop activities of a run, for its trace and its page.
@MainActor
final class RunTimeline {
  private(set) var timeline: FrameTimeline
  private var ledger = FrameLedger()
  private var observers: [FrameLoop.Observer] = []
  private let began: ClockReading
  private let drawings: DrawingLog?
  private var regions: RegionReader

  /// The frames of the longest timeline: minutes of them, in some tens of megabytes.
  nonisolated static let mostFrames = 50_000

  /// - Parameters:
  ///   - frames: the frames that are expected; of more than `mostFrames` the last are kept.
  ///   - hasDrawings: true for a trace, which shows the drawings of workers.
  init(frames: Int, hasDrawings: Bool, engine: Engine) {
    // Frames that are never seen have a place too.
    let capacity = min(2 * min(frames, Self.mostFrames) + 16, Self.mostFrames)
    timeline = FrameTimeline(capacity: capacity)
    drawings = hasDrawings ? engine.measureDrawings(capacity: max(capacity, 1 << 16)) : nil
    let loop = engine.loop
    regions = FrameProfile.startRecording(clock: loop.clock)
    began = .now(loop: loop.clock)
    // The first and the last to be called: what others do is in the time that the loop is awake.
    observe(loop, [.entry, .afterWaiting], order: ObserverOrder.turnBegin)
    observe(loop, [.beforeWaiting, .exit], order: ObserverOrder.turnEnd)
  }

  private func observe(_ loop: FrameLoop, _ activities: FrameLoop.Activity, order: Int) {
    let observer = FrameLoop.Observer(
      activities, order: order,
      .onMain { [weak self, unowned loop] _, activity in self?.record(activity, of: loop) })
    observers.append(observer)
    loop.add(observer, to: .common)
  }

  private func record(_ activity: FrameLoop.Activity, of loop: FrameLoop) {
    let event: FrameTimeline.LoopActivity
    switch activity {
    case .entry: event = .entered(mode: loop.currentMode?.name ?? "")
    case .exit: event = .left
    case .beforeWaiting: event = .sleeps
    default: event = .wakes
    }
    timeline.add(event, at: loop.clock.now)
  }

  /// - Parameter causes: the answer of the meter, which has recorded the event just now.
  func record(_ event: FrameEvent, meter: FPSMeter, causes: FrameRecord.Causes?) {
    if case .tick(let tick) = event { timeline.add(tick) }
    ledger.handle(event, of: meter, causes: causes) { timeline.add($0) }
    regions.read { timeline.add($0) }
  }

  /// Ends the timeline. Frames that wait for their vblank are in it.
  func finish() {
    ledger.end { timeline.add($0) }
    regions.read { timeline.add($0) }
    FrameProfile.stopRecording()
    timeline.drawings = drawings?.ended ?? []
    for observer in observers { observer.invalidate() }
    observers = []
  }

  // MARK: - Trace

  /// Writes the trace of a run that has ended.
  ///
  /// - Parameters:
  ///   - interval: the refresh interval, while the display was shown.
  ///   - budget: the time that a frame may take; nil where the run was not judged by one.
  func writeTrace(to file: String, of session: SceneSession, interval: Nanoseconds, budget: Nanoseconds? = nil) throws {
    try timeline.writeTrace(
      to: file, scene: session.scene.name, display: session.display.name, clock: session.clockName, began: began,
      interval: interval, budget: budget)
  }
}

extension FrameTimeline {
  /// Writes the trace of these frames.
  ///
  /// - Parameters:
  ///   - scene: what made them.
  ///   - display: the name of their display.
  ///   - clock: the name of the display's clock.
  ///   - began: a moment of the run; nil if none is known.
  ///   - interval: the refresh interval.
  ///   - budget: the time that a frame may take; nil where the run was not judged by one.
  func writeTrace(
    to file: String, scene: String, display: String, clock: String, began: ClockReading?, interval: Nanoseconds,
    budget: Nanoseconds?
  ) throws {
    var facts: [(name: StaticString, value: String)] = [
      ("scene", scene), ("display", display), ("displayClock", clock), ("framesLeftOut", "\(frames.dropped)"),
      ("regionsLeftOut", "\(regions.dropped)"), ("version", FramepaceCommand.configuration.version),
    ]
    if let budget { facts.append(("budget", "\(Text.milliseconds(budget)) ms")) }
    if let began {
      let (wall, loop) = (Text.decimal(began.wall.seconds, 6), Text.decimal(began.loop.seconds, 6))
      facts.append(("realTime", "\(wall) s since 1970 at \(loop) s"))
    }
    let trace = FrameTrace(title: "\(scene) on \(display)", facts: facts, timeline: self, interval: interval)
    do throws(SystemError) {
      try AtomicFile.replace(file) { (output) throws(SystemError) in
        try trace.write { (bytes) throws(SystemError) in try output.write(bytes) }
      }
    } catch {
      throw Refusal(file, error)
    }
  }
}
