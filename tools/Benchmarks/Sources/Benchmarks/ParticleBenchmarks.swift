import CPeers
import Framepace
import FramepaceTesting

/// Measures frames with many particles that move and fade, from tick to feedback, beside pixman and Cairo, which only paint as many sprites
/// on a ground, at places that are known. The emitter paints on two threads; the times beside peers are those of processors.
@MainActor
enum ParticleBenchmarks {
  static let all = Benchmark(name: "particles", peers: ["pixman", "Cairo"]) {
    var results: [Result] = []
    for (count, side, limit) in [(10_000, 4, 1.2), (10_000, 8, 1.3), (100_000, 4, 0.9), (100_000, 8, 1.2)] {
      let (fountain, peer) = (try Fountain(count: count, side: side), PeerSprites(count: count, side: side))
      results.append(Self.compare("\(count) of \(side) × \(side)", fountain, peer, limit: limit))
      if count == 100_000 {
        results.append(Harness.time("the same on two threads, by the clock", repeats: 4) { fountain.runFrame() })
      }
      // The emitter's content at the time of the frame.
      results.append(Harness.allocations("allocations in that", frames: 20, limit: 1) { fountain.runFrame() })
      try fountain.end()
    }
    let sorted = try Fountain(count: 100_000, side: 4, order: .oldestFirst)
    results.append(Harness.time("100000 of 4 × 4 by their age, by the clock", repeats: 4) { sorted.runFrame() })
    results.append(Harness.allocations("allocations in that", frames: 20, limit: 1) { sorted.runFrame() })
    try sorted.end()
    for side in [4, 8] {
      let (turning, peer) = (try Fountain(count: 100_000, side: side, spin: 8), PeerSprites(count: 100_000, side: side))
      results.append(
        Self.compare("100000 of \(side) × \(side) that turn, beside some that do not", turning, peer, limit: nil))
      try turning.end()
    }
    return results
  }

  /// Medians of five rounds in which all alternate.
  private static func compare(_ name: String, _ fountain: Fountain, _ peer: PeerSprites, limit: Double?) -> Result {
    Harness.best {
      let players: [() -> Void] = [{ fountain.runFrame() }, { peer.paintByPixman() }, { peer.paintByCairo() }]
      var times: [[Double]] = [[], [], []]
      for player in players { player() }
      for _ in 0..<Harness.rounds {
        for (index, player) in players.enumerated() {
          let (start, repeats) = (peer_process_time(), index == 0 ? 4 : 1)
          for _ in 0..<repeats { player() }
          times[index].append(Double(peer_process_time() - start) / Double(repeats))
        }
      }
      let medians = times.map(Harness.median)
      return Result(
        name: name, unit: .nanoseconds, ours: medians[0], peers: [medians[1], medians[2]],
        gates: limit.map { [Gate(peer: 0, limit: $0)] } ?? []
      )
    }
  }
}

/// Particles that are born all over the screen, so that all of them are seen.
@MainActor
private final class Fountain {
  private let stage: ManualStage<VirtualDisplay>
  private var frames: UInt64 = 0
  private let shown: UInt64

  init(count: Int, side: Int, spin: Double = 0, order: EmitterRenderMode = .unordered) throws {
    var cell = EmitterCell(contents: try Self.image(side: side))
    (cell.birthRate, cell.lifetime) = (Double(count) / 5, 5)
    (cell.velocity, cell.velocityRange, cell.emissionRange) = (40, 20, 2 * .pi)
    (cell.yAcceleration, cell.alphaSpeed, cell.spinRange) = (2, -0.1, spin)
    let root = EmitterLayer(frame: Rect(x: 0, y: 0, width: 1920, height: 1080))
    root.backgroundColor = Color(hex: 0x20_3040)
    (root.emitterCells, root.emitterShape, root.renderMode) = ([cell], .rectangle, order)
    (root.emitterPosition, root.emitterSize) = (Point(960, 540), Size(1920, 1080))
    stage = try ManualStage(width: 1920, height: 1080, root: root, rate: .hertz60, workers: WorkerPool(threads: 1))
    stage.recordsFrames = false
    stage.run(for: .milliseconds(100))
    shown = stage.display.shownFrames
  }

  func runFrame() {
    stage.run(for: RefreshRate.hertz60.interval)
    frames += 1
  }

  func end() throws {
    stage.engine.invalidate()
    guard stage.display.shownFrames - shown + 1 >= frames else { throw BenchmarkError("frames were not shown") }
  }

  private static func image(side: Int) throws -> Image {
    let bitmap = try Bitmap(width: side, height: side)
    for y in 0..<side {
      let row = bitmap.row(y).assumingMemoryBound(to: UInt32.self)
      for x in 0..<side { row[x] = PeerSprites.pixel(x, y) }
    }
    return bitmap.freeze()
  }
}

/// As many sprites as the emitter has.
private final class PeerSprites {
  private var pixels = [UInt32](repeating: 0, count: 1920 * 1080)
  private let sprite: [UInt32]
  private let side: Int
  private var places: [Double] = []

  init(count: Int, side: Int) {
    self.side = side
    sprite = (0..<side * side).map { Self.pixel($0 % side, $0 / side) }
    for index in 0..<count {
      // Multiples of these numbers lie evenly, and one that follows another lies far from it.
      func part(_ number: Double) -> Double { (Double(index) * number).truncatingRemainder(dividingBy: 1) }
      places += [
        part(0.7548776662) * Double(1920 - side), part(0.5698402910) * Double(1080 - side), 1 - part(0.6180339887) / 2,
      ]
    }
  }

  /// An opaque pixel.
  static func pixel(_ x: Int, _ y: Int) -> UInt32 { 0xFFFF_C040 &+ UInt32(8 * x + 2048 * y) }

  func paintByPixman() { paint(peer_pixman_particles) }
  func paintByCairo() { paint(peer_cairo_particles) }

  private func paint(_ body: (UnsafePointer<peer_particles>?) -> Void) {
    pixels.withUnsafeMutableBufferPointer { pixels in
      sprite.withUnsafeBufferPointer { sprite in
        places.withUnsafeBufferPointer { places in
          var particles = peer_particles(
            pixels: pixels.baseAddress, width: 1920, height: 1080, color: 0xFF20_3040, sprite: sprite.baseAddress,
            side: Int32(side), places: places.baseAddress, count: Int32(places.count / 3))
          body(&particles)
        }
      }
    }
  }
}
