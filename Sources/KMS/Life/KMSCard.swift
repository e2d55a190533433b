import FrameTiming
import Glibc
public import LinuxSystem
public import Presentation
import RunLoops

/// A card and the screens that it drives: one descriptor, one master and one queue of events, which all its displays share.
/// So a program makes all displays of a card from one `KMSCard`; a `DisplaySession` keeps them for who asks by path.
///
/// Kept by its displays. It is the card's master from its first display to its last. A card whose device was removed is
/// opened again when the device is back.
@MainActor
public final class KMSCard {
  /// Nil while the device is gone.
  public private(set) var device: DRMDevice?
  /// The device's node.
  public private(set) var path: String

  let access: CardAccess
  private var events: DRMEventQueue?
  private let claims = ScreenClaims()
  private var displays: [DisplayEntry] = [] {
    didSet {
      claims.connectors = [:]
      for pipe in displays.compactMap(\.pipe) { claims.connectors[pipe.crtc] = pipe.connector.id }
    }
  }

  /// The connectors whose screens have been asked since something happened to the card, while the displays are told of it: to
  /// ask one may take long, and is enough for all. Nil otherwise.
  private var asked: Set<UInt32>?

  /// Those of this program.
  private static var all: [Entry] = []

  private struct Entry {
    weak var card: KMSCard?
  }

  private struct DisplayEntry {
    /// Also while it is being deinitialized, which waits for the main thread: until then its screen is not given back.
    let id: ObjectIdentifier
    weak var display: KMSDisplay?
    /// Nil while the device is gone.
    var pipe: ScanOutPipe?
  }

  /// A card that nobody is told about: a display that is away asks for itself every now and then. One of a
  /// `DisplaySession` is told.
  public convenience init(device: DRMDevice) {
    self.init(device: device, access: .direct(device))
  }

  init(device: DRMDevice, access: CardAccess) {
    self.device = device
    self.access = access
    path = device.path
    events = DRMEventQueue(interface: device.interface)
    Self.all.removeAll { $0.card == nil }
    Self.all.append(Entry(card: self))
  }

  isolated deinit {
    events?.invalidate()
    access.close()
  }

