public import Geometry
public import Layers
public import LinuxSystem
public import Raster

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
  /// have no text: callbacks, delegates, actions, styles, layout managers, animations of an application's own
  /// keys, and `preferredFrameRateRange`. A subclass of an application becomes a plain layer with the picture that it drew.
  ///
  /// - Parameters:
  ///   - root: the layer that fills the picture.
  ///   - size: of the picture, in points; the root's bounds if nil.
  ///   - origin: the display's time that is 0 in the text.
  ///   - scale: pixels of the output a point.
  ///   - events: the changes of states that are yet to come.
  public static func text(
    of root: Layer, size: Size? = nil, origin: MonotonicTime = .zero, scale: Double = 1, events: [Event] = [],
    images: ImageForm = .embedded, fontPath: @escaping (String) -> String = { $0 }
  ) throws -> String {
    let writer = SceneWriter(origin: origin, scale: scale, fontPath: fontPath)
    let size = size ?? root.bounds.size
    if !size.isEmpty { writer.line("size \(sceneNumbers(size.width, size.height))") }
    writer.write(root, prototypes: SceneKind.all.map { $0.make() })
    for event in events {
      let time = ValueSyntax<Nanoseconds>.time.text(event.time, writer)
      let layer = SceneWriter.name(event.layer)
      let target = layer == event.layer ? "\(layer).state" : "\(layer) state"
      writer.line("at \(time) \(target) \(event.state.map(SceneWriter.name) ?? "none")")
    }
    for (index, image) in writer.images.enumerated() {
      let name = "image image\(index + 1)"
      switch images {
      case .embedded:
        // Strings that follow each other are one.
        writer.line("\(name) data")
        var rest = Base64.encode(try PNG.encode(image))[...]
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
    let new = prototypes[SceneKind.all.firstIndex { $0.word == kind.word } ?? 0]
    let properties = kind.properties.compactMap { property in
      property.text(layer, new, self).map { "\(property.name) \($0)" }
    }
    let head = before + kind.word + (layer.name.map { " \(Self.name($0))" } ?? "")
    block(head, properties) {
      animations(of: layer)
      states(of: layer)
      if let mask = layer.mask { write(mask, before: "mask ", prototypes: prototypes) }
      for sublayer in layer.sublayers { write(sublayer, prototypes: prototypes) }
    }
  }

  // MARK: States

  private func states(of layer: Layer) {
    var names: Set<String> = []
    // A layer finds only the first of several states with a name.
    for state in layer.states where names.insert(state.name).inserted {
      elements(state.elements, of: layer, head: "state \(Self.name(state.name))")
    }
    // A name that no state has is that of a state without values.
    let used = [layer.state] + layer.stateTransitions.flatMap { [$0.from, $0.to] }
    for name in used.compactMap(\.self) where names.insert(name).inserted { block("state \(Self.name(name))") }
    if let name = layer.state { elements(layer.valuesBeforeState, of: layer, head: "inState \(Self.name(name))") }
    for transition in layer.stateTransitions {
      let (from, to) = (transition.from.map(Self.name) ?? "*", transition.to.map(Self.name) ?? "*")
      var properties: [String] = []
      if let duration = transition.duration {
        properties.append("duration \(ValueSyntax<Nanoseconds>.duration.text(duration, self))")
      }
      if let function = transition.timingFunction {
        properties.append("timingFunction \(ValueSyntax<TimingFunction>.timingFunction.text(function, self))")
      }
      block("stateTransition from \(from) to \(to)", properties) {
        for animation in transition.animations where layer.layer(named: animation.target) != nil {
          guard let target = animation.target else {
            write(animation.animation)
            continue
          }
          block(Self.quoted(target)) { write(animation.animation) }
        }
      }
    }
  }

  private func elements(_ elements: [LayerState.Element], of layer: Layer, head: String) {
    func texts(_ target: String?) -> [String] {
      elements.filter { $0.target == target }.compactMap { element in
        let name = element.property.rawValue
        let value = (element.value as? LayerPicture).map { picture($0, of: layer.layer(named: target)) } ?? element.value
        return SceneKind.property(name)?.valueText(value, self).map { "\(name) \($0)" }
      }
    }
    block(head, texts(nil)) {
      var targets: [String] = []
      for target in elements.compactMap(\.target) where !targets.contains(target) { targets.append(target) }
      for target in targets where layer.layer(named: target) != nil { block(Self.quoted(target), texts(target)) }
    }
  }

  /// The picture with which a copy of the layer shows the same: one of an application's own class cannot draw itself.
  private func picture(_ picture: LayerPicture, of layer: Layer?) -> LayerPicture {
    guard case .own(let drawn) = picture, let layer, !SceneKind.kind(of: layer).draws else { return picture }
    return (drawn ?? (try? layer.drawnContents(scale: scale))).map { .drawn($0.image, $0.measures) } ?? .image(nil)
  }
}
