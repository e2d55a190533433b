import Glibc
import LinuxSystem

/// The programs that have a card open, as far as this user may see: root sees all, others their own.
enum CardUsers {
  /// Names and numbers, without this process: "Xorg (812)".
  ///
  /// - Parameter processes: the folder of the kernel's processes.
  static func names(of path: String, processes: String = "/proc") -> [String] {
    let numbers = entries(of: processes).compactMap { Int32($0) }.filter { $0 != getpid() }.sorted()
    return numbers.filter { hasOpen(path, "\(processes)/\($0)/fd") }.map { number in
      "\(firstLine(of: "\(processes)/\(number)/comm") ?? "?") (\(number))"
    }
  }

  private static func hasOpen(_ path: String, _ folder: String) -> Bool {
    entries(of: folder).contains { entry in
      var target = [CChar](repeating: 0, count: 256)
      let count = readlink("\(folder)/\(entry)", &target, target.count)
      return count > 0 && String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) == path
    }
  }

  /// A process chooses its name: only printable characters of it may reach a terminal.
  private static func firstLine(of path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = fread(&bytes, 1, bytes.count, file)
    let line = bytes[..<count].prefix { $0 != 0x0A }.map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
    return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
  }

  private static func entries(of folder: String) -> [String] { (try? OwnedDescriptor.names(in: folder)) ?? [] }
}
