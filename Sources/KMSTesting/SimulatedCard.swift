import Glibc
public import KMS
public import LinuxSystem

/// A display card without hardware and kernel: connectors, CRTCs, planes and memory that behave as a driver's do, and refuse
/// what a kernel refuses.
///
/// Open it, and give the device to a `KMSCard`. Its vblanks come on the clock that it is given; `SimulatedVBlanks` plays
/// them on a loop. Every call is counted and can be made to fail. What leaks and what a screen shows can be read.
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
    /// Whether the driver cannot tell if a screen is connected, as of VGA without a data line. Its modes are those that it
    /// assumes then, and `isConnected` says nothing.
    public var isUncertain: Bool
    /// A bit for each CRTC that can drive it.
    public var possibleCRTCs: UInt32
    /// What the screen says of itself; empty for nothing.
    public var edid: [UInt8]
    /// Whether the screen's rate can vary, as the driver says; nil where it does not say.
    public var takesVariableRate: Bool?

    public init(
      _ name: String, modes: [DisplayMode], isConnected: Bool = true, possibleCRTCs: UInt32 = .max, edid: [UInt8] = [],
      takesVariableRate: Bool? = nil, isUncertain: Bool = false
    ) {
      self.name = name
      self.modes = modes
      self.isConnected = isConnected
      self.possibleCRTCs = possibleCRTCs
      self.edid = edid
      self.takesVariableRate = takesVariableRate
      self.isUncertain = isUncertain
    }
  }

  public let path: String
  public let clock: SystemClock
  let state: Lock<CardState>

  /// - Parameters:
  ///   - crtcs: how many; each has a primary plane and, with `hasCursors`, one for a cursor of 64x64.
  ///   - showsConsole: whether the kernel's console is on the connected screens, as far as there are CRTCs. Without it, nobody
  ///     has looked for screens before the card's first master does.
  ///   - hasVBlanks: without, flips are complete at once and vblanks are refused, as by drivers that have none.
  ///   - hasSequences: without, vblanks are told of to the microsecond and with 32 bits of sequence, as by kernels before 4.15.
  ///   - isAtomic: without, there are the legacy calls only.
  ///   - takesAsynchronousFlips: whether flips need not wait for the vblank, by the legacy calls and by atomic commits.
  ///   - clock: of the loop that the displays are added to.
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

  // MARK: What happens to it

  /// Plugs a screen in, or pulls it out. What drives the connector goes on doing so, as the kernel has it.
  public func setConnected(_ isConnected: Bool, _ connector: String) {
    changeConnector(connector) { $0.isConnected = isConnected }
  }

  /// Another screen: other modes, which are known once the card's master asks for them.
  public func setModes(_ modes: [DisplayMode], of connector: String) {
    changeConnector(connector) { $0.modes = modes }
  }

  /// A new connector, as of a dock; CRTCs are those that there are. Whether it has a screen is known once the card's master
  /// asks.
  public func addConnector(_ connector: Connector) {
    state.withLock { $0.addConnector(connector) }
  }

  /// A connector goes, as with a dock. Its CRTC goes off.
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

  /// Modes that the driver does not take, by their descriptions: "1920x1080@60.00".
  public func refuseModes(_ modes: Set<String>) {
    state.withLock { $0.refusedModes = modes }
  }

  /// From now on the driver refuses each commit with which a cursor would be seen, as hardware does that has not the room for
  /// one beside the picture; 0 ends it.
  public func refuseCursors(errno: Int32) {
    state.withLock { $0.cursorRefusal = errno }
  }

  /// From now on the planes for cursors are without these properties, by their names.
  package func removeCursorProperties(_ names: Set<String>) {
    state.withLock { $0.missingCursorProperties = names }
  }

  /// The card is pulled out: what pends is told, and from then on every call answers `ENODEV`.
  public func unplug() {
    let now = clock.now
    state.withLock { state in
      state.advance(to: now)
      for index in state.crtcs.indices { state.turnOff(crtc: index) }
      state.isUnplugged = true
    }
  }

  /// Another program switches a connector's CRTC off.
  public func switchOff(_ connector: String) {
    let now = clock.now
    state.withLock { state in
      state.advance(to: now)
      guard let index = state.connectors.firstIndex(where: { $0.name == connector }),
        let crtc = state.crtcIndex(state.connectors[index].crtc)
      else { return }
      state.switchOff(crtc: crtc)
    }
  }

  /// The link to a screen fails, as DisplayPort's may: the screen is dark until a mode-set calls the link good.
  public func breakLink(of connector: String) {
    changeConnector(connector) { $0.settings.isLinkBad = true }
  }

  /// A connector shows what another one shows, as a console on several screens: both are on one CRTC.
  public func clone(_ connector: String, of other: String) {
    let now = clock.now
    state.withLock { state in
      state.advance(to: now)
      guard let index = state.connectors.firstIndex(where: { $0.name == connector }),
        let source = state.connectors.first(where: { $0.name == other })
      else { return }
      if let crtc = state.crtcIndex(state.connectors[index].crtc) { state.switchOff(crtc: crtc) }
      state.connectors[index].crtc = source.crtc
    }
  }

  /// A screen is dark and keeps its mode, as a console that is blanked.
  public func blank(_ connector: String) {
    let now = clock.now
    state.withLock { state in
      state.advance(to: now)
      guard let connector = state.connectors.first(where: { $0.name == connector }),
        let crtc = state.crtcIndex(connector.crtc)
      else { return }
      state.turnOff(crtc: crtc)
      state.crtcs[crtc].settings.isActive = false
    }
  }

  /// The cursor that `addLeftovers` made is freed by its owner.
  public func freeLeftoverCursor() {
    state.withLock { $0.removeFramebuffer($0.leftoverCursor) }
  }

  /// What another program may leave on a connector's screen beside its picture: tables of colours, a screen that expects
  /// others than sRGB, a variable rate, a plane that is turned and translucent, and a cursor that
  /// is not premultiplied.
  public func addLeftovers(on connector: String) {
    state.withLock { $0.addLeftovers(on: connector) }
  }

  private func changeConnector(_ name: String, _ change: (inout CardState.Connector) -> Void) {
    state.withLock { state in
      guard let index = state.connectors.firstIndex(where: { $0.name == name }) else { return }
      change(&state.connectors[index])
    }
  }

  // MARK: Vblanks

  /// Flips that are done and never told, as some drivers do around a suspend: the next `count` ones.
  public func loseFlipEvents(_ count: Int) {
    state.withLock { $0.flipEventsToLose = count }
  }

  /// Vblanks that happen and are never told, as some drivers lose them: the next `count` ones that are asked for.
  public func loseVBlankEvents(_ count: Int) {
    state.withLock { $0.vblankEventsToLose = count }
  }

  /// Lets the CRTC of a connector have counted so many vblanks.
  public func setSequence(_ sequence: UInt64, of connector: String) {
    state.withLock { state in
      guard let connector = state.connectors.first(where: { $0.name == connector }),
        let crtc = state.crtcIndex(connector.crtc)
      else { return }
      state.crtcs[crtc].vblanks.sequence = sequence
    }
  }

  /// From now on there are no vblanks, as after a reset that the hardware has not survived.
  public func stopVBlanks() {
    let now = clock.now
    state.withLock { state in
      state.advance(to: now)
      state.vblanksAreStopped = true
    }
  }

  /// Lets all vblanks up to `time` happen. Calls do so too, up to the clock's time.
  public func advance(to time: MonotonicTime) {
    state.withLock { $0.advance(to: time) }
  }

  /// When the next vblank is that somebody waits for.
  public var nextRequestedVBlank: MonotonicTime? { state.withLock(\.nextRequestedVBlank) }

  // MARK: Calls

  /// How many calls were made since `resetCalls()`.
  public var callCount: Int { state.withLock(\.calls.count) }
  /// The call that `fail(call:errno:)` hit.
  public var failedCall: CardCall? { state.withLock(\.calls.failed) }

  public func callCount(of call: CardCall) -> Int { state.withLock { $0.calls.counts[call.rawValue] } }

  /// Lets one call fail: the next one is 1. It has no effect, once.
  public func fail(call number: Int, errno: Int32) {
    state.withLock { $0.calls.fail(number, errno: errno) }
  }

  /// Lets the next call of a kind fail, once.
  public func fail(next call: CardCall, errno: Int32) {
    state.withLock { $0.calls.fail(next: call, errno: errno) }
  }

  /// Lets all calls of a kind fail, from now on; 0 ends it.
  public func fail(_ call: CardCall, errno: Int32) {
    state.withLock { $0.calls.fail(call, errno: errno) }
  }

  /// Counts from 0 again; nothing fails any more.
  public func resetCalls() {
    state.withLock { $0.calls.reset() }
  }
}
