import Foundation

/// Finds the peers that are programs of their own.
@MainActor
enum PeerPrograms {
  /// Qt, Skia and Blend2D; nil for one that is not there.
  static func rasterizers(_ material: PeerMaterial, _ folder: String) throws -> [PeerProcess?] {
    try material.write(to: folder)
    return [
      try PeerProcess("Qt", path("qt-raster"), folder: folder),
      try PeerProcess("Skia", python, ["-B", script("skia_peer.py")], folder: folder),
      try PeerProcess("Blend2D", python, ["-B", script("blend2d_peer.py")], folder: folder),
    ]
  }

  /// Qt Quick with a scene; nil where it is not there.
  static func quick(_ scene: String, fonts: URL) throws -> PeerProcess? {
    try PeerProcess(
      "Qt Quick", path("qt-quick"), [script("\(scene).qml")], folder: fonts.deletingLastPathComponent().path)
  }

  /// The path at which `tools/benchmark --peers` puts a program.
  static func path(_ name: String) -> String { build.appendingPathComponent("peers/\(name)").path }

  /// The source of a peer.
  static func script(_ name: String) -> String {
    build.deletingLastPathComponent().appendingPathComponent("tools/Benchmarks/Peers/\(name)").path
  }

  private static let python = path("python/bin/python3")
  /// This program is in the folder of its configuration.
  private static let build = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    .deletingLastPathComponent()
}
