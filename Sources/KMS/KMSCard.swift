import FrameTiming
public import LinuxSystem
public import Presentation

/// A card and the screens that it drives: one descriptor, one master and one queue of events, which all its displays share.
///
/// Kept by its displays. It is the card's master from its first display to its last.
@MainActor
public final class KMSCard {
  public let device: DRMDevice

  private let events: DRMEventQueue
  /// What each display uses, by the number of its route.
  private var used: [UInt32: ScanOutPipe] = [:]

  public init(device: DRMDevice) {
    self.device = device
    events = DRMEventQueue(interface: device.interface)
  }

  isolated deinit {
    events.invalidate()
  }

  /// Takes one screen of the card until its `invalidate()`. Nothing changes on it before the first frame, except where the
  /// driver has the legacy interface only: there the screen goes black, because to set the mode is the only way to learn
  /// whether the driver takes it.
  ///
  /// - Parameters:
  ///   - connector: a connector's name; nil for the first connected one that is free.
  ///   - mode: the mode to use; nil for the one that the screen prefers.
  ///   - buffering: how many buffers frames are painted in.
  ///   - clock: the clock of the loop that the display is added to.
  public func display(
    connector: String? = nil, mode: ModeRequest? = nil, buffering: Buffering = .double, clock: SystemClock = .monotonic
  ) throws(KMSError) -> KMSDisplay {
    defer { dropMasterIfUnused() }
    let parts = try parts()
    let chosen = try parts.connector(connector)
    let pipe = try parts.pipe(for: chosen, crtc: parts.crtcs(for: [chosen])[chosen.id], mode: mode)
    return try display(pipe, of: parts, buffering: buffering, clock: clock)
  }

  /// Takes every connected screen that is free.
  ///
  /// - Returns: the displays, and why others could not be taken.
  public func displays(
    buffering: Buffering = .double, clock: SystemClock = .monotonic
  ) throws(KMSError) -> (displays: [KMSDisplay], refused: [KMSError]) {
    defer { dropMasterIfUnused() }
    var parts = try parts()
    let connectors = parts.free
    // Says why there is none.
    if connectors.isEmpty { _ = try parts.connector(nil) }
    try device.becomeMaster()
    let crtcs = parts.crtcs(for: connectors)
    var displays: [KMSDisplay] = []
    var refused: [KMSError] = []
    for connector in connectors {
      do throws(KMSError) {
        let pipe = try parts.pipe(for: connector, crtc: crtcs[connector.id])
        displays.append(try display(pipe, of: parts, buffering: buffering, clock: clock))
        parts.used.append(pipe)
      } catch {
        refused.append(error)
      }
    }
    return (displays, refused)
  }

  /// A display is done with its screen. The second time it is nothing.
  func release(_ route: UInt32) {
    guard used.removeValue(forKey: route) != nil else { return }
    dropMasterIfUnused()
  }

  private func parts() throws(KMSError) -> CardParts {
    let resources = try device.resources()
    return CardParts(
      path: device.path, resources: resources, connectors: try device.connectors(resources.connectors),
      primaryPlanes: try device.primaryPlanes(), used: Array(used.values))
  }

  private func display(
    _ pipe: ScanOutPipe, of parts: CardParts, buffering: Buffering, clock: SystemClock
  ) throws(KMSError) -> KMSDisplay {
    try device.becomeMaster()
    let route = events.makeRoute()
    let display = try KMSDisplay(
      card: self, pipe: pipe, connectors: parts.connectors, events: route, buffering: buffering, clock: clock)
    used[route.number] = pipe
    return display
  }

  private func dropMasterIfUnused() {
    // Fails when the card is gone or has another master already: then there is nothing to give back.
    if used.isEmpty { try? device.dropMaster() }
  }
}
