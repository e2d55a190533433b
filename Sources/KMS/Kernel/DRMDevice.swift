import CDRM
import Glibc
package import LinuxSystem

/// An open DRM card, such as `/dev/dri/card0`. Closed when its last owner goes.
///
/// Not for more than one thread at a time.
public final class DRMDevice {
  /// The node that was opened.
  public let path: String
  /// The kernel driver's name: "i915", "vc4", "vkms".
  public let driver: String
  /// The driver's version: "1.6.0".
  public let driverVersion: String
  /// Whether mode-sets and flips go through atomic commits.
  public let isAtomic: Bool

  /// What the card is asked through.
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

  /// An open card of any kind.
  package init(_ interface: any DRMInterface, allowsAtomic: Bool = true) throws(SystemError) {
    self.interface = interface
    path = interface.path
    let version = try interface.version()
    driver = version.name
    driverVersion = version.number
    func accepts(_ capability: Int32) -> Bool { (try? interface.setClientCapability(capability, to: 1)) != nil }
    // Without it the kernel hides primary planes. A driver that refuses has none, and is served by the legacy calls.
    isAtomic = allowsAtomic && accepts(DRM_CLIENT_CAP_UNIVERSAL_PLANES) && accepts(DRM_CLIENT_CAP_ATOMIC)
    // Since Linux 6.6 drivers of virtual machines hide their cursor planes from who does not tell them of hot spots.
    if isAtomic { _ = accepts(Self.cursorHotSpotCapability) }
  }

  /// `DRM_CAP_ATOMIC_ASYNC_PAGE_FLIP` of Linux 6.8, which older headers do not have.
  static let atomicAsynchronousFlipCapability: Int32 = 0x15

  /// `DRM_CLIENT_CAP_CURSOR_PLANE_HOTSPOT`, which older headers do not have.
  private static let cursorHotSpotCapability: Int32 = 6

  /// The cards there are, in the order of their numbers; empty without DRM.
  public static func cardPaths(in folder: String = "/dev/dri") -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var numbers: [Int] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasPrefix("card"), let number = Int(name.dropFirst(4)), number >= 0 { numbers.append(number) }
    }
    return numbers.sorted().map { "\(folder)/card\($0)" }
  }

  /// Makes a call whose error, if there is one, is told with the card's path.
  func ask<Answer>(_ call: () throws(SystemError) -> Answer) throws(KMSError) -> Answer {
    do throws(SystemError) {
      return try call()
    } catch {
      throw .device(path: path, error)
    }
  }

  // MARK: Master

  /// Whether this program may set modes and flip on the card. True as well of a card that is gone: every other call says so.
  public var isMaster: Bool { interface.isMaster }

  /// Becomes master, which takes root's rights unless the card has been ours before. Does nothing when it is ours.
  public func becomeMaster() throws(KMSError) {
    if isMaster { return }
    do throws(SystemError) {
      try interface.setMaster()
    } catch {
      throw [EACCES, EPERM, EBUSY].contains(error.errno) ? .notMaster(path: path) : .device(path: path, error)
    }
  }

  /// Lets another program set modes. What is on the screen stays until it does.
  public func dropMaster() throws(KMSError) {
    try ask { () throws(SystemError) in try interface.dropMaster() }
  }

  // MARK: Connectors

  /// All connectors. The card's master has each asked anew, which may take a driver many milliseconds; anybody else is told
  /// what the kernel knows from the last time that one was.
  public func connectors() throws(KMSError) -> [DRMConnector] {
    let ids = try resources().connectors
    return try ask { () throws(SystemError) in try connectors(ids) }
  }

  /// Those connectors that there still are: one that goes with its dock meanwhile is none.
  ///
  /// - Parameter isAsked: of which the screen is asked. Of the others what the kernel knows is enough.
  func connectors(
    _ ids: [UInt32], isAsked: (UInt32) -> Bool = { _ in true }
  ) throws(SystemError) -> [DRMConnector] {
    // Since Linux 5.15 nobody else's question gets as far as the screen; before, it could make another program's flicker.
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
