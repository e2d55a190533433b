import Layers
import LinuxSystem
import RenderTree

/// An animation of a layer that begins with its scene.
@MainActor
struct PendingAnimation {
  let layer: Layer
  let parts: AnimationParts

  /// Adds it to its layer, whose clock shows `start` at the scene's beginning.
  func add(start: MonotonicTime) {
    Transaction.begin()
    defer { Transaction.commit() }
    // A duration that is not above 0 would be the transaction's.
    Transaction.animationDuration = parts.settings.timing.duration ?? .milliseconds(250)
    Transaction.animationTimingFunction = nil
    layer.add(parts.animation, forKey: parts.key, begunAt: parts.begun ?? start)
  }
}

extension SceneReader {
  /// The kind of animation whose word stands at the token.
  var animationKind: AnimationParts.Kind? { word.flatMap(AnimationParts.Kind.init) }

  /// Reads an animation: its kind, the property that it moves, and in braces its own properties.
  ///
  /// - Parameter layer: the kind of layer that it moves; nil for a layer that is only known by its name.
  func animation(
    _ kind: AnimationParts.Kind, of layer: SceneKind?, in place: AnimationParts.Place = .layer
  ) throws(SceneError) -> AnimationParts {
    try count(.animations)
    let token = token
    advance()
    var parts = AnimationParts(in: place)
    switch kind {
    case .basic: parts.content = .basic(try takeParts(of: try takeTrack(of: layer), &parts))
    case .spring:
      let spring: SpringParts = try takeParts(of: try takeTrack(of: layer), &parts)
      if let feel = spring.feel, feel.perceptualDuration == nil, feel.bounce != nil {
        throw error(.expected("perceptualDuration beside bounce", found: token.name), at: token)
      }
      parts.content = .spring(spring)
    case .keyframes:
      let keyframes: KeyframeParts = try takeParts(of: try takeTrack(of: layer), &parts)
      if let course = keyframes.course, course.path == nil, course.rotationMode != nil {
        throw error(.expected("path beside rotationMode", found: token.name), at: token)
      }
      if !keyframes.hasEffect {
        let count = keyframes.values?.values.count
        let found = count == 1 ? "one value" : "\(token.name) without values"
        throw error(.expected("at least two values, or a path", found: found), at: token)
      }
      if let count = keyframes.timing.keyTimes?.count, let needed = keyframes.neededKeyTimes, count != needed.count {
        throw error(.expected("\(needed.count) keyTimes, \(needed.reason)", found: "\(count)"), at: token)
      }
      parts.content = .keyframes(keyframes)
    case .group:
      var members: [AnimationParts] = []
      try block(of: "an animation or a property of the group") { () throws(SceneError) in
        if let member = animationKind {
          guard member != .transition else { throw expected("no transition: it has no effect in a group") }
          return members.append(try animation(member, of: layer, in: .group))
        }
        if try take(AnimationParts.properties, in: &parts) { return }
        throw unknownProperty("a property of a group", in: AnimationParts.properties.map(\.name))
      }
      guard !members.isEmpty else {
        throw error(.expected("an animation in the group", found: "\(token.name) without one"), at: token)
      }
      parts.content = .group(members)
    case .transition:
      var transition = Transition(try ValueSyntax<TransitionType>.word().read(self))
      try block(of: "a property of the transition") { () throws(SceneError) in
        if word == "from" {
          try takeOnce("from")
          advance()
          transition.from = try picture()
          return
        }
        if try take(AnimationParts.transitionProperties, in: &transition) { return }
        if try take(AnimationParts.properties, in: &parts) { return }
        throw unknownProperty(
          "a property of the transition",
          in: AnimationParts.transitionProperties.map(\.name) + AnimationParts.properties.map(\.name))
      }
      parts.content = .transition(transition)
    }
    return parts
  }

  private func takeTrack(of layer: SceneKind?) throws(SceneError) -> any SceneTrack {
    guard let name = word, let track = SceneKind.track(name, of: layer) else {
      let properties = layer?.properties ?? SceneKind.all.flatMap(\.properties)
      let near = word.flatMap { nearest(to: $0, in: properties.lazy.filter { $0.track != nil }.map(\.name)) }
      let expected = "a property that animates, such as \(near ?? "position, opacity or transform.scale")"
      let owners = SceneKind.all.filter { kind in word.flatMap { kind.property($0)?.track } != nil }.map(\.name)
      guard let found = found(token, of: owners) else { throw self.expected(expected) }
      throw error(.expected(expected, found: found), at: token)
    }
    advance()
    return track
  }

