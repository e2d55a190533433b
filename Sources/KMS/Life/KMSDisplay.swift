public import FrameTiming
public import Geometry
import Glibc
import LinuxSystem
public import Presentation
public import RunLoops

/// A screen driven by the kernel: its vblanks, its flips. Made by a `KMSCard`.
///
/// The display is the same while its screen goes and comes: see `state`.
@MainActor
public final class KMSDisplay: Display {
  /// What was asked for, and is looked for when the screen is back.
  struct Request {
    /// Nil for any.
    var connector: String?
    /// Nil for the one that the screen prefers.
    var mode: ModeRequest?
    var buffering = Buffering.double
  }

  public let ticker: DisplayTicker
  public let observers = Observers<DisplayEvent>()
  /// The connector's name: "HDMI-A-1".
  public private(set) var connectorName: String
  /// The mode that the first frame sets. Another one after the screen was changed, perhaps.
  public private(set) var mode: DisplayMode
  public private(set) var name: String
  /// How it is paced, and what is wrong with its vblanks.
  public var reason: String { ticker.sourceFault.map { "\(pacing), but \($0)" } ?? pacing }
  /// Whether the driver has vblank events. Without, a fallback clock at the mode's rate ticks.
  public private(set) var hasVBlankEvents: Bool

  /// Called once for each thing that was asked for and that the screen goes on without, with the reason: before the asking
  /// property's setter returns, or, where frames bring it to light or a screen that comes back, in a turn of the loop after
  /// that. So whoever is called may change all, and may invalidate the display.
  public var onRefusal: (@MainActor (FeatureRefusal) -> Void)?

  /// The pointer's picture, which the screen's hardware shows above all layers: to move it costs no frame. Nil, the default,
  /// for none. It is shown as long as the display is used, also when the screen has been away. See `cursorState` for
  /// whether the screen can show it.
  public var cursor: Cursor? {
    didSet {
      showCursor()
      tellRefusals()
    }
  }

  /// Where the cursor's hot spot is, in pixels from the screen's upper left corner; it may be outside. Shown with the next
  /// frame, and if none is due at the next vblank.
  public var cursorPosition = Point.zero {
    didSet { if cursor != nil { showCursor() } }
  }

  /// Whether the screen may wait for frames, within its limits, where it would repeat the last one: VRR, Adaptive-Sync,
  /// FreeSync. The mode's rate is then the fastest. To change it takes an interval or two, and with some drivers sets the
  /// mode anew. See `variableRefresh` for whether the screen can.
  public var wantsVariableRefresh = false {
    didSet { if wantsVariableRefresh != oldValue { askForFeatures() } }
  }

  /// Whether frames may be shown at once instead of from the next vblank on: sooner, and torn where a refresh is halfway.
  /// See `tearing` for whether the screen can.
  public var allowsTearing = false {
    didSet { if allowsTearing != oldValue { askForFeatures() } }
  }

  /// What the kernel said when the display last went away, or did not come back; nil if that was no error.
  public private(set) var lastError: KMSError?

  /// Whether the screen is to be on. While it is off there are no flips and no vblanks; links tick on a clock, and layers
  /// keep their state. Switching it on sets the mode anew, and all is painted.
  public var isPowered = true {
    didSet { if isPowered != oldValue { happened(.power(isPowered)) } }
  }

  let card: KMSCard
  let request: Request
  let clock: SystemClock
  /// What outputs have, whatever screen there is.
  let stable: ReplaceablePresenter
  let wait: VBlankWait
  /// Nil while there is none. One that is stopped is kept until the next, with what it shows, unless it must go.
  var screen: ConnectedScreen?
  /// What the screen showed before it was ours, while no `screen` keeps that.
  var previous: PreviousScreen?

  /// All that the application is told of or has been.
  var refusals: Set<FeatureRefusal> = []
  /// Those that it is not told of yet.
  var untoldRefusals: [FeatureRefusal] = []
  /// Tells them, where the application has not asked.
  private(set) var refusalTimer: FrameLoop.Timer?

  private var pacing: String
  private var life: DisplayLife
  private var retry: FrameLoop.Timer?
  private var memberships: [(loop: FrameLoop, mode: FrameLoop.Mode)] = []
  /// What has happened and was not answered yet.
  private var events: [DisplayLife.Event] = []
  private var isAnswering = false

  init(card: KMSCard, screen: ConnectedScreen, request: Request, clock: SystemClock) {
    self.card = card
    self.screen = screen
    self.request = request
    self.clock = clock
    ticker = screen.ticker
    wait = screen.wait
    stable = ReplaceablePresenter(screen.presenter)
    connectorName = screen.pipe.connector.name
    crtc = screen.pipe.crtc
    mode = screen.pipe.mode
    hasVBlankEvents = screen.hasVBlankEvents
    name = screen.pipe.displayName(driver: card.device?.driver)
    pacing = screen.reason
    life = DisplayLife(
      hearsEvents: card.access.hearsEvents, checkInterval: card.access.checkInterval, at: clock.now)
    retry = .parked { [weak self] in self?.happened(.retryDue) }
    refusalTimer = .parked { [weak self] in self?.tellRefusals() }
    watch(screen)
    for action in life.begin() { perform(action) }
  }

