import CDRM
import FrameTiming
import Glibc
import LinuxSystem
import Presentation

/// The actions of a display's life.
extension KMSDisplay {
  /// Takes no more frames; a clock continues the screen's vblanks.
  func stop() {
    screen?.stop()
    stable.replace(with: nil)
    let standIn = FallbackClock(
      refreshRate: ticker.refreshRate, reason: "\(connectorName) is away", start: ticker.lastVBlank?.timestamp,
      clock: clock)
    // At the screen's measured rate.
    standIn.discipline(by: ticker.model)
    ticker.change(to: standIn)
  }

  /// Switches the screen off, and frees its buffers.
  func switchOff() {
    guard let screen else { return }
    // If the driver refuses, freeing the buffers switches it off.
    try? screen.presenter.scanOut.switchOff()
    screen.presenter.freeBuffers()
    self.screen = nil
  }

  /// Frees everything that belongs to the device. The picture from before is gone with it.
  func closeDevice() {
    screen?.presenter.freeBuffers()
    screen = nil
    previous?.forget()
    previous = nil
    card.close()
  }

  /// Finds out whether a screen is there, and shows what it would be set to now.
  func probe() throws(KMSError) -> DisplayLife.Event {
    guard let screen, let device = card.device else { throw .noDevice }
    // Another program may have left its picture, even if it is gone: everything must be set and painted anew.
    guard device.isMaster else { throw .notMaster(path: card.path) }
    let (pipe, interface) = (screen.pipe, device.interface)
    do throws(SystemError) {
      let connector = try interface.connector(pipe.connector.id, isProbed: card.isToBeAsked(pipe.connector.id))
      // If the mode is not set yet, the first frame sets it.
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

  /// True if the picture gets through the cable, as far as the driver says: a DisplayPort link may fail or become slower while
  /// the screen is used. The screen is dark then until the mode is set anew.
  private func isLinkGood(_ pipe: ScanOutPipe, _ interface: any DRMInterface) throws(SystemError) -> Bool {
    let properties = try interface.properties(of: pipe.connector.id, type: .connector)
    return properties["link-status"]?.value != UInt64(DRM_MODE_LINK_STATUS_BAD)
  }

  /// Opens the card and sets up a screen.
  func show() throws(KMSError) -> DisplayLife.Event {
    let parts = try card.parts(for: self)
    let connector = try parts.connector(sameAs: connectorName, request: request.connector)
    var pipe = try pipe(to: connector, of: parts)
    // Without an answer the picture stays as it was.
    pipe.rotation = chosenRotation ?? card.uprightRotation(on: connector) ?? rotation
    if let previous, previous.screen.crtc != pipe.crtc {
      // The screen gets another CRTC. The one before is not ours any more.
      try? previous.restore()
      self.previous = nil
    }
    let screen = try card.connect(
      pipe, connectors: parts.connectors, buffering: request.buffering, previous: previous, pacing: (ticker, wait),
      clock: clock)
    card.reserve(screen.pipe, for: self)
    show(on: screen)
    return .shown
  }

  private func pipe(to connector: DRMConnector, of parts: CardParts) throws(KMSError) -> ScanOutPipe {
    var crtc = parts.crtcs(for: [connector])[connector.id]
    // The same CRTC as before, if possible.
    if connector.currentCRTC == 0, parts.canDrive(connector, with: self.crtc) { crtc = self.crtc }
    do throws(KMSError) {
      return try parts.pipe(for: connector, crtc: crtc, mode: request.mode)
    } catch .unknownMode {
      // Another screen without the requested mode: better in its own mode than not at all.
      return try parts.pipe(for: connector, crtc: crtc)
    }
  }
}

extension CardParts {
  /// The connector that a display was on. If none has its name any more, as after the device was replaced, another one is
  /// taken, unless the application has requested the name.
  fileprivate func connector(sameAs name: String, request: String?) throws(KMSError) -> DRMConnector {
    let isThere = connectors.contains { $0.name == name }
    return try connector(isThere ? name : request)
  }
}

extension DisplayLife.Failure {
  /// The failure that an error means for the display's life.
  init(_ error: KMSError) {
    switch error {
    case .noDevice: self = .noDevice
    case .device(_, let system) where system.errno == ENODEV: self = .noDevice
    // Also a node whose access rights are not set yet. Refusals of an open device are no reason to close it.
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
  /// True if opening failed, by the program itself or by its seat.
  fileprivate var isAboutOpening: Bool { ["open", "libseat_open_device"].contains(call) }
}
