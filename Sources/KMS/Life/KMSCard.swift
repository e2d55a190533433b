import FrameTiming
import Glibc
public import LinuxSystem
public import Presentation
import RunLoops

/// A card and the screens that it drives: one descriptor, one master and one queue of events, which all its displays share.
/// So a program makes all displays of a card from one `KMSCard`; a `DisplaySession` finds it by path.
///
/// ```swift
/// let card = try session.card(at: "/dev/dri/card0")
/// let (displays, refused) = try card.displays()
/// ```
///
/// Its displays keep it alive. It is the card's master from its first display to its last. When a removed device is back, the
/// card is opened again.
@MainActor
public final class KMSCard {
  /// Nil while the device is gone.
  public var device: DRMDevice? { opened?.device }
  /// The device's node.
  public private(set) var path: String

  let access: CardAccess
  private var opened: (device: DRMDevice, events: DRMEventQueue)?
  private let claims = ScreenClaims()
  private var displays: [DisplayEntry] = [] {
    didSet {
      claims.connectors = [:]
      for pipe in displays.compactMap(\.pipe) { claims.connectors[pipe.crtc] = pipe.connector.id }
    }
  }

  /// The connectors whose screens were asked while an event is being told to the displays; nil at other times. Asking one
  /// may take long, and one answer is enough for all displays.
  private var asked: Set<UInt32>?

  /// All cards of this program.
  private static var all: [Entry] = []

  private struct Entry {
    weak var card: KMSCard?
  }

  private struct DisplayEntry {
    /// Known also while the display waits for the main thread to be deinitialized: until then it has its screen.
    let id: ObjectIdentifier
    weak var display: KMSDisplay?
    /// Nil while the device is gone.
    var pipe: ScanOutPipe?
  }

  /// A card that hears no events: a display that is away tries by itself now and then. A `DisplaySession`'s card hears
  /// events.
  public convenience init(device: DRMDevice) {
    self.init(device: device, access: .direct(device))
  }

  init(device: DRMDevice, access: CardAccess) {
    self.access = access
    path = device.path
    opened = (device, DRMEventQueue(interface: device.interface))
    Self.all.removeAll { $0.card == nil }
    Self.all.append(Entry(card: self))
  }

  isolated deinit {
    opened?.events.invalidate()
    access.close()
  }

  /// Takes one screen of the card until its `invalidate()`. Nothing changes on it before the first frame, except with the
  /// legacy calls: there the screen goes black, because only setting the mode shows whether the driver takes it.
  ///
  /// - Parameters:
  ///   - connector: a connector's name; nil for the first usable one that is connected and free.
  ///   - mode: nil for the mode that the screen prefers, or the next best that the driver takes. The display's `reason`
  ///     names better modes that were refused.
  ///   - buffering: the number of buffers to paint in.
  ///   - clock: the clock of the loop that the display is added to.
  public func display(
    connector: String? = nil, mode: ModeRequest? = nil, buffering: Buffering = .double, clock: SystemClock = .monotonic
  ) throws(KMSError) -> KMSDisplay {
    defer { dropMasterIfUnused() }
    let parts = try parts()
    let first = try parts.connector(connector)
    let request = KMSDisplay.Request(connector: connector, mode: mode, buffering: buffering)
    var passedOver: [KMSError] = []
    // Unless one was named, another one will do.
    for chosen in [first] + (connector == nil ? parts.free.filter { $0.id != first.id } : []) {
      do throws(KMSError) {
        // A CRTC that leaves the other screens theirs, if possible.
        let crtcs = parts.crtcs(for: [chosen] + parts.free.filter { $0.id != chosen.id })
        var pipe = try parts.pipe(for: chosen, crtc: crtcs[chosen.id], mode: mode)
        pipe.passedOver = passedOver
        return try display(request, pipe, connectors: parts.connectors, clock: clock)
      } catch {
        passedOver.append(error)
        if !error.isAboutScreen { break }
      }
    }
    throw passedOver.first ?? .noDevice
  }

