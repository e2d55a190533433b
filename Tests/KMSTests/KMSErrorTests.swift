import CDRM
import FrameTiming
import Glibc
import LinuxSystem
import Presentation
import Testing

@testable import KMS

@Suite struct KMSErrorTests {
  private func system(_ number: Int32, _ call: String = "drmModeAtomicCommit", _ subject: String = "flip") -> SystemError {
    SystemError(call: call, subject: subject, errno: number)
  }

  @Test func texts() {
    let texts: [(KMSError, String)] = [
      (.noDevice, "no DRM device"),
      (
        .device(path: "/dev/dri/card0", system(EACCES, "open", "/dev/dri/card0")),
        "permission denied on /dev/dri/card0: add the user to the group that owns it (mostly video), then log in again"
      ),
      (
        .device(path: "/dev/dri/card0", system(EACCES, "drmDropMaster", "")),
        "/dev/dri/card0: drmDropMaster: Permission denied (13)"
      ),
      (
        .device(path: "/dev/dri/card0", system(ENXIO, "open", "/dev/dri/card0")),
        "/dev/dri/card0: open: No such device or address (6)"
      ),
      (
        .device(path: "/dev/dri/card0", system(EINVAL, "drmModeGetConnector", "31")),
        "/dev/dri/card0: drmModeGetConnector 31: Invalid argument (22)"
      ),
      (
        .noConnector(path: "/dev/dri/card0", name: nil, available: ["DP-1 disconnected"]),
        "no connected connector on /dev/dri/card0 (DP-1 disconnected)"
      ),
      (.noConnector(path: "/dev/dri/card0", name: nil, available: []), "/dev/dri/card0 has no connectors"),
      (
        .noConnector(path: "/dev/dri/card0", name: "DP-7", available: ["DP-1 connected"]),
        "no connected connector DP-7 on /dev/dri/card0 (it has DP-1 connected)"
      ),
      (
        .refused(connector: "DP-1", mode: "800x600@60.00", system(ENOSPC)),
        "DP-1 800x600@60.00: drmModeAtomicCommit flip: No space left on device (28); the card has no room "
          + "or bandwidth left for this mode: a smaller or slower one may do"
      ),
      (
        .lost(connector: "DP-1", mode: "800x600@60.00", system(ENODEV)),
        "DP-1 800x600@60.00 is gone: drmModeAtomicCommit flip: No such device (19); the device was removed"
      ),
      (.inUse(connector: "DP-1"), "DP-1 is in use by another display of this program"),
      (
        .unknownMode(connector: "DP-1", mode: "1x1@60.00", available: ["800x600@60.32", "640x480@59.94"]),
        "DP-1 has no mode 1x1@60.00; it has 800x600@60.32, 640x480@59.94"
      ),
      (
        .unknownMode(connector: "DP-1", mode: "1x1", available: []),
        "DP-1 has no mode 1x1, nor any other: check cable and EDID"
      ),
      (.noUsableDevice([]), "no DRM device"),
      (
        .noUsableDevice([.noModeSetting(path: "/dev/dri/card0"), .noMode(connector: "DP-1")]),
        "/dev/dri/card0 drives no screen (no mode setting); DP-1 reports no usable mode: check cable and EDID"
      ),
    ]
    for (error, text) in texts { #expect(error.description == text) }
  }

  @Test func lossesAndRefusals() throws {
    let connector = DRMConnector.connector(1)
    let parts = CardParts(
      path: "", resources: DRMResources(crtcs: [31], connectors: [1], maximumWidth: 4096, maximumHeight: 4096),
      connectors: [connector], primaryPlanes: nil)
    let pipe = try parts.pipe(for: connector, crtc: 31)
    for number in [ENODEV, EACCES] {
      guard case .lost = pipe.error(system(number)) else { return #expect(Bool(false), "\(number)") }
    }
    for number in [EINVAL, EBUSY, ENOSPC, ENOENT, ENOMEM] {
      guard case .refused = pipe.error(system(number)) else { return #expect(Bool(false), "\(number)") }
    }
  }

  @MainActor
  @Test func withoutCards() throws {
    #expect(DRMDevice.cardPaths(in: "/nonexistent") == [])
    #expect(throws: KMSError.noDevice) { try Displays.kms(folder: "/nonexistent") }
    #expect(throws: KMSError.noDevice) { try Displays.all(folder: "/nonexistent") }
    let rate = try #require(RefreshRate(hertz: 50))
    let display = try Displays.automatic(width: 320, height: 200, refreshRate: rate, folder: "/nonexistent")
    #expect(display.name == "virtual display 320x200@50.00")
    #expect(display.reason == "fallback clock 50.00 Hz: no DRM device")
    display.invalidate()
  }

  /// Files that are no cards: each is named with its reason.
  @MainActor
  @Test func whatIsNoCard() throws {
    var template = Array("/tmp/framepace-kms-XXXXXX".utf8CString)
    let made = try #require(mkdtemp(&template))
    let folder = String(cString: made)
    defer {
      for name in ["card10", "card2", "cards", "renderD128", "card-1"] { unlink("\(folder)/\(name)") }
      rmdir(folder)
    }
    for name in ["card10", "card2", "cards", "renderD128", "card-1"] {
      let descriptor = open("\(folder)/\(name)", O_CREAT | O_WRONLY, 0o600)
      #expect(descriptor >= 0)
      close(descriptor)
    }
    #expect(DRMDevice.cardPaths(in: folder) == ["\(folder)/card2", "\(folder)/card10"])
    let names = { (error: any Error) in
      let text = "\(error)"
      return text.contains("card2: drmGetVersion: ") && text.contains("; \(folder)/card10: drmGetVersion: ")
    }
    #expect { try Displays.kms(folder: folder) } throws: { names($0) }
    #expect { try Displays.all(folder: folder) } throws: { names($0) }
  }
}
