import FrameTiming
import LinuxSystem
import Presentation
import RunLoops

/// What a display has of a screen while it shows on it: the way to it, buffers, and vblanks. Another one after each return.
@MainActor
final class ConnectedScreen {
  let pipe: ScanOutPipe
  private(set) var source: any VBlankSource
  /// The display's, which was made with the first screen.
  let ticker: DisplayTicker
  let wait: VBlankWait
  let presenter: KMSPresenter
  /// Whether the driver has vblank events. Without, a fallback clock at the mode's rate ticks.
  let hasVBlankEvents: Bool
  /// How the display is paced, for people.
  let reason: String
  /// Called once when frames or vblanks do not come any more.
  var onFailure: (@MainActor (KMSError) -> Void)?

  /// Called when the screen goes on without something that was asked for.
  var onRefusal: (@MainActor (FeatureRefusal) -> Void)?

  private(set) var variableRefresh = FeatureState.off
  /// Whether it takes no frames any more, and is not to be asked for anything: it may be another program's.
  private(set) var isStopped = false

  private let events: DRMEventRoute
  private let interface: any DRMInterface
  private let calls: VBlankCalls?
  private var hardware: DRMVBlankSource?

  /// - Parameters:
  ///   - pipe: unused, on a card whose master we are.
  ///   - connectors: all of the card, as they are now.
  ///   - claims: of the card.
  ///   - events: for this screen alone.
  ///   - previous: what the screen showed before it was ours, if that was found earlier.
  ///   - pacing: the display's ticker and wait; nil for its first screen.
  init(
    pipe: ScanOutPipe, of device: DRMDevice, connectors: [DRMConnector], claims: ScreenClaims, events: DRMEventRoute,
    buffering: Buffering, previous: PreviousScreen? = nil, pacing: (ticker: DisplayTicker, wait: VBlankWait)? = nil,
    clock: SystemClock
  ) throws(KMSError) {
    interface = device.interface
    let scanOut = try ScanOut(
      interface: interface, pipe: pipe, connectors: connectors, claims: claims, previous: previous)
    do throws(SystemError) {
      calls = try VBlankCalls.find(crtc: pipe.crtc, pipe: pipe.crtcIndex, on: interface)
    } catch {
      throw pipe.error(error)
    }
    hasVBlankEvents = calls != nil

    if let calls {
      let vblanks = DRMVBlankSource(interface: interface, pipe: pipe, calls: calls, events: events)
      (hardware, source) = (vblanks, vblanks)
      reason = pipe.reason(calls.name(driver: device.driver))
    } else {
      let fallback = FallbackClock(
        refreshRate: pipe.refreshRate, reason: "\(device.driver) has no vblank events",
        start: pacing?.ticker.lastVBlank?.timestamp, clock: clock)
      source = fallback
      reason = pipe.reason(fallback.name)
    }
    ticker = pacing?.ticker ?? DisplayTicker(source: source)
    wait = pacing?.wait ?? VBlankWait(ticker: ticker)
    presenter = try KMSPresenter(
      scanOut: scanOut, buffering: buffering, events: events, ticker: ticker, wait: wait,
      flipsAreStamped: hasVBlankEvents, clock: clock)
    self.pipe = pipe
    self.events = events

    if presenter.isModeSet { hardware?.crtcDidTurnOn() }
    presenter.onModeSet = { [weak self, weak ticker] in
      guard let hardware = self?.hardware else { return }
      // Vblanks begin anew, and one that was asked for may have come early.
      ticker?.losePhase()
      hardware.crtcDidTurnOn()
    }
    presenter.onLost = { [weak self] error in self?.onFailure?(error) }
    presenter.onRefusal = { [weak self] refusal in self?.onRefusal?(refusal) }
    watch(hardware)
    events.onError = { [weak self] error in self?.onFailure?(pipe.error(error)) }
  }

  private func watch(_ hardware: DRMVBlankSource?) {
    hardware?.onError = { [weak self, pipe] error in self?.onFailure?(pipe.error(error)) }
  }

  /// Lets the rate vary, or no more. What ticks is another source then, which knows that intervals differ.
  func setVariableRefresh(_ isWanted: Bool) {
    guard isWanted != (variableRefresh != .off) else { return }
    if let refusal = presenter.setVariable(isWanted) {
      variableRefresh = .refused(refusal)
      onRefusal?(refusal)
      return
    }
    variableRefresh = isWanted ? .on : .off
    guard let calls, presenter.isVariable != source.isVariable else { return }
    let vblanks = DRMVBlankSource(
      interface: interface, pipe: pipe, calls: calls, events: events, isVariable: presenter.isVariable, after: hardware)
    watch(vblanks)
    let isTicking = ticker.source === source
    (hardware, source) = (vblanks, vblanks)
    if presenter.isModeSet { vblanks.crtcDidTurnOn() }
    if isTicking { ticker.change(to: vblanks) }
  }

  func add(to loop: FrameLoop, mode: FrameLoop.Mode) {
    presenter.add(to: loop, mode: mode)
  }

  /// Takes no frames any more, and leaves the screen as it is.
  func stop() {
    isStopped = true
    onFailure = nil
    onRefusal = nil
    presenter.stop()
    events.invalidate()
  }

  /// Brings back what the screen showed, and frees all.
  func invalidate() {
    stop()
    presenter.invalidate()
  }
}

extension ScanOutPipe {
  /// Also says what could not be had.
  fileprivate func reason(_ pacing: String) -> String {
    ([pacing] + passedOver.map { "instead of \($0)" }).joined(separator: "; ")
  }
}
