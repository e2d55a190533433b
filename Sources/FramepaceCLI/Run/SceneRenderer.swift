import Framepace
import SampleScenes

/// Renders the pictures of a scene on manual time, through the whole engine: the same loop, commit, diff and compositor as
/// on a screen.
@MainActor
struct SceneRenderer {
  private let clock: ManualClock
  private let pictures: PictureClock
  private let loop: FrameLoop
  private let display: VirtualDisplay
  private let engine: Engine
  private let player: ScenePlayer
  private var count: Int64 = 0

  /// - Parameters:
  ///   - rate: of the pictures. Picture k shows the scene at `time` + k / `rate`.
  ///   - time: the scene's time in the first picture. What lies before it is not played: a scene is a function of time.
  init(
    _ name: SceneName, size: PixelSize, scale: Double, rate: RefreshRate = .hertz60, time: Nanoseconds = .zero,
    fonts: SceneFonts
  ) throws {
    let start = MonotonicTime(nanoseconds: 1_000_000_000_000)
    let first = start + time
    // An interval to ask for the first picture in, and one to have come to rest in before.
    let ready = first - rate.interval * 2
    let clock = ManualClock(start: min(start, ready))
    self.clock = clock
    loop = FrameLoop(clock: .manual(clock))
    pictures = PictureClock(refreshRate: rate, start: first, clock: .manual(clock))
    display = try VirtualDisplay(
      width: size.width, height: size.height, source: pictures, reason: "rendering to files", clock: .manual(clock))

    let points = Size(Double(size.width) / scale, Double(size.height) / scale)
    let scene = try name.makeScene(settings: SceneSettings(size: points, fonts: fonts))
    engine = Engine(display: display, root: scene.root, scale: scale, loop: loop)
    engine.waitsForDrawings = true
    player = ScenePlayer(scene: scene, engine: engine, start: start)
    // The scene's beginning is committed when it is: what moves by itself begins there.
    loop.run(mode: .default, until: clock.now)
    clock.advance(to: ready)
  }

  /// The next picture.
  mutating func nextPicture() throws -> Image {
    count += 1
    run(until: pictures.vblank(beforePicture: count))
    return try display.copyShownImage()
  }

  func invalidate() {
    player.invalidate()
    engine.invalidate()
  }

  private func run(until time: MonotonicTime) {
    while clock.now < time {
      if loop.run(mode: .default, until: time) == .finished { clock.advance(to: time) }
    }
  }
}
