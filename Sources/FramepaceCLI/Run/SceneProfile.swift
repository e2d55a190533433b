import Framepace
import Glibc
import SampleScenes

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

  private let session: SceneSession
  private let frames: Int
  private let target: Target
  private var profile: PhaseProfile
  private let areas: PaintedAreas

  init(scene: SceneChoice, options: SceneOptions, frames: Int, target: Target) throws {
    session = try SceneSession(scene, options: options)
    self.frames = frames
    self.target = target
    profile = PhaseProfile(refreshRate: session.display.ticker.refreshRate)
    areas = session.engine.measureAreas()
    session.engine.output.observe { [weak self] event in
      if case .presented(let frame) = event { self?.add(frame) }
      if case .idle = event { self?.finishUnlessMoreComes() }
    }.keep()
  }

  func run() throws {
    if case .output = target {
    } else {
      session.say { _ = try Terminal.output.offer(session.heading(width: Terminal.output.textWidth) + "\n") }
    }
    let progress = FrameLoop.Timer(
      fireTime: session.engine.loop.clock.now + .milliseconds(500), interval: .milliseconds(500),
      .onMain { [weak self] _ in
        guard let self else { return }
        Terminal.error.show(progress: "\(profile.frames) of \(self.frames) frames")
      })
    session.engine.loop.add(progress, to: .common)
    session.run()
    progress.invalidate()
    Terminal.error.show(progress: "")
    try session.requireSuccess()
    try write()
  }

  private func write() throws {
    let areas = areas.rows(of: profile.frames)
    let json = ProfileText.json(profile, areas, scene: session.scene.name, display: session.display).line + "\n"
    switch target {
    case .output: return try Terminal.output.write(json)
    case .file(let file): try AtomicFile.write(Array(json.utf8), to: file)
    case .table: break
    }
    try Terminal.output.line(ProfileText.table(profile, areas, width: Terminal.output.textWidth))
    if profile.frames < frames { try Terminal.output.line("ended after \(profile.frames) of \(frames) frames") }
  }

  private func add(_ frame: FrameRecord) {
    guard profile.frames < frames else { return }
    profile.add(frame)
    if profile.frames == frames { session.engine.finish() }
  }

  /// Ends the profile if the scene changes nothing for a second: no more frames will come.
  private func finishUnlessMoreComes() {
    let engine = session.engine
    let seen = profile.frames
    let timer = FrameLoop.Timer(
      fireTime: engine.loop.clock.now + .seconds(1),
      .onMain { [weak self] _ in
        guard let self, profile.frames <= seen + 1, !engine.output.wantsFrame else { return }
        engine.finish()
      })
    engine.loop.add(timer, to: .common)
  }
}