  /// Takes all free connected screens.
  ///
  /// - Returns: the displays, and why others could not be taken.
  public func displays(
    buffering: Buffering = .double, clock: SystemClock = .monotonic
  ) throws(KMSError) -> (displays: [KMSDisplay], refused: [KMSError]) {
    defer { dropMasterIfUnused() }
    let parts = try parts()
    // Throws the reason.
    if parts.free.isEmpty { _ = try parts.connector(nil) }
    return displays(parts, buffering: buffering, clock: clock)
  }

  /// Like `displays`, but empty where all screens are taken.
  func furtherDisplays(
    buffering: Buffering, clock: SystemClock
  ) throws(KMSError) -> (displays: [KMSDisplay], refused: [KMSError]) {
    defer { dropMasterIfUnused() }
    return displays(try parts(), buffering: buffering, clock: clock)
  }

  private func displays(
    _ parts: CardParts, buffering: Buffering, clock: SystemClock
  ) -> (displays: [KMSDisplay], refused: [KMSError]) {
    var parts = parts
    let connectors = parts.free
    let crtcs = parts.crtcs(for: connectors)
    var displays: [KMSDisplay] = []
    var refused: [KMSError] = []
    for connector in connectors {
      do throws(KMSError) {
        let pipe = try parts.pipe(for: connector, crtc: crtcs[connector.id])
        let request = KMSDisplay.Request(connector: connector.name, buffering: buffering)
        let display = try display(request, pipe, connectors: parts.connectors, clock: clock)
        displays.append(display)
        parts.used.append(display.screen?.pipe ?? pipe)
      } catch {
        refused.append(error)
      }
    }
    return (displays, refused)
  }

  /// Asks the screens of all displays anew, as after an event of the kernel: for programs that hear of screens in another
  /// way, and for tests.
  public func lookForScreens() { tell(.hotplug) }

  private func display(
    _ request: KMSDisplay.Request, _ pipe: ScanOutPipe, connectors: [DRMConnector], clock: SystemClock
  ) throws(KMSError) -> KMSDisplay {
    var pipe = pipe
    // Without an answer the picture is as the panel is.
    pipe.rotation = uprightRotation(on: pipe.connector) ?? .none
    let screen = try connect(pipe, connectors: connectors, buffering: request.buffering, clock: clock)
    let display = KMSDisplay(card: self, screen: screen, request: request, clock: clock)
    reserve(screen.pipe, for: display)
    return display
  }

  // MARK: Called by displays

  /// The turn with which a picture stands upright on a connector's panel; nil without an answer.
  func uprightRotation(on connector: DRMConnector) -> DisplayRotation? {
    (try? open().device.interface.properties(of: connector.id, type: .connector))?.uprightRotation
  }

  /// Shows on a pipe from `parts(for:)`, in a lesser mode if the driver refuses the best.
  func connect(
    _ pipe: ScanOutPipe, connectors: [DRMConnector], buffering: Buffering, previous: PreviousScreen? = nil,
    pacing: (ticker: DisplayTicker, wait: VBlankWait)? = nil, clock: SystemClock
  ) throws(KMSError) -> ConnectedScreen {
    let (device, events) = try open()
    func make(_ pipe: ScanOutPipe) throws(KMSError) -> ConnectedScreen {
      try ConnectedScreen(
        pipe: pipe, of: device, connectors: connectors, claims: claims, events: events, buffering: buffering,
        previous: previous, pacing: pacing, clock: clock)
    }
    func connect(_ pipe: ScanOutPipe) throws(KMSError) -> ConnectedScreen {
      // Many drivers turn no linear framebuffer, or only upside down: then the compositor does it.
      if let turning = pipe.turningPlane, let screen = try? make(turning) { return screen }
      return try make(pipe)
    }
    do throws(KMSError) {
      return try connect(pipe)
    } catch {
      guard error.isAboutMode else { throw error }
      for lesser in pipe.lesserModes {
        guard let other = pipe.instead(in: lesser, refusal: error) else { continue }
        if let screen = try? connect(other) { return screen }
      }
      throw error
    }
  }

