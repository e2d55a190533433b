import Layers
import LinuxSystem
import Raster

/// An animation as it is read, property by property.
@MainActor
struct AnimationParts {
  var settings = AnimationSettings()
  var key: String?
  /// The time at which a commit began it, on its layer's clock; nil for the scene's beginning.
  var begun: MonotonicTime?
  var from: (any Animatable)?
  var to: (any Animatable)?
  var by: (any Animatable)?
  var velocity: (any Animatable)?
  var keepsVelocity = false
  var isAdditive = false
  var isCumulative = false
  var spring = Spring()
  var perceptualDuration: Nanoseconds?
  var bounce = 0.0
  var values: [any Animatable] = []
  var keyTimes: [Double]?
  var calculationMode = CalculationMode.linear
  var timingFunctions: [TimingFunction] = []
  var curveShape = CurveShape()
  var path: Path?
  var rotationMode: KeyframeAnimation.RotationMode?
  /// The animations of a group.
  var members: [AnimationParts] = []
  var kind = Kind.group
  var track: (any SceneTrack)?

  enum Kind: String, CaseIterable {
    case basic
    case spring
    case keyframes
    case group
  }

  /// The animation with nothing in it but what was read.
  var animation: (any Animation)? {
    switch kind {
    case .basic: return track?.basic(self)
    case .spring: return track?.spring(self)
    case .keyframes: return track?.keyframes(self)
    case .group:
      var group = AnimationGroup(members.compactMap(\.animation))
      group.settings = settings
      return group
    }
  }
}

/// A running animation as it is written.
@MainActor
struct AnimationForm {
  let description: AnimationDescription
  let kind: AnimationParts.Kind
  let track: (any SceneTrack)?
  /// True in a group.
  let isMember: Bool
  /// The display's time at which its layer's clock shows 0, or what is to be taken away from its times.
  let shift: Nanoseconds
  /// The time of its layer's clock at the scene's beginning.
  let start: MonotonicTime

  var timing: MediaTiming { description.timing }
  var givenBeginTime: MonotonicTime? { description.beginsByItself ? nil : timing.beginTime.map { $0 - shift } }
  /// The time at which a commit began it, unless that was at the scene's beginning.
  var begun: MonotonicTime? {
    guard description.beginsByItself, !isMember, let time = timing.beginTime, time - shift != start else { return nil }
    return time - shift
  }

  var ends: (from: (any Animatable)?, to: (any Animatable)?, by: (any Animatable)?, velocity: (any Animatable)?) {
    if case .ends(let from, let to, let by, let velocity) = values { (from, to, by, velocity) } else { (nil, nil, nil, nil) }
  }
  var spring: Spring? { if case .track(_, _, _, _, _, let spring) = description.content { spring } else { nil } }
  var flags: (isAdditive: Bool, isCumulative: Bool, keepsVelocity: Bool) {
    guard case .track(_, _, let isAdditive, let isCumulative, let keepsVelocity, _) = description.content else {
      return (false, false, false)
    }
    return (isAdditive, isCumulative, keepsVelocity)
  }
  var values: TrackValues? { if case .track(_, let values, _, _, _, _) = description.content { values } else { nil } }
  var keyTimes: [Double]? {
    switch values {
    case .keyframes(_, let times, _, _, _), .path(_, let times, _, _, _): times
    default: nil
    }
  }
  var modes: (CalculationMode, timingFunctions: [TimingFunction]) {
    switch values {
    case .keyframes(_, _, let mode, let functions, _), .path(_, _, let mode, let functions, _): (mode, functions)
    default: (.linear, [])
    }
  }
  var curveShape: CurveShape { if case .keyframes(_, _, _, _, let shape) = values { shape } else { CurveShape() } }
}

/// A property of an animation in a scene's text. To add one, add a line to the table.
@MainActor
struct AnimationProperty {
  let name: String
  let kinds: Set<AnimationParts.Kind>
  let read: @MainActor (SceneReader, inout AnimationParts) throws(SceneError) -> Void
  /// Nil for what need not be said.
  let text: @MainActor (AnimationForm, SceneWriter) -> String?

  /// - Parameters:
  ///   - value: nil while it is what an animation has from the beginning.
  init<Value>(
    _ name: String, _ kinds: Set<AnimationParts.Kind>,
    _ path: WritableKeyPath<AnimationParts, Value>, _ syntax: ValueSyntax<Value>,
    _ value: @escaping @MainActor (AnimationForm) -> Value?
  ) {
    (self.name, self.kinds) = (name, kinds)
    read = { reader, parts throws(SceneError) in parts[keyPath: path] = try syntax.read(reader) }
    text = { form, writer in value(form).map { syntax.text($0, writer) } }
  }

  init<Value>(
    _ name: String, _ kinds: Set<AnimationParts.Kind>,
    optional path: WritableKeyPath<AnimationParts, Value?>, _ syntax: ValueSyntax<Value>,
    _ value: @escaping @MainActor (AnimationForm) -> Value?
  ) {
    (self.name, self.kinds) = (name, kinds)
    read = { reader, parts throws(SceneError) in parts[keyPath: path] = try syntax.read(reader) }
    text = { form, writer in value(form).map { syntax.text($0, writer) } }
  }

  /// A value of the animated property.
  init(
    _ name: String, _ path: WritableKeyPath<AnimationParts, (any Animatable)?>,
    _ value: @escaping @MainActor (AnimationForm) -> (any Animatable)?
  ) {
    (self.name, kinds) = (name, [.basic, .spring])
    read = { reader, parts throws(SceneError) in parts[keyPath: path] = try parts.track?.read(reader) }
    text = { form, writer in value(form).flatMap { form.track?.text($0, writer) } }
  }

  init(
    _ name: String, _ kinds: Set<AnimationParts.Kind>,
    read: @escaping @MainActor (SceneReader, inout AnimationParts) throws(SceneError) -> Void,
    text: @escaping @MainActor (AnimationForm, SceneWriter) -> String?
  ) {
    (self.name, self.kinds, self.read, self.text) = (name, kinds, read, text)
  }
}
