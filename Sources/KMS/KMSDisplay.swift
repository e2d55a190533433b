public import FrameTiming
import Glibc
import LinuxSystem
public import Presentation
public import RunLoops

/// A screen driven by the kernel: its vblanks, its flips. Made by a `KMSCard`.
@MainActor
public final class KMSDisplay: Display {
  public let name: String
  public let reason: String
  public let ticker: DisplayTicker
  public var onLost: (@MainActor (any Error) -> Void)?
  /// The card that drives the screen.
  public let device: DRMDevice
  /// The connector's name: "HDMI-A-1".
  public let connectorName: String
  /// The mode that the first frame sets.
  public let mode: DisplayMode
  /// Whether the driver has vblank events. Without, a fallback clock at the mode's rate ticks.
  public let hasVBlankEvents: Bool

  /// The CRTC that is used.
  package var crtc: UInt32 { pipe.crtc }

  private let kms: KMSPresenter
  private let events: DRMEventRoute
  private let pipe: ScanOutPipe
  private let card: KMSCard
  private var isLost = false

  /// - Parameters:
  ///   - pipe: unused, on a card whose master we are.
  ///   - connectors: all of the card, as they are now.
  ///   - events: for this display alone.
  init(
    card: KMSCard, pipe: ScanOutPipe, connectors: [DRMConnector], events: DRMEventRoute, buffering: Buffering,
    clock: SystemClock
  ) throws(KMSError) {
    let device = card.device
    let scanOut = try ScanOut(interface: device.interface, pipe: pipe, connectors: connectors)
    do throws(SystemError) {
      hasVBlankEvents = try DRMVBlankSource.isSupported(by: device.interface, crtc: pipe.crtc)
    } catch {
      throw pipe.error(error)
    }

    let source: any VBlankSource
    let hardware: DRMVBlankSource?
    if hasVBlankEvents {
      let vblanks = DRMVBlankSource(interface: device.interface, pipe: pipe, events: events)
      (source, hardware) = (vblanks, vblanks)
      reason = "vblank events of \(device.driver)"
    } else {
      let fallback = FallbackClock(
        refreshRate: pipe.refreshRate, reason: "\(device.driver) has no vblank events", clock: clock)
      (source, hardware) = (fallback, nil)
      reason = fallback.name
    }
    ticker = DisplayTicker(source: source)
    kms = try KMSPresenter(
      scanOut: scanOut, buffering: buffering, events: events, ticker: ticker, flipsAreStamped: hasVBlankEvents,
      clock: clock)
    self.card = card
    self.pipe = pipe
    self.events = events
    self.device = device
    connectorName = pipe.connector.name
    mode = pipe.mode
    name = "KMS \(pipe.connector.name) \(pipe.mode) (\(device.driver))"

    if kms.isModeSet { hardware?.crtcDidTurnOn() }
    kms.onModeSet = { [weak hardware] in hardware?.crtcDidTurnOn() }
    kms.onLost = { [weak self] error in self?.lose(error) }
    hardware?.onError = { [weak self] error in self?.lose(error) }
    events.onError = { [weak self] error in self?.lose(error) }
  }

  public var presenter: any Presenter { kms }
  /// The presenter as what it is.
  public var kmsPresenter: KMSPresenter { kms }

  public func add(to loop: FrameLoop, mode: FrameLoop.Mode) {
    kms.add(to: loop, mode: mode)
  }

  /// Gives everything back: the screen as it was found, and, with the card's last display, the card to whoever wants to be
  /// its master next. A display that nobody keeps does so by itself.
  public func invalidate() {
    onLost = nil
    kms.invalidate()
    ticker.invalidate()
    events.invalidate()
    card.release(events.number)
  }

  // The links that the ticker keeps would keep the card and its descriptor in the loop.
  isolated deinit {
    invalidate()
  }

  private func lose(_ error: SystemError) {
    lose(.lost(connector: connectorName, mode: mode.description, error))
  }

  private func lose(_ error: KMSError) {
    if isLost { return }
    isLost = true
    // What is left of the device answers nothing but errors: nobody shall ask it again.
    kms.lose(error)
    ticker.invalidate()
    events.invalidate()
    guard let onLost else {
      // Without a word the program would seem to hang.
      var message = "framepace: \(error)\n"
      message.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
      return
    }
    onLost(error)
  }
}
