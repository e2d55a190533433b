import CDRM
import Glibc
public import KMS
public import LinuxSystem
public import RunLoops

/// A display card without hardware and kernel, for tests: connectors, CRTCs, planes and memory that behave like a driver's,
/// and refuse what a kernel refuses.
///
/// Open it, and give the device to a `KMSCard`. Its vblanks follow the given clock; `SimulatedVBlanks` plays them on a loop.
/// Every call is counted and can be made to fail. Leaks and the pictures of screens can be read.
///
/// ```swift
/// let clock = ManualClock()
/// let card = SimulatedCard(connectors: [.init("HDMI-A-1", modes: [.simulated(640, 480)])], clock: .manual(clock))
/// let display = try KMSCard(device: card.open()).display(clock: .manual(clock))
/// ```
public final class SimulatedCard: Sendable {
  /// A connector of the card.
  public struct Connector: Sendable {
    public var name: String
    public var modes: [DisplayMode]
    public var isConnected: Bool
    /// True if the driver cannot tell a connected screen, as for VGA without a data line. It assumes `modes` then, and
    /// ignores `isConnected`.
    public var isUncertain: Bool
    /// A bit for each CRTC that can drive it.
    public var possibleCRTCs: UInt32
    /// The screen's description of itself; empty for none.
    public var edid: [UInt8]
    /// True if the driver says that the screen's rate can vary; nil where it does not say.
    public var takesVariableRate: Bool?
    /// How the panel is mounted, as the kernel counts: 0 upright, 1 upside down, 2 with its left side up, 3 with its right side up; nil where it does
    /// not say.
    public var panelOrientation: UInt64?

    public init(
      _ name: String, modes: [DisplayMode], isConnected: Bool = true, possibleCRTCs: UInt32 = .max, edid: [UInt8] = [],
      takesVariableRate: Bool? = nil, panelOrientation: UInt64? = nil, isUncertain: Bool = false
    ) {
      self.name = name
      self.modes = modes
      self.isConnected = isConnected
      self.possibleCRTCs = possibleCRTCs
      self.edid = edid
      self.takesVariableRate = takesVariableRate
      self.panelOrientation = panelOrientation
      self.isUncertain = isUncertain
    }
  }

  public let path: String
  public let clock: SystemClock
  let state: Lock<CardState>

  /// - Parameters:
  ///   - crtcs: their number; each has a primary plane and, with `hasCursors`, a plane for cursors of 64x64.
  ///   - showsConsole: whether the kernel's console is on the connected screens, as far as there are CRTCs. Otherwise no
  ///     screen was asked before the card's first master does.
  ///   - hasVBlanks: false to complete flips at once and refuse vblanks, like drivers without them.
  ///   - hasSequences: false for vblanks in microseconds with 32 bits of sequence, like kernels before 4.15.
  ///   - isAtomic: false for the legacy calls only.
  ///   - takesAsynchronousFlips: whether flips need not wait for the vblank, by the legacy calls and by atomic commits.
  ///   - clock: the clock of the loop that the displays are added to.
  public init(
    connectors: [Connector], crtcs: Int = 2, showsConsole: Bool = true, hasVBlanks: Bool = true,
    hasSequences: Bool = true, isAtomic: Bool = true, hasCursors: Bool = true, takesAsynchronousFlips: Bool = false,
    path: String = "/dev/dri/card0", clock: SystemClock
  ) {
    self.path = path
    self.clock = clock
    var state = CardState(hasVBlanks: hasVBlanks, hasSequences: hasSequences, isAtomic: isAtomic)
    state.takesAsynchronousFlips = takesAsynchronousFlips
    state.addParts(connectors: connectors, crtcs: crtcs, hasCursors: hasCursors)
    if showsConsole { state.showConsole(at: clock.now) }
    self.state = Lock(state)
  }

  /// Opens the card once more; the first one is its master.
  ///
  /// - Parameter allowsAtomic: false for the legacy interface even where there is an atomic one.
  public func open(allowsAtomic: Bool = true) throws(KMSError) -> DRMDevice {
    do throws(SystemError) {
      return try DRMDevice(SimulatedClient(card: self), allowsAtomic: allowsAtomic)
    } catch {
      throw .device(path: path, error)
    }
  }

  // MARK: Events of the world

  /// Plugs a screen in, or pulls it out. The connector's CRTC stays on, as in the kernel.
  public func setConnected(_ isConnected: Bool, _ connector: String) {
    changeConnector(connector) { $0.isConnected = isConnected }
  }

