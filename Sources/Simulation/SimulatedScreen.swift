public import FrameTiming
public import LinuxSystem
public import Presentation
public import Raster
public import RunLoops

/// A display for tests and rehearsals: a `SimulatedVBlankSource` gives its vblanks, and frames are kept in memory.
///
/// A `VirtualDisplay` shows a frame when its ticker delivers a vblank. A simulated screen shows it at the true vblank: a lost or
/// late event, or a delayed tick, does not delay the picture.
///
///     let source = SimulatedVBlankSource(.noisy, clock: loop.clock, seed: 1)
///     let screen = try SimulatedScreen(width: 320, height: 240, vblanks: source, clock: loop.clock)
@MainActor
public final class SimulatedScreen: Display {
  public let name: String
  public let reason: String
  public let ticker: DisplayTicker
  /// The source of its vblanks, with the truth about them.
  public let vblanks: SimulatedVBlankSource
  public let observers = Observers<DisplayEvent>()

  public let geometry: DisplayGeometry

  private let simulated: SimulatedPresenter

  /// - Parameters:
  ///   - scale: pixels a point.
  ///   - vblanks: a source with the clock `clock`; the screen takes it over.
  ///   - takeOverTime: how long before a vblank a frame must be handed over to be seen at it.
  ///   - clock: the clock of the loop that the screen is added to.
  public init(
    width: Int, height: Int, scale: Double = 1, vblanks: SimulatedVBlankSource,
    takeOverTime: Nanoseconds = .microseconds(500), buffering: Buffering = .double, clock: SystemClock
  ) throws(BitmapError) {
    geometry = DisplayGeometry(width: width, height: height, scale: scale)
    name = "simulated screen \(width)x\(height)@\(vblanks.refreshRate.description.dropLast(3))"
    reason = vblanks.name
    self.vblanks = vblanks
    ticker = DisplayTicker(source: vblanks)
    simulated = try SimulatedPresenter(
      width: width, height: height, vblanks: vblanks, ticker: ticker, takeOverTime: takeOverTime, buffering: buffering,
      clock: clock)
  }

  public var presenter: any Presenter { simulated }

  public func add(to loop: FrameLoop, mode: FrameLoop.Mode) { loop.add(simulated.alarm, to: mode) }

  public func invalidate() {
    observers.removeAll()
    simulated.invalidate()
    ticker.invalidate()
  }
}
