public import FrameTiming
public import Geometry
import Glibc
import LinuxSystem
public import Presentation
public import RunLoops

/// A screen driven by the kernel. `Displays` and `KMSCard` make it.
///
/// ```swift
/// let display = try Displays.kms(connector: "HDMI-A-1")
/// display.observe { event in if case .stateChanged(let state) = event { log("\(display.name): \(state)") } }.keep()
/// let engine = Engine(display: display, root: root)
/// ```
///
/// The display stays the same while its screen goes and comes: see `state`.
@MainActor
public final class KMSDisplay: Display, ScreenOwner {
  /// The application's request, which also decides when the screen is back.
  struct Request {
    /// Nil for any.
    var connector: String?
    /// Nil for the mode that the screen prefers.
    var mode: ModeRequest?
    var buffering = Buffering.double
  }

  public let ticker: DisplayTicker
  public let observers = Observers<DisplayEvent>()
  /// The connector's name: "HDMI-A-1".
  public var connectorName: String { pipe.connector.name }
  public var panel: DisplayPanel? {
    let size = pipe.connector.size.map { Size(width: Double($0.width), height: Double($0.height)) }
    return DisplayPanel(connector: connectorName, size: size)
  }
  /// The mode that the first frame sets. It may differ after another screen was plugged in.
  public var mode: DisplayMode { pipe.mode }
  public var name: String { "KMS \(connectorName) \(mode) (\(facts.driver))" }
  /// How the display is paced, and what is wrong with its vblanks.
  public var reason: String { ticker.sourceFault.map { "\(facts.pacing), but \($0)" } ?? facts.pacing }
  /// True if the driver has vblank events. Without them a fallback clock at the mode's rate ticks.
  public var hasVBlankEvents: Bool { facts.hasVBlankEvents }

  /// Called once for each requested feature that the screen goes on without, with the reason: before the property's setter
  /// returns, or in a later turn of the loop where a frame or a returning screen brings it to light. The handler may change
  /// anything, and may invalidate the display.
  public var onRefusal: (@MainActor (FeatureRefusal) -> Void)?

  /// The pointer's picture, which the screen's hardware shows above all layers: moving it costs no frame. Nil, the default,
  /// for none. It stays requested while the screen is away. `cursorState` says whether the screen can show it.
  public var cursor: Cursor? {
    didSet {
      showCursor()
      tellRefusals()
    }
  }

  /// The place of the cursor's hot spot, in pixels from the upper left corner of the picture as one sees it; it may be
  /// outside. It takes effect with the next frame, or at the next vblank if no frame is due.
  public var cursorPosition = Point.zero {
    didSet { if cursor != nil { showCursor() } }
  }

  /// True if the screen may wait for frames, within its limits, instead of repeating the last one: VRR, Adaptive-Sync,
  /// FreeSync. The mode's rate is then the fastest. A change takes an interval or two, and sets the mode anew with some
  /// drivers. `variableRefresh` says whether the screen can.
  public var wantsVariableRefresh = false {
    didSet { if wantsVariableRefresh != oldValue { askForFeatures() } }
  }

  /// True if frames may be shown at once instead of from the next vblank on: sooner, and torn in the middle of a refresh.
  /// `tearing` says whether the screen can.
  public var allowsTearing = false {
    didSet { if allowsTearing != oldValue { askForFeatures() } }
  }

  /// By how much the picture is turned, for a screen that is mounted sideways. Until it is set, the picture stands upright on each panel that the
  /// display gets, where the kernel knows how that is mounted ("panel orientation"), as that of a tablet; from then on, also by `.none`, it stays as
  /// set. The root layer has the turned size. A change sets the mode anew: the screen's hardware turns the picture if the driver takes that,
  /// otherwise the compositor does, as `geometry.rotatedBy` says.
  public var rotation: DisplayRotation {
    get { chosenRotation ?? pipe.rotation }
    set {
      let old = rotation
      chosenRotation = newValue
      if newValue != old { happened(.turned) }
    }
  }
  /// Nil until the program sets the rotation.
  private(set) var chosenRotation: DisplayRotation?
  public var geometry: DisplayGeometry { pipe.geometry }

  /// The error with which the display last went away or failed to come back; nil if there was none.
  public private(set) var lastError: KMSError?

  /// True to switch the screen on, false to switch it off. While it is off there are no flips and no vblanks; links tick on a
  /// clock, and layers keep their state. Switching it on sets the mode anew and repaints everything.
  public var isPowered = true {
    didSet { if isPowered != oldValue { happened(.power(isPowered)) } }
  }

