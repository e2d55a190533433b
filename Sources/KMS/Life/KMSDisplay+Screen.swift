import CDRM
import FrameTiming
import Glibc
import LinuxSystem
import Presentation

/// What a display's life asks for, done.
extension KMSDisplay {
  /// Takes no frames any more; a clock goes on where the screen's vblanks have ended.
  func stop() {
    screen?.stop()
    stable.replace(with: nil)
    let standIn = FallbackClock(
      refreshRate: ticker.refreshRate, reason: "\(connectorName) is away", start: ticker.lastVBlank?.timestamp,
      clock: clock)
    // At the rate that the screen had in truth.
    standIn.discipline(by: ticker.model)
    ticker.change(to: standIn)
  }

  /// Switches the screen off, and frees its buffers.
  func switchOff() {
    guard let screen else { return }
    // Fails when the driver lets nobody do so: then the buffers' end does it.
    try? card.device?.interface.setCRTC(screen.pipe.crtc, framebuffer: 0, x: 0, y: 0, connectors: [], mode: nil)
    previous = screen.presenter.freeBuffers() ?? previous
    self.screen = nil
  }

  /// Lets go of all that is the device's. What it showed before is gone with it.
  func closeDevice() {
    previous = screen?.presenter.freeBuffers() ?? previous
    screen = nil
    previous?.forget()
    previous = nil
    card.close()
  }

  /// Whether a screen is there, and is shown what it would be shown now.
  func probe() throws(KMSError) -> DisplayLife.Event {
    guard let screen, let device = card.device else { throw .noDevice }
    // What another program has left on the screen is not ours, even if it is gone: all is to be set and painted anew.
    guard device.isMaster else { throw .notMaster(path: card.path) }
    let (pipe, interface) = (screen.pipe, device.interface)
    do throws(SystemError) {
      let connector = try interface.connector(pipe.connector.id, isProbed: card.isToBeAsked(pipe.connector.id))
      // Where the mode is still to be set, the first frame does all.
      var isOn = true
      if screen.presenter.isModeSet { isOn = try connector.currentCRTC == pipe.crtc ? isLinkGood(pipe, interface) : false }
      let best = try? card.parts(for: self, asksScreens: false).pipe(for: connector, crtc: pipe.crtc, mode: request.mode)
      return .probed(
        isPlugged: connector.canHaveScreen, isUpToDate: isOn && best?.mode.isSame(as: pipe.bestMode) ?? true)
    } catch {
      // A connector goes with its dock.
      if error.errno == ENOENT { return .probed(isPlugged: false, isUpToDate: false) }
      throw pipe.error(error)
    }
  }

  /// Whether the picture gets through the cable, as far as the driver says: a DisplayPort link may fail, or turn out to be
  /// slower, while the screen is used. It is dark then until the mode is set anew.
  private func isLinkGood(_ pipe: ScanOutPipe, _ interface: any DRMInterface) throws(SystemError) -> Bool {
    let properties = try interface.properties(of: pipe.connector.id, type: .connector)
    return properties["link-status"]?.value != UInt64(DRM_MODE_LINK_STATUS_BAD)
  }

  /// Does all that it takes to show, from the card's opening on.
  func show() throws(KMSError) -> DisplayLife.Event {
    let parts = try card.parts(for: self)
    let connector = try parts.connector(sameAs: connectorName, request: request.connector)
    let pipe = try pipe(to: connector, of: parts)
    previous = screen?.presenter.handOver() ?? previous
    if let previous, previous.screen.crtc != pipe.crtc {
      // Another way to the screen was found. The one before is not ours any more.
      try? previous.restore()
      self.previous = nil
    }
    let screen = try card.connect(
      pipe, connectors: parts.connectors, buffering: request.buffering, previous: previous, pacing: (ticker, wait),
      clock: clock)
    previous = nil
    card.reserve(screen.pipe, for: self)
    show(on: screen)
    return .shown
  }

  private func pipe(to connector: DRMConnector, of parts: CardParts) throws(KMSError) -> ScanOutPipe {
    var crtc = parts.crtcs(for: [connector])[connector.id]
    // Not without need another one than before.
    if connector.currentCRTC == 0, parts.canDrive(connector, with: self.crtc) { crtc = self.crtc }
    do throws(KMSError) {
      return try parts.pipe(for: connector, crtc: crtc, mode: request.mode)
    } catch .unknownMode {
      // Another screen, which has not what was asked for: better in its own mode than not at all.
      return try parts.pipe(for: connector, crtc: crtc)
    }
  }
}

extension CardParts {
  /// The connector that a display was on. One of another name is taken if there is none of that name any more, as after
  /// another device has taken the place of the one that was removed, and the application has not asked for the name.
  fileprivate func connector(sameAs name: String, request: String?) throws(KMSError) -> DRMConnector {
    let isThere = connectors.contains { $0.name == name }
    return try connector(isThere ? name : request)
  }
}

extension DisplayLife.Failure {
  /// What an error says of the display's life.
  init(_ error: KMSError) {
    switch error {
    case .noDevice: self = .noDevice
    case .device(_, let system) where system.errno == ENODEV: self = .noDevice
    // Also a node that has not its rights yet. What a device that is open refuses is no reason to close it.
    case .device(_, let system) where system.isAboutOpening && [ENOENT, ENXIO, EACCES, EPERM].contains(system.errno):
      self = .noDevice
    case .lost(_, _, let system) where system.errno == ENODEV: self = .noDevice
    case .notMaster, .openTwice: self = .notMaster
    case .lost(_, _, let system) where system.errno == EACCES: self = .notMaster
    case .noConnector: self = .unplugged
    default: self = .refused(error.description)
    }
  }
}

extension SystemError {
  /// By the program itself, or by its seat.
  fileprivate var isAboutOpening: Bool { ["open", "libseat_open_device"].contains(call) }
}
