import Foundation
import Testing

/// What is refused, and how.
struct WrongInputTests {
  /// Wrong input: the arguments, and what the sentence must name.
  static let wrong: [(arguments: [String], names: [String])] = [
    (["--scene", "orbits"], ["orbits", "orbit", "dashboard"]),
    (["render", "nothing", "--output", "x.png"], ["nothing", "clock"]),
    (["render", "orbit", "--output", "x.png", "--size", "0x10"], ["0x10", "1920x1080"]),
    (["render", "orbit", "--output", "x.png", "--size", "99999x99999"], ["99999x99999", "16384"]),
    (["render", "orbit", "--output", "x.png", "--scale", "0"], ["0", "0.25"]),
    (["render", "orbit", "--output", "x.png", "--time", "soon"], ["soon", "500ms"]),
    (["render", "orbit", "--output", "x.png", "--time", "-1"], ["-1"]),
    (["render", "--output", "x.png"], ["--all"]),
    (["render", "orbit", "clock", "--output", "x.png"], ["x.png", "folder"]),
    (["render", "orbit", "--output", "x.png", "--frames", "0"], ["0", "100000"]),
    (["--rate", "0"], ["0", "1000"]),
    (["--rate", "nan"], ["nan", "1000"]),
    (["--rate", "60/0"], ["60/0", "1000"]),
    (["--duration", "0"], ["0"]),
    (["--duration", "-5s"], ["-5s"]),
    (["--display", "screen"], ["screen", "fallback"]),
    (["--scene", "still", "--work", "5ms"], ["--work", "stress"]),
    (["profile", "orbit", "--frames", "0"], ["0"]),
    (["profile", "orbit", "--json", "/nonexistent/x.json"], ["/nonexistent"]),
  ]

  @Test(arguments: wrong.indices)
  func wrongInputGivesOneSentence(index: Int) throws {
    let (arguments, names) = Self.wrong[index]
    let folder = try TemporaryFolder()
    let result = try framepace(arguments, in: folder.path)
    #expect(result.status == 64 || result.status == 1, "\(arguments): \(result.status)")
    for name in names { #expect(result.error.contains(name), "\(arguments): \(result.error)") }
    #expect(result.output.isEmpty, "\(arguments): \(result.output)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty, "\(arguments) left something behind")
  }
}