  /// Reads the braces of an animation of one property.
  private func takeParts<Parts: TrackParts>(
    of track: any SceneTrack, _ animation: inout AnimationParts
  ) throws(SceneError) -> Parts {
    var parts = Parts(track)
    try block(of: "a property of the animation") { () throws(SceneError) in
      if try take(Parts.properties, in: &parts) { return }
      if try take(AnimationParts.properties, in: &animation) { return }
      throw unknownProperty(
        "a property of the animation", in: Parts.properties.map(\.name) + AnimationParts.properties.map(\.name))
    }
    return parts
  }

  /// The error that an animation has no such property, with the kinds that have one.
  private func unknownProperty(_ what: String, in names: [String]) -> SceneError {
    let expected = "\(what), such as \(word.flatMap { nearest(to: $0, in: names) } ?? "duration")"
    guard let found = found(token, of: word.map(AnimationParts.owners) ?? []) else { return self.expected(expected) }
    return error(.expected(expected, found: found), at: token)
  }
}

extension SceneWriter {
  /// Writes the animations of a layer.
  func animations(of layer: Layer) {
    let shift = shift(of: layer)
    let start = layer.convertTime(origin, from: nil) - shift
    let kind = SceneKind.kind(of: layer)
    for description in layer.animationDescriptions { write(description, of: kind, shift: shift, start: start) }
  }

  /// Writes an animation of a change of state, which has not begun and leaves open what a layer fills in.
  ///
  /// - Parameter layer: the kind of layer that it moves; nil for a layer that is named in the text.
  func write(_ animation: any Animation, of layer: SceneKind?) {
    let description = AnimationDescription(open: animation)
    guard case .group = description.content else {
      return write(description, of: layer, in: .stateTransition, shift: .zero, start: .zero)
    }
    line("// A group is left out: it has no property that the state changes.")
  }

  /// Animations that never show anything are left out.
  private func write(
    _ description: AnimationDescription, of layer: SceneKind?, in place: AnimationParts.Place = .layer, shift: Nanoseconds,
    start: MonotonicTime
  ) {
    guard hasEffect(description) else { return }
    let settings = AnimationParts(description, in: place, shift: shift, start: start)
    let properties = texts(AnimationParts.properties, of: settings, new: AnimationParts())
    switch description.content {
    case .track(let movement, let spring): write(movement, spring, of: layer, properties)
    case .group(let members):
      guard members.contains(where: { hasText($0, of: layer) }) else {
        return line("// A group is left out: it animates no property of its layer that has a text.")
      }
      block("group", properties) {
        for member in members { write(member, of: layer, in: .group, shift: .zero, start: start) }
      }
    case .transition(let transition):
      let head = "transition \(transition.type)"
      let all = texts(AnimationParts.transitionProperties, of: transition, new: Transition()) + properties
      block(head, all) {
        if let tree = transition.from?.tree, !tree.records.isEmpty { write(tree, 0, before: "from ") }
      }
    }
  }

  private func hasEffect(_ description: AnimationDescription) -> Bool {
    switch description.content {
    case .track(let movement, _): KeyframeParts(movement)?.hasEffect ?? true
    case .group(let members): members.contains(where: hasEffect)
    case .transition: true
    }
  }

  /// True if an animation is written, and not only a comment.
  private func hasText(_ description: AnimationDescription, of layer: SceneKind?) -> Bool {
    switch description.content {
    case .track(let movement, _): SceneKind.track(movement.property.rawValue, of: layer) != nil && hasEffect(description)
    case .group(let members): members.contains { hasText($0, of: layer) }
    case .transition: true
    }
  }

  private func write(_ movement: AnimationTrack, _ spring: Spring?, of layer: SceneKind?, _ settings: [String]) {
    let name = movement.property.rawValue
    guard let track = SceneKind.track(name, of: layer) else {
      let owner = layer.map { "\($0.name) in a text" } ?? "the kinds of layers here"
      return line("// An animation of \(Self.quoted(name)) is left out: it is no property of \(owner).")
    }
    switch (movement.values, spring) {
    case (.ends(let ends, _), nil):
      var parts = BasicParts(track)
      (parts.ends, parts.isAdditive, parts.isCumulative) = (ends, movement.isAdditive, movement.isCumulative)
      write(.basic, parts, settings)
    case (.ends(let ends, let velocity), let spring?):
      var parts = SpringParts(track)
      (parts.ends, parts.velocity, parts.keepsVelocity) = (ends, velocity, movement.keepsVelocity)
      (parts.physical, parts.initialVelocity, parts.isAdditive) = (spring, spring.initialVelocity, movement.isAdditive)
      write(.spring, parts, settings)
    case (.keyframes, _), (.path, _):
      if let parts = KeyframeParts(movement) { write(.keyframes, parts, settings) }
    }
  }

  private func write<Parts: TrackParts>(_ kind: AnimationParts.Kind, _ parts: Parts, _ settings: [String]) {
    let properties = texts(Parts.properties, of: parts, new: Parts(parts.track))
    block("\(kind.rawValue) \(parts.track.property.rawValue)", properties + settings)
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
