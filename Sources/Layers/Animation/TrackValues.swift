public import Raster

/// The values that a track was made of, as the animation's maker gave them.
@usableFromInline
package enum TrackValues: Sendable {
  /// The velocity is the change in a millisecond, with which the property moves at the beginning.
  case ends(AnimationEnds, velocity: (any Animatable)?)
  case keyframes([any Animatable], KeyframeTiming, CurveShape)
  case path(Path, KeyframeTiming, KeyframeAnimation.RotationMode?)
}

/// The values that an animation goes between.
@usableFromInline
package struct AnimationEnds: Sendable {
  package var from: (any Animatable)?
  package var to: (any Animatable)?
  package var by: (any Animatable)?

  package init(from: (any Animatable)? = nil, to: (any Animatable)? = nil, by: (any Animatable)? = nil) {
    (self.from, self.to, self.by) = (from, to, by)
  }
}

/// The values of a track with their types.
@usableFromInline
protocol TrackSource: Sendable {
  var property: AnimatableProperty { get }
  var trackValues: TrackValues { get }
  /// True while neither `from` nor `to` nor `by` is given.
  var isOpen: Bool { get }
  /// A plain track of the same values, which begins at the value that is shown unless its beginning is known. Nil if it always is.
  func track(from shown: ShownValues) -> AnimationTrack?
}

extension TrackSource {
  @usableFromInline
  var isOpen: Bool { false }
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
  var trackValues: TrackValues { .ends(AnimationEnds(from: from, to: to, by: by), velocity: velocity) }
  @usableFromInline
  var isOpen: Bool { from == nil && to == nil && by == nil }

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
  let timing: KeyframeTiming
  let curveShape: CurveShape

  @usableFromInline
  init(_ property: AnimatableProperty, _ values: [Value], _ timing: KeyframeTiming, _ curveShape: CurveShape) {
    (self.property, self.values, self.timing, self.curveShape) = (property, values, timing, curveShape)
  }

  @usableFromInline
  var trackValues: TrackValues { .keyframes(values, timing, curveShape) }
}

struct PathValues: TrackSource {
  let property: AnimatableProperty
  let path: Path
  let timing: KeyframeTiming
  let rotationMode: KeyframeAnimation.RotationMode?

  var trackValues: TrackValues { .path(path, timing, rotationMode) }
}
