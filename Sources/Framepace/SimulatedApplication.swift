public import FrameTiming
import Geometry
import Layers
public import LinuxSystem
import Raster
import RunLoops

/// An application that is simulated, and its machine's wake-ups: what a frame takes, and how late the loop wakes, is what
/// `work` says, and not what they take here. The frames are real ones all the same: committed, composited and handed over.
///
/// For rehearsals on manual time, with a `SimulatedScreen` as the engine's first display. The application makes a frame at every
/// tick, as one does that animates something.
@MainActor
public final class SimulatedApplication {
  /// May be changed at any time.
  public var work: SimulatedWork
  /// Whether no frames are made.
  public var isPaused: Bool {
    get { link?.isPaused ?? true }
    set { link?.isPaused = newValue }
  }

  private let clock: ManualClock
  private let start: MonotonicTime
  private let layer: BusyLayer
  private var link: DisplayLink?
  private var wakeUps: FrameLoop.Observer?
  private var wakeUpCount: UInt64 = 0

  /// - Parameters:
  ///   - root: a layer of the application that makes the frames; a small one is added to it.
  ///   - ticker: of the display that shows it.
  ///   - clock: the loop's.
  public init(
    _ work: SimulatedWork, in root: Layer, ticker: DisplayTicker, loop: FrameLoop, clock: ManualClock
  ) {
    self.work = work
    self.clock = clock
    start = clock.now
    layer = BusyLayer(clock: clock)
    root.addSublayer(layer)
    let link = DisplayLink(ticker: ticker) { [weak self] link in self?.makeFrame(link.frameNumber) }
    link.add(to: loop, mode: .common)
    self.link = link
    let wakeUps = FrameLoop.Observer([.afterWaiting], order: .min, onMain: { [weak self] _, _ in self?.wakeUp() })
    loop.add(wakeUps, to: .common)
    self.wakeUps = wakeUps
  }

  /// Ends it for good.
  public func invalidate() {
    link?.invalidate()
    link = nil
    wakeUps?.invalidate()
    wakeUps = nil
    layer.removeFromSuperlayer()
  }

  private func makeFrame(_ number: UInt64) {
    let phases = work.phases(ofFrame: number, at: clock.now - start)
    clock.advance(by: phases[.callbacks])
    layer.keepBusy(phases)
  }

  private func wakeUp() {
    clock.advance(by: work.latency(ofFrame: wakeUpCount))
    wakeUpCount += 1
  }
}

/// Spends a frame's simulated time in layout and in drawing.
private final class BusyLayer: Layer {
  private let clock: ManualClock
  private var phases = FrameRecord.PhaseDurations()

  init(clock: ManualClock) {
    self.clock = clock
    super.init()
    // As little as is drawn at all.
    bounds = Rect(x: 0, y: 0, width: 1, height: 1)
  }

  func keepBusy(_ phases: FrameRecord.PhaseDurations) {
    self.phases = phases
    setNeedsLayout()
    setNeedsDisplay()
  }

  override func layoutSublayers() {
    clock.advance(by: phases[.layout])
    phases[.layout] = .zero
  }

  override func draw(in context: DrawingContext) {
    clock.advance(by: phases[.display])
    phases[.display] = .zero
  }
}
