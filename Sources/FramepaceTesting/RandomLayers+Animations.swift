import Framepace
import LinuxSystem

extension RandomLayers {
  /// An animation of any kind with any timing. Each comes to an end within a second or stands still, so that a tree comes to
  /// rest.
  func animation(depth: Int = 0) -> any Animation {
    var animation = movement(depth: depth)
    animation.duration = .milliseconds(Int64.random(in: 0...80, using: &random))
    if depth > 0 || random.chance(0.2) {
      animation.beginTime = .zero + .milliseconds(Int64.random(in: 0...80, using: &random))
    }
    animation.speed = [1, 1, 1, 0.5, 2, -1, 0].randomElement(using: &random) ?? 1
    if random.chance(0.3) { animation.timeOffset = .milliseconds(Int64.random(in: 0...200, using: &random)) }
    animation.repeatCount = number(in: 0...3)
    if random.chance(0.2) { animation.repeatDuration = .milliseconds(Int64.random(in: 0...200, using: &random)) }
    animation.autoreverses = random.chance(0.4)
    animation.fillMode = MediaTiming.FillMode.allCases.randomElement(using: &random) ?? .removed
    animation.isRemovedOnCompletion = random.chance(0.7)
    if random.chance(0.5) { animation.timingFunction = TimingFunction(number(in: 0...1), -0.5, number(in: 0...1), 1.5) }
    return animation
  }

  private func movement(depth: Int) -> any Animation {
    switch Int.random(in: 0..<(depth < 2 ? 17 : 16), using: &random) {
    case 0: return basic(.rotation, from: 0, to: number(in: -4...4))
    case 1: return basic(.transform, from: nil, to: transform())
    case 2: return basic(.backgroundColor, from: color(), to: nil)
    case 3: return basic(.boundsSize, from: nil, to: Size(number(in: -3...60), number(in: -3...60)))
    case 4:
      let parts: [AnimatableKey<Double>] = [
        .positionX, .positionY, .boundsOriginX, .boundsSizeHeight, .transformScale, .transformScaleX, .transformTranslationY,
      ]
      return basic(parts.randomElement(using: &random) ?? .positionX, from: nil, to: number(in: -2...40))
    case 5, 6:
      var spring = SpringAnimation(
        .position, to: position(), spring: Spring(perceptualDuration: .milliseconds(60), bounce: 0.4))
      spring.spring.initialVelocity = number(in: -9...9)
      (spring.isAdditive, spring.keepsVelocity) = (random.chance(0.2), random.chance(0.3))
      return spring
    case 7: return KeyframeAnimation(.opacity, values: (0..<4).map { _ in opacity() }, keyTimes: [0.1, 0.3, 0.8, 1])
    case 8, 9:
      var frames = KeyframeAnimation(
        .transform, values: (0..<Int.random(in: 0...4, using: &random)).map { _ in transform() }, calculationMode: mode(),
        timingFunctions: [.easeIn], curveShape: CurveShape(tensions: [number(in: -1...1)], biases: [number(in: -1...1)]))
      (frames.isAdditive, frames.isCumulative) = (random.chance(0.2), random.chance(0.2))
      return frames
    case 10:
      let turn = random.chance(0.5) ? KeyframeAnimation.RotationMode.allCases.randomElement(using: &random) : nil
      return KeyframeAnimation(.position, path: path(), calculationMode: mode(), rotationMode: turn)
    case 11:
      return basic(
        [.borderWidth, .shadowRadius, .shadowOpacity].randomElement(using: &random) ?? .borderWidth, from: nil,
        to: number(in: 0...6))
    case 12:
      return random.chance(0.5)
        ? basic(.contentsRect, from: nil, to: Rect(x: 0.2, y: 0, width: 0.6, height: 0.7))
        : basic(.shadowOffset, from: Size(number(in: -9...9), 2), to: nil)
    case 13:
      if random.chance(0.4) { return basic(.sublayerTransform, from: nil, to: solidTransform()) }
      return basic(
        [.transformRotationX, .transformRotationY, .transformScaleZ, .transformTranslationZ, .anchorPointZ, .zPosition]
          .randomElement(using: &random) ?? .zPosition, from: nil, to: number(in: -3...3))
    case 14: return transition()
    case 15:
      let values = (0..<3).map { _ in image() }
      if random.chance(0.3) { return KeyframeAnimation(.contents, values: values, calculationMode: mode()) }
      return basic(.contents, from: values[0], to: random.chance(0.7) ? values[1] : nil)
    default:
      return AnimationGroup((0..<Int.random(in: 0...3, using: &random)).map { _ in animation(depth: depth + 1) })
    }
  }

  private func basic<Value>(_ key: AnimatableKey<Value>, from: Value?, to: Value?) -> BasicAnimation {
    var animation = BasicAnimation(key, from: from, to: to)
    (animation.isAdditive, animation.isCumulative) = (random.chance(0.2), random.chance(0.2))
    return animation
  }

  private func image() -> LayerContents { .image(random.chance(0.2) ? nil : images.randomElement(using: &random)) }

  private func mode() -> CalculationMode { CalculationMode.allCases.randomElement(using: &random) ?? .linear }

  /// Stops a layer, lets it go on, or moves its time.
  func changeClock(of layer: Layer) {
    layer.speed = [0, 0.5, 1, 1, 2, -1].randomElement(using: &random) ?? 1
    layer.timeOffset = .milliseconds(random.chance(0.5) ? 0 : Int64.random(in: 0...500, using: &random))
    layer.beginTime = .zero + .milliseconds(random.chance(0.5) ? 0 : Int64.random(in: 0...500, using: &random))
  }
}
