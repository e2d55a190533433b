import Geometry
import Layers

extension LayerBenchmarks {
  /// Measures hit tests in trees of 10,000 layers of 10×10 that lie side by side, at points all over them.
  static func hitTests() -> [Result] {
    let flat = hitScene(groups: 1, clips: false)
    let open = hitScene(groups: 10, clips: false)
    let clipped = hitScene(groups: 10, clips: true)
    let frames = flat.sublayers[0].sublayers.map(\.frame)
    let moved = flat.sublayers[0].sublayers[5_000]
    let points = (0..<64).map { Point(Double($0 * 137 % 1000) + 0.5, Double($0 * 331 % 1000) + 0.5) }
    var number = 0
    // The compiler would leave out the search for an index that nobody uses.
    var sum = 0
    defer { precondition(sum > 0) }
    func next() -> Point {
      number += 1
      return points[number % points.count]
    }
    for scene in [flat, open, clipped] {
      precondition(points.allSatisfy { scene.hitTest($0)?.bounds.width == 10 }, "a point hits no layer")
    }
    return [
      Harness.compare("hit in 10,000 side by side, against rects", repeats: 320, limit: 2) {
        Harness.blackHole(flat.hitTest(next()))
      } peer: {
        let point = next()
        var index = frames.count - 1
        while index >= 0, !frames[index].contains(point) { index -= 1 }
        sum &+= index
      },
      Harness.time("one of them moved, and a hit", repeats: 320) {
        moved.position.x = Double(number % 2)
        Harness.blackHole(flat.hitTest(next()))
      },
      Harness.time("hit in 100 groups of 100", repeats: 320) { Harness.blackHole(open.hitTest(next())) },
      Harness.compare("hit in 100 clipped groups, against that", repeats: 320, limit: 0.1) {
        Harness.blackHole(clipped.hitTest(next()))
      } peer: {
        Harness.blackHole(open.hitTest(next()))
      },
    ]
  }

  /// - Parameter groups: the number of groups in a row, and in a column.
  private static func hitScene(groups: Int, clips: Bool) -> Layer {
    let root = Layer(frame: Rect(x: 0, y: 0, width: 1000, height: 1000))
    let side = 1000 / Double(groups)
    for index in 0..<(groups * groups) {
      let group = Layer(
        frame: Rect(x: Double(index % groups) * side, y: Double(index / groups) * side, width: side, height: side))
      group.masksToBounds = clips
      let count = 100 / groups
      for index in 0..<(count * count) {
        let (column, row) = (Double(index % count), Double(index / count))
        group.addSublayer(Layer(frame: Rect(x: column * 10, y: row * 10, width: 10, height: 10)))
      }
      root.addSublayer(group)
    }
    return root
  }
}
