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

  /// An error names the card or connector, the call and the number, and says what to do.
  @Test func texts() {
    let card = "/dev/dri/card0"
    let texts: [(KMSError, [String])] = [
      (
        .device(path: card, system(EACCES, "open", card)),
        ["permission denied on /dev/dri/card0", "add the user to the group"]
      ),
      (
        .device(path: card, system(EINVAL, "drmModeGetConnector", "31")),
        ["/dev/dri/card0: drmModeGetConnector 31: ", "(22)"]
      ),
      (.noConnector(path: card, name: "DP-7", available: ["DP-1 connected"]), ["DP-7 on /dev/dri/card0", "DP-1 connected"]),
      (.refused(connector: "DP-1", mode: "8x6@60.00", system(ENOSPC)), ["DP-1 8x6@60.00: ", "(28)", "smaller or slower"]),
      (.lost(connector: "DP-1", mode: "8x6@60.00", system(ENODEV)), ["DP-1 8x6@60.00 is gone", "the device was removed"]),
      (.unknownMode(connector: "DP-1", mode: "1x1", available: ["8x6@60.32"]), ["DP-1 has no mode 1x1; it has 8x6@60.32"]),
      (
        .noUsableDevice([.noModeSetting(path: card), .noMode(connector: "DP-1")]), ["no mode setting", "; DP-1 reports no"]
      ),
      (.noUsableDevice([]), ["no DRM device"]),
    ]
    for (error, parts) in texts { for part in parts { #expect(error.description.contains(part), "\(error)") } }
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
    for number in [EINVAL, EBUSY] {
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

  /// Files that are no cards are named with their reasons.
  @MainActor
  @Test func filesThatAreNoCards() throws {
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
