import Layers
import LinuxSystem
import Raster
import RenderTree

// The properties of animations in a scene's text. To add one, add a line to a table.

extension AnimationParts {
  static let properties: [AnimationProperty<Self>] = [
    AnimationProperty("forKey", optional: \.key, .string),
    AnimationProperty("beginTime", optional: \.settings.timing.beginTime, .time),
    AnimationProperty("begun", optional: \.begun, .time),
    AnimationProperty("duration", optional: \.settings.timing.duration, .time),
    AnimationProperty("speed", \.settings.timing.speed, .number),
    AnimationProperty("timeOffset", \.settings.timing.timeOffset, .time),
    AnimationProperty("repeatCount", \.settings.timing.repeatCount, .number),
    AnimationProperty("repeatDuration", \.settings.timing.repeatDuration, .time),
    AnimationProperty("autoreverses", \.settings.timing.autoreverses, .bool),
    AnimationProperty("fillMode", \.settings.timing.fillMode, .word()),
    AnimationProperty("timingFunction", optional: \.settings.timingFunction, .timingFunction),
    AnimationProperty("isRemovedOnCompletion", \.settings.isRemovedOnCompletion, .bool),
  ]

  /// The names of the properties of all kinds.
  static let propertyNames =
    BasicParts.properties.map(\.name) + SpringParts.properties.map(\.name) + KeyframeParts.properties.map(\.name)
    + transitionProperties.map(\.name) + properties.map(\.name)

  static let transitionProperties: [AnimationProperty<Transition>] = [
    AnimationProperty("subtype", \.subtype, .word()),
    AnimationProperty("startProgress", \.startProgress, .number),
    AnimationProperty("endProgress", \.endProgress, .number),
  ]
}

extension AnimationProperty where Parts: TrackParts {
  fileprivate static func ends(_ ends: WritableKeyPath<Parts, AnimationEnds>) -> [Self] {
    [
      Self("from", value: ends.appending(path: \.from)), Self("to", value: ends.appending(path: \.to)),
      Self("by", value: ends.appending(path: \.by)),
    ]
  }
}

extension BasicParts {
  static let properties: [AnimationProperty<Self>] =
    AnimationProperty.ends(\.ends) + [
      AnimationProperty("isAdditive", \.isAdditive, .bool),
      AnimationProperty("isCumulative", \.isCumulative, .bool),
    ]
}

extension SpringParts {
  static let properties: [AnimationProperty<Self>] =
    AnimationProperty.ends(\.ends) + [
      AnimationProperty("keepsVelocity", \.keepsVelocity, .bool),
      AnimationProperty("velocity", value: \.velocity),
      physical("mass", \.mass, .positive),
      physical("stiffness", \.stiffness, .positive),
      physical("damping", \.damping, .number),
      AnimationProperty("initialVelocity", \.initialVelocity, .number),
      physical("allowsOverdamping", \.allowsOverdamping, .bool),
      feel(AnimationProperty("perceptualDuration", optional: \.perceptualDuration, .time)),
      feel(AnimationProperty("bounce", optional: \.bounce, .number)),
      AnimationProperty("isAdditive", \.isAdditive, .bool),
    ]

  private static func physical<Value: Equatable>(
    _ name: String, _ path: WritableKeyPath<Spring, Value>, _ syntax: ValueSyntax<Value>
  ) -> AnimationProperty<Self> {
    AnimationProperty(AnimationProperty(name, path, syntax), in: \.physical, other: "perceptualDuration or bounce")
  }

  private static func feel(_ property: AnimationProperty<Feel>) -> AnimationProperty<Self> {
    AnimationProperty(property, in: \.feel, other: "mass, stiffness, damping or allowsOverdamping")
  }
}

extension KeyframeParts {
  static let properties: [AnimationProperty<Self>] = [
    AnimationProperty(name: "values", conflict: { $0.values == nil ? "path" : nil }) { reader, parts throws(SceneError) in
      let track = parts.track
      parts.values?.values = try reader.list(while: { isValue(at: reader) }) { () throws(SceneError) in
        try track.read(reader)
      }
    } text: { parts, _, writer in
      parts.values.map { $0.values.map { parts.track.text($0, writer) }.joined(separator: ", ") }
    },
    AnimationProperty(name: "path", conflict: { $0.course == nil ? "values" : nil }) { reader, parts throws(SceneError) in
      guard parts.track.isPoint else {
        throw reader.expected("values: only points, such as position, go along a path")
      }
      parts.course?.path = try ValueSyntax<Path>.path.read(reader)
    } text: { parts, _, writer in
      parts.course?.path.map { ValueSyntax<Path>.path.text($0, writer) }
    },
    AnimationProperty(
      AnimationProperty("rotationMode", optional: \.rotationMode, .word()), in: \.course, other: "values"),
    AnimationProperty("keyTimes", optional: \.timing.keyTimes, .list(.number)),
    AnimationProperty("calculationMode", \.timing.calculationMode, .word()),
    AnimationProperty(
      "timingFunctions", \.timing.timingFunctions, .list(.timingFunction) { ValueSyntax<TimingFunction>.begins(at: $0) }),
    values("tensions", \.curveShape.tensions),
    values("continuities", \.curveShape.continuities),
    values("biases", \.curveShape.biases),
    AnimationProperty("isAdditive", \.isAdditive, .bool),
    AnimationProperty("isCumulative", \.isCumulative, .bool),
  ]

  private static func values(_ name: String, _ path: WritableKeyPath<Values, [Double]>) -> AnimationProperty<Self> {
    AnimationProperty(AnimationProperty(name, path, .list(.number)), in: \.values, other: "path")
  }

  /// True if a value may begin at the token. No property of an animation has the name of what begins one.
  private static func isValue(at reader: SceneReader) -> Bool {
    switch reader.token.kind {
    case .number, .color, .string: true
    case .word(let word): !AnimationParts.propertyNames.contains(word)
    default: false
    }
  }
}
