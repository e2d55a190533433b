import CDRM
import Glibc
import LinuxSystem

extension CardReport {
  /// A report of each card of the machine; empty without DRM. Changes nothing on any screen. Asking screens for their modes
  /// may take many milliseconds each.
  ///
  /// - Parameter folder: the folder of the cards' nodes.
  /// - Throws: `device` if the folder cannot be read.
  public static func all(in folder: String = "/dev/dri") throws(KMSError) -> [CardReport] {
    try DRMDevice.cardPaths(in: folder).map { path in
      do throws(KMSError) {
        return try DRMDevice(path: path).report()
      } catch {
        var report = CardReport(path: path)
        report.problem = error
        return report
      }
    }
  }
}

extension CardReport {
  /// The programs that have a card open, without this one, as far as this user may see: root sees all, others their own.
  /// "Xorg (812)".
  public static func users(of path: String) -> [String] { CardUsers.names(of: path) }
}

extension DRMDevice {
  /// The card's report. Gives up the card's master at the end. Where another program is master, screens are not asked: the
  /// report has what the kernel knows.
  ///
  /// - Parameter processes: the folder of the kernel's processes.
  func report(processes: String = "/proc") throws(KMSError) -> CardReport {
    // Opening a card without a master makes us its master. So if we are not, another program is.
    let isFree = isMaster
    defer { if isFree { try? dropMaster() } }
    do throws(SystemError) {
      var report = CardReport(path: path)
      report.driver = driver
      report.driverVersion = driverVersion
      // The kernel hides writeback connectors from clients that do not enable them.
      try? interface.setClientCapability(DRM_CLIENT_CAP_WRITEBACK_CONNECTORS, to: 1)
      guard let resources = try? interface.resources(), !resources.crtcs.isEmpty else {
        report.problem = .noModeSetting(path: path)
        return report
      }
      let modes = try addCRTCs(resources, to: &report)
      try addPlanes(to: &report)
      let connectors = try addConnectors(resources, modes: modes, to: &report)
      addAbilities(resources, to: &report)
      report.problem = problem(connectors, resources, isFree: isFree)
      if !isFree { report.users = CardUsers.names(of: path, processes: processes) }
      return report
    } catch {
      throw .device(path: path, error)
    }
  }

  /// - Returns: the modes of CRTCs that are on.
  private func addCRTCs(
    _ resources: DRMResources, to report: inout CardReport
  ) throws(SystemError) -> [UInt32: DisplayMode] {
    var modes: [UInt32: DisplayMode] = [:]
    for id in resources.crtcs {
      let properties = try? interface.properties(of: id, type: .crtc)
      if properties?["GAMMA_LUT"] != nil { report.abilities.gammaTable = true }
      if properties?["CTM"] != nil { report.abilities.colorMatrix = true }
      modes[id] = try interface.crtc(id).mode
      report.crtcs.append(CardReport.CRTC(id: id, mode: modes[id]))
    }
    return modes
  }

  private func addPlanes(to report: inout CardReport) throws(SystemError) {
    // A driver without planes of its own may refuse to list them.
    for id in (try? interface.planes()) ?? [] {
      let plane = try interface.plane(id)
      let properties = try? interface.properties(of: id, type: .plane)
      if properties?["FB_DAMAGE_CLIPS"] != nil { report.abilities.damageClips = true }
      let kind: CardReport.Plane.Kind =
        switch properties?["type"]?.value {
        case UInt64(DRM_PLANE_TYPE_PRIMARY): .primary
        case UInt64(DRM_PLANE_TYPE_CURSOR): .cursor
        default: .overlay
        }
      if kind == .cursor { report.abilities.cursorPlane = true }
      report.planes.append(
        CardReport.Plane(
          id: id, kind: kind, crtc: plane.currentCRTC == 0 ? nil : plane.currentCRTC, formats: plane.formats.count))
    }
  }

  /// - Returns: the connectors that can have a screen.
  private func addConnectors(
    _ resources: DRMResources, modes: [UInt32: DisplayMode], to report: inout CardReport
  ) throws(SystemError) -> [DRMConnector] {
    var screens: [DRMConnector] = []
    for connector in try connectors(resources.connectors) {
      // No screen: its pixels go to memory.
      if connector.name.hasPrefix("Writeback") {
        report.abilities.writeback = true
        continue
      }
      screens.append(connector)
      let properties = try? interface.properties(of: connector.id, type: .connector)
      // All atomic CRTCs have `VRR_ENABLED`; drivers that can vary the rate say for each screen whether it can.
      if properties?["vrr_capable"] != nil { report.abilities.variableRate = true }
      let edid = properties?["EDID"].flatMap { $0.value == 0 ? nil : try? interface.blob(UInt32(clamping: $0.value)) }
      let crtc = connector.currentCRTC == 0 ? nil : connector.currentCRTC
      report.connectors.append(
        CardReport.Connector(
          name: connector.name, status: connector.status, edid: edid.flatMap { EDID($0) },
          size: connector.size, modes: connector.modes,
          currentMode: crtc.flatMap { modes[$0] }, crtc: crtc,
          takesVariableRate: properties?["vrr_capable"].map { $0.value != 0 }))
    }
    return screens
  }

  private func addAbilities(_ resources: DRMResources, to report: inout CardReport) {
    func has(_ capability: Int32) -> Bool { (try? interface.capability(capability)) ?? 0 != 0 }
    report.abilities.atomic = isAtomic
    report.abilities.asynchronousFlips = has(DRM_CAP_ASYNC_PAGE_FLIP)
    report.abilities.atomicAsynchronousFlips = has(Self.atomicAsynchronousFlipCapability)
    for (pipe, crtc) in resources.crtcs.enumerated() {
      guard let calls = try? VBlankCalls.find(crtc: crtc, pipe: pipe, on: interface) else { continue }
      report.abilities.vblankEvents = true
      if case .sequences = calls { report.abilities.sequenceEvents = true }
    }
  }

  /// The error that a display would get; nil for none.
  ///
  /// - Parameter connectors: with and without screens.
  private func problem(_ connectors: [DRMConnector], _ resources: DRMResources, isFree: Bool) -> KMSError? {
    do throws(KMSError) {
      let planes = try planes()
      let parts = CardParts(path: path, resources: resources, connectors: connectors, primaryPlanes: planes?.primary)
      // One usable screen is enough; otherwise the first one's error counts.
      let first = try parts.connector(nil)
      let isUsable = { (connector: DRMConnector) in
        (try? parts.pipe(for: connector, crtc: parts.crtcs(for: [connector])[connector.id])) != nil
      }
      if !parts.free.contains(where: isUsable) {
        _ = try parts.pipe(for: first, crtc: parts.crtcs(for: [first])[first.id])
      }
      return isFree ? nil : .notMaster(path: path)
    } catch {
      return error
    }
  }
}
