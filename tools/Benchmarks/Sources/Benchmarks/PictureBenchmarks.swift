import CPeers
import Foundation
import LinuxSystem
import Raster

/// Measures pictures on their way to files, beside libpng.
@MainActor
enum PictureBenchmarks {
  static let all = Benchmark(name: "pictures", peers: ["libpng"]) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("framepace-pictures-\(getpid())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try render("--time", "2s", to: folder)
    let screen = try PNG.read(path: "\(folder)/dashboard.png")
    let noise = try photograph(width: 3840, height: 2160)
    let pool = WorkerPool(threads: 2)
    defer { pool.shutdown() }
    let (fast, small) = (try PNG.encode(screen).count, try PNG.encode(screen, effort: .small).count)
    let megapixels = Double(noise.width * noise.height) / 1e6
    let camera = try Harness.compare("a noisy picture of 4K, two threads", limit: 0.25) {
      Harness.blackHole(try PNG.encode(noise, pool: pool))
    } peer: {
      Harness.blackHole(libpng(noise, level: 1))
    }
    return [
      try Harness.compare("a screen of user interface", limit: 0.15) {
        Harness.blackHole(try PNG.encode(screen))
      } peer: {
        Harness.blackHole(libpng(screen))
      },
      try Harness.compare("a screen, against level 1") {
        Harness.blackHole(try PNG.encode(screen))
      } peer: {
        Harness.blackHole(libpng(screen, level: 1))
      },
      Result(
        name: "bytes of a screen, against level 1", unit: .count, ours: Double(fast), peer: Double(libpng(screen, level: 1)),
        limit: 1.15),
      Result(
        name: "bytes of a screen with effort", unit: .count, ours: Double(small), peer: Double(libpng(screen)), limit: 1.15),
      camera,
      Result(
        name: "megapixels of that a second", unit: .count, ours: (megapixels / camera.ours * 1e9).rounded(), peer: nil,
        limit: nil),
      // The peer only encodes pictures that are there.
      try Harness.compare("60 frames of dashboard to files", limit: 0.25) {
        try render("--frames", "60", to: folder)
      } peer: {
        for _ in 0..<60 { Harness.blackHole(libpng(screen)) }
      },
    ] + (Harness.measuresGatesOnly ? [] : [try film(screen, to: folder)])
  }

  /// Ten seconds of frames, against the time that libpng takes for encoding as many.
  private static func film(_ screen: Image, to folder: String) throws -> Result {
    let ours = try Harness.nanoseconds { try render("--frames", "600", to: folder) }
    let peer = Harness.nanoseconds { for _ in 0..<60 { Harness.blackHole(libpng(screen)) } } * 10
    return Result(name: "600 frames of dashboard to files", unit: .nanoseconds, ours: ours, peer: peer, limit: 0.125)
  }

  private static func libpng(_ image: Image, level: Int32 = -1) -> Int {
    peer_png(
      image.base.assumingMemoryBound(to: UInt8.self), Int64(image.bytesPerRow), Int32(image.width), Int32(image.height),
      level, image.isOpaque)
  }

  /// Has the command render `dashboard` at 1920×1080.
  private static func render(_ arguments: String..., to folder: String) throws {
    let process = Process()
    // The command is built beside this program.
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("framepace")
    process.arguments = ["render", "dashboard", "--output", folder] + arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw BenchmarkError("the command rendered nothing") }
  }

  /// A smooth picture with the noise of a camera.
  static func photograph(width: Int, height: Int) throws -> Image {
    let bitmap = try Bitmap(width: width, height: height)
    var noise: UInt64 = 1
    for y in 0..<height {
      let row = bitmap.row(y).assumingMemoryBound(to: UInt32.self)
      for x in 0..<width {
        noise = noise &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let base = UInt32(truncatingIfNeeded: (x + y) / 32)
        let (red, green, blue) = (UInt32(noise >> 60 & 3), UInt32(noise >> 58 & 3), UInt32(noise >> 56 & 3))
        row[x] = 0xFF00_0000 | (base + red) << 16 | (base / 2 + green) << 8 | (base / 3 + 40 + blue)
      }
    }
    return bitmap.freeze()
  }
}
