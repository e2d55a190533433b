import Framepace
import KMS
import Metering

/// The further screens that show a scene, each with figures of its own. A screen that is lost, or refuses its frames, is
/// removed; the others continue.
@MainActor
final class SceneMirrors {
  struct Mirror {
    let display: any Display
    let output: Output
    let meter: FPSMeter
    /// The features that the screen refused at the start.
    let refusals: [FeatureRefusal]
  }

  private(set) var mirrors: [Mirror] = []
  /// Called with a sentence when a screen is lost or is back.
  var onChange: ((String) -> Void)?

  private let engine: Engine
  private let settings: OutputSettings
  /// The reasons why other screens are not used.
  private let refused: [String]

  /// Shows the engine's scene on further displays.
  ///
  /// - Parameter refused: the screens that cannot be used, each with the reason.
  init(
    of engine: Engine, on displays: [any Display], refused: [String], settings: OutputSettings = OutputSettings()
  ) throws {
    self.engine = engine
    self.settings = settings
    self.refused = displays.isEmpty && refused.isEmpty ? ["there is no other screen"] : refused
    for display in displays { try add(display) }
  }

  /// Shows the scene on all usable screens other than the engine's own.
  convenience init(of engine: Engine, session: DisplaySession?, settings: OutputSettings = OutputSettings()) throws {
    let screen = engine.output.display as? KMSDisplay
    let others = screen.map { Displays.others(beside: $0, session: session) }
    try self.init(
      of: engine, on: others?.displays ?? [], refused: others?.refused.map(\.description) ?? ["there is no screen"],
      settings: settings)
  }

  /// Lines for people: each mirror with its clock, and each screen that is not used with the reason.
  var heading: [String] {
    mirrors.flatMap { mirror in
      ["mirrored on \(mirror.display.name)", mirror.display.ticker.name] + mirror.refusals.map(\.description)
    } + refused.map { "not mirrored: \($0)" }
  }

  private func add(_ display: any Display) throws {
    let refusals = settings.apply(to: display)
    let output = engine.mirror(on: display)
    try settings.apply(to: output, of: engine)
    let meter = FPSMeter(refreshRate: display.ticker.refreshRate)
    meter.follow(display)
    meter.readResumed = { [clock = engine.loop.clock] in ProcessStops.lastEnd(on: clock) }
    mirrors.append(Mirror(display: display, output: output, meter: meter, refusals: refusals))
    var refused = RefusedFrames()
    output.observe { [weak self, weak output] event in
      meter.record(event)
      if case .committed = event { refused.accepted() }
      if case .refused(let error) = event, refused.refused(), let output { self?.remove(output, error) }
    }.keep()
    (display as? KMSDisplay)?.onRefusal = { [weak self] refusal in self?.onChange?("\(refusal)") }
    display.observe { [weak self, weak display, weak output] event in
      guard let self, let display, let output else { return }
      switch event {
      case .stateChanged(let state):
        meter.follow(display)
        if let screen = display as? KMSDisplay { onChange?(screen.sentence(about: state)) }
      case .geometryChanged, .closeRequested: break
      case .lost(let error): remove(output, error)
      }
    }.keep()
  }

  /// Removes a mirror. Its figures are kept for the summary.
  private func remove(_ output: Output, _ error: any Error) {
    engine.remove(output)
    for mirror in mirrors where mirror.output === output { mirror.meter.record(.idle) }
    onChange?("no longer mirrored on \(output.display.name): \(error)")
  }
}

extension KMSDisplay {
  /// A sentence about a change of the display's state.
  func sentence(about state: DisplayState) -> String {
    switch state {
    case .showing: "\(connectorName) \(mode) is back"
    case .waiting(let absence): "\(connectorName) \(absence): waiting for it"
    }
  }
}

extension SceneMirrors {
  /// The display, clock and refused features of each mirror, for `--json`.
  var names: [JSONValue] {
    mirrors.map { mirror in
      .object([
        ("display", .text(mirror.display.name)), ("clock", .text(mirror.display.ticker.name)),
        ("refused", .list(mirror.refusals.map { .text($0.description) })),
      ])
    }
  }

  /// The figures of the whole run for each mirror, for `--json`.
  func summaries(from start: MonotonicTime, to end: MonotonicTime) -> [JSONValue] {
    mirrors.map { mirror in
      let whole = mirror.meter.report(at: end)
      let figures = RunFigures(time: end - start, rates: whole, counts: whole, times: whole)
      return .object([("display", .text(mirror.display.name)), ("summary", figures.json)])
    }
  }

  /// The figures of the whole run for each mirror, for people.
  ///
  /// - Parameter width: the longest line, in characters.
  func summary(at time: MonotonicTime, width: Int) -> String {
    mirrors.map { mirror in
      "\nmirrored on \(mirror.display.name)\n\(mirror.meter.report(at: time).text(width: width))\n"
    }.joined()
  }
}
