import Layers
import LinuxSystem

/// An animation of a layer that begins with its scene.
@MainActor
struct PendingAnimation {
  let layer: Layer
  let parts: AnimationParts

  /// Adds it to its layer, whose clock shows `start` at the scene's beginning.
  func add(start: MonotonicTime) {
    guard let animation = parts.animation else { return }
    Transaction.begin()
    defer { Transaction.commit() }
    // A duration that is not above 0 would be the transaction's.
    Transaction.animationDuration = parts.settings.timing.duration ?? .milliseconds(250)
    Transaction.animationTimingFunction = nil
    layer.add(animation, forKey: parts.key, begunAt: parts.begun ?? start)
  }
}

extension SceneReader {
  /// The kind of animation whose word stands at the token.
  var animationKind: AnimationParts.Kind? { word.flatMap(AnimationParts.Kind.init) }

  /// Reads an animation: its kind, the property that it moves, and in braces its own properties.
  func animation(_ kind: AnimationParts.Kind, find: (String) -> SceneProperty?) throws(SceneError) -> AnimationParts {
    try count(.animations)
    advance()
    var parts = AnimationParts()
    parts.kind = kind
    if kind != .group {
      guard let name = word, let track = find(name)?.track else {
        throw expected("a property that animates, such as position, opacity or transform.scale")
      }
      parts.track = track
      advance()
    }
    try block(of: kind == .group ? "an animation or a property of the group" : "a property of the animation") {
      () throws(SceneError) in
      if kind == .group, let member = animationKind {
        parts.members.append(try animation(member, find: find))
        return
      }
      guard let name = word,
        let property = AnimationProperty.all.first(where: { $0.name == name && $0.kinds.contains(kind) })
      else { throw expected("a property of \(kind == .group ? "a group" : "the animation"), such as duration") }
      advance()
      try property.read(self, &parts)
    }
    if let duration = parts.perceptualDuration {
      let velocity = parts.spring.initialVelocity
      parts.spring = Spring(perceptualDuration: duration, bounce: parts.bounce)
      parts.spring.initialVelocity = velocity
    }
    return parts
  }
}

extension SceneWriter {
  /// Writes the animations of a layer.
  func animations(of layer: Layer) {
    let shift = shift(of: layer)
    let start = layer.convertTime(origin, from: nil) - shift
    for description in layer.animationDescriptions { write(description, shift: shift, start: start) }
  }

  /// Writes an animation that has not begun and leaves open what a layer fills in.
  func write(_ animation: any Animation) {
    AnimationDescription(open: animation).map { write($0, shift: .zero, start: .zero) }
  }

  private func write(_ description: AnimationDescription, isMember: Bool = false, shift: Nanoseconds, start: MonotonicTime) {
    let head: String
    let kind: AnimationParts.Kind
    var track: (any SceneTrack)?
    switch description.content {
    case .group: (kind, head) = (.group, "group")
    case .track(let property, let values, _, _, _, let spring):
      guard let known = SceneKind.property(property.rawValue)?.track else {
        line("// An animation of \(property.rawValue) is left out: it is no property of the kinds of layers here.")
        return
      }
      track = known
      if case .ends = values { kind = spring == nil ? .basic : .spring } else { kind = .keyframes }
      head = "\(kind.rawValue) \(property.rawValue)"
    }
    let form = AnimationForm(
      description: description, kind: kind, track: track, isMember: isMember, shift: shift, start: start)
    let properties = AnimationProperty.all.compactMap { property -> String? in
      guard property.kinds.contains(kind), let text = property.text(form, self) else { return nil }
      return text.isEmpty ? property.name : "\(property.name) \(text)"
    }
    guard case .group(let members) = description.content else { return block(head, properties) }
    block(head, properties) {
      for member in members { write(member, isMember: true, shift: .zero, start: start) }
    }
  }

  /// The time to take away from those of a layer's clock: that of the scene's beginning, while the clock goes as the display's.
  func shift(of layer: Layer) -> Nanoseconds {
    var next: Layer? = layer
    while let layer = next {
      if layer.hasOwnClock { return .zero }
      next = layer.superlayer
    }
    return origin - .zero
  }

  /// The time to take away from the beginning of a layer's own clock.
  func shift(ofClock layer: Layer) -> Nanoseconds {
    guard layer.hasOwnClock else { return .zero }
    return layer.superlayer.map(shift(of:)) ?? (origin - .zero)
  }
}

extension Layer {
  fileprivate var hasOwnClock: Bool { beginTime != .zero || speed != 1 || timeOffset != .zero }
}
