import Layers
import LinuxSystem
import Raster
import RenderTree

// The properties of animations in a scene's text. To add one, add a line to a table.

extension AnimationParts {
  static let properties: [TextProperty<Self>] = [
    TextProperty("forKey", optional: \.key, .string).refused { parts in
      switch parts.place {
      case .layer: nil
      case .group: "no forKey: an animation in a group is not found by a key"
      case .stateTransition: "no forKey: its key is the name of its property"
      }
    },
    TextProperty("beginTime", optional: \.settings.timing.beginTime, .time),
    TextProperty("begun", optional: \.begun, .time).refused { parts in
      parts.place == .layer ? nil : "no begun: no commit begins it"
    },
    TextProperty("duration", optional: \.settings.timing.duration, .duration),
    TextProperty("speed", \.settings.timing.speed, .number),
    TextProperty("timeOffset", \.settings.timing.timeOffset, .time),
    TextProperty("repeatCount", \.settings.timing.repeatCount, .number),
    TextProperty("repeatDuration", \.settings.timing.repeatDuration, .duration),
    TextProperty("autoreverses", \.settings.timing.autoreverses, .bool),
    TextProperty("fillMode", \.settings.timing.fillMode, .word()),
    TextProperty("timingFunction", optional: \.settings.timingFunction, .timingFunction),
    TextProperty("preferredFrameRateRange", \.settings.preferredFrameRateRange, .frameRateRange).refused { parts in
      parts.place == .group ? "no preferredFrameRateRange: that of the group counts" : nil
    },
    TextProperty("isRemovedOnCompletion", \.settings.isRemovedOnCompletion, .bool).refused { parts in
      parts.place == .group ? "no isRemovedOnCompletion: an animation in a group is removed with it" : nil
    },
  ]

  /// The kinds of animations that have a property with this name.
  static func owners(of name: String) -> [String] {
    func has<Parts>(_ properties: [TextProperty<Parts>]) -> Bool { properties.contains { $0.name == name } }
    if has(properties) { return ["an animation"] }
    return [
      has(BasicParts.properties) ? "a basic animation" : nil, has(SpringParts.properties) ? "a spring" : nil,
      has(KeyframeParts.properties) ? "keyframes" : nil, has(transitionProperties) ? "a transition" : nil,
    ].compactMap(\.self)
  }

  /// The names of the properties of all kinds.
  static let propertyNames =
    BasicParts.properties.map(\.name) + SpringParts.properties.map(\.name) + KeyframeParts.properties.map(\.name)
    + transitionProperties.map(\.name) + properties.map(\.name)

  static let transitionProperties: [TextProperty<Transition>] = [
    TextProperty("subtype", \.subtype, .word()),
    TextProperty("startProgress", \.startProgress, .number),
    TextProperty("endProgress", \.endProgress, .number),
  ]
}

extension TextProperty where Parts: TrackParts {
  fileprivate static func ends(_ ends: WritableKeyPath<Parts, AnimationEnds>) -> [Self] {
    [
      Self("from", value: ends.appending(path: \.from)), Self("to", value: ends.appending(path: \.to)),
      Self("by", value: ends.appending(path: \.by)),
    ]
  }
}

extension BasicParts {
  static let properties: [TextProperty<Self>] =
    TextProperty.ends(\.ends) + [
      TextProperty("isAdditive", \.isAdditive, .bool),
      TextProperty("isCumulative", \.isCumulative, .bool),
    ]
}

extension SpringParts {
  static let properties: [TextProperty<Self>] =
    TextProperty.ends(\.ends) + [
      TextProperty("keepsVelocity", \.keepsVelocity, .bool),
      TextProperty("velocity", value: \.velocity),
      physical("mass", \.mass, .positive),
      physical("stiffness", \.stiffness, .positive),
      physical("damping", \.damping, .number),
      TextProperty("initialVelocity", \.initialVelocity, .number),
      physical("allowsOverdamping", \.allowsOverdamping, .bool),
      feel(TextProperty("perceptualDuration", optional: \.perceptualDuration, .duration)),
      feel(
        TextProperty("bounce", optional: \.bounce, .number.only("a bounce above -1 and at most 1") { $0 > -1 && $0 <= 1 })),
      TextProperty("isAdditive", \.isAdditive, .bool),
    ]

