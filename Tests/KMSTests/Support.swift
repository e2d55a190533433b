import CDRM
import Framepace
import Glibc

@testable import KMS

/// A temporary folder with empty files, which are taken for cards by their names.
final class CardFolder {
  let path: String
  private let names: [String]

  init(_ names: [String]) throws {
    self.names = names
    var template = Array("/tmp/framepace-cards-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw SystemError.last(call: "mkdtemp") }
    path = String(cString: made)
    for name in names where close(creat("\(path)/\(name)", 0o600)) != 0 { throw SystemError.last(call: "creat") }
  }

  deinit {
    for name in names { unlink("\(path)/\(name)") }
    rmdir(path)
  }
}

extension DisplayMode {
  /// A mode with what matters to a test; `clock` in kHz.
  static func mode(
    _ width: Int, _ height: Int, clock: UInt32 = 65_000, total: (Int, Int)? = nil, flags: Int32 = 0, vscan: Int = 0,
    isPreferred: Bool = false
  ) -> DisplayMode {
    var info = drmModeModeInfo()
    info.clock = clock
    info.hdisplay = UInt16(width)
    info.vdisplay = UInt16(height)
    info.htotal = UInt16(total?.0 ?? width + 100)
    info.vtotal = UInt16(total?.1 ?? height + 30)
    info.vscan = UInt16(vscan)
    info.flags = UInt32(bitPattern: flags)
    info.type = isPreferred ? UInt32(DRM_MODE_TYPE_PREFERRED) : 0
    return DisplayMode(info)
  }
}

extension DRMConnector {
  static func connector(
    _ id: UInt32, _ name: String = "HDMI-A-1", status: Status = .connected, modes: [DisplayMode] = [.mode(1024, 768)],
    possible: UInt32 = 0b11, current: UInt32 = 0
  ) -> DRMConnector {
    DRMConnector(
      id: id, name: name, status: status, modes: modes, possibleCRTCs: possible, currentCRTC: current)
  }
}

/// The number of the process's open descriptors.
func openDescriptors() -> Int { (0..<1024 as Range<Int32>).count { fcntl($0, F_GETFD) >= 0 } }
