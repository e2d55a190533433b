import CPeers
import Foundation

/// Writes the figures beside peers into the article about them: all that follows its heading `## Measured`.
@MainActor
enum PeersArticle {
  private static let heading = "## Measured\n"

  static func write(to path: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    guard let end = text.range(of: heading)?.upperBound else { throw BenchmarkError("\(path) has no heading 'Measured'") }
    let operations = try PeerBenchmarks.measure()
    let scenes = try SceneBenchmarks.measure(picturesIn: PeerPrograms.path("pictures"))
    var versions = operations.versions
    versions += scenes.versions.filter { !versions.contains($0) }
    let absent = (PeerBenchmarks.names + SceneBenchmarks.names).filter { name in
      !versions.contains { $0.hasPrefix("\(name) ") }
    }
    var article = """
      \(text[..<end])
      On \(machine()), with \(versions.joined(separator: ", ")).

      \(table(PeerBenchmarks.names, operations.results))
      \(table(SceneBenchmarks.names, scenes.results))
      """
    if !absent.isEmpty { article += "\nNot installed: \(absent.joined(separator: ", ")).\n" }
    try article.write(toFile: path, atomically: true, encoding: .utf8)
    print("\(path) is written.")
  }

  private static func table(_ peers: [String], _ results: [Result]) -> String {
    let rule = String(repeating: "---|", count: peers.count + 2)
    var lines = "| | framepace | \(peers.joined(separator: " | ")) |\n|\(rule)\n"
    for result in results {
      let missing = [Double?](repeating: nil, count: max(peers.count - result.peers.count, 0))
      let figures = ([result.ours] + result.peers + missing).map { $0.map { Table.text($0, result.unit) } ?? "–" }
      lines += "| \(result.name) | \(figures.joined(separator: " | ")) |\n"
    }
    return lines
  }

  /// The processor, as the kernel names it, and the system.
  private static func machine() -> String {
    func value(of key: String, in path: String, separator: Character) -> String? {
      guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
      let line = text.split(separator: "\n").first { $0.hasPrefix(key) }
      return line?.split(separator: separator).last?.trimmingCharacters(in: CharacterSet(charactersIn: "\" "))
    }
    let processor = value(of: "model name", in: "/proc/cpuinfo", separator: ":") ?? "an unnamed processor"
    let system = value(of: "PRETTY_NAME", in: "/etc/os-release", separator: "=") ?? "Linux"
    return "\(processor), \(ProcessInfo.processInfo.activeProcessorCount) cores, \(system)"
  }
}
