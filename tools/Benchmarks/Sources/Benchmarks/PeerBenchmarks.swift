import CPeers
import Foundation
import Geometry
import Raster

/// Measures the same operations beside the libraries that a user would take instead, each on one thread.
///
/// pixman and Cairo are called in this process. Qt, Skia and Blend2D are programs of their own, which `tools/benchmark --peers` makes;
/// one that is not there has no figures.
@MainActor
enum PeerBenchmarks {
  nonisolated static let names = ["pixman", "Cairo", "Qt", "Skia", "Blend2D"]

  static let all = Benchmark(name: "peers", peers: names) { try measure().results }

  /// The figures, and what the peers say of themselves.
  static func measure() throws -> (results: [Result], versions: [String]) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("framepace-peers-\(getpid())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let material = try PeerMaterial()
    let pictures = try FramepacePictures(material)
    defer { pictures.end() }
    let canvases = try (0..<8).map { try Pixels(.opaque, seed: 10 + $0) }
    let cold = try (0..<8).map { try Pixels(.interface, seed: 20 + $0) }
    func coldSource(of canvas: Pixels) -> Pixels { cold[canvases.firstIndex { $0 === canvas } ?? 0] }
    let ours = LocalPeer("framepace", version: "", canvases: canvases) { task, canvas in
      pictures.paint(task, into: canvas, coldSource: coldSource(of: canvas))
      return true
    }
    let text = peer_text_make(
      material.font.face.path, material.font.size, canvases[0].bitmap.base.assumingMemoryBound(to: UInt8.self),
      Int32(PeerMaterial.page.width), Int32(PeerMaterial.page.height), Pixels.width * 4)
    guard let text else { throw BenchmarkError("Cairo cannot read the font") }
    defer { peer_text_free(text) }
    var peers: [(any Peer)?] = [
      LocalPeer("pixman", version: "pixman \(String(cString: peer_pixman_version()))", canvases: canvases) { task, canvas in
        material.paint(task, canvas, coldSource(of: canvas), by: peer_pixman_paint)
      },
      LocalPeer("Cairo", version: "Cairo \(String(cString: peer_cairo_version()))", canvases: canvases) { task, canvas in
        if task == .glyphs { return material.paintText(text) }
        return material.paint(task, canvas, coldSource(of: canvas), by: peer_cairo_paint)
      },
    ]
    // They have no gates.
    let programs = try Harness.measuresGatesOnly ? [] : PeerPrograms.rasterizers(material, folder)
    defer { for case let program? in programs { program.end() } }
    for program in programs { peers.append(program) }
    let results = try PeerTask.allCases.map { try compare($0, ours, peers) }
    return (results, peers.compactMap { $0?.version })
  }

  /// Medians of seven rounds in which all alternate.
  private static func compare(_ task: PeerTask, _ ours: LocalPeer, _ peers: [(any Peer)?]) throws -> Result {
    let all: [(any Peer)?] = try [ours] + alike(task, ours, peers)
    let calls = try all.map { peer in
      guard let time = try peer?.time(task, calls: 1) else { return 0 }
      // Each measurement takes some ten milliseconds, and the cold pictures all have their turn.
      return max(min(Int(1e7 / time), 50), task == .cold ? 8 : 1)
    }
    return try Harness.best {
      var times = all.map { _ in [Double]() }
      for _ in 0..<7 {
        for index in all.indices where calls[index] > 0 {
          if let time = try all[index]?.time(task, calls: calls[index]) { times[index].append(time) }
        }
      }
      let medians = times.map { $0.isEmpty ? nil : Harness.median($0) }
      return Result(
        name: task.title, unit: .nanoseconds, ours: medians[0] ?? .nan, peers: Array(medians.dropFirst()),
        gates: fasterThanCairo.contains(task) ? [Gate(peer: 1, limit: 1)] : [])
    }
  }

  private static let fasterThanCairo: Set<PeerTask> = [.rotated, .axial, .radial, .path, .stroke]

  /// The peers that paint what framepace does; nil for the others, and says so: a figure for another picture would be worth nothing.
  private static func alike(_ task: PeerTask, _ ours: LocalPeer, _ peers: [(any Peer)?]) throws -> [(any Peer)?] {
    // The cold pictures are others in each program, and painted as the warm one is.
    guard task != .cold, let picture = ours.picture(task) else { return peers }
    let isOnGround = ![.fill, .interface, .noise, .half, .cold].contains(task)
    let ground = isOnGround ? ours.picture(.fill) : nil
    func distance(_ other: [UInt8]?) -> Int {
      let part = task.part
      var sum = 0
      for y in part.minY..<part.maxY {
        for index in (Int(y) * Int(Pixels.width) + Int(part.minX)) * 4..<(Int(y) * Int(Pixels.width) + Int(part.maxX)) * 4
        where index % 4 < 3 {
          sum += abs(Int(picture[index]) - Int(other?[index] ?? 0))
        }
      }
      return sum
    }
    let whole = distance(ground)
    return try peers.map { peer in
      guard let other = try peer?.picture(task), other.count == picture.count else { return nil }
      let share = Double(distance(other)) / Double(whole)
      if share <= task.tolerance { return peer }
      complain("\(peer?.name ?? "") paints something else for '\(task.title)': it is \(share) away")
      return nil
    }
  }
}

extension PeerMaterial {
  /// Has Cairo paint the page of glyphs, whose coverage it keeps.
  func paintText(_ text: OpaquePointer) -> Bool {
    peer_text_fill(text, 0x20 / 255.0, 0x30 / 255.0, 0x40 / 255.0)
    for line in lines { peer_text_line(text, line.glyphs, line.columns, Int32(line.glyphs.count), line.x, line.y) }
    return true
  }

  /// Has a library paint a task; false where it has no such operation.
  func paint(
    _ task: PeerTask, _ target: Pixels, _ coldSource: Pixels,
    by library: (UnsafePointer<peer_canvas>, peer_operation) -> Bool
  ) -> Bool {
    let material: (source: Pixels, operation: peer_operation, points: [Double])? =
      switch task {
      case .fill: (interface, PEER_FILL, [])
      case .interface: (interface, PEER_OVER, [])
      case .noise: (noise, PEER_OVER, [])
      case .half: (noise, PEER_OVER_HALF, [])
      case .cold: (coldSource, PEER_OVER, [])
      case .rotated: (interface, PEER_ROTATED, [])
      case .scaled: (interface, PEER_SCALED, [])
      case .axial: (interface, PEER_AXIAL, [])
      case .radial: (interface, PEER_RADIAL, [])
      case .rects: (interface, PEER_RECTS, cornerNumbers)
      case .path: (interface, PEER_PATH, starNumbers)
      case .stroke: (interface, PEER_STROKE, starNumbers)
      case .glyphs, .shadow, .kept: nil
      }
    guard let (source, operation, points) = material else { return false }
    return points.withUnsafeBufferPointer { points in
      var canvas = peer_canvas(
        pixels: target.base, width: Pixels.width, height: Pixels.height, source: source.base, points: points.baseAddress,
        count: Int32(points.count / 2))
      return library(&canvas, operation)
    }
  }
}
