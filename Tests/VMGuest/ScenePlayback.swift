import Compositing
import Framepace
import KMS
import RenderTree
import SampleScenes

/// Plays a scene with the whole engine, whose output paints and hands over the damage of each buffer alone, and stops it
/// twice: after many partial frames the screen shows, from either buffer, what a full render of the last tree paints.
@MainActor
func scene(_ name: String, frames count: Int, dump: String?) throws {
  let display = openDisplay()
  guard let name = SceneName(rawValue: name) else { return Guest.expect(false, "no scene \(name)") }
  let playback = try ScenePlayback(name, on: display)
  let full = try Bitmap(width: display.presenter.width, height: display.presenter.height)
  for updates in [count, 1] {
    playback.play(updates)
    playback.renderFull(into: full)
    compareScannedOut(display, with: full)
  }
  compareShown(display, with: full, dump: dump)

  // Each buffer is painted whole at its first use.
  let area = full.width * full.height
  let later = playback.shown.dropFirst(2)
  let partial = later.filter { $0.paintedPixels < area }.count
  Guest.expect(partial >= 8, "\(partial) partial frames of \(later.count + 2) are too few to tell anything")
  let painted = later.reduce(0) { $0 + $1.paintedPixels } * 100 / max(1, later.count * area)
  Guest.say("\(display.name): \(later.count + 2) frames of \(name), \(partial) partial, \(painted) % painted")
  playback.end()
}

extension Engine {
  /// Runs for a while.
  func run(for duration: Nanoseconds) {
    loop.add(FrameLoop.Timer(fireTime: loop.clock.now + duration, .onMain { [self] _ in finish() }), to: .common)
    run()
  }
}

/// A scene on a display, moved by the number of the tick and not by its time: the emulated processor may miss some.
@MainActor
final class ScenePlayback {
  private(set) var shown: [FrameRecord] = []
  /// The ticks of the scene and of the output, which are the same while both want some.
  private(set) var ticks: [DisplayLink.Tick] = []
  private let engine: Engine
  private let scene: any SampleScene
  private var link: DisplayLink?
  private var committed = 0
  private var updates = 0
  private var goal = 0

  init(_ name: SceneName, on display: KMSDisplay) throws {
    let size = Size(Double(display.presenter.width), Double(display.presenter.height))
    scene = try name.makeScene(settings: SceneSettings(size: size, fonts: SceneFonts()))
    engine = Engine(display: display, root: scene.root)
    engine.output.observe { [unowned self] event in
      switch event {
      case .tick(let tick): note(tick)
      case .committed: committed += 1
      case .lost, .discarded: break
      case .presented(let frame):
        shown.append(frame)
        finishAtRest()
      case .idle: finishAtRest()
      case .refused(let error): Guest.expect(false, "\(error)")
      }
    }.keep()
    let link = DisplayLink(ticker: display.ticker) { [unowned self] link in
      if let tick = link.tick { note(tick) }
      move()
    }
    link.isPaused = true
    link.add(to: engine.loop, mode: .common)
    self.link = link
  }

  /// Renders all that the engine shows.
  func renderFull(into bitmap: Bitmap) {
    let all = DamageRegion(IntRect(x: 0, y: 0, width: bitmap.width, height: bitmap.height))
    Compositor().render(engine.context.renderTree(at: engine.loop.clock.now), damage: all, into: bitmap)
  }

  /// Moves the scene by so many ticks and waits until it is on the screen.
  func play(_ count: Int) {
    goal += count
    link?.isPaused = false
    let limit = FrameLoop.Timer(
      fireTime: engine.loop.clock.now + .seconds(60),
      .onMain { [engine] _ in
        Guest.expect(false, "the scene does not come to rest")
        engine.finish()
      })
    engine.loop.add(limit, to: .common)
    engine.run()
    limit.invalidate()
  }

  func rest(_ duration: Nanoseconds) { engine.run(for: duration) }

  func end() {
    link?.invalidate()
    engine.invalidate()
  }

  private func note(_ tick: DisplayLink.Tick) {
    if ticks.last?.timestamp != tick.timestamp { ticks.append(tick) }
  }

  private func move() {
    updates += 1
    Transaction.withoutActions { scene.update(at: Double(updates) / 60) }
    if updates == goal { link?.isPaused = true }
  }

  private func finishAtRest() {
    guard updates == goal, !engine.output.wantsFrame, !engine.context.isDirty, engine.context.pendingDrawings == 0 else {
      return
    }
    if committed == shown.count { engine.finish() }
  }
}
