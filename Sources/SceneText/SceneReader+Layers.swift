import Geometry
import Layers
import LinuxSystem
import Typesetting

extension SceneReader {
  /// Reads a layer with everything in it; the token is the word of its kind.
  func layer(_ kind: SceneKind) throws(SceneError) -> Layer {
    let number = try count(.layers)
    let token = token
    advance()
    let layer = kind.make()
    layer.name = takeName()
    let named = NamedLayer(layer: layer, number: number, line: token.line, offset: token.offset)
    if let name = layer.name { names.layers[name, default: []].append(named) }
    var last: [LayerSetting] = []
    var states: [LayerState] = []
    var transitions: [StateTransition] = []
    var used = StateNames()
    var needs = kind.needs
    var locations: SceneToken?
    var isAnimated = false
    try block(of: "a property, a layer or an animation") { () throws(SceneError) in
      if let animation = animationKind {
        isAnimated = true
        let parts = try self.animation(animation, of: kind)
        animations.append(PendingAnimation(layer: layer, parts: parts))
      } else if let inner = sublayerKind {
        layer.addSublayer(try self.layer(inner))
      } else if word == "mask" {
        try takeOnce("mask")
        advance()
        guard let inner = sublayerKind else { throw unknownKind("a layer as the mask: \(SceneKind.list)") }
        let outside = names
        names = LayerNames()
        layer.mask = try self.layer(inner)
        names = outside
      } else if take("state") {
        try count(.states)
        let token = self.token
        let name = try takeName("the name of a state")
        guard name != "none" else {
          throw error(.expected("another name of a state: none stands for no state", found: token.name), at: token)
        }
        guard used.states.insert(name).inserted else {
          throw error(.expected("a name that no other state of this layer has", found: token.name), at: token)
        }
        states.append(LayerState(name, try elements(kind, &used)))
        names.states[name, default: []].append(named)
      } else if word == "inState" {
        try takeOnce("inState")
        advance()
        let name = try takeState(&used, "the name of a state")
        layer.takeState(name, base: try elements(kind, &used))
      } else if take("stateTransition") {
        try count(.transitions)
        transitions.append(try stateTransition(of: kind, &used))
      } else {
        let property = try takeProperty(of: kind)
        if property.name == AnimatableProperty.locations.rawValue { locations = self.token }
        let setting = try property.read(self)
        if property.name == needs?.property { needs = nil }
        if property.isLast { last.append(setting) } else { setting.set(layer, setting.value) }
      }
    }
    if let needs {
      throw error(.expected(needs.advice, found: "\(token.name) without \(needs.property)"), at: token)
    }
    try check(used, in: number)
    (layer.states, layer.stateTransitions) = (states, transitions)
    for setting in last { setting.set(layer, setting.value) }
    if let locations, !isAnimated, let gradient = layer as? GradientLayer, gradient.hasUselessLocations {
      let count = gradient.locations?.count ?? 0
      throw error(.expected("a location for each of the \(gradient.colors.count) colors", found: "\(count)"), at: locations)
    }
    return layer
  }

  /// Checks the names in the states of a layer, when all in it was read.
  private func check(_ used: StateNames, in number: Int) throws(SceneError) {
    for target in used.targets {
      // The layers that were read since this one began are in it.
      guard let all = names.layers[target.name], let last = all.last, last.number > number else {
        throw error(.expected("the name of a layer in this one", found: target.token.name), at: target.token)
      }
      if all.count > 1, all[all.count - 2].number > number {
        throw ambiguous(target.name, all.filter { $0.number > number }, at: target.token)
      }
      let kind = SceneKind.kind(of: last.layer)
      for token in target.properties {
        if case .word(let word) = token.kind, kind.property(word) == nil { throw unknownProperty(of: kind, at: token) }
      }
    }
    for state in used.usedStates where !used.states.contains(state.name) {
      throw unknown(state.name, in: used.states, "the name of a state of this layer", at: state.token)
    }
  }

