import Framepace
import SampleScenes

/// Renders the frames of a scene on manual time, through the whole engine: the same loop, commit, diff and compositor as on
/// a screen.
@MainActor
struct SceneRenderer {
  private let clock: ManualClock
  private let loop: FrameLoop
  private let display: VirtualDisplay
  private let engine: Engine
  private let player: ScenePlayer
  private let rate: RefreshRate
  /// When the first frame that is asked for is shown.
  private let first: MonotonicTime
  private var count: Int64 = 0

  /// - Parameter frames: nil for one picture at `time`; otherwise pictures from the scene's start on, `rate` a second.
  init(
    _ name: SceneName, size: PixelSize, scale: Double, rate: RefreshRate?, time: Nanoseconds, frames: Int?,
    fonts: SceneFonts
  ) throws {
    self.rate = rate ?? .hertz60
    let start = MonotonicTime(nanoseconds: 1_000_000_000_000)
    first = frames == nil ? start + time : start

    // The clock starts so that a vblank falls on the first frame's time, with at least one interval to draw it in, and
    // with the whole time before it, so that whatever moves has moved up to it.
    let intervals = max((first - start).count / self.rate.interval.count, 0) + 2
    let clock = ManualClock(start: first - self.rate.offset(ofInterval: intervals))
    self.clock = clock
    loop = FrameLoop(clock: .manual(clock))
    display = try VirtualDisplay(
      width: size.width, height: size.height, refreshRate: self.rate, reason: "rendering to files", clock: .manual(clock))

    let points = Size(Double(size.width) / scale, Double(size.height) / scale)
    let scene = try name.makeScene(settings: SceneSettings(size: points, fonts: fonts))
    engine = Engine(display: display, root: scene.root, scale: scale, loop: loop)
    engine.waitsForDrawings = true
    player = ScenePlayer(scene: scene, engine: engine, start: start)
  }

  /// The next picture.
  mutating func nextFrame() throws -> Image {
    let time = first + rate.offset(ofInterval: count)
    count += 1
    while clock.now < time {
      if loop.run(mode: .default, until: time) == .finished { clock.advance(to: time) }
    }
    return try display.copyShownImage()
  }

  func invalidate() {
    player.invalidate()
    engine.invalidate()
  }
}
