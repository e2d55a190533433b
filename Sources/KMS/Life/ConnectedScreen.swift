import FrameTiming
import LinuxSystem
import Presentation
import RunLoops

/// A screen while a display shows on it: the pipe to it, buffers, and vblanks. The display makes another one after each
/// return.
@MainActor
final class ConnectedScreen {
  /// The facts of a screen that a display tells, also when it is gone.
  struct Facts {
    let pipe: ScanOutPipe
    /// The driver's name.
    let driver: String
    /// True if the driver has vblank events. Without them a fallback clock at the mode's rate ticks.
    let hasVBlankEvents: Bool
    /// How the display is paced, for people.
    let pacing: String
  }

  let facts: Facts
  var pipe: ScanOutPipe { facts.pipe }
  private(set) var source: any VBlankSource
  /// The display's, which was made with the first screen.
  let ticker: DisplayTicker
  let wait: VBlankWait
  let presenter: KMSPresenter
  /// Hears what becomes of the screen, from the presenter, the vblanks and the card's events alike.
  weak var owner: (any ScreenOwner)? {
    didSet {
      presenter.owner = owner
      hardware?.owner = owner
    }
  }
  private(set) var variableRefresh = FeatureState.off

  private let events: DRMEventQueue
  private let flips: DRMEventRoute
  private let interface: any DRMInterface
  /// Nil where the driver has no vblank events.
  private var hardware: DRMVBlankSource? { source as? DRMVBlankSource }

  /// - Parameters:
  ///   - pipe: unused, on a card whose master we are.
  ///   - connectors: all of the card, as they are now.
  ///   - claims: the card's.
  ///   - events: the card's.
  ///   - previous: the picture from before the screen was ours, if it was saved earlier.
  ///   - pacing: the display's ticker and wait; nil for its first screen.
  init(
    pipe: ScanOutPipe, of device: DRMDevice, connectors: [DRMConnector], claims: ScreenClaims, events: DRMEventQueue,
    buffering: Buffering, previous: PreviousScreen? = nil, pacing: (ticker: DisplayTicker, wait: VBlankWait)? = nil,
    clock: SystemClock
  ) throws(KMSError) {
    interface = device.interface
    flips = events.makeRoute()
    do throws(SystemError) {
      let scanOut = try ScanOut(
        interface: interface, pipe: pipe, connectors: connectors, claims: claims, previous: previous)
      let calls = try VBlankCalls.find(crtc: pipe.crtc, pipe: pipe.crtcIndex, on: interface)
      if let calls {
        source = DRMVBlankSource(
          interface: interface, pipe: pipe, calls: calls, events: events.makeRoute(), clock: clock)
      } else {
        source = FallbackClock(
          refreshRate: pipe.refreshRate, reason: "\(device.driver) has no vblank events",
          start: pacing?.ticker.lastVBlank?.timestamp, clock: clock)
      }
      facts = Facts(
        pipe: pipe, driver: device.driver, hasVBlankEvents: calls != nil,
        pacing: pipe.reason(calls?.name(driver: device.driver) ?? source.name))
      ticker = pacing?.ticker ?? DisplayTicker(source: source)
      wait = pacing?.wait ?? VBlankWait(ticker: ticker)
      presenter = try KMSPresenter(
        scanOut: scanOut, buffering: buffering, events: flips, ticker: ticker, wait: wait,
        flipsAreStamped: calls != nil, clock: clock)
    } catch {
      throw pipe.error(error)
    }
    self.events = events
    if presenter.isModeSet { hardware?.crtcDidTurnOn() }
    flips.onError = { [weak self] error in self?.owner?.screen(reports: .lost(pipe.error(error))) }
  }

  /// True if it takes no more frames, and must not be asked: the screen may be another program's.
  var isStopped: Bool { presenter.queue.isStopped }

  /// A mode was set. Vblanks begin anew, and one that was requested may have come early.
  func modeWasSet() {
    guard let hardware else { return }
    ticker.losePhase()
    hardware.crtcDidTurnOn()
  }

  /// Lets the rate vary, or no longer. Another source ticks then, which knows that intervals differ.
  func setVariableRefresh(_ isWanted: Bool) {
    guard isWanted != (variableRefresh != .off) else { return }
    if let refusal = presenter.setVariable(isWanted) {
      variableRefresh = .refused(refusal)
      owner?.screen(reports: .refused(refusal))
      return
    }
    variableRefresh = isWanted ? .on : .off
    guard let hardware, presenter.isVariable != source.isVariable else { return }
    let vblanks = DRMVBlankSource(
      interface: interface, pipe: pipe, calls: hardware.calls, events: events.makeRoute(), isVariable: presenter.isVariable,
      clock: presenter.clock)
    vblanks.owner = owner
    let isTicking = ticker.source === source
    source = vblanks
    if presenter.isModeSet { vblanks.crtcDidTurnOn() }
    if isTicking { ticker.change(to: vblanks) }
  }

  /// Takes no more frames, and leaves the screen as it is.
  func stop() {
    owner = nil
    presenter.stop()
    flips.invalidate()
    source.invalidate()
  }

  /// Restores the picture from before, and frees everything.
  func invalidate() {
    stop()
    presenter.invalidate()
  }
}

extension ScanOutPipe {
  /// Names what could not be had, too.
  fileprivate func reason(_ pacing: String) -> String {
    ([pacing] + passedOver.map { "instead of \($0)" }).joined(separator: "; ")
  }
}
