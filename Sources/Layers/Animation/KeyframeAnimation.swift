public import Geometry
import Glibc
public import Raster

/// A movement of one property of a layer through several values, or along a path.
///
/// ```swift
/// layer.add(KeyframeAnimation(.opacity, values: [0, 1, 0.5, 1], keyTimes: [0, 0.2, 0.6, 1]))
/// var tour = KeyframeAnimation(.position, path: .circle(center: Point(100, 100), radius: 60), calculationMode: .paced)
/// tour.duration = .seconds(3)
/// layer.add(tour)
/// ```
///
/// It has no effect with less than two values, or along a path that leads nowhere. Where there are more values than key times, or
/// the other way round, the ones left over are not used. Before the first key time the first value is shown, after the last one
/// the last.
public struct KeyframeAnimation: Animation {
  public let property: AnimatableProperty
  public var settings = AnimationSettings()
  @usableFromInline
  var track: AnimationTrack

  public var motion: AnimationMotion { AnimationMotion(form: .track(track, nil)) }

  /// See `BasicAnimation.isAdditive`.
  public var isAdditive: Bool {
    get { track.isAdditive }
    set { track.isAdditive = newValue }
  }
  /// See `BasicAnimation.isCumulative`.
  public var isCumulative: Bool {
    get { track.isCumulative }
    set { track.isCumulative = newValue }
  }

  /// The turn of a layer that moves along a path, in front of its own transform.
  public enum RotationMode: String, CaseIterable, Hashable, Sendable {
    /// Its x axis lies along the path.
    case auto
    /// Its x axis lies against the path.
    case autoReverse
  }

  /// A movement through values.
  ///
  /// - Parameters:
  ///   - keyTimes: the times of the values as parts of the duration, in 0…1 and ascending; nil for even ones.
  ///   - timingFunctions: bend the time of each way between two values; `linear` where there is none.
  ///   - curveShape: the shape of the curve in the modes `cubic` and `cubicPaced`.
  @inlinable
  public init<Value>(
    _ key: AnimatableKey<Value>, values: [Value], keyTimes: [Double]? = nil, calculationMode: CalculationMode = .linear,
    timingFunctions: [TimingFunction] = [], curveShape: CurveShape = CurveShape()
  ) {
    property = key.property
    let timing = KeyframeTiming(keyTimes: keyTimes, calculationMode, timingFunctions)
    track = AnimationTrack(
      key, Keyframes(values, timing, curveShape), KeyframeValues(key.property, values, timing, curveShape))
  }

  /// A movement along a path. Each line and curve takes an equal share of the time, a curve by its parameter; in the paced modes
  /// the layer is as fast everywhere. The closing line of a subpath is a line as any; from one subpath to the next it jumps.
  ///
  /// - Parameters:
  ///   - keyTimes: the times at which the lines and curves begin, and the end of the last; nil for even ones.
  ///   - timingFunctions: bend the time of each line and curve.
  ///   - rotationMode: nil for a layer that is not turned.
  public init(
    _ key: AnimatableKey<Point>, path: Path, keyTimes: [Double]? = nil, calculationMode: CalculationMode = .linear,
    timingFunctions: [TimingFunction] = [], rotationMode: RotationMode? = nil
  ) {
    property = key.property
    let timing = KeyframeTiming(keyTimes: keyTimes, calculationMode, timingFunctions)
    let keyframes = Keyframes(path, timing)
    track = AnimationTrack(
      key, keyframes, PathValues(property: key.property, path: path, timing: timing, rotationMode: rotationMode))
    guard let rotationMode else { return }
    track = track.turning { time in keyframes.angle(at: time).map { $0 + (rotationMode == .auto ? 0 : .pi) } }
  }
}

extension AnimationTrack {
  @inlinable
  init<Value>(_ key: AnimatableKey<Value>, _ keyframes: Keyframes<Value>, _ source: any TrackSource) {
    self.init(
      source,
      apply: { values, step in
        guard let value = keyframes.value(at: step.progress), let last = keyframes.last else { return }
        values[key] = step.result(value, last: last, over: values[key])
      })
  }

  /// The same track, which also turns the layer in front of its own transform.
  fileprivate func turning(by angle: @escaping @Sendable (_ time: Double) -> Double?) -> AnimationTrack {
    let apply = apply
    return AnimationTrack(
      source,
      apply: { values, step in
        apply(&values, step)
        if let angle = angle(step.progress) { values.turn(by: angle) }
      })
  }
}
