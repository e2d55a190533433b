import Framepace
import LinuxSystem

extension RandomLayers {
  /// Gives a layer states and transitions between them, or changes its state.
  func changeState(of layer: Layer) {
    guard !layer.states.isEmpty, random.chance(0.7) else { return giveStates(to: layer) }
    layer.state = random.chance(0.3) ? nil : layer.states.randomElement(using: &random)?.name
  }

  private func giveStates(to layer: Layer) {
    // States find layers below by their names.
    for sublayer in layer.sublayers where random.chance(0.5) { sublayer.name = "inner" }
    layer.states = ["a", "two words"].map { name in
      LayerState(name, (0..<Int.random(in: 0...3, using: &random)).map { _ in stateElement() })
    }
    layer.stateTransitions = (0..<Int.random(in: 0...2, using: &random)).map { _ in stateTransition() }
  }

  private func target() -> String? { random.chance(0.3) ? "inner" : nil }

  private func stateElement() -> LayerState.Element {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: LayerState.Element(.position, position(), of: target())
    case 1: LayerState.Element(.opacity, opacity(), of: target())
    case 2: LayerState.Element(.backgroundColor, color(), of: target())
    case 3: LayerState.Element(.transform, transform(), of: target())
    case 4: LayerState.Element(.contents, .image(images.randomElement(using: &random)), of: target())
    default: LayerState.Element(.boundsSizeWidth, number(in: 0...60), of: target())
    }
  }

  private func stateTransition() -> StateTransition {
    var transition = StateTransition(
      from: [.any, .any, .any, "a", .noState].randomElement(using: &random) ?? .any,
      to: [.any, .any, "two words", "two words", .noState].randomElement(using: &random) ?? .any,
      duration: random.chance(0.5) ? .milliseconds(Int64.random(in: 0...80, using: &random)) : nil,
      timingFunction: random.chance(0.5) ? .easeOut : nil)
    if random.chance(0.4) {
      var fade = BasicAnimation(.opacity)
      fade.timingFunction = random.chance(0.5) ? .linear : nil
      transition.animations.append(StateTransition.Element(.opacity, fade, of: target()))
    }
    if random.chance(0.3) {
      var spring = SpringAnimation(.position, spring: Spring(perceptualDuration: .milliseconds(60), bounce: 0.4))
      spring.keepsVelocity = random.chance(0.5)
      transition.animations.append(StateTransition.Element(.position, spring, of: target()))
    }
    if random.chance(0.5) { transition.animations.append(StateTransition.Element(self.transition(), of: target())) }
    return transition
  }

  /// A transition of any kind, whose timing is left open.
  func transition() -> Transition {
    var transition = Transition(
      TransitionType.allCases.randomElement(using: &random) ?? .fade,
      TransitionSubtype.allCases.randomElement(using: &random) ?? .fromLeft)
    (transition.startProgress, transition.endProgress) = (number(in: 0...1), number(in: 0...1))
    return transition
  }
}
