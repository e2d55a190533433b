import Framepace
import LinuxSystem

extension RandomLayers {
  /// Copies its layers a few times, some of them later.
  func changeReplicator(_ layer: ReplicatorLayer) {
    if layer.sublayers.isEmpty {
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        let copied = Layer(frame: bounds())
        copied.backgroundColor = color()
        copied.contents = random.chance(0.3) ? images.randomElement(using: &random) : nil
        copied.add(animation())
        layer.addSublayer(copied)
      }
    }
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1: layer.instanceCount = Int.random(in: 0...4, using: &random)
    case 2: layer.instanceTransform = transform()
    case 3: layer.instanceDelay = .milliseconds(Int64.random(in: -20...60, using: &random))
    case 4: layer.preservesDepth = random.chance(0.3)
    default: changeInstanceColor(layer)
    }
    if random.chance(0.2) { layer.add(instanceAnimation(), forKey: random.chance(0.5) ? "instances" : nil) }
  }

  private func offset() -> Double { random.chance(0.3) ? 0 : number(in: -0.6...0.3) }

  private func changeInstanceColor(_ layer: ReplicatorLayer) {
    layer.instanceColor = random.chance(0.3) ? .white : color()
    (layer.instanceRedOffset, layer.instanceGreenOffset) = (offset(), offset())
    (layer.instanceBlueOffset, layer.instanceAlphaOffset) = (offset(), offset())
  }

  private func instanceAnimation() -> any Animation {
    let offsets: [AnimatableKey<Double>] = [
      .instanceRedOffset, .instanceGreenOffset, .instanceBlueOffset, .instanceAlphaOffset,
    ]
    var animation =
      switch Int.random(in: 0..<3, using: &random) {
      case 0: BasicAnimation(AnimatableKey<Transform3D>.instanceTransform, from: transform(), to: transform())
      case 1: BasicAnimation(.instanceColor, from: color(), to: color())
      default: BasicAnimation(offsets.randomElement(using: &random) ?? .instanceRedOffset, from: offset(), to: offset())
      }
    animation.duration = .milliseconds(Int64.random(in: 5...80, using: &random))
    return animation
  }
}
