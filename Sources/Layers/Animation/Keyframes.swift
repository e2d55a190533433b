/// The values of an animation through several key frames: segments of its time that follow each other without a gap. Empty if
/// there is nothing to move.
@usableFromInline
struct Keyframes<Value: Animatable>: Sendable {
  @usableFromInline
  struct Segment: Sendable {
    /// Parts of the animation's time, 0…1.
    @usableFromInline
    let begin: Double
    @usableFromInline
    let end: Double
    /// Bends the time inside the segment.
    @usableFromInline
    let timingFunction: TimingFunction
    @usableFromInline
    let shape: Shape

    init(_ shape: Shape, from begin: Double, to end: Double, _ timingFunction: TimingFunction = .linear) {
      self.begin = begin
      self.end = end
      self.timingFunction = timingFunction
      self.shape = shape
    }

    /// The part of the segment's way at a time inside it.
    @inlinable
    func part(at time: Double) -> Double { timingFunction.progress(at: (time - begin) / (end - begin)) }
  }

  @usableFromInline
  enum Shape: Sendable {
    case hold(Value)
    case line(Value, Value)
    /// A cubic Bézier curve.
    case curve(Value, Value, Value, Value)

    @inlinable
    var first: Value {
      switch self {
      case .hold(let value), .line(let value, _), .curve(let value, _, _, _): value
      }
    }

    @inlinable
    var last: Value {
      switch self {
      case .hold(let value), .line(_, let value), .curve(_, _, _, let value): value
      }
    }

    @inlinable
    func value(at part: Double) -> Value {
      switch self {
      case .hold(let value):
        return value
      case .line(let from, let to):
        return from.mixed(with: to, fraction: part)
      case .curve(let from, let control1, let control2, let to):
        let middle = control1.mixed(with: control2, fraction: part)
        let left = from.mixed(with: control1, fraction: part).mixed(with: middle, fraction: part)
        let right = middle.mixed(with: control2.mixed(with: to, fraction: part), fraction: part)
        return left.mixed(with: right, fraction: part)
      }
    }
  }

  @usableFromInline
  let segments: [Segment]

  init(_ segments: [Segment]) { self.segments = segments }

  @inlinable
  var last: Value? { segments.last?.shape.last }

  /// The value at a part of the animation's time. There is one unless the key frames are empty.
  @inlinable
  func value(at time: Double) -> Value? {
    guard let index = index(at: time) else { return nil }
    let segment = segments[index]
    if time >= segment.end { return segment.shape.last }
    return time < segment.begin ? segment.shape.first : segment.shape.value(at: segment.part(at: time))
  }

  /// The last segment that has begun at a time, the first one before that.
  @inlinable
  func index(at time: Double) -> Int? {
    guard !segments.isEmpty else { return nil }
    var (low, high) = (0, segments.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if segments[middle].begin <= time { low = middle } else { high = middle }
    }
    return low
  }
}

// MARK: - From values

/// The way in which a ``KeyframeAnimation`` goes from one key frame to the next.
public enum CalculationMode: String, CaseIterable, Hashable, Sendable {
  /// Straight, each way in its own time.
  case linear
  /// Each value stands until the next one's time comes. There is one key time more than there are values: the end of the last.
  case discrete
  /// Straight, as fast everywhere. Key times and timing functions are not looked at.
  case paced
  /// Through all values on a smooth curve.
  case cubic
  /// On a smooth curve, with times by the distances of the values. Key times and timing functions are not looked at.
  case cubicPaced

  package var isPaced: Bool { self == .paced || self == .cubicPaced }
}

/// The shape of a smooth curve at its key frames, by Kochanek and Bartels. A value that is missing is 0, which makes a
/// Catmull-Rom spline.
public struct CurveShape: Hashable, Sendable {
  /// Above 0 the curve is tighter at the key frame, below 0 rounder.
  public var tensions: [Double]
  /// Other than 0 there is a corner at the key frame.
  public var continuities: [Double]
  /// Above 0 the curve goes beyond the key frame, below 0 it turns ahead of it.
  public var biases: [Double]

  public init(tensions: [Double] = [], continuities: [Double] = [], biases: [Double] = []) {
    self.tensions = tensions
    self.continuities = continuities
    self.biases = biases
  }
}

extension Keyframes {
  @usableFromInline
  init(_ values: [Value], _ timing: KeyframeTiming, _ shape: CurveShape) {
    let mode = timing.calculationMode
    let ways = mode == .discrete ? values.count : values.count - 1
    let times = timing.times(ofWays: ways, lengths: zip(values, values.dropFirst()).map { $0.distance(to: $1) })
    // Values and times without a counterpart are left out.
    let count = min(ways, times.count - 1)
    guard values.count > 1, count > 0 else {
      segments = []
      return
    }
    let curve = Curve(values: Array(values.prefix(count + 1)), times: times, shape: shape)
    segments = (0..<count).map { index in
      let form: Shape =
        switch mode {
        case .discrete: .hold(values[index])
        case .linear, .paced: .line(values[index], values[index + 1])
        case .cubic, .cubicPaced:
          .curve(values[index], curve.control(after: index), curve.control(before: index + 1), values[index + 1])
        }
      return Segment(form, from: times[index], to: times[index + 1], timing.timingFunction(ofWay: index))
    }
  }

  /// A smooth curve through values. Its tangents are made by mixing alone, so that values of any type can follow it.
  private struct Curve {
    let values: [Value]
    let times: [Double]
    let shape: CurveShape

    /// The second control point of the way that leaves a value.
    func control(after index: Int) -> Value { control(index, side: 1) }
    /// The third control point of the way that arrives at a value.
    func control(before index: Int) -> Value { control(index, side: -1) }

    private func control(_ index: Int, side: Double) -> Value {
      func parameter(_ list: [Double]) -> Double { list.indices.contains(index) && list[index].isFinite ? list[index] : 0 }
      let (tension, bias) = (1 - parameter(shape.tensions), parameter(shape.biases))
      let continuity = parameter(shape.continuities) * side
      let value = values[index]
      // The ways before and after the value: at the ends one goes straight on.
      let isFirst = index == 0
      let isLast = index == values.count - 1
      let before = isFirst ? value.mixed(with: values[index + 1], fraction: -1) : values[index - 1]
      let after = isLast ? value.mixed(with: values[index - 1], fraction: -1) : values[index + 1]
      let left = times[isFirst ? 1 : index] - times[isFirst ? 0 : index - 1]
      let right = times[isLast ? index : index + 1] - times[isLast ? index - 1 : index]
      let share = left + right > 0 ? (side > 0 ? right : left) * 2 / (left + right) : 1
      // Their weights in the tangent, of which a third leads to the control point.
      let toLeft = tension * (1 + continuity) * (1 + bias) / 2 * share / 3 * side
      let toRight = tension * (1 - continuity) * (1 - bias) / 2 * share / 3 * side
      // The sum of both steps is the middle between twice each.
      let first = before.mixed(with: value, fraction: 1 + 2 * toLeft)
      return first.mixed(with: value.mixed(with: after, fraction: 2 * toRight), fraction: 0.5)
    }
  }
}