  /// Replaces a screen: its modes are known once the card's master asks.
  public func setModes(_ modes: [DisplayMode], of connector: String) {
    changeConnector(connector) { $0.modes = modes }
  }

  /// Removes a connector, like a dock. Its CRTC goes off.
  public func removeConnector(_ name: String) {
    state.withLock { state in
      guard let index = state.connectors.firstIndex(where: { $0.name == name }) else { return }
      let crtc = state.connectors[index].crtc
      state.connectors.remove(at: index)
      if let crtc = state.crtcIndex(crtc), !state.connectors.contains(where: { $0.crtc == state.crtcs[crtc].id }) {
        state.switchOff(crtc: crtc)
      }
    }
  }

  /// Lets the driver refuse modes, by their descriptions: "1920x1080@60.00".
  public func refuseModes(_ modes: Set<String>) {
    state.withLock { $0.refusedModes = modes }
  }

  /// Lets the driver refuse commits that would show a cursor, like hardware without room for one beside the picture; 0 ends
  /// it.
  public func refuseCursors(errno: Int32) {
    state.withLock { $0.cursorRefusal = errno }
  }

  /// Lets the driver refuse to turn pictures counter-clockwise by some of 90, 180 and 270 degrees, as many do with linear
  /// framebuffers.
  public func refuseRotations(_ degrees: Set<Int>) {
    state.withLock { $0.refusedRotations = degrees.reduce(0) { $0 | 1 << UInt64($1 / 90) } }
  }

  /// Has the card be of another driver, which tells another layout of framebuffers. To be called before the card is opened.
  package func setDriver(_ driver: String, layout: DRMFramebuffer.Layout) {
    state.withLock { ($0.driver, $0.layout) = (driver, layout) }
  }

  /// Removes properties from cursor planes, by their names.
  package func removeCursorProperties(_ names: Set<String>) {
    state.withLock { $0.missingCursorProperties = names }
  }

  /// Pulls the card out: pending events are sent, and every call fails with `ENODEV` from then on.
  public func unplug() {
    change { state in
      for index in state.crtcs.indices { state.turnOff(crtc: index) }
      state.isUnplugged = true
    }
  }

  /// Switches a connector's CRTC off, as another program does.
  public func switchOff(_ connector: String) {
    changeCRTC(of: connector) { state, crtc in state.switchOff(crtc: crtc) }
  }

  /// Breaks the link to a screen, as with DisplayPort: the screen is dark until a mode-set calls the link good.
  public func breakLink(of connector: String) {
    changeConnector(connector) { $0.settings.isLinkBad = true }
  }

  /// Lets a connector show what another one shows, like a console on several screens: both are on one CRTC.
  public func clone(_ connector: String, of other: String) {
    changeCRTC(of: connector) { state, crtc in state.switchOff(crtc: crtc) }
    guard let crtc = state.withLock({ state in state.connectors.first { $0.name == other }?.crtc }) else { return }
    changeConnector(connector) { $0.crtc = crtc }
  }

  /// Makes a screen dark with its mode kept, like a blanked console.
  public func blank(_ connector: String) {
    changeCRTC(of: connector) { state, crtc in
      state.turnOff(crtc: crtc)
      state.crtcs[crtc].settings.isActive = false
    }
  }

  /// Frees the cursor that `addLeftovers` made, as its owner does.
  public func freeLeftoverCursor() {
    state.withLock { $0.removeFramebuffer($0.leftoverCursor) }
  }

  /// Leaves settings on a connector's screen as another program may: colour tables, a screen that expects other colours than
  /// sRGB, a variable rate, a rotated and translucent plane, and a cursor that is not premultiplied.
  public func addLeftovers(on connector: String) {
    state.withLock { $0.addLeftovers(on: connector) }
  }

  private func changeConnector(_ name: String, _ change: (inout CardState.Connector) -> Void) {
    state.withLock { state in
      guard let index = state.connectors.firstIndex(where: { $0.name == name }) else { return }
      change(&state.connectors[index])
    }
  }

  /// Changes the state after all vblanks up to now.
  private func change(_ change: (inout CardState) -> Void) {
    let now = clock.now
    state.withLock { state in
      state.advance(to: now)
      change(&state)
    }
  }

  private func changeCRTC(of name: String, _ change: (inout CardState, _ crtc: Int) -> Void) {
    self.change { state in
      let connector = state.connectors.first { $0.name == name }
      if let connector, let crtc = state.crtcIndex(connector.crtc) { change(&state, crtc) }
    }
  }

  // MARK: Vblanks

