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
    if random.chance(0.1) { animation.preferredFrameRateRange = FrameRateRange(minimum: 20, maximum: 90, preferred: 45) }
    return animation
  }

  private func movement(depth: Int) -> any Animation {
    switch Int.random(in: 0..<(depth < 2 ? 17 : 16), using: &random) {
    case 0, 1, 2, 3:
      let (key, range) = Self.numbers.randomElement(using: &random) ?? (.opacity, 0...1)
      return basic(key) { self.number(in: range) }
    case 4: return basic(random.chance(0.7) ? .transform : .sublayerTransform) { self.transform() }
    case 5:
      if random.chance(0.1) {
        return basic(random.chance(0.5) ? .colorMatrix : .backdropColorMatrix) { self.colorMatrix() }
      }
      return basic(Self.colors.randomElement(using: &random) ?? .backgroundColor) { self.color() }
    case 6:
      if random.chance(0.2) { return basic(.anchorPoint) { Point(self.number(in: 0...1), self.number(in: 0...1)) } }
      return basic(Self.points.randomElement(using: &random) ?? .position) { self.position() }
    case 7:
      let keys: [AnimatableKey<Size>] = [.boundsSize, .boundsSize, .shadowOffset, .innerShadowOffset]
      return basic(keys.randomElement(using: &random) ?? .boundsSize) {
        Size(self.number(in: -3...60), self.number(in: -3...60))
      }
    case 8: return random.chance(0.3) ? basic(.bounds) { self.bounds() } : basic(unitKey()) { self.unitRect(0.3) }
    case 9, 10:
      return random.chance(0.7) ? spring(.position) { self.position() } : spring(.rotation) { self.number(in: -4...4) }
    case 11: return keyframes(.opacity) { self.opacity() }
    case 12: return keyframes(.transform) { self.transform() }
    case 13:
      let turn = random.chance(0.5) ? KeyframeAnimation.RotationMode.allCases.randomElement(using: &random) : nil
      return KeyframeAnimation(
        .position, path: path(), keyTimes: keyTimes(), calculationMode: mode(), timingFunctions: [.easeOut],
        rotationMode: turn)
    case 14: return transition()
    case 15:
      let values = (0..<3).map { _ in image() }
      if random.chance(0.3) { return KeyframeAnimation(.contents, values: values, calculationMode: mode()) }
      return basic(.contents) { self.image() }
    default:
      return AnimationGroup((0..<Int.random(in: 0...3, using: &random)).map { _ in animation(depth: depth + 1) })
    }
  }

  // Every key that a layer of any kind has is in one of these lists, or named above.

  private static let numbers: [(AnimatableKey<Double>, ClosedRange<Double>)] = [
    (.opacity, 0...1), (.cornerRadius, -2...30), (.rotation, -9...9), (.zPosition, -3...3), (.anchorPointZ, -80...80),
    (.positionX, -2...90), (.positionY, -2...90), (.boundsOriginX, -20...20), (.boundsOriginY, -20...20),
    (.boundsSizeWidth, -3...60), (.boundsSizeHeight, -3...60), (.transformScale, -2...3), (.transformScaleX, -2...3),
    (.transformScaleY, -2...3), (.transformScaleZ, -2...3), (.transformRotationX, -4...4), (.transformRotationY, -4...4),
    (.transformTranslationX, -30...30), (.transformTranslationY, -30...30), (.transformTranslationZ, -200...200),
    (.borderWidth, 0...6), (.shadowOpacity, 0...1), (.shadowRadius, 0...6), (.blurRadius, 0...4),
    (.backdropBlurRadius, 0...4), (.innerShadowOpacity, 0...1), (.innerShadowRadius, 0...6),
    (.rasterizationScale, 0.1...3),
  ]
  private static let colors: [AnimatableKey<Color>] = [
    .backgroundColor, .borderColor, .shadowColor, .innerShadowColor,
  ]
  private static let points: [AnimatableKey<Point>] = [.position, .boundsOrigin, .transformTranslation]

  private func unitKey() -> AnimatableKey<Rect> { random.chance(0.5) ? .contentsRect : .contentsCenter }

  private func basic<Value>(_ key: AnimatableKey<Value>, _ value: () -> Value) -> BasicAnimation {
    let (from, to) = (random.chance(0.5) ? value() : nil, random.chance(0.5) ? value() : nil)
    var animation = BasicAnimation(key, from: from, to: to, by: random.chance(0.2) ? value() : nil)
    (animation.isAdditive, animation.isCumulative) = (random.chance(0.2), random.chance(0.2))
    return animation
  }

  private func image() -> LayerContents { .image(random.chance(0.2) ? nil : images.randomElement(using: &random)) }

  private func spring<Value>(_ key: AnimatableKey<Value>, _ value: () -> Value) -> SpringAnimation {
    let from = random.chance(0.3) ? value() : nil
    var animation = SpringAnimation(key, from: from, to: value(), by: random.chance(0.2) ? value() : nil, spring: spring())
    (animation.isAdditive, animation.keepsVelocity) = (random.chance(0.2), random.chance(0.3))
    return animation
  }

  private func keyframes<Value>(_ key: AnimatableKey<Value>, _ value: () -> Value) -> KeyframeAnimation {
    let shape = CurveShape(tensions: [number(in: -1...1)], continuities: [number(in: -1...1)], biases: [number(in: -1...1)])
    var animation = KeyframeAnimation(
      key, values: (0..<Int.random(in: 0...4, using: &random)).map { _ in value() }, keyTimes: keyTimes(),
      calculationMode: mode(), timingFunctions: [.easeIn], curveShape: shape)
    (animation.isAdditive, animation.isCumulative) = (random.chance(0.2), random.chance(0.2))
    return animation
  }

  private func keyTimes() -> [Double]? { random.chance(0.5) ? nil : [0.1, 0.3, 0.8, 1] }

  private func mode() -> CalculationMode { CalculationMode.allCases.randomElement(using: &random) ?? .linear }

  /// Stops a layer, lets it go on, or moves its time.
  func changeClock(of layer: Layer) {
    layer.speed = [0, 0.5, 1, 1, 2, -1].randomElement(using: &random) ?? 1
    layer.timeOffset = .milliseconds(random.chance(0.5) ? 0 : Int64.random(in: 0...500, using: &random))
    layer.beginTime = .zero + .milliseconds(random.chance(0.5) ? 0 : Int64.random(in: 0...500, using: &random))
  }
}