  /// The error that a name does not say which layer is meant.
  func ambiguous(_ name: String, _ layers: [NamedLayer], at token: SceneToken) -> SceneError {
    let places = layers.prefix(2).map { place(of: $0.offset) }
    let found =
      "\(SceneToken(kind: .word(name), offset: 0).name), which the layers at \(places.joined(separator: " and ")) have"
    return error(.expected("the name of one layer", found: found), at: token)
  }

  /// The kind of layer whose word stands at the token.
  var sublayerKind: SceneKind? { word.flatMap { word in SceneKind.all.first { $0.word == word } } }

  /// - Parameter kind: nil for a layer that is only known by its name.
  private func takeProperty(of kind: SceneKind?) throws(SceneError) -> SceneProperty {
    guard let word, let property = kind.map({ $0.property(word) }) ?? SceneKind.property(word) else {
      throw unknownProperty(of: kind, at: token)
    }
    try takeOnce(word)
    advance()
    return property
  }

  /// The error that a layer has no such property, with what has one, or one that is like it.
  private func unknownProperty(of kind: SceneKind?, at token: SceneToken) -> SceneError {
    let expected = "a property of \(kind?.name ?? "a layer")"
    guard case .word(let word) = token.kind else {
      let hint = token.isAfterComma ? ", behind a comma, which ends a list of values" : ""
      return error(.expected(expected, found: token.name + hint), at: token)
    }
    if ValueSyntax<Transform3D>.functions.contains(word) {
      let found = "\(token.name), which stands behind transform"
      return error(.expected(expected, found: found), at: token)
    }
    if let place = kind?.place(of: word) {
      let near = place.property.map { ", such as \($0)" } ?? ""
      return error(.expected(expected + near, found: "\(token.name), which stands \(place.inner)"), at: token)
    }
    if kind != nil, token.offset == self.token.offset, beginsBlock {
      return unknownKind("\(expected), or a layer: \(SceneKind.list)", or: Self.words)
    }
    if let meant = otherNamesOfProperties[word], kind?.property(meant) != nil {
      return self.error(.expected("\(expected), such as \(meant)", found: token.name), at: token)
    }
    let owners = SceneKind.all.filter { $0.property(word) != nil }.map(\.name)
    if let found = found(token, of: owners.isEmpty ? AnimationParts.owners(of: word) : owners) {
      return error(.expected(expected, found: found), at: token)
    }
    if Self.wordsOutside.contains(word), let opening = openBraces.last {
      let found =
        "\(token.name), which stands outside of all braces: is there a \"}\" for the \"{\" at \(place(of: opening.offset))?"
      return error(.expected(expected, found: found), at: token)
    }
    let names = kind.map { $0.properties.map(\.name) } ?? SceneKind.all.flatMap { $0.properties.map(\.name) }
    return unknown(word, in: names + (kind == nil ? [] : SceneKind.all.map(\.word) + Self.words), expected, at: token)
  }

  /// The error that the word at the token is no kind of layer, with the one that it means or is like.
  ///
  /// - Parameter others: other words that may stand there.
  func unknownKind(_ expected: String, or others: [String] = []) -> SceneError {
    guard let word else { return self.expected(expected) }
    if let meant = SceneKind.word(meantBy: word) { return self.expected("\(expected), such as \(meant)") }
    return unknown(word, in: SceneKind.all.map(\.word) + others, expected, at: token)
  }

  /// The token of a property as a message names it, with the things that have such a property; nil if there are none.
  func found(_ token: SceneToken, of owners: [String]) -> String? {
    owners.isEmpty ? nil : "\(token.name), which is a property of \(owners.joined(separator: " and "))"
  }

  /// The words that begin what stands beside the layers.
  private static let wordsOutside: Set = ["at", "blending", "image", "size"]

  /// The words that begin blocks, beside those of layers.
  private static let words = AnimationParts.Kind.allCases.map(\.rawValue) + ["mask", "state", "stateTransition"]

  // MARK: States

  /// Reads the name of a layer if a brace follows it.
  private func takeTarget(_ names: inout StateNames) -> String? {
    let token = token
    guard following.kind == .open, let name = takeName() else { return nil }
    names.targets.append((name, token, []))
    return name
  }

