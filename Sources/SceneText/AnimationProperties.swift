import Layers
import LinuxSystem
import Raster

extension AnimationProperty {
  private static let every = Set(AnimationParts.Kind.allCases)
  private static let frames: Set<AnimationParts.Kind> = [.keyframes]
  private static let tracks: Set<AnimationParts.Kind> = [.basic, .spring, .keyframes]

  static let all: [AnimationProperty] = values + timing

  private static let values: [AnimationProperty] = [
    AnimationProperty("from", \.from) { $0.ends.from },
    AnimationProperty("to", \.to) { $0.ends.to },
    AnimationProperty("by", \.by) { $0.ends.by },
    AnimationProperty("keepsVelocity", [.spring], \.keepsVelocity, .bool) { unless(false, $0.flags.keepsVelocity) },
    AnimationProperty("velocity", \.velocity) { $0.ends.velocity },
    AnimationProperty("mass", [.spring], \.spring.mass, .positive) { unless(1, $0.spring?.mass) },
    AnimationProperty("stiffness", [.spring], \.spring.stiffness, .positive) { unless(100, $0.spring?.stiffness) },
    AnimationProperty("damping", [.spring], \.spring.damping, .number) { unless(10, $0.spring?.damping) },
    AnimationProperty("initialVelocity", [.spring], \.spring.initialVelocity, .number) {
      unless(0, $0.spring?.initialVelocity)
    },
    AnimationProperty("allowsOverdamping", [.spring], \.spring.allowsOverdamping, .bool) {
      unless(false, $0.spring?.allowsOverdamping)
    },
    // Two other ways to say stiffness and damping.
    AnimationProperty("perceptualDuration", [.spring], optional: \.perceptualDuration, .time) { _ in nil },
    AnimationProperty("bounce", [.spring], \.bounce, .number) { _ in nil },
    AnimationProperty("values", frames) { reader, parts throws(SceneError) in
      guard let track = parts.track else { return }
      parts.values = try reader.list(while: { isValue(at: reader) }) { () throws(SceneError) in try track.read(reader) }
    } text: { form, writer in
      guard case .keyframes(let values, _, _, _, _) = form.values, let track = form.track else { return nil }
      return values.map { track.text($0, writer) }.joined(separator: ", ")
    },
    AnimationProperty("path", frames) { reader, parts throws(SceneError) in
      guard parts.track?.isPoint ?? false else {
        throw reader.expected("values: only points, such as position, go along a path")
      }
      parts.path = try ValueSyntax<Path>.path.read(reader)
    } text: { form, writer in
      guard case .path(let path, _, _, _, _) = form.values else { return nil }
      return ValueSyntax<Path>.path.text(path, writer)
    },
    AnimationProperty("rotationMode", frames, optional: \.rotationMode, .word()) {
      if case .path(_, _, _, _, let mode) = $0.values { mode } else { nil }
    },
    AnimationProperty("keyTimes", frames, optional: \.keyTimes, .list(.number)) { $0.keyTimes },
    AnimationProperty("calculationMode", frames, \.calculationMode, .word()) { unless(.linear, $0.modes.0) },
    AnimationProperty(
      "timingFunctions", frames, \.timingFunctions, .list(.timingFunction) { ValueSyntax<TimingFunction>.begins(at: $0) }
    ) {
      unless([], $0.modes.timingFunctions)
    },
    AnimationProperty("tensions", frames, \.curveShape.tensions, .list(.number)) { unless([], $0.curveShape.tensions) },
    AnimationProperty("continuities", frames, \.curveShape.continuities, .list(.number)) {
      unless([], $0.curveShape.continuities)
    },
    AnimationProperty("biases", frames, \.curveShape.biases, .list(.number)) { unless([], $0.curveShape.biases) },
    AnimationProperty("isAdditive", tracks, \.isAdditive, .bool) { unless(false, $0.flags.isAdditive) },
    AnimationProperty("isCumulative", [.basic, .keyframes], \.isCumulative, .bool) { unless(false, $0.flags.isCumulative) },
  ]

  private static let timing: [AnimationProperty] = [
    AnimationProperty("forKey", every, optional: \.key, .string) { $0.description.key },
    AnimationProperty("beginTime", every, optional: \.settings.timing.beginTime, .time) { $0.givenBeginTime },
    AnimationProperty("begun", every, optional: \.begun, .time) { $0.begun },
    AnimationProperty("duration", every, optional: \.settings.timing.duration, .time) { $0.timing.duration },
    AnimationProperty("speed", every, \.settings.timing.speed, .number) { unless(1, $0.timing.speed) },
    AnimationProperty("timeOffset", every, \.settings.timing.timeOffset, .time) { unless(.zero, $0.timing.timeOffset) },
    AnimationProperty("repeatCount", every, \.settings.timing.repeatCount, .number) { unless(1, $0.timing.repeatCount) },
    AnimationProperty("repeatDuration", every, \.settings.timing.repeatDuration, .time) {
      unless(.zero, $0.timing.repeatDuration)
    },
    AnimationProperty("autoreverses", every, \.settings.timing.autoreverses, .bool) {
      unless(false, $0.timing.autoreverses)
    },
    AnimationProperty("fillMode", every, \.settings.timing.fillMode, .word()) { unless(.removed, $0.timing.fillMode) },
    AnimationProperty("timingFunction", every, optional: \.settings.timingFunction, .timingFunction) {
      unless(.linear, $0.description.timingFunction)
    },
    AnimationProperty("isRemovedOnCompletion", every, \.settings.isRemovedOnCompletion, .bool) {
      unless(true, $0.description.isRemovedOnCompletion)
    },
  ]

  private static func unless<Value: Equatable>(_ common: Value, _ value: Value?) -> Value? { value == common ? nil : value }

  /// True if a value may begin at the token. No property of an animation has the name of what begins one.
  private static func isValue(at reader: SceneReader) -> Bool {
    switch reader.token.kind {
    case .number, .color, .string: true
    case .word(let word): !all.contains { $0.name == word }
    default: false
    }
  }
}
