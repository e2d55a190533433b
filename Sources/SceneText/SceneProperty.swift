import Geometry
import Layers

/// A property of a kind of layer in a scene's text: its name, how its value is written, and the way to and from the layer.
@MainActor
struct SceneProperty {
  let name: String
  /// Reads a value and gives what puts it into a layer.
  let read: @MainActor (SceneReader) throws(SceneError) -> LayerSetting
  /// The text of a layer's value; nil if it is that of a new layer of its kind.
  var text: @MainActor (_ layer: Layer, _ new: Layer, SceneWriter) -> String?
  /// The text of a value of the property's type.
  var valueText: @MainActor (any Sendable, SceneWriter) -> String?
  /// The animations of it; nil if there are none.
  var track: (any SceneTrack)?
  /// True if it is set after all others.
  var isLast = false

  init<Value: Sendable>(
    _ name: String, _ syntax: ValueSyntax<Value>, get: @escaping @MainActor (Layer) -> Value?,
    set: @escaping @MainActor (Layer, Value) -> Void, isSame: @escaping @MainActor (Value, Value) -> Bool
  ) {
    self.name = name
    read = { reader throws(SceneError) in
      let value = try syntax.read(reader)
      return LayerSetting(property: name, value: value, get: get) { layer, value in
        if let value = value as? Value { set(layer, value) }
      }
    }
    text = { layer, new, writer in
      guard let value = get(layer) else { return nil }
      if let other = get(new), isSame(value, other) { return nil }
      return syntax.text(value, writer)
    }
    valueText = { value, writer in (value as? Value).map { syntax.text($0, writer) } }
  }

  /// A property that is stored in the layer.
  init<Kind: Layer, Value: Equatable & Sendable>(
    _ name: String, _ path: ReferenceWritableKeyPath<Kind, Value>, _ syntax: ValueSyntax<Value>
  ) {
    self.init(
      name, syntax, get: { ($0 as? Kind)?[keyPath: path] }, set: { ($0 as? Kind)?[keyPath: path] = $1 }, isSame: { $0 == $1 }
    )
  }

  /// A property that animates.
  init<Value: Animatable>(_ key: AnimatableKey<Value>, _ syntax: ValueSyntax<Value>) {
    self.init(
      key.property.rawValue, syntax, get: { $0[key] }, set: { $0[key] = $1 }, isSame: { $0 == $1 })
    track = KeyTrack(key: key, syntax: syntax)
  }

  /// A property that animates, and is written in a form of its own in a layer.
  init<Kind: Layer, Value: Animatable, Stored: Equatable & Sendable>(
    _ key: AnimatableKey<Value>, _ syntax: ValueSyntax<Value>, in path: ReferenceWritableKeyPath<Kind, Stored>,
    _ stored: ValueSyntax<Stored>
  ) {
    self.init(key.property.rawValue, path, stored)
    track = KeyTrack(key: key, syntax: syntax)
  }

  /// A part of a property: it can be animated and set by a state, and is not written beside the whole.
  static func part<Value: Animatable>(_ key: AnimatableKey<Value>, _ syntax: ValueSyntax<Value>) -> SceneProperty {
    var part = SceneProperty(key, syntax)
    part.text = { _, _, _ in nil }
    return part
  }
}

/// A value that a scene's text gives a property.
@MainActor
struct LayerSetting {
  let property: String
  let value: any Sendable
  let get: @MainActor (Layer) -> (any Sendable)?
  let set: @MainActor (Layer, any Sendable) -> Void
}

/// The animations of one property, whatever the type of its values.
@MainActor
protocol SceneTrack {
  var property: AnimatableProperty { get }
  /// True if the property's values are points, which can go along a path.
  var isPoint: Bool { get }
  func read(_ reader: SceneReader) throws(SceneError) -> any Animatable
  func text(_ value: any Animatable, _ writer: SceneWriter) -> String
  func basic(_ parts: BasicParts) -> any Animation
  func spring(_ parts: SpringParts) -> any Animation
  func keyframes(_ parts: KeyframeParts) -> any Animation
  /// The animation that a change without one of its own begins.
  var implicit: @MainActor @Sendable (AnimatableValues) -> any Animation { get }
}

struct KeyTrack<Value: Animatable>: SceneTrack {
  let key: AnimatableKey<Value>
  let syntax: ValueSyntax<Value>

  var property: AnimatableProperty { key.property }
  var isPoint: Bool { Value.self == Point.self }
  func read(_ reader: SceneReader) throws(SceneError) -> any Animatable { try syntax.read(reader) }
  func text(_ value: any Animatable, _ writer: SceneWriter) -> String {
    (value as? Value).map { syntax.text($0, writer) } ?? ""
  }

  func basic(_ parts: BasicParts) -> any Animation {
    let ends = parts.ends
    var animation = BasicAnimation(key, from: ends.from as? Value, to: ends.to as? Value, by: ends.by as? Value)
    animation.isAdditive = parts.isAdditive
    animation.isCumulative = parts.isCumulative
    return animation
  }

  func spring(_ parts: SpringParts) -> any Animation {
    let ends = parts.ends
    var animation = SpringAnimation(
      key, from: ends.from as? Value, to: ends.to as? Value, by: ends.by as? Value, velocity: parts.velocity as? Value,
      spring: parts.spring)
    animation.keepsVelocity = parts.keepsVelocity
    animation.isAdditive = parts.isAdditive
    return animation
  }

  func keyframes(_ parts: KeyframeParts) -> any Animation {
    let timing = parts.timing
    var animation: KeyframeAnimation
    if let course = parts.course, let path = course.path, let key = key as? AnimatableKey<Point> {
      animation = KeyframeAnimation(
        key, path: path, keyTimes: timing.keyTimes, calculationMode: timing.calculationMode,
        timingFunctions: timing.timingFunctions, rotationMode: course.rotationMode)
    } else {
      let values = parts.values ?? KeyframeParts.Values()
      animation = KeyframeAnimation(
        key, values: values.values.compactMap { $0 as? Value }, keyTimes: timing.keyTimes,
        calculationMode: timing.calculationMode, timingFunctions: timing.timingFunctions, curveShape: values.curveShape)
    }
    animation.isAdditive = parts.isAdditive
    animation.isCumulative = parts.isCumulative
    return animation
  }

  var implicit: @MainActor @Sendable (AnimatableValues) -> any Animation {
    let key = key
    return { BasicAnimation(key, from: $0[key]) }
  }
}
