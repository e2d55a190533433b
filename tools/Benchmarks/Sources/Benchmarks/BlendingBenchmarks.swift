import RenderTree

/// Measures what linear blending costs: the pictures of the peers, beside the same with the blending of sRGB.
@MainActor
enum BlendingBenchmarks {
  private static let tasks: [PeerTask] = [.interface, .noise, .half, .axial, .rects, .path, .glyphs, .kept]

  static let all = Benchmark(name: "blending", peers: ["sRGB"]) {
    let material = try PeerMaterial()
    let linear = try FramepacePictures(material, blending: .linear)
    let plain = try FramepacePictures(material)
    defer {
      linear.end()
      plain.end()
    }
    let canvas = try Pixels(.opaque, seed: 1)
    return tasks.map { task in
      Harness.compare(task.title, repeats: 4) {
        linear.paint(task, into: canvas, coldSource: material.interface)
      } peer: {
        plain.paint(task, into: canvas, coldSource: material.interface)
      }
    }
  }
}
