import FrameTiming
import Framepace
import FramepaceTesting
import Simulation
import XCTest

/// An engine on a display without faults. The one link of its application asks for a frame at every tick.
@MainActor
final class WorkStage {
  enum Kind: CaseIterable {
    /// A simulated screen.
    case screen
    /// A display of memory on a clock, which knows of its vblanks by ticks alone.
    case memory
  }

  let engine: Engine
  var work: FrameRecord.PhaseDurations {
    get { layer.work }
    set { layer.work = newValue }
  }
  private(set) var discarded = Nanoseconds.zero
  private(set) var shown: [FrameRecord] = []
  /// The time that the application has worked.
  var worked: Nanoseconds { callbackTime + layer.worked }
  private var callbackTime = Nanoseconds.zero
  private let clock = ManualClock(start: .zero + .seconds(1))
  private let layer: BusyLayer
  private var link: DisplayLink?

  /// - Parameter work: the work of the first frames; nil to begin after half a second without any.
  init(
    hertz: Double, _ buffering: Buffering, on kind: Kind = .screen, work: FrameRecord.PhaseDurations? = nil
  ) throws {
    let loop = FrameLoop(clock: .manual(clock))
    let rate = try XCTUnwrap(RefreshRate(hertz: hertz))
    let display: any Display =
      switch kind {
      case .screen:
        try SimulatedScreen(
          width: 8, height: 8, vblanks: SimulatedVBlankSource(refreshRate: rate, clock: .manual(clock)),
          buffering: buffering,
          clock: .manual(clock))
      case .memory:
        try VirtualDisplay(
          width: 8, height: 8, source: FallbackClock(refreshRate: rate, reason: "a test", clock: .manual(clock)),
          reason: "a test", buffering: buffering, clock: .manual(clock))
      }
    let root = Layer()
    engine = Engine(display: display, root: root, loop: loop)
    let layer = BusyLayer(clock: clock)
    self.layer = layer
    root.addSublayer(layer)
    layer.work = work ?? layer.work
    layer.setNeedsDisplay()
    link = DisplayLink(ticker: display.ticker) { [unowned self, clock] _ in
      clock.advance(by: layer.work[.callbacks])
      callbackTime += layer.work[.callbacks]
      layer.setNeedsLayout()
      layer.setNeedsDisplay()
    }
    link?.add(to: loop, mode: .common)
    engine.output.observe { [unowned self] event in
      switch event {
      case .presented(let frame): shown.append(frame)
      case .discarded(let frame): discarded += frame.work
      default: break
      }
    }.keep()
    if work == nil { _ = frames(in: .milliseconds(500)) }
  }

  /// The number of frames that are seen.
  func frames(in duration: Nanoseconds) -> Int {
    let before = shown.count
    engine.loop.run(mode: .default, until: clock.now + duration)
    return shown.count - before
  }

  /// Lets time pass until something has happened: for half a second at most, as a frame that is lost never comes.
  func run(_ name: String, until isDone: () -> Bool) {
    for _ in 0..<500 where !isDone() { _ = frames(in: .milliseconds(1)) }
    if !isDone() { XCTFail("a frame was lost: \(name)") }
  }

  func end() {
    link?.invalidate()
    engine.invalidate()
  }
}

/// A layer whose layout and drawing take time on a manual clock.
final class BusyLayer: Layer {
  var work = FrameRecord.PhaseDurations()
  /// How long its next drawing has no processor.
  var stall = Nanoseconds.zero
  private(set) var worked = Nanoseconds.zero
  private let clock: ManualClock

  init(clock: ManualClock) {
    self.clock = clock
    super.init()
    bounds = Rect(x: 0, y: 0, width: 1, height: 1)
  }

  override func layoutSublayers() { spend(.layout) }
  override func draw(in context: DrawingContext) {
    clock.advance(by: stall, thread: .runnable)
    stall = .zero
    spend(.display)
  }

  private func spend(_ phase: FrameRecord.Phase) {
    clock.advance(by: work[phase])
    worked += work[phase]
  }
}
