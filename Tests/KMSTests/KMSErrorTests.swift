import Framepace
import Glibc
import Testing

@testable import KMS

@Suite struct KMSErrorTests {
  private func system(_ number: Int32, _ call: String = "drmModeAtomicCommit", _ subject: String = "flip") -> SystemError {
    SystemError(call: call, subject: subject, errno: number)
  }

  /// An error names the card or connector, the mode, and the call with its number.
  @Test func texts() {
    let card = "/dev/dri/card0"
    let texts: [(KMSError, [String])] = [
      (.device(path: card, system(EINVAL, "drmModeGetConnector", "31")), [card, "drmModeGetConnector 31: ", "(22)"]),
      (.noConnector(path: card, name: "DP-7", available: ["DP-1 connected"]), ["DP-7", card, "DP-1 connected"]),
      (.refused(connector: "DP-1", mode: "8x6@60.00", system(ENOSPC)), ["DP-1 8x6@60.00: ", "(28)"]),
      (.lost(connector: "DP-1", mode: "8x6@60.00", system(ENODEV)), ["DP-1 8x6@60.00", "(19)"]),
      (.unknownMode(connector: "DP-1", mode: "1x1", available: ["8x6@60.32"]), ["DP-1", "1x1", "8x6@60.32"]),
      (.noUsableDevice([.noModeSetting(path: card), .noMode(connector: "DP-1")]), [card, "DP-1"]),
    ]
    for (error, parts) in texts { for part in parts { #expect(error.description.contains(part), "\(error)") } }
  }

  @MainActor
  @Test func withoutCards() throws {
    #expect(try DRMDevice.cardPaths(in: "/nonexistent") == [])
    #expect(throws: KMSError.noDevice) { try Displays.kms(folder: "/nonexistent") }
    #expect(throws: KMSError.noDevice) { try Displays.all(folder: "/nonexistent") }
  }

  /// A folder that cannot be read is not taken for a machine without cards.
  @MainActor
  @Test func aFolderThatCannotBeRead() throws {
    let error = KMSError.device(path: "/dev/null", SystemError(call: "open", subject: "/dev/null", errno: ENOTDIR))
    #expect(throws: error) { try DRMDevice.cardPaths(in: "/dev/null") }
    #expect(throws: error) { try CardReport.all(in: "/dev/null") }
    #expect(throws: error) { try Displays.kms(folder: "/dev/null") }
  }

  /// Files that are no cards are named with their reasons.
  @MainActor
  @Test func filesThatAreNoCards() throws {
    let files = try CardFolder(["card10", "card2", "cards", "renderD128", "card-1"])
    defer { withExtendedLifetime(files) {} }
    let folder = files.path
    #expect(try DRMDevice.cardPaths(in: folder) == ["\(folder)/card2", "\(folder)/card10"])
    let names = { (error: any Error) in
      let text = "\(error)"
      return text.contains("card2: drmGetVersion: ") && text.contains("; \(folder)/card10: drmGetVersion: ")
    }
    #expect { try Displays.kms(folder: folder) } throws: { names($0) }
    #expect { try Displays.all(folder: folder) } throws: { names($0) }
  }
}
