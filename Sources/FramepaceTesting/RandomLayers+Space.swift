import Framepace

extension RandomLayers {
  /// Changes one property of a layer's place in space.
  func changeSpace(_ layer: Layer) {
    switch Int.random(in: 0..<11, using: &random) {
    case 0, 1: layer.zPosition = random.chance(0.7) ? Double(Int.random(in: -2...2, using: &random)) : number(in: -300...300)
    case 2: layer.anchorPointZ = random.chance(0.3) ? 0 : number(in: -80...80)
    case 3, 4:
      layer.sublayerTransform = random.chance(0.3) ? .identity : random.chance(0.6) ? view() : solidTransform()
    case 5: layer.isGeometryFlipped.toggle()
    case 6: layer.isDoubleSided.toggle()
    case 7:
      layer.frame = bounds()
      // In a tiny scale both sides become huge, and the bitmap of a layer that is drawn would take all memory.
      if min(layer.bounds.width, layer.bounds.height) > 1e4 { layer.bounds = bounds() }
    case 8: layer.rotation = number(in: -4...4)
    case 9: layer.affineTransform = flatTransform()
    default: layer.transform = solidTransform()
    }
  }

  /// The view from some distance. Rarely it is so near that layers lie behind the viewer.
  private func view() -> Transform3D { .perspective(distance: number(in: random.chance(0.2) ? 10...60 : 150...900)) }

  /// A turn in space, mostly seen in perspective.
  func solidTransform() -> Transform3D {
    if random.chance(0.1) { return .translation(x: 0, y: 0, z: number(in: -200...200)) }
    let axis = (number(in: -1...1), number(in: -1...1), random.chance(0.5) ? 0 : number(in: -1...1))
    let turn = Transform3D.rotation(number(in: -4...4), x: axis.0, y: axis.1, z: axis.2)
    return random.chance(0.6) ? turn.concatenating(view()) : turn
  }
}
