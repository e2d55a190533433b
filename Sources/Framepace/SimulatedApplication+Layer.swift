import Geometry
public import Layers
public import LinuxSystem
public import Presentation
import Raster
public import RunLoops
public import Simulation

extension SimulatedApplication {
  /// An application whose frames spend their time in the layout and the drawing of a small layer, which is added to `root`. It
  /// makes a frame at every tick of the output's display at which `isMoving` returns true.
  public convenience init(
    _ work: SimulatedWork, in root: Layer, output: Output, loop: FrameLoop, clock: ManualClock,
    while isMoving: @escaping @MainActor () -> Bool = { true }
  ) {
    let layer = BusyLayer(clock: clock)
    root.addSublayer(layer)
    self.init(work, ticker: output.display.ticker, loop: loop, clock: clock, while: isMoving) { layer.spend($0) }
  }
}

/// Spends a frame's simulated time in layout and drawing.
private final class BusyLayer: Layer {
  private let clock: ManualClock
  private var phases = FrameRecord.PhaseDurations()

  init(clock: ManualClock) {
    self.clock = clock
    super.init()
    // The smallest size that is drawn.
    bounds = Rect(x: 0, y: 0, width: 1, height: 1)
    setNeedsDisplay()
  }

  func spend(_ phases: FrameRecord.PhaseDurations) {
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