  /// The values of a state: those of the layer itself, and in braces behind a name those of a layer below it.
  private func elements(_ kind: SceneKind, _ names: inout StateNames) throws(SceneError) -> [LayerState.Element] {
    var elements: [LayerState.Element] = []
    try block(of: "a property of the state") { () throws(SceneError) in
      let start = token
      guard let target = takeTarget(&names) else {
        return elements.append(try element(of: kind, target: nil))
      }
      try takeOnce("the block of \(target)", at: start)
      let index = names.targets.count - 1
      try block(of: "a property of the state") { () throws(SceneError) in
        names.targets[index].properties.append(token)
        elements.append(try element(of: nil, target: target))
      }
    }
    return elements
  }

  private func element(of kind: SceneKind?, target: String?) throws(SceneError) -> LayerState.Element {
    let property = try takeProperty(of: kind)
    let setting = try property.read(self)
    return LayerState.Element(
      target: target, property: AnimatableProperty(rawValue: setting.property), value: setting.value, read: setting.get,
      write: setting.set, implicit: property.track?.implicit)
  }

  private func stateTransition(of layer: SceneKind, _ names: inout StateNames) throws(SceneError) -> StateTransition {
    var transition = StateTransition()
    var places: [LayerState.Place: SceneToken] = [:]
    if take("from") { transition.from = try end(&names) }
    if take("to") { transition.to = try end(&names) }
    try block(of: "a property of the transition") { () throws(SceneError) in
      if animationKind == nil, let target = takeTarget(&names) {
        let index = names.targets.count - 1
        try block(of: "an animation") { () throws(SceneError) in
          if animationKind != .transition { names.targets[index].properties.append(following) }
          transition.animations.append(try stateAnimation(of: target, nil, expected: Self.stateAnimations, &places))
        }
      } else if word == "duration" {
        try takeOnce("duration")
        advance()
        transition.duration = try ValueSyntax<Nanoseconds>.duration.read(self)
      } else if word == "timingFunction" {
        try takeOnce("timingFunction")
        advance()
        transition.timingFunction = try ValueSyntax<TimingFunction>.timingFunction.read(self)
      } else {
        let others = "duration, timingFunction, or the name of a layer with its animations in braces"
        let expected = "\(Self.stateAnimations), or \(others)"
        transition.animations.append(try stateAnimation(of: nil, layer, expected: expected, &places))
      }
    }
    return transition
  }

  /// A name, `*` for any, or `none` for no state.
  private func end(_ names: inout StateNames) throws(SceneError) -> StateTransition.End {
    if take("none") { return .noState }
    if token.kind != .star { return .state(try takeState(&names, "the name of a state, * for any, or none")) }
    advance()
    return .any
  }

  /// The name of a state, which may stand after it.
  private func takeState(_ names: inout StateNames, _ expected: String) throws(SceneError) -> String {
    let token = token
    let name = try takeName(expected)
    names.usedStates.append((name, token))
    return name
  }

  private static let stateAnimations = "basic, spring, keyframes or transition"

  /// - Parameter places: the properties that have an animation already, each with its token.
  private func stateAnimation(
    of target: String?, _ layer: SceneKind?, expected: String, _ places: inout [LayerState.Place: SceneToken]
  ) throws(SceneError) -> StateTransition.Element {
    // A group has no property that the state changes.
    guard let kind = animationKind, kind != .group else { throw self.expected(expected) }
    let (start, named) = (token, following)
    let property = if case .word(let word) = named.kind { word } else { "" }
    let animation = try animation(kind, of: layer, in: .stateTransition).animation
    let transition = animation as? Transition
    let element =
      transition.map { StateTransition.Element($0, of: target) }
      ?? StateTransition.Element(AnimatableProperty(rawValue: property), animation, of: target)
    let token = transition == nil ? named : start
    if let first = places.updateValue(token, forKey: element.place) {
      throw repeated(transition == nil ? "the animation of \(property)" : "the transition", first: first, at: token)
    }
    return element
  }
}

/// The names in the states of a layer. Those of layers and states may stand before what they name.
private struct StateNames {
  /// The names of the states themselves.
  var states: Set<String> = []
  var usedStates: [(name: String, token: SceneToken)] = []
  /// The names of layers below the one that has the states, with the properties that a state gives these.
  var targets: [(name: String, token: SceneToken, properties: [SceneToken])] = []
}

