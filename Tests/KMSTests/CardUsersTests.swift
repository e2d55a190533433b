import Foundation
import Testing

@testable import KMS

struct CardUsersTests {
  /// The names and numbers of programs that have this card open. No part of a name can be a command to a terminal.
  @Test func namesProgramsThatHaveTheCardOpen() throws {
    let files = FileManager.default
    let folder = NSTemporaryDirectory() + "framepace-\(UUID().uuidString)"
    defer { try? files.removeItem(atPath: folder) }
    func process(_ number: String, _ name: String, opens targets: [String]) throws {
      try files.createDirectory(atPath: "\(folder)/\(number)/fd", withIntermediateDirectories: true)
      try Data("\(name)\n".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(number)/comm"))
      for (index, target) in targets.enumerated() {
        try files.createSymbolicLink(atPath: "\(folder)/\(number)/fd/\(index)", withDestinationPath: target)
      }
    }
    try process("812", "Xorg", opens: ["/dev/null", "/dev/dri/card0", "/dev/dri/card0"])
    try process("90", "pl\u{1B}mouthd", opens: ["/dev/dri/card0"])
    try process("7", "other", opens: ["/dev/dri/card1", "/dev/dri/card00"])
    try process("self", "names", opens: ["/dev/dri/card0"])
    try process("\(getpid())", "this", opens: ["/dev/dri/card0"])
    #expect(CardUsers.names(of: "/dev/dri/card0", processes: folder) == ["pl?mouthd (90)", "Xorg (812)"])
    #expect(CardUsers.names(of: "/dev/dri/card2", processes: folder).isEmpty)
    #expect(CardUsers.names(of: "/dev/dri/card0", processes: folder + "/nothing").isEmpty)
  }
}
