import CPeers
import Foundation
import Geometry
import ImageFiles
import Layers
import LinuxSystem
import Raster

/// Measures picture files on their way to layers, beside libjpeg-turbo.
@MainActor
enum ImageFileBenchmarks {
  static let all = Benchmark(name: "images", peers: ["libjpeg"]) {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("framepace-photo-\(getpid()).jpg").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let photo = try PictureBenchmarks.photograph(width: 4000, height: 3000)
    let bytes = peer_write_jpeg(
      path, photo.base.assumingMemoryBound(to: UInt8.self), Int64(photo.bytesPerRow), Int32(photo.width), Int32(photo.height)
    )
    guard bytes > 0 else { throw BenchmarkError("no JPEG was written to \(path)") }
    let box = PixelSize(width: 400, height: 300)
    return [
      // The peer's picture has 500 × 375 pixels, the least of its sizes that is large enough.
      try Harness.compare("a JPEG of 12 megapixels to 400 × 300, against libjpeg's scaled decoding", limit: 1.2) {
        Harness.blackHole(try ImageFile(path: path).decode(fitting: box).width)
      } peer: {
        Harness.blackHole(peer_read_jpeg(path, 1))
      },
      try Harness.compare("the same in its own size", limit: 1.3) {
        Harness.blackHole(try ImageFile(path: path).decode().width)
      } peer: {
        Harness.blackHole(peer_read_jpeg(path, 8))
      },
      try blocked(by: path),
    ]
  }

  /// The time of the main thread for a layer's picture: the commit that asks for it and the one that shows it.
  private static func blocked(by path: String) throws -> Result {
    let pool = WorkerPool(threads: 1)
    defer { pool.shutdown() }
    let times = try (0..<9).map { _ in
      let root = Layer()
      let context = LayerContext(root: root, workers: pool)
      _ = context.commit(at: .zero)
      let layer = ImageLayer(frame: Rect(x: 0, y: 0, width: 400, height: 300))
      layer.cache = ImageCache(bytes: 0)
      root.addSublayer(layer)
      var time = Harness.nanoseconds {
        layer.file = path
        _ = context.commit(at: .zero)
      }
      context.waitForDrawings()
      time += Harness.nanoseconds {
        context.publishFinishedDrawings()
        _ = context.commit(at: .zero)
      }
      guard layer.pixelSize != nil else { throw BenchmarkError("no picture was shown") }
      return time
    }
    return Result(name: "the main thread in that", unit: .nanoseconds, ours: Harness.median(times), peer: nil, limit: nil)
  }
}
