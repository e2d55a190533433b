public import Geometry
public import Layers
public import LinuxSystem
public import Raster
public import RenderTree

extension Scene {
  /// The way in which a scene's text holds its images.
  public enum ImageForm {
    /// In the text itself, as PNG in base64.
    case embedded
    /// As PNG files, of which the text has the paths; this writes one by its number, from 1, and gives its path.
    case files((_ number: Int, Image) throws -> String)
  }

  /// The text of a tree of layers with its animations, states and clocks.
  ///
  /// A scene that is read from it and started shows at each time, relative to its start, what the tree shows at that time relative to
  /// `origin`, byte for byte. The tree must have been committed, and no drawing may be under way. These
  /// have no text: callbacks, delegates, actions, styles, layout managers, and animations of an application's
  /// own keys. A subclass of an application becomes a plain layer with the picture that it drew.
  ///
  /// - Parameters:
  ///   - root: the layer that fills the picture.
  ///   - size: of the picture, in points; the root's bounds if nil.
  ///   - origin: the display's time that is 0 in the text.
  ///   - scale: pixels of the output a point.
  ///   - blending: the light in which colours mix.
  ///   - events: the changes of states that are yet to come.
  ///   - filePath: gives the path from the text's folder of a font's or a picture's file.
  public static func text(
    of root: Layer, size: Size? = nil, origin: MonotonicTime = .zero, scale: Double = 1,
    blending: Blending = .sRGB, events: [Event] = [], images: ImageForm = .embedded,
    filePath: @escaping (String) -> String = { $0 }
  ) throws -> String {
    let names = PrintedNames(root, events)
    let writer = SceneWriter(origin: origin, scale: scale, names: names, filePath: filePath)
    let size = size ?? root.bounds.size
    if !size.isEmpty { writer.line("size \(sceneNumbers(size.width, size.height))") }
    if blending != .sRGB { writer.line("blending \(blending.rawValue)") }
    writer.write(root, prototypes: SceneKind.all.map { $0.make() })
    for event in events {
      // A time before the scene's beginning is its beginning.
      let time = ValueSyntax<Nanoseconds>.duration.text(event.time, writer)
      let layer = SceneWriter.name(event.layer)
      let target = layer == event.layer ? "\(layer).state" : "\(layer) state"
      writer.line("at \(time) \(target) \(event.state.map(PrintedNames.state).map(SceneWriter.name) ?? "none")")
    }
    for (index, image) in writer.images.enumerated() {
      // All pixels of a larger image are written with the place of its middle.
      let middle = image.whole.map { " middle \($0.x) \($0.y) \(image.width) \(image.height)" } ?? ""
      let image = image.whole?.image ?? image
      let name = "image image\(index + 1)\(middle)"
      switch images {
      case .embedded:
        // Strings that follow each other are one.
        writer.line("\(name) data")
        var rest = Base64.encode(try PNG.encode(image, effort: .small))[...]
        while !rest.isEmpty {
          writer.line("  \"\(rest.prefix(96))\"")
          rest = rest.dropFirst(96)
        }
      case .files(let write): writer.line("\(name) \(SceneWriter.quoted(try write(index + 1, image)))")
      }
    }
    return writer.lines.joined(separator: "\n") + "\n"
  }
}

extension SceneWriter {
  fileprivate func write(_ layer: Layer, before: String = "", prototypes: [Layer]) {
    let kind = SceneKind.kind(of: layer)
    cellShift = shift(of: layer)
    let new = prototypes[SceneKind.all.firstIndex { $0.word == kind.word } ?? 0]
    let properties = kind.properties.compactMap { property in
      property.text(layer, new, self).map { "\(property.name) \($0)" }
    }
    let head = before + kind.word + (names[layer].map { " \(Self.name($0))" } ?? "")
    block(head, properties) {
      animations(of: layer)
      states(of: layer)
      if let mask = layer.mask { write(mask, before: "mask ", prototypes: prototypes) }
      for sublayer in layer.sublayers { write(sublayer, prototypes: prototypes) }
    }
  }

