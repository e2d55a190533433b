import Framepace
import LinuxSystem
import RenderTree

extension RandomLayers {
  /// Changes one property of a layer's look that few layers have.
  func changeLook(_ layer: Layer) {
    switch Int.random(in: 0..<23, using: &random) {
    case 0, 1:
      layer.borderWidth = random.chance(0.2) ? 0 : number(in: 0...6)
      if random.chance(0.5) { layer.borderColor = random.chance(0.2) ? nil : color() }
    case 2: layer.maskedCorners = Corners(rawValue: .random(in: 0...15, using: &random))
    case 3, 4: layer.shadowOpacity = random.chance(0.3) ? 0 : number(in: 0...1)
    case 5: layer.shadowColor = random.chance(0.2) ? nil : color()
    case 6: layer.shadowOffset = random.chance(0.1) ? Size(1e9, -1e9) : Size(number(in: -9...9), number(in: -9...9))
    case 7: layer.shadowRadius = random.chance(0.3) ? 0 : number(in: 0...5)
    case 8:
      layer.shadowPath = random.chance(0.5) ? nil : path()
      if random.chance(0.1) { layer.add(pathAnimation(.shadowPath), forKey: "shadowPath") }
    case 9: layer.contentsRect = unitRect(0.3)
    case 10: layer.contentsCenter = unitRect(0.3)
    case 11:
      layer.minificationFilter = ImageFilter.allCases.randomElement(using: &random) ?? .linear
      layer.magnificationFilter = ImageFilter.allCases.randomElement(using: &random) ?? .linear
    case 12: layer.compositingFilter = BlendMode.allCases.randomElement(using: &random) ?? .normal
    case 13:
      layer.shouldRasterize.toggle()
      layer.rasterizationScale = [1, 2, 0.5, number(in: 0.1...4), 0].randomElement(using: &random) ?? 1
    case 14: layer.isOpaque.toggle()
    case 15: layer.blurRadius = random.chance(0.4) ? 0 : number(in: 0...4)
    case 16: layer.colorMatrix = random.chance(0.4) ? .identity : colorMatrix()
    case 17: layer.backdropBlurRadius = random.chance(0.3) ? 0 : number(in: 0...6)
    case 18: layer.backdropColorMatrix = random.chance(0.4) ? .identity : colorMatrix()
    case 19: layer.innerShadowOpacity = random.chance(0.3) ? 0 : number(in: 0...1)
    case 20:
      layer.innerShadowColor = random.chance(0.1) ? nil : color()
      layer.innerShadowOffset = random.chance(0.1) ? Size(-1e9, 1e9) : Size(number(in: -5...5), number(in: -5...5))
      layer.innerShadowRadius = random.chance(0.3) ? 0 : number(in: 0...6)
    case 21: layer.edgeAntialiasingMask = Edges(rawValue: .random(in: 0...15, using: &random))
    default: changeMask(of: layer)
    }
  }

  private func changeMask(of layer: Layer) {
    guard random.chance(0.7) else { return layer.mask = nil }
    let frame = layer.bounds.insetBy(dx: number(in: -3...5), dy: number(in: -3...5))
    // A mask that is one shape, or one that needs a picture.
    if random.chance(0.4) {
      let mask = random.chance(0.5) ? ShapeLayer(frame: frame) : Layer(frame: frame)
      if let shape = mask as? ShapeLayer { shape.path = path() } else { mask.backgroundColor = .black }
      mask.cornerRadius = number(in: 0...20)
      layer.mask = mask
      layers.append(mask)
      return
    }
    let mask = Layer(frame: frame)
    mask.backgroundColor = color()
    mask.cornerRadius = number(in: 0...20)
    let inner = Layer(frame: mask.bounds.offsetBy(dx: number(in: -9...9), dy: 2))
    inner.backgroundColor = color()
    mask.addSublayer(inner)
    for layer in [mask, inner] where random.chance(0.3) { changeLook(layer) }
    layer.mask = mask
    // They are edited, moved and animated as any others; one that is moved elsewhere masks no more.
    layers += [mask, inner]
  }

  func colorMatrix() -> ColorMatrix {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return .brightness(number(in: 0...2))
    case 1: return .contrast(number(in: 0...2))
    case 2: return .saturation(number(in: 0...2))
    case 3: return .hueRotation(number(in: -4...4))
    case 4: return .inversion(number(in: 0...1))
    default:
      var matrix = ColorMatrix.identity
      matrix.rows = (0..<20).map { _ in number(in: -1...1) }
      return matrix
    }
  }

  func unitRect(_ beyond: Double) -> Rect {
    if random.chance(0.3) { return Rect(x: 0, y: 0, width: 1, height: 1) }
    return Rect(
      x: number(in: -beyond...0.6), y: number(in: -beyond...0.6), width: random.chance(0.1) ? 0 : number(in: 0...0.8),
      height: number(in: 0...0.8))
  }
}