  /// Takes one screen of the card until its `invalidate()`. Nothing changes on it before the first frame, except where the
  /// driver has the legacy interface only: there the screen goes black, because to set the mode is the only way to learn
  /// whether the driver takes it.
  ///
  /// - Parameters:
  ///   - connector: a connector's name; nil for the first connected one that is free and can be shown on.
  ///   - mode: the mode to use; nil for the one that the screen prefers, or the next best that the driver takes. The
  ///     display's `reason` names what could not be had.
  ///   - buffering: how many buffers frames are painted in.
  ///   - clock: the clock of the loop that the display is added to.
  public func display(
    connector: String? = nil, mode: ModeRequest? = nil, buffering: Buffering = .double, clock: SystemClock = .monotonic
  ) throws(KMSError) -> KMSDisplay {
    defer { dropMasterIfUnused() }
    let parts = try parts()
    let first = try parts.connector(connector)
    let request = KMSDisplay.Request(connector: connector, mode: mode, buffering: buffering)
    var passedOver: [KMSError] = []
    // Where none was named, another one will do as well.
    for chosen in [first] + (connector == nil ? parts.free.filter { $0.id != first.id } : []) {
      do throws(KMSError) {
        // One that leaves the other screens theirs, as far as can be.
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

  /// Takes every connected screen that is free.
  ///
  /// - Returns: the displays, and why others could not be taken.
  public func displays(
    buffering: Buffering = .double, clock: SystemClock = .monotonic
  ) throws(KMSError) -> (displays: [KMSDisplay], refused: [KMSError]) {
    defer { dropMasterIfUnused() }
    let parts = try parts()
    // Says why there is none.
    if parts.free.isEmpty { _ = try parts.connector(nil) }
    return displays(parts, buffering: buffering, clock: clock)
  }

  /// As `displays`, and none where all are taken.
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

  /// Looks at the screens of all displays anew, as an event of the kernel lets it: for a program that hears of screens that
  /// come and go in some other way, and for tests.
  public func lookForScreens() { tell(.hotplug) }

  private func display(
    _ request: KMSDisplay.Request, _ pipe: ScanOutPipe, connectors: [DRMConnector], clock: SystemClock
  ) throws(KMSError) -> KMSDisplay {
    let screen = try connect(pipe, connectors: connectors, buffering: request.buffering, clock: clock)
    let display = KMSDisplay(card: self, screen: screen, request: request, clock: clock)
    reserve(screen.pipe, for: display)
    return display
  }

  // MARK: For its displays

  /// Shows on a pipe of `parts(for:)`; in one of its lesser modes where the driver refuses the best.
  func connect(
    _ pipe: ScanOutPipe, connectors: [DRMConnector], buffering: Buffering, previous: PreviousScreen? = nil,
    pacing: (ticker: DisplayTicker, wait: VBlankWait)? = nil, clock: SystemClock
  ) throws(KMSError) -> ConnectedScreen {
    let (device, events) = try open()
    func connect(_ pipe: ScanOutPipe) throws(KMSError) -> ConnectedScreen {
      try ConnectedScreen(
        pipe: pipe, of: device, connectors: connectors, claims: claims, events: events.makeRoute(), buffering: buffering,
        previous: previous, pacing: pacing, clock: clock)
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

  /// What there is to show with now. Becomes the card's master first: nobody else can have its screens asked.
  ///
  /// - Parameters:
  ///   - display: whose own parts count as free.
  ///   - asksScreens: otherwise what the kernel knows of them is enough.
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

  /// Whether a connector's screen is asked, by whoever wants to know of it; it counts as asked then.
  func isToBeAsked(_ connector: UInt32) -> Bool { asked?.insert(connector).inserted ?? true }

  /// No other display takes what this one uses, also while its screen is away.
  func reserve(_ pipe: ScanOutPipe, for display: KMSDisplay) {
    displays.removeAll { $0.id == ObjectIdentifier(display) }
    displays.append(DisplayEntry(id: ObjectIdentifier(display), display: display, pipe: pipe))
  }

  /// A display is done with its screen. The second time it is nothing.
  func release(_ display: KMSDisplay) {
    guard displays.contains(where: { $0.id == ObjectIdentifier(display) }) else { return }
    displays.removeAll { $0.id == ObjectIdentifier(display) }
    claims.settle()
    dropMasterIfUnused()
  }

  /// The device is gone: nothing is asked of it any more, and its node is let go of, so that the one that comes gets it.
  func close() {
    guard device != nil else { return }
    events?.invalidate()
    (device, events) = (nil, nil)
    for index in displays.indices { displays[index].pipe = nil }
    claims.forget()
    access.close()
    tell(.deviceRemoved)
  }

  private func open() throws(KMSError) -> (DRMDevice, DRMEventQueue) {
    if let device, let events, events.isValid { return (device, events) }
    let device = if let device { device } else { try access.open() }
    let events = DRMEventQueue(interface: device.interface)
    (self.device, self.events, path) = (device, events, device.path)
    return (device, events)
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

  /// Whether another one of this program has displays on the same device.
  private var isOpenTwice: Bool {
    Self.all.contains { $0.card !== self && $0.card?.path == path && $0.card?.isInUse == true }
  }

  private var isInUse: Bool { !displays.isEmpty }

  private func dropMasterIfUnused() {
    // Fails when the card is gone or has another master already: then there is nothing to give back.
    if access.takesMaster, !isInUse { try? device?.dropMaster() }
  }

  // MARK: What happens to it

  /// Tells all displays.
  func tell(_ event: DisplayLife.Event) {
    let isWithinAnother = asked != nil
    // Also where one that is told says so: what has happened since the screens were asked is news.
    asked = []
    defer { if !isWithinAnother { asked = nil } }
    for display in displays.compactMap(\.display) { display.happened(event) }
  }
}