  /// The card's parts as they are now. Becomes the card's master first: only the master can ask screens.
  ///
  /// - Parameters:
  ///   - display: its own parts count as free.
  ///   - asksScreens: whether screens are asked; otherwise what the kernel knows is enough.
  func parts(for display: KMSDisplay? = nil, asksScreens: Bool = true) throws(KMSError) -> CardParts {
    try becomeMaster()
    let (device, _) = try open()
    let resources = try device.resources()
    let planes = try device.planes()
    return CardParts(
      path: path, resources: resources,
      connectors: try device.ask { () throws(SystemError) in
        try device.connectors(resources.connectors) { asksScreens && isToBeAsked($0) }
      },
      primaryPlanes: planes?.primary,
      used: displays.filter { $0.id != display.map { ObjectIdentifier($0) } }.compactMap(\.pipe),
      cursorPlanes: planes?.cursor ?? [])
  }

  /// True if a connector's screen is still to be asked; it counts as asked from then on.
  func isToBeAsked(_ connector: UInt32) -> Bool { asked?.insert(connector).inserted ?? true }

  /// Keeps other displays from taking this one's pipe, also while its screen is away.
  func reserve(_ pipe: ScanOutPipe, for display: KMSDisplay) {
    displays.removeAll { $0.id == ObjectIdentifier(display) }
    displays.append(DisplayEntry(id: ObjectIdentifier(display), display: display, pipe: pipe))
  }

  /// A display has given its screen up. A second call does nothing.
  func release(_ display: KMSDisplay) {
    guard displays.contains(where: { $0.id == ObjectIdentifier(display) }) else { return }
    displays.removeAll { $0.id == ObjectIdentifier(display) }
    dropMasterIfUnused()
  }

  /// The device is gone. Closing its node frees the name for the device that comes.
  func close() {
    guard let opened else { return }
    opened.events.invalidate()
    self.opened = nil
    for index in displays.indices { displays[index].pipe = nil }
    access.close()
    tell(.deviceRemoved)
  }

  private func open() throws(KMSError) -> (device: DRMDevice, events: DRMEventQueue) {
    if let opened, opened.events.isValid { return opened }
    let device = if let device { device } else { try access.open() }
    let new = (device, DRMEventQueue(interface: device.interface))
    (opened, path) = (new, device.path)
    return new
  }

  private func becomeMaster() throws(KMSError) {
    let (device, _) = try open()
    do throws(KMSError) {
      if access.takesMaster { return try device.becomeMaster() }
      if !device.isMaster { throw .notMaster(path: path) }
    } catch .notMaster where isOpenTwice {
      throw .openTwice(path: path)
    }
  }

  /// True if another card of this program has displays on the same device.
  private var isOpenTwice: Bool {
    Self.all.contains { $0.card !== self && $0.card?.path == path && $0.card?.isInUse == true }
  }

  private var isInUse: Bool { !displays.isEmpty }

  private func dropMasterIfUnused() {
    // Fails when the card is gone or has another master already.
    if access.takesMaster, !isInUse { try? device?.dropMaster() }
  }

  // MARK: Events

  /// Tells an event to all displays.
  func tell(_ event: DisplayLife.Event) {
    let isWithinAnother = asked != nil
    // Reset on re-entry too: the event is newer than earlier answers.
    asked = []
    defer { if !isWithinAnother { asked = nil } }
    for display in displays.compactMap(\.display) { display.happened(event) }
  }
}

/// The way to open a card again when its device has come back, and the events that tell when.
@MainActor
struct CardAccess {
  /// Opens the card's device, wherever it is now. Called after the previous one was closed.
  var open: @MainActor () throws(KMSError) -> DRMDevice
  /// Closes the card's device.
  var close: @MainActor () -> Void = {}
  /// True if the card takes and drops master itself; a seat does both for us.
  var takesMaster = true
  /// True if events tell of devices and screens that come.
  var hearsEvents = false
  /// The interval of probes without events; nil for none.
  var checkInterval: Nanoseconds?
  /// Served in the modes of the card's displays, to hear of events.
  var items = FrameLoop.ItemGroup()

  /// Opens the device by its path with the program's own rights. No events are heard.
  static func direct(_ device: DRMDevice) -> CardAccess {
    let (path, isAtomic) = (device.path, device.isAtomic)
    return CardAccess(open: { () throws(KMSError) in try DRMDevice(path: path, allowsAtomic: isAtomic) })
  }
}
