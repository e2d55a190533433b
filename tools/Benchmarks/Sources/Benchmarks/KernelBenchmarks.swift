import CKernels
import CPeers
import Glibc

/// Measures the row kernels on a whole screen beside the floor, which is the least that a processor has to do with the same
/// memory (memset, memcpy, or load, load and store), and beside pixman.
enum KernelBenchmarks {
  static let all = Benchmark(name: "kernels", peers: ["floor", "pixman"]) {
    let kernels = ckernels_best()
    let screen = try Pixels(.opaque, seed: 1)
    let (noise, interface) = (try Pixels(.noise, seed: 2), try Pixels(.interface, seed: 3))
    let opaque = try Pixels(.opaque, seed: 4)

    func over(_ name: String, _ source: Pixels, opacity: UInt32 = 255, gate: Gate) -> Result {
      compare(name, gate) {
        screen.rows(source) {
          opacity == 255 ? kernels.pointee.over($0, $1, $2) : kernels.pointee.over_opacity($0, $1, $2, opacity)
        }
      } floor: {
        peer_combine(screen.base, source.base, Int64(Pixels.count))
      } pixman: {
        peer_pixman_over(screen.base, source.base, Pixels.width, Pixels.height, opacity)
      }
    }
    return [
      // The floor may write past the caches. Rows that are painted over next should stay in them.
      compare("fill", Gate(peer: 1, limit: 1.2)) {
        screen.rows(screen) { row, _, count in kernels.pointee.fill(row, count, 0xFF20_3040) }
      } floor: {
        memset(screen.base, 0x20, Pixels.count * 4)
      } pixman: {
        peer_pixman_fill(screen.base, Pixels.width, Pixels.height, 0xFF20_3040)
      },
      compare("over, opaque", Gate(peer: 0, limit: 1.5)) {
        screen.rows(opaque, kernels.pointee.over)
      } floor: {
        memcpy(screen.base, opaque.base, Pixels.count * 4)
      } pixman: {
        peer_pixman_over(screen.base, opaque.base, Pixels.width, Pixels.height, 255)
      },
      over("over, interface", interface, gate: Gate(peer: 0, limit: 1.6)),
      try cold(kernels),
      over("over, noise", noise, gate: Gate(peer: 1, limit: 0.8)),
      over("over, noise, opacity 0.5", noise, opacity: 128, gate: Gate(peer: 1, limit: 0.8)),
      compare("multiply, noise", Gate(peer: 1, limit: 0.7)) {
        screen.rows(noise) { kernels.pointee.blend($0, $1, $2, 255, CKERNELS_MULTIPLY) }
      } floor: {
        peer_combine(screen.base, noise.base, Int64(Pixels.count))
      } pixman: {
        peer_pixman_multiply(screen.base, noise.base, Pixels.width, Pixels.height)
      },
    ]
  }

  /// Bitmaps that no cache holds together, each used in turn.
  private static func cold(_ kernels: UnsafePointer<ckernels_table>) throws -> Result {
    let pairs = try (0..<8).map { (try Pixels(.opaque, seed: 10 + $0), try Pixels(.interface, seed: 20 + $0)) }
    var turn = 0
    func next() -> (Pixels, Pixels) {
      turn = (turn + 1) % pairs.count
      return pairs[turn]
    }
    return compare("over, interface, cold", Gate(peer: 0, limit: 1.4)) {
      let (target, source) = next()
      target.rows(source, kernels.pointee.over)
    } floor: {
      let (target, source) = next()
      peer_combine(target.base, source.base, Int64(Pixels.count))
    } pixman: {
      let (target, source) = next()
      peer_pixman_over(target.base, source.base, Pixels.width, Pixels.height, 255)
    }
  }

  /// Medians of rounds in which the three alternate, in processor time: other programs disturb the caches alone.
  private static func compare(
    _ name: String, _ gate: Gate, ours: () -> Void, floor: () -> Void, pixman: () -> Void
  ) -> Result {
    let (rounds, repeats) = (21, 4)
    return Harness.best {
      var times: [[Double]] = [[], [], []]
      for _ in 0..<rounds {
        for index in times.indices {
          func call() { index == 0 ? ours() : index == 1 ? floor() : pixman() }
          call()
          times[index].append(Harness.processorTime { for _ in 0..<repeats { call() } } / Double(repeats))
        }
      }
      let medians = times.map(Harness.median)
      return Result(name: name, unit: .nanoseconds, ours: medians[0], peers: [medians[1], medians[2]], gates: [gate])
    }
  }
}
