public import Raster

/// The values that a track was made of, as the animation's maker gave them.
@usableFromInline
package enum TrackValues: Sendable {
  /// The velocity is the change in a millisecond, with which the property moves at the beginning.
  case ends(from: (any Animatable)?, to: (any Animatable)?, by: (any Animatable)?, velocity: (any Animatable)?)
  case keyframes(
    [any Animatable], keyTimes: [Double]?, CalculationMode, timingFunctions: [TimingFunction], CurveShape)
  case path(
    Path, keyTimes: [Double]?, CalculationMode, timingFunctions: [TimingFunction], KeyframeAnimation.RotationMode?)
}

/// The values of a track with their types.
@usableFromInline
protocol TrackSource: Sendable {
  var property: AnimatableProperty { get }
  var trackValues: TrackValues { get }
  /// A plain track of the same values, which begins at the value that is shown unless its beginning is known. Nil if it always is.
  func track(from shown: ShownValues) -> AnimationTrack?
}

extension TrackSource {
  @usableFromInline
  func track(from shown: ShownValues) -> AnimationTrack? { nil }
}

@usableFromInline
struct EndValues<Value: Animatable>: TrackSource {
  let key: AnimatableKey<Value>
  let from: Value?
  let to: Value?
  let by: Value?
  let velocity: Value?

  @usableFromInline
  init(key: AnimatableKey<Value>, from: Value?, to: Value?, by: Value?, velocity: Value?) {
    (self.key, self.from, self.to, self.by, self.velocity) = (key, from, to, by, velocity)
  }

  @usableFromInline
  var property: AnimatableProperty { key.property }
  @usableFromInline
  var trackValues: TrackValues { .ends(from: from, to: to, by: by, velocity: velocity) }

  @usableFromInline
  func track(from shown: ShownValues) -> AnimationTrack? {
    let isKnown = from != nil || (to != nil && by != nil)
    let velocity = shown.later.map { shown.now[key].negated.adding($0[key]) }
    return AnimationTrack(key, from: isKnown ? from : shown.now[key], to: to, by: by, velocity: velocity)
  }
}

@usableFromInline
struct KeyframeValues<Value: Animatable>: TrackSource {
  @usableFromInline
  let property: AnimatableProperty
  let values: [Value]
  let keyTimes: [Double]?
  let calculationMode: CalculationMode
  let timingFunctions: [TimingFunction]
  let curveShape: CurveShape

  @usableFromInline
  init(
    property: AnimatableProperty, values: [Value], keyTimes: [Double]?, calculationMode: CalculationMode,
    timingFunctions: [TimingFunction], curveShape: CurveShape
  ) {
    (self.property, self.values, self.keyTimes, self.calculationMode) = (property, values, keyTimes, calculationMode)
    (self.timingFunctions, self.curveShape) = (timingFunctions, curveShape)
  }

  @usableFromInline
  var trackValues: TrackValues {
    .keyframes(values, keyTimes: keyTimes, calculationMode, timingFunctions: timingFunctions, curveShape)
  }
}

struct PathValues: TrackSource {
  let property: AnimatableProperty
  let path: Path
  let keyTimes: [Double]?
  let calculationMode: CalculationMode
  let timingFunctions: [TimingFunction]
  let rotationMode: KeyframeAnimation.RotationMode?

  var trackValues: TrackValues {
    .path(path, keyTimes: keyTimes, calculationMode, timingFunctions: timingFunctions, rotationMode)
  }
}
