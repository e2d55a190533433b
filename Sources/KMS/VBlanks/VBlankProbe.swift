public import FrameTiming
import Glibc
public import LinuxSystem
import Presentation
import Geometry
import RenderTree

/// The vblanks of a screen by themselves, to measure them: nothing is drawn.
///
/// ```swift
/// let probe = try VBlankProbe.open(connector: "HDMI-A-1")
/// probe.source.onVBlank = { vblank in stamps.append(vblank.timestamp) }
/// probe.source.add(to: .main, mode: .default)
/// probe.source.requestVBlank()
/// ```
///
/// Without a mode nothing is changed either, and no rights are needed beyond opening the card: another program may be its
/// master and go on showing its pictures. With a mode the screen is black meanwhile.
@MainActor
public final class VBlankProbe: ScreenOwner {
  /// The kernel's vblanks, or a clock at the mode's rate where the driver has none. Its `onVBlank` is the caller's to set.
  public let source: any VBlankSource
  /// "Virtual-1 1024x768@60.00 (vkms)".
  public let name: String
  /// Called once when no vblank can come any more.
  public var onLost: (@MainActor (any Error) -> Void)?

  /// Keeps the screen black; nil without a mode.
  private var display: KMSDisplay?
  private var events: DRMEventQueue?
  private let device: DRMDevice

  /// - Parameters:
  ///   - connector: a connector's name; nil for the first one that is on, or with a mode the first that is connected.
  ///   - mode: to be set, with a black picture; nil to measure the screen as it is.
  ///   - clock: the clock of the loop that the source is added to.
  ///   - folder: where the cards are.
  /// - Throws: as `Displays.kms`. `screenOff`: without a mode there is nothing to measure.
  public static func open(
    connector: String? = nil, mode: ModeRequest? = nil, clock: SystemClock = .monotonic, folder: String = "/dev/dri"
  ) throws(KMSError) -> VBlankProbe {
    try DRMDevice.firstAnswer(of: try DRMDevice.cardPaths(in: folder), connector: connector) {
      path, device throws(KMSError) in
      let opened = try DRMDevice(path: path)
      device = opened
      return try VBlankProbe(device: opened, connector: connector, mode: mode, clock: clock)
    }
  }

  init(
    device: DRMDevice, connector: String?, mode: ModeRequest?, clock: SystemClock
  ) throws(KMSError) {
    self.device = device
    if let mode {
      let display = try KMSCard(device: device).display(connector: connector, mode: mode, clock: clock)
      name = "\(display.connectorName) \(display.mode) (\(device.driver))"
      source = display.ticker.source
      self.display = display
      try showBlack(on: display)
      // The display would come back by itself, but the measurement would be of two displays then.
      display.observe { [weak self, weak display] event in
        guard let self, let display, case .stateChanged(.waiting(let absence)) = event else { return }
        onLost?(KMSError.away(connector: display.connectorName, absence))
      }.keep()
      return
    }

    // Opening made us master if no other program was. A master can probe the screens; afterwards the card must not seem taken.
    defer { if device.isMaster { try? device.dropMaster() } }
    let pipe = try Self.litPipe(of: device, connector: connector)
    name = "\(pipe.connector.name) \(pipe.mode) (\(device.driver))"
    let found: VBlankCalls?
    do throws(SystemError) {
      found = try VBlankCalls.find(crtc: pipe.crtc, pipe: pipe.crtcIndex, on: device.interface)
      _ = try found?.newest(on: device.interface)
    } catch {
      throw error.errno == EINVAL ? .screenOff(connector: pipe.connector.name) : pipe.error(error)
    }
    guard let calls = found else {
      source = FallbackClock(
        refreshRate: pipe.refreshRate, reason: "\(device.driver) has no vblank events", clock: clock)
      return
    }
    let events = DRMEventQueue(interface: device.interface)
    let route = events.makeRoute()
    let vblanks = DRMVBlankSource(interface: device.interface, pipe: pipe, calls: calls, events: route, clock: clock)
    self.events = events
    source = vblanks
    vblanks.crtcDidTurnOn()
    vblanks.owner = self
    route.onError = { [weak self] error in self?.onLost?(pipe.error(error)) }
  }

  func screen(reports report: ScreenReport) {
    if case .lost(let error) = report { onLost?(error) }
  }

  isolated deinit {
    invalidate()
  }

  /// Ends the vblanks, and restores the screen.
  public func invalidate() {
    onLost = nil
    source.invalidate()
    display?.invalidate()
    events?.invalidate()
  }

  private func showBlack(on display: KMSDisplay) throws(KMSError) {
    // The legacy calls have set the mode when they tried it.
    guard display.kmsPresenter?.isModeSet == false, let buffer = display.presenter.acquireBuffer() else { return }
    var whole = DamageRegion()
    whole.add(IntRect(x: 0, y: 0, width: display.mode.width, height: display.mode.height))
    do {
      try display.presenter.present(buffer, damage: whole, target: nil)
    } catch {
      throw (error as? KMSError) ?? .device(path: device.path, SystemError(call: "present", errno: EIO))
    }
  }

  /// The pipe of a screen that is on.
  private static func litPipe(of device: DRMDevice, connector name: String?) throws(KMSError) -> ScanOutPipe {
    let connector = try device.litConnector(name)
    let crtc = connector.currentCRTC
    guard let index = try device.resources().crtcs.firstIndex(of: crtc), let mode = try? device.interface.crtc(crtc).mode,
      let rate = mode.refreshRate
    else { throw .screenOff(connector: connector.name) }
    return ScanOutPipe(
      connector: connector, mode: mode, refreshRate: rate, crtc: crtc, crtcIndex: index, plane: nil, clones: [])
  }
}