  // MARK: States

  private func states(of layer: Layer) {
    let targets = LayerState.Targets(in: layer, layer.targetsOfStates)
    var written: Set<String> = []
    // A layer finds only the first of several states with a name.
    for state in layer.states where written.insert(state.name).inserted {
      elements(state.elements, of: targets, head: "state \(Self.state(state.name))") { layer, _ in
        try? layer.drawnContents(scale: self.scale)
      }
    }
    // A name that no state has is that of a state without values.
    let used = [layer.state] + layer.stateTransitions.flatMap { [$0.from.name, $0.to.name] }
    for name in used.compactMap(\.self) where written.insert(name).inserted { block("state \(Self.state(name))") }
    if let name = layer.state {
      elements(layer.valuesBeforeState, of: targets, head: "inState \(Self.state(name))") {
        layer.drawnContents(beforeStateOf: $0, named: $1, scale: self.scale)
      }
    }
    for transition in layer.stateTransitions {
      var properties: [String] = []
      if let duration = transition.duration {
        properties.append("duration \(ValueSyntax<Nanoseconds>.duration.text(duration, self))")
      }
      if let function = transition.timingFunction {
        properties.append("timingFunction \(ValueSyntax<TimingFunction>.timingFunction.text(function, self))")
      }
      block("stateTransition from \(Self.end(transition.from)) to \(Self.end(transition.to))", properties) {
        let last = Dictionary(transition.animations.indices.map { (transition.animations[$0].place, $0) }) { $1 }
        for (index, animation) in transition.animations.enumerated() where last[animation.place] == index {
          guard let target = targets[animation.target] else { continue }
          if animation.target == nil {
            write(animation.animation, of: SceneKind.kind(of: target))
          } else {
            block(Self.quoted(names[target] ?? "")) { write(animation.animation, of: nil) }
          }
        }
      }
    }
  }

  /// - Parameter draw: gives the picture that a layer with a name would draw with the values of the elements; for a class of an
  ///   application, whose copies cannot draw.
  private func elements(
    _ elements: [LayerState.Element], of targets: LayerState.Targets, head: String,
    draw: (_ layer: Layer, _ name: String?) -> (image: Image, measures: DrawnMeasures)?
  ) {
    // The last one of several values of a property holds.
    let last = Dictionary(elements.indices.map { (elements[$0].place, $0) }) { $1 }
    var order: [(name: String, layer: Layer)] = []
    var groups: [String?: [LayerState.Element]] = [:]
    for (index, element) in elements.enumerated() where last[element.place] == index {
      guard let layer = targets[element.target] else { continue }
      if let name = element.target, groups[name] == nil { order.append((name, layer)) }
      groups[element.target, default: []].append(element)
    }
    func texts(_ name: String?) -> [String] {
      guard let layer = targets[name] else { return [] }
      cellShift = shift(of: layer)
      return groups[name, default: []].compactMap { element in
        var value = element.value
        if case .own(let drawn)? = value as? LayerPicture, !SceneKind.kind(of: layer).draws {
          value = (drawn ?? draw(layer, name)).map { LayerPicture.drawn($0.image, $0.measures) } ?? .image(nil)
        }
        let property = SceneKind.kind(of: layer).property(element.property.rawValue)
        return property?.valueText(value, self).map { "\(element.property.rawValue) \($0)" }
      }
    }
    block(head, texts(nil)) {
      for (name, layer) in order { block(Self.quoted(names[layer] ?? name), texts(name)) }
    }
  }

  private static func state(_ name: String) -> String { Self.name(PrintedNames.state(name)) }

  private static func end(_ end: StateTransition.End) -> String {
    switch end {
    case .any: "*"
    case .noState: "none"
    case .state(let name): state(name)
    }
  }
}
