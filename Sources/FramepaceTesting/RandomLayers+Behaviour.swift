import Framepace
import LinuxSystem

// The settings that decide about later changes: names, actions, delegates, layout, and the transaction.

extension RandomLayers {
  func changeBehaviour(of layer: Layer) {
    switch Int.random(in: 0..<7, using: &random) {
    case 0, 1: layer.name = random.chance(0.2) ? nil : ["inner", "b", "two words"].randomElement(using: &random)
    case 2: layer.actions = random.chance(0.4) ? nil : actions()
    case 3: layer.style = random.chance(0.4) ? nil : LayerStyle(actions: actions(), base: LayerStyle(actions: actions()))
    case 4:
      layer.delegate = random.chance(0.4) ? nil : delegate
      layer.setNeedsDisplay()
    case 5: layer.layoutManager = random.chance(0.4) ? nil : delegate
    default: layer.needsDisplayOnBoundsChange.toggle()
    }
  }

  private func actions() -> [AnimatableProperty: LayerAction] {
    var actions: [AnimatableProperty: LayerAction] = [:]
    let properties: [AnimatableProperty] = [
      .position, .opacity, .backgroundColor, .cornerRadius, .bounds, .hidden, .masksToBounds, .mask, .sublayers, .onOrderIn,
      .onOrderOut, .onLayout,
    ]
    for property in properties where random.chance(0.2) {
      actions[property] = [.null, .implicit, .animation(animation())].randomElement(using: &random)
    }
    return actions
  }

  /// The settings of the transaction in which the next change is made.
  func changeTransaction() {
    if random.chance(0.2) { Transaction.animationDuration = .milliseconds(Int64.random(in: 1...150, using: &random)) }
    if random.chance(0.2) { Transaction.animationTimingFunction = .easeIn }
    if random.chance(0.2) { Transaction.animationSpring = spring() }
    if random.chance(0.1) { Transaction.setCompletion {} }
  }

  /// A spring that stands still within a third of a second.
  func spring() -> Spring {
    if random.chance(0.5) { return Spring(perceptualDuration: .milliseconds(60), bounce: number(in: -0.2...0.5)) }
    var spring = Spring()
    spring.mass = number(in: 0.5...2)
    spring.stiffness = spring.mass * number(in: 4_000...20_000)
    spring.damping = spring.mass * number(in: 90...180)
    spring.initialVelocity = number(in: -9...9)
    spring.allowsOverdamping = random.chance(0.5)
    return spring
  }
}

/// Does for layers what an application's delegates and layout managers do, the same each time.
@MainActor
final class RandomDelegate: LayerDelegate, LayoutManager {
  func draw(_ layer: Layer, in context: DrawingContext) {
    context.fill(.ellipse(in: layer.bounds), color: Color(hex: 0x8B2E57).withAlpha(0.6))
  }

  func action(for layer: Layer, forKey property: AnimatableProperty) -> LayerAction? {
    switch property {
    case .opacity: .null
    case .cornerRadius: .animation(BasicAnimation(.opacity, from: 0.2, duration: .milliseconds(40)))
    default: nil
    }
  }

  func layoutSublayers(of layer: Layer) {
    for (index, sublayer) in layer.sublayers.enumerated() {
      sublayer.position = Point(layer.bounds.minX + Double(index) * 9, layer.bounds.midY)
    }
  }
}
