public import FrameTiming
public import LinuxSystem
public import Presentation
public import Raster
public import RunLoops

/// A screen for tests and rehearsals: a `SimulatedVBlankSource` says when its vblanks are, and frames are kept in memory.
///
/// Unlike a `VirtualDisplay`, which shows a frame when its ticker tells of a vblank, it shows one at the vblank that is: an
/// event that is lost or late, or a tick that is put off, does not delay what is seen.
@MainActor
public final class SimulatedScreen: Display {
  public let name: String
  public let reason: String
  public let ticker: DisplayTicker
  /// Its vblanks, and the truth about them.
  public let vblanks: SimulatedVBlankSource
  public let observers = Observers<DisplayEvent>()

  private let simulated: SimulatedPresenter

  /// - Parameters:
  ///   - vblanks: whose clock is `clock`; the screen takes it over.
  ///   - takeOverTime: how long before a vblank a frame must be handed over to be seen at it.
  ///   - clock: the clock of the loop that the screen is added to.
  public init(
    width: Int, height: Int, vblanks: SimulatedVBlankSource, takeOverTime: Nanoseconds = .microseconds(500),
    buffering: Buffering = .double, clock: SystemClock
  ) throws(BitmapError) {
    name = "simulated screen \(width)x\(height)@\(vblanks.refreshRate.description.dropLast(3))"
    reason = vblanks.name
    self.vblanks = vblanks
    ticker = DisplayTicker(source: vblanks)
    simulated = try SimulatedPresenter(
      width: width, height: height, vblanks: vblanks, takeOverTime: takeOverTime, buffering: buffering, clock: clock)
  }

  public var presenter: any Presenter { simulated }

  public func add(to loop: FrameLoop, mode: FrameLoop.Mode) { simulated.add(to: loop, mode: mode) }

  public func invalidate() {
    simulated.invalidate()
    ticker.invalidate()
  }
}