/// A layer that the text can address, with its number in the order of reading and the line and byte where it stands.
struct NamedLayer {
  let layer: Layer
  let number: Int
  let line: Int
  let offset: Int
}

/// The layers by their names and by the names of their states, in the order of reading.
struct LayerNames {
  var layers: [String: [NamedLayer]] = [:]
  var states: [String: [NamedLayer]] = [:]
}

extension SceneKind {
  /// The kind as messages name it.
  var name: String { word == "layer" ? "a layer" : "a \(word) layer" }

  /// The place of a word that stands inside the value of one of the kind's properties, and a property that may be meant by it.
  fileprivate func place(of word: String) -> (inner: String, property: String?)? {
    let isOwn = property(word) != nil
    if isOwn { return nil }
    if property("attributedText") != nil {
      if word == "span" { return ("in the braces of attributedText", nil) }
      if ValueSyntax<TextLayout.Style>.words.contains(word) { return ("behind paragraphStyle", nil) }
      if AttributedText.Attributes.properties.contains(where: { $0.name == word }) {
        return ("in a span of attributedText", otherNamesOfParagraphs[word])
      }
    }
    guard ValueSyntax<FontRequest>.words.contains(word) else { return nil }
    return ["font", "baseFont"].first { property($0) != nil }.map { ("behind \($0)", nil) }
  }

  /// The word of the kind that is meant by another name: that of its class, of Core Animation's, of either without `Layer`, or what many
  /// call it. Nil if none is.
  static func word(meantBy name: String) -> String? {
    let name = name.lowercased()
    let kind = all.first { kind in
      let type = "\(kind.type)".lowercased()
      return ["\(type)", "ca\(type)", "\(type.dropLast("layer".count))"].contains(name)
    }
    return kind?.word ?? otherNamesOfKinds[name]
  }

  /// The words of all kinds, as messages name them.
  static var list: String { "\(all.dropLast().map(\.word).joined(separator: ", ")) or \(all.last?.word ?? "")" }
}

/// The words of Core Animation that have another name here, which is not like theirs.
private let otherNames = [
  "fromValue": "from", "toValue": "to", "byValue": "by", "additive": "isAdditive", "cumulative": "isCumulative",
  "removedOnCompletion": "isRemovedOnCompletion", "foregroundColor": "color", "fontSize": "font",
  "alignmentMode": "alignment",
  "truncationMode": "truncation", "hidden": "isHidden", "opaque": "isOpaque", "doubleSided": "isDoubleSided",
  "frame": "bounds", "filters": "blurRadius", "backgroundFilters": "backdropBlurRadius", "lineCap": "strokeStyle",
  "lineJoin": "strokeStyle", "miterLimit": "strokeStyle", "lineDashPattern": "strokeStyle", "transform.rotation": "rotation",
  "transform.rotation.z": "rotation",
]

/// The same for a paragraph.
private let otherNamesOfParagraphs = [
  "font": "baseFont", "fontSize": "baseFont", "color": "baseColor", "foregroundColor": "baseColor",
  "string": "attributedText",
]

/// The names by which a paragraph's text, font and colour are looked for, as a text has them.
private let otherNamesOfProperties = ["color": "baseColor", "font": "baseFont", "string": "attributedText"]

/// The names that a kind of layer has in other systems.
private let otherNamesOfKinds = [
  "img": "picture", "label": "text", "particles": "emitter", "photo": "picture", "view": "layer",
]

/// The word that is meant by one of Core Animation or most like a misspelt one, the first in the alphabet of several; nil if there is none.
func nearest(to word: String, in words: some Sequence<String>) -> String? {
  for names in [otherNames, otherNamesOfParagraphs] {
    if let name = names[word], words.contains(name) { return name }
  }
  let count = word.count
  guard count <= 40 else { return nil }
  let allowed = min(max(2, count / 3), count - 1)
  let near = words.filter { abs($0.count - count) <= allowed }.map {
    (distance: $0.lowercased().editDistance(to: word.lowercased()), word: $0)
  }
  return near.filter { $0.distance <= allowed }.min { $0 < $1 }?.word
}
