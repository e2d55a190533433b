/// The change of a layer's values by an animation, whatever its kind and the type of the values.
public struct AnimationMotion: Sendable {
  enum Form {
    /// One property. The spring, if any, says how much of the way is covered, instead of the time alone.
    case track(AnimationTrack, Spring?)
    /// Animations on the clock of this one.
    case group([any Animation])
    /// Between two pictures of the layer.
    case transition(Transition)
  }

  let form: Form

  /// The transition, of one between two pictures.
  var transition: Transition? { if case .transition(let transition) = form { transition } else { nil } }

  /// True if it begins at the value on screen: for a single property for which no value is given, or with its velocity.
  var beginsAtShown: Bool { if case .track(let track, _) = form { track.isOpen || track.keepsVelocity } else { false } }

  /// True if it begins with the velocity that its property has on screen.
  var keepsVelocity: Bool { if case .track(let track, _) = form { track.keepsVelocity } else { false } }
}

/// The values of one property from the beginning to the end of an animation, whatever their type.
@usableFromInline
package struct AnimationTrack: Sendable {
  /// Puts the value of a step into `values`, which hold the value that would be shown without the animation.
  @usableFromInline
  let apply: @Sendable (_ values: inout AnimatableValues, _ step: AnimationStep) -> Void
  /// The values that it was made of.
  @usableFromInline
  let source: any TrackSource
  /// True if the value goes on top of the one that would be shown without the animation.
  @usableFromInline
  package var isAdditive = false
  /// True if each repetition begins where the last one ended.
  @usableFromInline
  package var isCumulative = false
  /// True if it begins with the velocity that its property has on screen.
  @usableFromInline
  package var keepsVelocity = false

  /// True while neither `from` nor `to` nor `by` is given.
  var isOpen: Bool { source.isOpen }
  package var property: AnimatableProperty { source.property }
  package var values: TrackValues { source.trackValues }

  /// A track whose values are all known.
  @inlinable
  init(_ source: any TrackSource, apply: @escaping @Sendable (inout AnimatableValues, AnimationStep) -> Void) {
    self.apply = apply
    self.source = source
  }

  // Inlinable: the compiler makes code for the type of the values where it is known, which is 40 times as fast.
  //
  // `velocity` is the change in a millisecond, with which the property moves at the beginning.
  @inlinable
  init<Value>(_ key: AnimatableKey<Value>, from: Value?, to: Value?, by: Value?, velocity: Value? = nil) {
    // The value that would be shown is not asked for where both ends are given.
    let ends: (first: Value, last: Value)? =
      switch (from, to, by) {
      case (let from?, let to?, _): (from, to)
      case (let from?, nil, let by?): (from, from.adding(by))
      case (nil, let to?, let by?): (to.adding(by.negated), to)
      default: nil
      }
    apply = { values, step in
      let (first, last): (Value, Value)
      if let ends {
        (first, last) = ends
      } else {
        let shown = values[key]
        let current = step.isAdditive ? shown.adding(shown.negated) : shown
        (first, last) = (from ?? current, to ?? by.map { current.adding($0) } ?? current)
      }
      // Ends are given back as they are, without rounding.
      var value = step.progress == 0 ? first : step.progress == 1 ? last : first.mixed(with: last, fraction: step.progress)
      if let velocity { value = value.adding(velocity.adding(velocity.negated).mixed(with: velocity, fraction: step.push)) }
      values[key] = step.result(value, last: last, over: values[key])
    }
    source = EndValues(key: key, from: from, to: to, by: by, velocity: velocity)
  }

  /// The same track, which begins at the value that is shown unless its beginning is known. One that is added to the other values
  /// begins at no change.
  func begun(at shown: ShownValues) -> AnimationTrack {
    guard !isAdditive, var track = source.track(from: shown) else { return self }
    (track.isCumulative, track.keepsVelocity) = (isCumulative, keepsVelocity)
    return track
  }
}

/// The values on screen when an animation begins.
@usableFromInline
struct ShownValues: Sendable {
  @usableFromInline
  var now: AnimatableValues
  /// The values a millisecond later; nil if the velocity is not asked for.
  @usableFromInline
  var later: AnimatableValues?
}

/// A place in an animation, and how the value there is shown.
@usableFromInline
struct AnimationStep: BitwiseCopyable, Sendable {
  /// The covered part of the way, by the timing function: mostly in 0…1.
  @usableFromInline
  let progress: Double
  /// The number of last values that earlier repetitions have added up to.
  @usableFromInline
  let rounds: Int
  @usableFromInline
  let isAdditive: Bool
  /// The milliseconds' worth of the velocity at the beginning that is covered.
  @usableFromInline
  let push: Double

  init(progress: Double, push: Double, rounds: Int, isAdditive: Bool) {
    self.progress = progress
    self.push = push
    self.rounds = rounds
    self.isAdditive = isAdditive
  }

  /// The value to show for a track's `value` here.
  ///
  /// - Parameters:
  ///   - last: the track's last value.
  ///   - shown: the value that would be shown without the animation.
  @inlinable
  func result<Value: Animatable>(_ value: Value, last: Value, over shown: @autoclosure () -> Value) -> Value {
    let value = rounds > 0 ? value.adding(last, times: rounds) : value
    return isAdditive ? shown().adding(value) : value
  }
}

extension Animatable {
  /// This value with `change` on top so many times, by doubling the change.
  @inlinable
  func adding(_ change: Self, times count: Int) -> Self {
    var (result, change, rest) = (self, change, count)
    while rest > 0 {
      if rest & 1 == 1 { result = result.adding(change) }
      change = change.adding(change)
      rest >>= 1
    }
    return result
  }
}
