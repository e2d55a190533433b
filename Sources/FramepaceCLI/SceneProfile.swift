import Framepace
import Glibc
import SampleScenes

/// One profile of a scene: so many frames on a display, then the table.
@MainActor
final class SceneProfile {
  private let session: SceneSession
  private let scene: String
  private let frames: Int
  private let json: String?
  private var profile: PhaseProfile

  init(scene: SceneName, options: SceneOptions, frames: Int, json: String?) throws {
    session = try SceneSession(scene, options: options)
    self.scene = scene.rawValue
    self.frames = frames
    self.json = json
    profile = PhaseProfile(refreshRate: session.display.ticker.refreshRate)
    session.engine.output.onPresented = { [weak self] in self?.add($0) }
    session.engine.output.onIdle = { [weak self] in self?.finishUnlessMoreComes() }
  }

  func run() throws {
    Terminal.output.line("\(scene) on \(session.display.name)\n\(session.display.ticker.name)\n")
    let progress = FrameLoop.Timer(
      fireTime: session.engine.loop.clock.now + .milliseconds(500), interval: .milliseconds(500),
      onMain: { [weak self] _ in self?.showProgress() })
    if Terminal.error.isInteractive { session.engine.loop.add(progress, to: .common) }
    session.run()
    progress.invalidate()
    if Terminal.error.isInteractive { Terminal.error.overwrite("") }
    try session.requireSuccess()
    Terminal.output.line(ProfileTable.text(profile))
    if profile.frames < frames { Terminal.output.line("ended after \(profile.frames) of \(frames) frames") }
    if let json {
      let line = JSONText.encode(ProfileDocument(scene: scene, display: session.display, profile: profile)) + "\n"
      try AtomicFile.write(Array(line.utf8), to: json)
    }
  }

  private func add(_ frame: FrameRecord) {
    guard profile.frames < frames else { return }
    profile.add(frame)
    if profile.frames == frames { session.engine.finish() }
  }

  /// A scene that has changed nothing for a second gives no more frames to wait for.
  private func finishUnlessMoreComes() {
    let engine = session.engine
    let seen = profile.frames
    let timer = FrameLoop.Timer(
      fireTime: engine.loop.clock.now + .seconds(1),
      onMain: { [weak self] _ in
        guard let self, profile.frames <= seen + 1, !engine.output.wantsFrame else { return }
        engine.finish()
      })
    engine.loop.add(timer, to: .common)
  }

  private func showProgress() {
    Terminal.error.overwrite("\(profile.frames) of \(frames) frames")
  }
}

/// The table of `framepace profile`, at most 80 characters wide.
enum ProfileTable {
  static func text(_ profile: PhaseProfile) -> String {
    let widths = [8, 10, 10, 10, 10]
    func line(_ title: String, _ cells: [String]) -> String {
      Text.left(title, 12) + zip(cells, widths).map { Text.right($0, $1) }.joined()
    }
    func row(_ row: PhaseProfile.Row) -> String {
      let share = row.share.map { Text.decimal($0 * 100, 1) + " %" } ?? "–"
      let cells = [row.p50, row.p95, row.p99, row.maximum].map { Text.milliseconds($0) } + [share]
      return line(row.phase?.name ?? "all", cells)
    }
    var lines = [line("phase", ["p50 ms", "p95 ms", "p99 ms", "max ms", "of budget"])]
    lines += profile.rows.map(row)
    lines.append(row(profile.total))
    lines.append("")
    lines.append(
      "\(profile.frames) frames with a budget of \(Text.milliseconds(profile.budget)) ms; \(profile.lateFrames) late")
    for cause in profile.lateCauses { lines.append("  \(Text.right("\(cause.frames)", 6))  \(cause.cause.name)") }
    lines.append(PercentileRule.summary)
    return lines.joined(separator: "\n")
  }
}

/// `framepace profile --json`: times in milliseconds, shares of the budget as parts of 1.
struct ProfileDocument: Encodable {
  struct Phase: Encodable {
    var name: String
    var p50: Double?
    var p95: Double?
    var p99: Double?
    var max: Double?
    var share: Double?

    init(_ row: PhaseProfile.Row) {
      name = row.phase?.name ?? "all"
      p50 = row.p50?.milliseconds
      p95 = row.p95?.milliseconds
      p99 = row.p99?.milliseconds
      max = row.maximum?.milliseconds
      share = row.share
    }
  }

  var scene: String
  var display: String
  var clock: String
  var refreshRate: Double
  var budget: Double
  var frames: Int
  var late: Int
  var lateCauses: [String: Int]
  var phases: [Phase]
  var all: Phase

  @MainActor
  init(scene: String, display: any Display, profile: PhaseProfile) {
    self.scene = scene
    self.display = display.name
    clock = display.ticker.name
    refreshRate = profile.refreshRate.hertz
    budget = profile.budget.milliseconds
    frames = profile.frames
    late = profile.lateFrames
    lateCauses = Dictionary(uniqueKeysWithValues: profile.lateCauses.map { ($0.cause.name, $0.frames) })
    phases = profile.rows.map(Phase.init)
    all = Phase(profile.total)
  }
}
