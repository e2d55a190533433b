public import FrameTiming
public import Layers
public import LinuxSystem
import Presentation
public import Raster
public import RenderTree
import RunLoops

/// Renders layers to pictures at a fixed rate, as fast as the machine can: for video frames, documents and tests.
///
/// The pictures go through the whole engine on manual time: the same loop, commit, diff and renderer as on a screen. Each is
/// delivered, also where nothing has changed since the one before.
///
/// ```swift
/// let renderer = try OfflineRenderer(root: card, width: 1280, height: 720, rate: .hertz60, frames: 120)
/// while let frame = try renderer.nextFrame() {
///   try PNG.write(frame.image, to: "card-\(frame.number).png")
///   print("\(frame.number + 1) of \(renderer.frames)")
/// }
/// renderer.invalidate()
/// ```
@MainActor
public final class OfflineRenderer {
  /// A picture and its place among the others.
  public struct Frame: Sendable {
    /// Counts from 0.
    public var number: Int
    /// The time on the engine's clock that the picture shows: `layer.presentation(at: frame.time)` has the values in it. The engine itself
    /// has gone on to the next frame.
    public var time: MonotonicTime
    public var image: Image
  }

  /// Runs the layers. Its display links and timers are served between two frames.
  public let engine: Engine
  /// The beginning: frame k shows the layers as they are at `start` + `time` + k / `rate`.
  public let start: MonotonicTime
  /// The number of frames that are rendered in all.
  public let frames: Int

  private let clock: ManualClock
  private let pictures: PictureClock
  private let display: VirtualDisplay
  /// The time by which everything before the first frame is over.
  private let ready: MonotonicTime
  private var count = 0

  /// - Parameters:
  ///   - root: fills the pictures.
  ///   - width: of the pictures, in pixels.
  ///   - height: of the pictures, in pixels.
  ///   - scale: pixels a point.
  ///   - time: of the first frame, after `start`. The time before it is not played: animations are evaluated for it.
  ///   - blending: the light in which colours mix.
  ///   - isOpaque: false for pictures that are transparent where no layer is; otherwise these pixels are black.
  public init(
    root: Layer, width: Int, height: Int, scale: Double = 1, rate: RefreshRate = .hertz60, frames: Int,
    from time: Nanoseconds = .zero, blending: Blending = .sRGB, isOpaque: Bool = true
  ) throws {
    start = MonotonicTime(nanoseconds: 1_000_000_000_000)
    self.frames = frames
    let first = start + time
    // The first picture takes an interval, after one in which the engine comes to rest.
    ready = first - rate.interval * 2
    clock = ManualClock(start: min(start, ready))
    pictures = PictureClock(refreshRate: rate, start: first, clock: .manual(clock))
    display = try VirtualDisplay(
      width: width, height: height, source: pictures, reason: "rendering to pictures", clock: .manual(clock))
    engine = Engine(
      display: display, root: root, scale: scale, loop: FrameLoop(clock: .manual(clock)), blending: blending)
    engine.waitsForDrawings = true
    if !isOpaque { engine.context.backdrop = 0 }
  }

  /// Renders the next frame; nil after the last one.
  public func nextFrame() throws -> Frame? {
    guard count < frames else { return nil }
    if count == 0 {
      // Animations that were added before the first frame begin at `start`.
      engine.earliestCommitTime = start
      engine.loop.run(mode: .default, until: clock.now)
      engine.earliestCommitTime = nil
      clock.advance(to: ready)
    }
    let number = count
    count += 1
    run(until: pictures.vblank(beforePicture: Int64(count)))
    return Frame(number: number, time: pictures.time(ofPicture: Int64(number)), image: try display.capture())
  }

  /// Ends the engine, and lets go of the layers.
  public func invalidate() {
    engine.invalidate()
  }

  private func run(until time: MonotonicTime) {
    while clock.now < time {
      if engine.loop.run(mode: engine.modes.top, until: time) == .finished { clock.advance(to: time) }
    }
  }
}

/// Vblanks for pictures: one refresh interval before each picture, so that the tick's target is exactly the picture's time.
///
/// Picture k is seen at `start` + k / rate, rounded once. (A grid of vblanks rounds each vblank, and a target is a vblank plus a
/// rounded interval: at most rates that is a nanosecond beside k / rate, and another picture.)
@MainActor
private final class PictureClock: VBlankSource {
  let name = "manual clock"
  let refreshRate: RefreshRate
  var onVBlank: (@MainActor (VBlank) -> Void)?

  private let start: MonotonicTime
  private let clock: SystemClock
  private lazy var alarm = FrameLoop.Alarm(.onMain { [weak self] in self?.fire() })

  init(refreshRate: RefreshRate, start: MonotonicTime, clock: SystemClock) {
    self.refreshRate = refreshRate
    self.start = start
    self.clock = clock
  }

  func time(ofPicture picture: Int64) -> MonotonicTime { start + refreshRate.offset(ofInterval: picture) }

  /// The vblank at which a picture is requested; it is seen at the next one.
  func vblank(beforePicture picture: Int64) -> MonotonicTime { time(ofPicture: picture) - refreshRate.interval }

  func requestVBlank() {
    alarm.fireTime = vblank(beforePicture: latestPicture + 1)
  }

  var loopItem: any FrameLoop.Item { alarm }

  func invalidate() {
    alarm.invalidate()
    onVBlank = nil
  }

  /// The picture whose vblank is the latest one that is not after now.
  private var latestPicture: Int64 { refreshRate.intervals(in: clock.now + refreshRate.interval - start) }

  private func fire() {
    let picture = latestPicture
    onVBlank?(VBlank(timestamp: vblank(beforePicture: picture), sequence: UInt64(bitPattern: picture)))
  }
}
