import Geometry
import LinuxSystem

@testable import Layers

/// Replicators in replicators around marks that move, as a plain description that a loop evaluates.
@MainActor
final class PlainReplicators {
  struct Mark {
    /// tx, ty, a and b of the map to the superlayer.
    let place: [Double]
    let opacity: Double
    let color: UInt32
  }

  static let markSize = 7.0
  let layer = ReplicatorLayer()
  private let size: Size
  private let count: Int
  private let delay: Double
  private let step: Affine
  private let first: [Double]
  private let offsets: [Double]
  private let marks: [(start: Point, end: Point, seconds: Double, color: Color)]
  private let inner: PlainReplicators?

  init(_ random: inout SplitMix64, depth: Int = 0) {
    func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
    size = Size(number(0...90), number(0...90))
    count = Int.random(in: 1...4, using: &random)
    delay = Double(Int.random(in: -100...300, using: &random)) / 1000
    step = Affine.rotation(number(-3...3)).concatenating(.scale(number(0.5...1.5)))
      .concatenating(.translation(x: number(-9...9), y: number(-9...9)))
    first = (0..<4).map { _ in number(0...1) }
    offsets = (0..<4).map { _ in number(-0.5...0.5) }
    marks = (0..<Int.random(in: 1...2, using: &random)).map { _ in
      (
        Point(number(-50...50), number(-50...50)), Point(number(-50...50), number(-50...50)), number(0.2...1),
        Color(red: number(0...1), green: number(0...1), blue: number(0...1))
      )
    }
    inner = depth < 2 && random.chance(0.7) ? PlainReplicators(&random, depth: depth + 1) : nil
    layer.bounds.size = size
    layer.position = Point(11, 13)
    (layer.instanceCount, layer.instanceDelay) = (count, .seconds(delay))
    layer.instanceTransform = Transform3D(step)
    layer.instanceColor = Color(red: first[0], green: first[1], blue: first[2], alpha: first[3])
    (layer.instanceRedOffset, layer.instanceGreenOffset) = (offsets[0], offsets[1])
    (layer.instanceBlueOffset, layer.instanceAlphaOffset) = (offsets[2], offsets[3])
    for mark in marks {
      let square = Layer()
      square.bounds.size = Size(Self.markSize, Self.markSize)
      (square.backgroundColor, square.position) = (mark.color, mark.start)
      var slide = BasicAnimation(.position, from: mark.start, to: mark.end, duration: .seconds(mark.seconds))
      (slide.timingFunction, slide.fillMode, slide.isRemovedOnCompletion) = (.linear, .both, false)
      square.add(slide)
      layer.addSublayer(square)
    }
    if let inner { layer.addSublayer(inner.layer) }
  }

  /// The marks of all copies in painting order, so many seconds after all animations began, in a copy that is `late`.
  func marks(seconds: Double, late: Double = 0) -> [Mark] {
    var result: [Mark] = []
    for copy in 0..<count {
      // The place of the copy, step by step, around the middle.
      var place = Affine.translation(x: -size.width / 2, y: -size.height / 2)
      for _ in 0..<copy { place = place.concatenating(step) }
      place = place.concatenating(.translation(x: size.width / 2, y: size.height / 2))
      let color = (0..<4).map { min(max(first[$0] + Double(copy) * offsets[$0], 0), 1) }
      let own = late + Double(copy) * delay
      for mark in marks {
        let part = min(max((seconds - own) / mark.seconds, 0), 1)
        let middle = mark.start + (mark.end - mark.start) * part
        let whole = Affine.translation(x: middle.x - Self.markSize / 2, y: middle.y - Self.markSize / 2)
          .concatenating(place)
        let tinted = Color(
          red: mark.color.red * color[0], green: mark.color.green * color[1], blue: mark.color.blue * color[2])
        result.append(
          Mark(place: [whole.tx, whole.ty, whole.a, whole.b], opacity: color[3], color: tinted.premultipliedBGRA))
      }
      if let inner { result += inner.marks(seconds: seconds, late: own) }
    }
    return result
  }
}