  public var presenter: any Presenter { stable }
  /// The presenter of the screen that there is; nil while there is none.
  public var kmsPresenter: KMSPresenter? { screen?.presenter }
  public var state: DisplayState { life.state }
  /// The card that drives the screen; nil while it is gone.
  public var device: DRMDevice? { card.device }
  /// The CRTC that is used, or was last.
  package private(set) var crtc: UInt32

  public func add(to loop: FrameLoop, mode: FrameLoop.Mode) {
    guard !memberships.contains(where: { $0.loop === loop && $0.mode == mode }) else { return }
    memberships.append((loop, mode))
    screen?.add(to: loop, mode: mode)
    wait.add(to: loop, mode: mode)
    if let retry { loop.add(retry, to: mode) }
    if let refusalTimer { loop.add(refusalTimer, to: mode) }
    card.access.add(loop, mode)
  }

  /// Gives everything back: the screen as it was found, and, with the card's last display, the card to whoever wants to be
  /// its master next. A display that nobody keeps does so by itself.
  public func invalidate() {
    observers.removeAll()
    onRefusal = nil
    stable.invalidate()
    screen?.invalidate()
    screen = nil
    // Fails when the card is gone or another program's: then there is nothing of ours to bring back.
    try? previous?.restore()
    previous = nil
    wait.invalidate()
    ticker.invalidate()
    retry?.invalidate()
    retry = nil
    refusalTimer?.invalidate()
    refusalTimer = nil
    card.release(self)
  }

  // The links that the ticker keeps would keep the card and its descriptor in the loop.
  isolated deinit {
    invalidate()
  }

  // MARK: Life

  /// Does what an event asks for. One that comes while another is answered is answered after it.
  func happened(_ event: DisplayLife.Event) {
    // After `invalidate()` there is nothing left to do.
    guard retry != nil else { return }
    events.append(event)
    guard !isAnswering else { return }
    isAnswering = true
    defer { isAnswering = false }
    while !events.isEmpty {
      // Who is told of a state may invalidate the display.
      for action in life.handle(events.removeFirst(), at: clock.now) where retry != nil { perform(action) }
    }
  }

  private func watch(_ screen: ConnectedScreen) {
    screen.onFailure = { [weak self] error in self?.failed(error) }
    screen.onRefusal = { [weak self] refusal in self?.refused(refusal) }
    applyFeatures()
  }

  private func failed(_ error: KMSError) {
    lastError = error
    happened(.failed(DisplayLife.Failure(error)))
  }

  private func perform(_ action: DisplayLife.Action) {
    switch action {
    case .stop: stop()
    case .switchOff: switchOff()
    case .closeDevice: closeDevice()
    // An answer comes before everything else that has happened.
    case .probe: events.insert(answer(probe), at: 0)
    case .show: events.insert(answer(show), at: 0)
    case .retry(let pause): retry?.nextFireTime = pause.map { clock.now + $0 } ?? .distantFuture
    case .tell(let state): observers.notify(.stateChanged(state))
    case .end: end()
    }
  }

  private func answer(_ question: () throws(KMSError) -> DisplayLife.Event) -> DisplayLife.Event {
    do throws(KMSError) {
      return try question()
    } catch {
      lastError = error
      return .failed(DisplayLife.Failure(error))
    }
  }

  /// The screen is as it was asked for.
  func show(on screen: ConnectedScreen) {
    let old = self.screen
    self.screen = screen
    connectorName = screen.pipe.connector.name
    crtc = screen.pipe.crtc
    mode = screen.pipe.mode
    hasVBlankEvents = screen.hasVBlankEvents
    name = screen.pipe.displayName(driver: card.device?.driver)
    pacing = screen.reason
    watch(screen)
    for membership in memberships { screen.add(to: membership.loop, mode: membership.mode) }
    ticker.change(to: screen.source)
    stable.replace(with: screen.presenter)
    // Its buffers go only now, with the last of what they show.
    _ = old?.presenter.freeBuffers()
  }

  private func end() {
    let error = KMSError.sessionEnded(connector: connectorName)
    if observers.notify(.lost(error)) { return }
    // Without a word the program would seem to hang.
    var message = "framepace: \(error)\n"
    message.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}

extension ScanOutPipe {
  fileprivate func displayName(driver: String?) -> String {
    "KMS \(connector.name) \(mode)\(driver.map { " (\($0))" } ?? "")"
  }
}