  let card: KMSCard
  let request: Request
  let clock: SystemClock
  /// The presenter that outputs keep while screens change.
  let stable: ReplaceablePresenter
  let wait: VBlankWait
  /// Nil while there is none. A stopped screen is kept, with its picture, until the next one, unless it must go.
  var screen: ConnectedScreen?
  /// The picture from before the screen was ours; nil once that is restored or lost.
  var previous: PreviousScreen?

  /// All refusals that were reported.
  var refusals: Set<FeatureRefusal> = []
  /// Refusals that the application has not heard of yet.
  var untoldRefusals: [FeatureRefusal] = []
  /// Reports them in a turn of its own.
  private(set) lazy var refusalAlarm = FrameLoop.Alarm(.onMain { [weak self] in self?.tellRefusals() })

  /// Those of the screen that there is, or of the last one.
  private var facts: ConnectedScreen.Facts
  var pipe: ScanOutPipe { facts.pipe }
  private var life: DisplayLife
  private lazy var retry = FrameLoop.Alarm(.onMain { [weak self] in self?.happened(.retryDue) })
  private lazy var items = FrameLoop.ItemGroup([retry, refusalAlarm])
  /// Events that were not handled yet.
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
    (facts, previous) = (screen.facts, screen.presenter.scanOut.previous)
    life = DisplayLife(
      hearsEvents: card.access.hearsEvents, checkInterval: card.access.checkInterval, at: clock.now)
    screen.owner = self
    items.insert(screen.presenter.items)
    applyFeatures()
    for action in life.begin() { perform(action) }
  }

  public var presenter: any Presenter { stable }
  /// The presenter of the screen that there is; nil while there is none.
  package var kmsPresenter: KMSPresenter? { screen?.presenter }
  public var state: DisplayState { life.state }
  /// The card that drives the screen; nil while it is gone.
  public var device: DRMDevice? { card.device }
  /// The CRTC that is in use, or was last.
  package var crtc: UInt32 { pipe.crtc }

  public func add(to loop: FrameLoop, mode: FrameLoop.Mode) {
    loop.add(items, to: mode)
    wait.add(to: loop, mode: mode)
    loop.add(card.access.items, to: mode)
  }

  /// Restores the screen as it was found and, with the card's last display, drops the card's master. The end of the display's
  /// last reference does the same.
  public func invalidate() {
    observers.removeAll()
    onRefusal = nil
    stable.invalidate()
    screen?.invalidate()
    screen = nil
    // Fails when the card is gone or another program's: then there is nothing of ours to restore.
    try? previous?.restore()
    previous = nil
    wait.invalidate()
    ticker.invalidate()
    items.invalidate()
    card.release(self)
  }

  // Otherwise the ticker's links would keep the card and its descriptor in the loop.
  isolated deinit {
    invalidate()
  }

  // MARK: Life

  /// Carries out the actions of an event. An event that comes meanwhile is handled after it.
  func happened(_ event: DisplayLife.Event) {
    // Invalidated: nothing is left to do.
    guard retry.isValid else { return }
    events.append(event)
    guard !isAnswering else { return }
    isAnswering = true
    defer { isAnswering = false }
    while !events.isEmpty {
      // The handler of a state may invalidate the display.
      for action in life.handle(events.removeFirst(), at: clock.now) where retry.isValid { perform(action) }
    }
  }

  func screen(reports report: ScreenReport) {
    switch report {
    case .lost(let error):
      lastError = error
      happened(.failed(DisplayLife.Failure(error)))
    case .refused(let refusal): refused(refusal)
    case .modeSet: screen?.modeWasSet()
    }
  }

  private func perform(_ action: DisplayLife.Action) {
    switch action {
    case .stop: stop()
    case .switchOff: switchOff()
    case .closeDevice: closeDevice()
    // An answer comes before all other events.
    case .probe: events.insert(answer(probe), at: 0)
    case .show: events.insert(answer(show), at: 0)
    case .retry(let pause): retry.fireTime = pause.map { clock.now + $0 }
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

  /// Uses a screen from now on.
  func show(on screen: ConnectedScreen) {
    let old = self.screen
    self.screen = screen
    (facts, previous) = (screen.facts, screen.presenter.scanOut.previous)
    screen.owner = self
    applyFeatures()
    if let old { items.remove(old.presenter.items) }
    items.insert(screen.presenter.items)
    ticker.change(to: screen.source)
    stable.replace(with: screen.presenter)
    // The old buffers are freed only now, and with them the picture that they show.
    old?.presenter.freeBuffers()
  }

  private func end() {
    let error = KMSError.sessionEnded(connector: connectorName)
    if observers.notify(.lost(error)) { return }
    // Without a message the program would seem to hang.
    var message = "framepace: \(error)\n"
    message.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
