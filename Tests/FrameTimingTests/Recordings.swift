import Glibc
import Simulation
import Testing

/// The recorded displays of the folder `Recordings`; its README.md names their sources.
enum Recordings {
  static let names = [
    "timer", "vkms", "vkms-quiet", "fallback", "presentmon-0", "presentmon-2", "presentmon-3", "presentmon-4",
    "presentmon-5a",
    "presentmon-5b",
  ]
  private static let folder = String(#filePath.dropLast(".swift".count)) + "/"

  static func read(_ name: String) throws -> VBlankRecording {
    let path = folder + name + ".vblanks"
    let file = try #require(fopen(path, "r"), "\(path) cannot be read")
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    return try VBlankRecording(parsing: String(decoding: bytes[..<count], as: UTF8.self))
  }
}