  /// Loses the events of the next `count` flips, as some drivers do around a suspend.
  public func loseFlipEvents(_ count: Int) {
    state.withLock { $0.flipEventsToLose = count }
  }

  /// Loses the events of the next `count` requested vblanks, as some drivers do.
  public func loseVBlankEvents(_ count: Int) {
    state.withLock { $0.vblankEventsToLose = count }
  }

  /// Sets the vblank count of a connector's CRTC.
  public func setSequence(_ sequence: UInt64, of connector: String) {
    changeCRTC(of: connector) { state, crtc in state.crtcs[crtc].vblanks.sequence = sequence }
  }

  /// Ends all vblanks, as after a reset that the hardware has not survived.
  public func stopVBlanks() {
    change { $0.vblanksAreStopped = true }
  }

  /// Stamps vblanks by a clock at a constant distance from the card's, as in a time namespace.
  package func setStampOffset(_ offset: Nanoseconds) {
    state.withLock { $0.stampOffset = offset }
  }

  /// Lets all vblanks up to `time` happen. Every call does so up to the clock's time.
  public func advance(to time: MonotonicTime) {
    state.withLock { $0.advance(to: time) }
  }

  /// The time of the next vblank that was requested; nil for none.
  public var nextRequestedVBlank: MonotonicTime? { state.withLock(\.nextRequestedVBlank) }

  // MARK: Calls

  /// The number of calls since `resetCalls()`.
  public var callCount: Int { state.withLock(\.calls.count) }
  /// The call that failed because of `fail(call:errno:)`.
  public var failedCall: CardCall? { state.withLock(\.calls.failed) }

  public func callCount(of call: CardCall) -> Int { state.withLock { $0.calls.counts[call, default: 0] } }

  /// Lets one call fail without an effect: number 1 is the next call.
  public func fail(call number: Int, errno: Int32) {
    state.withLock { $0.calls.fail(number, errno: errno) }
  }

  /// Lets the next call of a kind fail, once.
  public func fail(next call: CardCall, errno: Int32) {
    state.withLock { $0.calls.fail(next: call, errno: errno) }
  }

  /// Lets all calls of a kind fail from now on; 0 ends it.
  public func fail(_ call: CardCall, errno: Int32) {
    state.withLock { $0.calls.fail(call, errno: errno) }
  }

  /// Runs `body` before the next call of a kind, once, on the calling thread.
  package func before(next call: CardCall, _ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.calls.before[call] = body }
  }

  /// Counts from 0 again, and lets no call fail.
  public func resetCalls() {
    state.withLock { $0.calls.reset() }
  }
}

extension DisplayMode {
  /// A mode for a simulated card, with an exact refresh rate.
  ///
  /// - Parameter hertz: above 0; rate times rows must be below four thousand million.
  public static func simulated(_ width: Int, _ height: Int, hertz: Int = 60, isPreferred: Bool = false) -> DisplayMode {
    var info = drmModeModeInfo()
    // Rows of whole thousands of pixels make the pixel clock a whole number of kHz.
    info.htotal = UInt16(clamping: (width / 1000 + 1) * 1000)
    info.vtotal = UInt16(clamping: height + 30)
    info.hdisplay = UInt16(clamping: width)
    info.vdisplay = UInt16(clamping: height)
    info.clock = UInt32(clamping: hertz * Int(info.vtotal) * Int(info.htotal) / 1000)
    info.vrefresh = UInt32(clamping: hertz)
    info.type = isPreferred ? UInt32(DRM_MODE_TYPE_PREFERRED) : 0
    return DisplayMode(info)
  }
}

/// Plays a simulated card's vblanks on a loop, which it wakes only for requested vblanks.
///
/// ```swift
/// let vblanks = SimulatedVBlanks(of: card, on: loop)
/// ```
@MainActor
public final class SimulatedVBlanks {
  private let items: FrameLoop.ItemGroup

  /// - Parameter loop: on the card's clock.
  public init(of card: SimulatedCard, on loop: FrameLoop, mode: FrameLoop.Mode = .default) {
    let vblank = FrameLoop.Alarm(.onMain { card.advance(to: card.clock.now) })
    // After everything that may request a vblank.
    let turnEnd = FrameLoop.Observer(
      .beforeWaiting, order: ObserverOrder.turnEnd,
      .onMain { _, _ in
        let next = card.nextRequestedVBlank
        if vblank.fireTime != next { vblank.fireTime = next }
      })
    items = FrameLoop.ItemGroup([vblank, turnEnd])
    loop.add(items, to: mode)
  }

  public func invalidate() { items.invalidate() }
}
