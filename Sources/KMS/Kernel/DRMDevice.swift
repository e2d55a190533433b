import CDRM
import Glibc
package import LinuxSystem

/// An open DRM card, such as `/dev/dri/card0`. It is closed with its last reference.
///
/// Applications use `Displays`; open a card yourself to choose its interface, or to ask about its connectors:
///
/// ```swift
/// let card = KMSCard(device: try DRMDevice(path: "/dev/dri/card1", allowsAtomic: false))
/// ```
///
/// To be used from one thread at a time.
public final class DRMDevice {
  /// The node that was opened.
  public let path: String
  /// The kernel driver's name: "i915", "vc4", "vkms".
  public let driver: String
  /// The driver's version: "1.6.0".
  public let driverVersion: String
  /// True if mode-sets and flips go through atomic commits.
  public let isAtomic: Bool

  /// The card's calls.
  package let interface: any DRMInterface

  /// Opens a card for mode setting. Becomes its master if it has none.
  ///
  /// - Parameter allowsAtomic: false for the legacy interface even where there is an atomic one.
  public convenience init(path: String, allowsAtomic: Bool = true) throws(KMSError) {
    do throws(SystemError) {
      try self.init(LibDRM(path: path), allowsAtomic: allowsAtomic)
    } catch {
      throw .device(path: path, error)
    }
  }

  /// - Parameter interface: the calls of an open card.
  package init(_ interface: any DRMInterface, allowsAtomic: Bool = true) throws(SystemError) {
    self.interface = interface
    path = interface.path
    let version = try interface.version()
    driver = version.name
    driverVersion = version.number
    func accepts(_ capability: Int32) -> Bool { (try? interface.setClientCapability(capability, to: 1)) != nil }
    // Otherwise the kernel hides primary planes. A driver that refuses has none, and gets the legacy calls.
    isAtomic = allowsAtomic && accepts(DRM_CLIENT_CAP_UNIVERSAL_PLANES) && accepts(DRM_CLIENT_CAP_ATOMIC)
    // Since Linux 6.6 drivers of virtual machines hide their cursor planes from clients that set no hot spots.
    if isAtomic { _ = accepts(Self.cursorHotSpotCapability) }
  }

  /// `DRM_CAP_ATOMIC_ASYNC_PAGE_FLIP` of Linux 6.8, which older headers do not have.
  static let atomicAsynchronousFlipCapability: Int32 = 0x15

  /// `DRM_CLIENT_CAP_CURSOR_PLANE_HOTSPOT`, which older headers do not have.
  private static let cursorHotSpotCapability: Int32 = 6

  /// The paths of all cards, in the order of their numbers; empty without DRM.
  ///
  /// - Throws: `device` with the folder's path if it cannot be read.
  public static func cardPaths(in folder: String = "/dev/dri") throws(KMSError) -> [String] {
    do throws(SystemError) {
      let names = try OwnedDescriptor.names(in: folder).filter { $0.hasPrefix("card") }
      return names.compactMap { Int($0.dropFirst(4)) }.filter { $0 >= 0 }.sorted().map { "\(folder)/card\($0)" }
    } catch {
      if error.errno == ENOENT { return [] }
      throw .device(path: folder, error)
    }
  }

  /// Adds the card's path to the call's error.
  func ask<Answer>(_ call: () throws(SystemError) -> Answer) throws(KMSError) -> Answer {
    do throws(SystemError) {
      return try call()
    } catch {
      throw .device(path: path, error)
    }
  }

  // MARK: Master

  /// True if this program may set modes and flip on the card. Also true of a card that is gone: every other call fails then.
  public var isMaster: Bool { interface.isMaster }

  /// Becomes master, which takes root's rights unless this program was the master before. Does nothing if it is.
  public func becomeMaster() throws(KMSError) {
    if isMaster { return }
    do throws(SystemError) {
      try interface.setMaster()
    } catch {
      throw [EACCES, EPERM, EBUSY].contains(error.errno) ? .notMaster(path: path) : .device(path: path, error)
    }
  }

  /// Lets another program set modes. The picture stays until it does.
  public func dropMaster() throws(KMSError) {
    try ask { () throws(SystemError) in try interface.dropMaster() }
  }

  // MARK: Connectors

  /// All connectors. For the card's master the screens are asked anew, which may take a driver many milliseconds; others get
  /// what the kernel knows from the last time.
  public func connectors() throws(KMSError) -> [DRMConnector] {
    let ids = try resources().connectors
    return try ask { () throws(SystemError) in try connectors(ids) }
  }

  /// The connectors of these ids, without those that have gone with their dock meanwhile.
  ///
  /// - Parameter isAsked: true if a connector's screen is asked. Otherwise what the kernel knows is enough.
  func connectors(
    _ ids: [UInt32], isAsked: (UInt32) -> Bool = { _ in true }
  ) throws(SystemError) -> [DRMConnector] {
    // Since Linux 5.15 only the master's question reaches the screen; before, another client's could make it flicker.
    let isMaster = isMaster
    var connectors: [DRMConnector] = []
    for id in ids {
      do throws(SystemError) {
        connectors.append(try interface.connector(id, isProbed: isMaster && isAsked(id)))
      } catch {
        if error.errno != ENOENT { throw error }
      }
    }
    return connectors
  }

  func resources() throws(KMSError) -> DRMResources {
    do throws(SystemError) {
      return try interface.resources()
    } catch {
      throw error.errno == EOPNOTSUPP || error.errno == EINVAL
        ? .noModeSetting(path: path) : .device(path: path, error)
    }
  }
}