  private static func physical<Value: Equatable>(
    _ name: String, _ path: WritableKeyPath<Spring, Value>, _ syntax: ValueSyntax<Value>
  ) -> TextProperty<Self> {
    TextProperty(TextProperty(name, path, syntax), in: \.physical, other: "perceptualDuration or bounce")
  }

  private static func feel(_ property: TextProperty<Feel>) -> TextProperty<Self> {
    TextProperty(property, in: \.feel, other: "mass, stiffness, damping or allowsOverdamping")
  }
}

extension KeyframeParts {
  static let properties: [TextProperty<Self>] = [
    TextProperty(name: "values", conflict: { $0.values == nil ? "path" : nil }) { reader, parts throws(SceneError) in
      let track = parts.track
      parts.values?.values = try reader.list(while: { isValue(at: reader) }) { () throws(SceneError) in
        try track.read(reader)
      }
    } text: { parts, _, writer in
      parts.values.map { $0.values.map { parts.track.text($0, writer) }.joined(separator: ", ") }
    },
    TextProperty(name: "path", conflict: { $0.course == nil ? "values" : nil }) { reader, parts throws(SceneError) in
      guard parts.track.isPoint else {
        throw reader.expected("values: only points, such as position, go along a path")
      }
      parts.course?.path = try ValueSyntax<Path>.path.read(reader)
    } text: { parts, _, writer in
      parts.course?.path.map { ValueSyntax<Path>.path.text($0, writer) }
    },
    TextProperty(
      TextProperty("rotationMode", optional: \.rotationMode, .word()), in: \.course, other: "values"),
    TextProperty("keyTimes", optional: \.timing.keyTimes, .keyTimes),
    TextProperty("calculationMode", \.timing.calculationMode, .word()),
    TextProperty(
      "timingFunctions", \.timing.timingFunctions, .list(.timingFunction) { ValueSyntax<TimingFunction>.begins(at: $0) }),
    values("tensions", \.curveShape.tensions),
    values("continuities", \.curveShape.continuities),
    values("biases", \.curveShape.biases),
    TextProperty("isAdditive", \.isAdditive, .bool),
    TextProperty("isCumulative", \.isCumulative, .bool),
  ]

  private static func values(_ name: String, _ path: WritableKeyPath<Values, [Double]>) -> TextProperty<Self> {
    TextProperty(TextProperty(name, path, .list(.number)), in: \.values, other: "path")
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

extension ValueSyntax where Value == FrameRateRange {
  /// The slowest and the fastest rate in hertz, and the best one where it is not the fastest.
  fileprivate static var frameRateRange: Self {
    let rate = ValueSyntax<Double>.number.only("a rate in hertz, from 0 on") { $0 >= 0 }
    return Self("the slowest and the fastest rate in hertz, and maybe the best one") { reader throws(SceneError) in
      let minimum = try rate.read(reader)
      let maximum = try rate.only("a rate from \(SceneNumber.text(minimum)) on") { $0 >= minimum }.read(reader)
      guard reader.isAtNumber else { return FrameRateRange(minimum: minimum, maximum: maximum) }
      let within = "a rate from \(SceneNumber.text(minimum)) to \(SceneNumber.text(maximum))"
      let preferred = try rate.only(within) { $0 >= minimum && $0 <= maximum }.read(reader)
      return FrameRateRange(minimum: minimum, maximum: maximum, preferred: preferred)
    } text: { range, _ in
      ([range.minimum, range.maximum] + (range.preferred.map { [$0] } ?? [])).map(SceneNumber.text).joined(separator: " ")
    }
  }
}

extension ValueSyntax where Value == [Double] {
  /// Parts of an animation's time, none before the one ahead of it.
  fileprivate static var keyTimes: Self {
    let number = ValueSyntax<Double>.number
    return Self("key times from 0 to 1") { reader throws(SceneError) in
      var last = 0.0
      return try reader.list(while: { reader.isAtNumber }) { () throws(SceneError) in
        let low = last
        last = try number.only("a key time from \(SceneNumber.text(low))\(low > 0 ? ", the one before it," : "") to 1") {
          $0 >= low && $0 <= 1
        }.read(reader)
        return last
      }
    } text: { times, _ in
      times.map(SceneNumber.text).joined(separator: ", ")
    }
  }
}
