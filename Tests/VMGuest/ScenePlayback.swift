import Compositing
import Framepace
import KMS
import SampleScenes

/// Plays a scene with the whole engine, whose output paints and hands over the damage of each buffer alone, and stops it:
/// after many partial frames the screen shows what a full render of the last tree paints.
@MainActor
func scene(_ name: String, frames count: Int, dump: String?) throws {
  let display = openDisplay()
  let size = Size(Double(display.presenter.width), Double(display.presenter.height))
  guard let name = SceneName(rawValue: name) else { return Guest.expect(false, "no scene \(name)") }
  let scene = try name.makeScene(settings: SceneSettings(size: size, fonts: SceneFonts()))
  let engine = Engine(display: display, root: scene.root)
  var shown: [FrameRecord] = []
  engine.output.onPresented = { shown.append($0) }
  engine.output.onError = { Guest.expect(false, "\($0)") }

  // By the number of the tick, not by its time: the emulated processor may miss some.
  var updates = 0
  let link = DisplayLink(ticker: display.ticker) { link in
    updates += 1
    Transaction.withoutActions { scene.update(at: Double(updates) / 60) }
    if updates == count { link.isPaused = true }
  }
  link.add(to: engine.loop, mode: .common)
  engine.output.onIdle = {
    if updates == count, engine.context.pendingDrawings == 0 { engine.finish() }
  }
  let limit = FrameLoop.Timer(
    fireTime: engine.loop.clock.now + .seconds(Double(count)),
    onMain: { _ in
      Guest.expect(false, "the scene does not come to rest")
      engine.finish()
    })
  engine.loop.add(limit, to: .common)
  engine.run()

  let full = try Bitmap(width: display.presenter.width, height: display.presenter.height)
  let bounds = IntRect(x: 0, y: 0, width: full.width, height: full.height)
  Compositor().composite(
    engine.context.renderTree(at: engine.loop.clock.now), damage: DamageRegion(bounds), into: full)
  compareScannedOut(display, with: full)

  // Each buffer is painted whole at its first use.
  let partial = shown.dropFirst(2).filter { $0.paintedPixels < bounds.width * bounds.height }.count
  Guest.expect(partial >= 8, "\(partial) partial frames of \(shown.count) are too few to tell anything")
  let painted =
    shown.dropFirst(2).reduce(0) { $0 + $1.paintedPixels } * 100 / max(1, (shown.count - 2) * bounds.width * bounds.height)
  Guest.say("\(display.name): \(shown.count) frames of \(name), \(partial) partial, \(painted) % painted")
  if let dump {
    write(full, to: dump)
    Guest.shell("screendump \(dump)")
  }
  link.invalidate()
  engine.invalidate()
}
