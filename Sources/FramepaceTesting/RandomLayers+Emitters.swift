import Framepace
import LinuxSystem

extension RandomLayers {
  /// Emits some particles, of which most are seen.
  func changeEmitter(_ layer: EmitterLayer) {
    if layer.emitterCells.isEmpty || random.chance(0.3) {
      layer.emitterCells = (0..<Int.random(in: 1...2, using: &random)).map { _ in emitterCell() }
    }
    switch Int.random(in: 0..<8, using: &random) {
    case 0: layer.emitterPosition = Point(number(in: -10...60), number(in: -10...60))
    case 1: layer.emitterSize = Size(number(in: 0...60), number(in: 0...40))
    case 2: layer.emitterShape = EmitterShape.allCases.randomElement(using: &random) ?? .point
    case 3: layer.emitterMode = EmitterMode.allCases.randomElement(using: &random) ?? .volume
    case 4: layer.renderMode = EmitterRenderMode.allCases.randomElement(using: &random) ?? .unordered
    case 5: layer.seed = UInt32.random(in: 0...999, using: &random)
    case 6: (layer.birthRate, layer.lifetime) = (factor(), factor())
    default: (layer.velocity, layer.scale, layer.spin) = (factor(), factor(), factor())
    }
    guard random.chance(0.2) else { return }
    var animation = emitterAnimation(layer.emitterCells)
    animation.duration = .milliseconds(Int64.random(in: 5...80, using: &random))
    layer.add(animation, forKey: "emitter")
  }

  private func factor() -> Double { random.chance(0.1) ? 0 : number(in: 0.3...1.6) }

  private func emitterCell() -> EmitterCell {
    func range(_ most: Double) -> Double { random.chance(0.5) ? 0 : number(in: 0...most) }
    func speed(_ most: Double) -> Double { random.chance(0.5) ? 0 : number(in: -most...most) }
    var cell = EmitterCell(contents: random.chance(0.1) ? nil : images.randomElement(using: &random))
    cell.name = random.chance(0.3) ? "a cell" : ""
    if random.chance(0.2) { cell.contentsRect = Rect(x: 0.2, y: 0, width: number(in: 0...0.9), height: 1) }
    cell.contentsScale = random.chance(0.7) ? 1 : number(in: 0.5...3)
    cell.isEnabled = !random.chance(0.05)
    cell.birthRate = number(in: 2...60)
    cell.beginTime = .zero + .milliseconds(Int64.random(in: -900...30, using: &random))
    cell.duration = random.chance(0.3) ? .milliseconds(Int64.random(in: 0...900, using: &random)) : nil
    (cell.lifetime, cell.lifetimeRange) = (number(in: 0.1...0.8), range(0.4))
    (cell.velocity, cell.velocityRange) = (number(in: 0...90), range(60))
    (cell.emissionLatitude, cell.emissionLongitude, cell.emissionRange) = (range(1), speed(3), range(6.5))
    (cell.xAcceleration, cell.yAcceleration, cell.zAcceleration) = (speed(90), speed(90), speed(90))
    (cell.scale, cell.scaleRange, cell.scaleSpeed) = (number(in: 0.05...1.5), range(0.4), speed(1))
    (cell.spin, cell.spinRange) = (speed(6), range(6))
    cell.color = random.chance(0.5) ? .white : color()
    (cell.redRange, cell.greenRange, cell.blueRange, cell.alphaRange) = (range(1), range(1), range(1), range(1))
    (cell.redSpeed, cell.greenSpeed, cell.blueSpeed, cell.alphaSpeed) = (speed(1), speed(1), speed(1), speed(1))
    return cell
  }

  private func emitterAnimation(_ cells: [EmitterCell]) -> any Animation {
    let factors: [AnimatableKey<Double>] = [.birthRate, .lifetime, .velocity, .scale, .spin]
    return switch Int.random(in: 0..<4, using: &random) {
    case 0: BasicAnimation(AnimatableKey<[EmitterCell]>.emitterCells, from: cells, to: cells.map { _ in emitterCell() })
    case 1: BasicAnimation(AnimatableKey<Point>.emitterPosition, to: Point(number(in: -10...60), number(in: -10...60)))
    case 2: BasicAnimation(AnimatableKey<Size>.emitterSize, to: Size(number(in: 0...60), number(in: 0...40)))
    default: BasicAnimation(factors.randomElement(using: &random) ?? .scale, from: factor(), to: factor())
    }
  }
}
