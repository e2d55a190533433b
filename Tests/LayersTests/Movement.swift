import Geometry
import LinuxSystem

@testable import Layers

/// A property that the programs of `RandomModelTests` move, and the numbers of the layer that belong to it.
enum MovedProperty: CaseIterable {
  case positionX
  case position
  case opacity
  case cornerRadius
  /// A property that a kind of layer adds.
  case level

  /// The places in `ShownNumbers.values`.
  var places: [Int] {
    switch self {
    case .positionX: [0]
    case .position: [0, 1]
    case .opacity: [2]
    case .cornerRadius: [3]
    case .level: [4]
    }
  }

  var name: String {
    switch self {
    case .positionX: "position.x"
    case .position: "position"
    case .opacity: "opacity"
    case .cornerRadius: "cornerRadius"
    case .level: "level"
    }
  }

  /// The key of a property of one number.
  var number: AnimatableKey<Double> {
    switch self {
    case .opacity: .opacity
    case .cornerRadius: .cornerRadius
    case .level: .movedLevel
    case .positionX, .position: .positionX
    }
  }
}

extension AnimatableKey where Value == Double {
  static var movedLevel: Self { Self("level", default: 0) }
}

/// All that is seen of a layer's animations: x, y, opacity, corner radius and level, and how far its transition is.
struct ShownNumbers {
  var values: [Double]
  var transition: Double?
}

/// An animation as plain numbers, in seconds, and what it shows: written down from the meaning of media timing, step by step.
struct Movement {
  enum Way {
    case basic(from: [Double]?, to: [Double]?, by: [Double]?)
    case spring(from: [Double]?, to: [Double]?, by: [Double]?, Spring, keepsVelocity: Bool)
    case keys([[Double]], times: [Double])
    case group([Movement])
    case transition(from: Double, to: Double)
  }

  var way: Way
  var property: MovedProperty
  /// Nil: by the commit.
  var begin: Double?
  var isBegunByCommit = false
  /// Nil: left open.
  var duration: Double?
  var curve: TimingFunction?
  var speed = 1.0
  var offset = 0.0
  var repeats = 1.0
  var repeatDuration = 0.0
  var autoreverses = false
  var fill = MediaTiming.FillMode.removed
  var isAdditive = false
  var isCumulative = false
  var isKept = false
  /// The change of the property in a second with which it begins, besides that of the spring itself.
  var velocity: [Double]?

  /// The same in the model's own words.
  var animation: any Animation {
    var result: any Animation
    switch way {
    case .group(let members): result = AnimationGroup(members.map(\.animation))
    case .transition(let from, let to):
      var transition = Transition()
      (transition.startProgress, transition.endProgress) = (from, to)
      result = transition
    default: result = property == .position ? track(AnimatableKey<Point>.position) : track(property.number)
    }
    result.beginTime = begin.map { .zero + .seconds($0) }
    (result.duration, result.speed, result.timeOffset) = (duration.map { .seconds($0) }, speed, .seconds(offset))
    (result.repeatCount, result.repeatDuration) = (repeats, .seconds(repeatDuration))
    (result.autoreverses, result.fillMode, result.timingFunction) = (autoreverses, fill, curve)
    result.isRemovedOnCompletion = !isKept
    return result
  }

  private func track<Value: FactValue>(_ key: AnimatableKey<Value>) -> any Animation {
    switch way {
    case .spring(let from, let to, let by, let spring, let keepsVelocity):
      var animation = SpringAnimation(
        key, from: from.map(Value.init), to: to.map(Value.init), by: by.map(Value.init), spring: spring)
      (animation.isAdditive, animation.keepsVelocity) = (isAdditive, keepsVelocity)
      return animation
    case .keys(let values, let times):
      var frames = KeyframeAnimation(key, values: values.map(Value.init), keyTimes: times)
      (frames.isAdditive, frames.isCumulative) = (isAdditive, isCumulative)
      return frames
    case .basic(let from, let to, let by):
      var basic = BasicAnimation(key, from: from.map(Value.init), to: to.map(Value.init), by: by.map(Value.init))
      (basic.isAdditive, basic.isCumulative) = (isAdditive, isCumulative)
      return basic
    case .group, .transition: return AnimationGroup([])
    }
  }

  // MARK: Open values

  var isTransition: Bool { if case .transition = way { true } else { false } }

  /// Fills in what an animation leaves open. Members of a group are as long as the group.
  mutating func close(duration inherited: Double, curve inheritedCurve: TimingFunction) {
    switch way {
    case .basic, .keys, .transition:
      duration = duration ?? inherited
      curve = curve ?? inheritedCurve
    case .spring(_, _, _, let spring, _):
      duration = duration ?? spring.settlingDuration.seconds
      curve = curve ?? .linear
    case .group(var members):
      duration = duration ?? inherited
      curve = curve ?? .linear
      for index in members.indices {
        members[index].close(duration: duration ?? inherited, curve: .linear)
        members[index].begin = members[index].begin ?? 0
      }
      way = .group(members)
    }
  }

  /// True if it needs to know what is on screen: where no value is given, and where it goes on with the velocity there.
  var beginsAtShown: Bool {
    switch way {
    case .basic(nil, nil, nil), .spring(nil, nil, nil, _, _): true
    case .spring(_, _, _, _, let keepsVelocity): keepsVelocity
    default: false
    }
  }

  /// Begins at the values on screen, and with the way that they go in the next millisecond of its own clock.
  mutating func begin(at shown: ShownNumbers, later: ShownNumbers?) {
    guard beginsAtShown, !isAdditive else { return }
    let now = property.places.map { shown.values[$0] }
    switch way {
    case .basic(nil, nil, nil): way = .basic(from: now, to: nil, by: nil)
    case .spring(let from, let to, let by, let spring, let keepsVelocity):
      let isKnown = from != nil || (to != nil && by != nil)
      way = .spring(from: isKnown ? from : now, to: to, by: by, spring, keepsVelocity: keepsVelocity)
      if keepsVelocity, let later { velocity = zip(property.places, now).map { (later.values[$0] - $1) * 1000 } }
    default: break
    }
  }

  // MARK: Shown values

  /// Its whole time on its own clock.
  private var total: Double {
    guard repeatDuration <= 0 else { return repeatDuration }
    return wholeNanoseconds((duration ?? 0) * (repeats > 0 ? repeats : 1) * (autoreverses ? 2 : 1))
  }

  func isOver(at time: Double) -> Bool {
    guard let begin, speed != 0 else { return false }
    return time >= wholeNanoseconds(begin + wholeNanoseconds(total / abs(speed)))
  }

  /// Puts what is shown at a time of the layer's clock over what would be shown without it.
  func apply(to shown: inout ShownNumbers, at given: Double) {
    let begin = begin ?? given
    guard let duration, let curve else { return }
    let time = isBegunByCommit ? max(given, begin) : given
    var own = wholeNanoseconds((time - begin) * abs(speed))
    if time < begin {
      guard fill == .backwards || fill == .both else { return }
      own = 0
    } else if own > total {
      guard fill == .forwards || fill == .both else { return }
      own = total
    }
    // The repetitions, one by one.
    var rest = speed < 0 ? offset - own : offset + own
    var round = 0
    while rest < 0 { (rest, round) = (rest + duration, round - 1) }
    while rest > duration - 1e-9 { (rest, round) = (max(rest - duration, 0), round + 1) }
    let isEnd = speed > 0 ? own == total : speed == 0 && abs(offset - total) < 1e-9
    if isEnd && rest < 1e-9 && round > 0 { (rest, round) = (duration, round - 1) }
    var part = rest / duration
    if autoreverses && !round.isMultiple(of: 2) { part = 1 - part }
    let covered = curve.progress(at: part)
    switch way {
    case .transition(let from, let to): shown.transition = from + (to - from) * covered
    case .group(let members):
      for member in members where !member.isTransition {
        member.apply(to: &shown, at: wholeNanoseconds(covered * duration))
      }
    default:
      for (index, place) in property.places.enumerated() {
        let value = value(index, under: isAdditive ? 0 : shown.values[place], covered, duration, round)
        shown.values[place] = isAdditive ? shown.values[place] + value : value
      }
    }
  }

  /// One number, where the animation of which it is a part is in its own time.
  private func value(_ index: Int, under: Double, _ covered: Double, _ duration: Double, _ round: Int) -> Double {
    let adds = isCumulative && !autoreverses && round > 0 ? Double(round) : 0
    switch way {
    case .basic(let from, let to, let by):
      let (first, last) = Self.ends(from?[index], to?[index], by?[index], under)
      return first + (last - first) * covered + last * adds
    case .spring(let from, let to, let by, let spring, _):
      let (first, last) = Self.ends(from?[index], to?[index], by?[index], under)
      return Self.swing(
        spring, from: first, to: last, velocity: (last - first) * spring.initialVelocity + (velocity?[index] ?? 0),
        for: covered * duration)
    case .keys(let values, let times):
      let last = values[values.count - 1][index]
      var value = covered < times[0] ? values[0][index] : last
      for frame in 0..<(values.count - 1) where covered >= times[frame] && covered < times[frame + 1] {
        let share = (covered - times[frame]) / (times[frame + 1] - times[frame])
        value = values[frame][index] + (values[frame + 1][index] - values[frame][index]) * share
      }
      return value + last * adds
    case .group, .transition: return under
    }
  }

  private static func ends(_ from: Double?, _ to: Double?, _ by: Double?, _ under: Double) -> (Double, Double) {
    switch (from, to, by) {
    case (let from?, let to?, _): (from, to)
    case (let from?, nil, let by?): (from, from + by)
    case (nil, let to?, let by?): (to - by, to)
    case (let from?, nil, nil): (from, under)
    case (nil, let to?, nil): (under, to)
    case (nil, nil, let by): (under, under + (by ?? 0))
    }
  }

  /// A mass on a spring with a damper, by small steps of the law of motion: those of Runge and Kutta.
  static func swing(
    _ spring: Spring, from: Double, to: Double, velocity: Double, for seconds: Double, steps: Int? = nil
  ) -> Double {
    let critical = 2 * (spring.stiffness * spring.mass).squareRoot()
    let damping = spring.allowsOverdamping ? spring.damping : min(spring.damping, critical)
    func force(_ x: Double, _ v: Double) -> Double { (spring.stiffness * (to - x) - damping * v) / spring.mass }
    var (x, v) = (from, velocity)
    let count = steps ?? max(Int(seconds / 0.004), 1)
    let step = seconds / Double(count)
    for _ in 0..<count {
      let (x1, v1) = (v, force(x, v))
      let (x2, v2) = (v + v1 * step / 2, force(x + x1 * step / 2, v + v1 * step / 2))
      let (x3, v3) = (v + v2 * step / 2, force(x + x2 * step / 2, v + v2 * step / 2))
      let (x4, v4) = (v + v3 * step, force(x + x3 * step, v + v3 * step))
      x += (x1 + 2 * x2 + 2 * x3 + x4) * step / 6
      v += (v1 + 2 * v2 + 2 * v3 + v4) * step / 6
    }
    return x
  }
}

/// Times that are the same to the nanosecond are the same.
func wholeNanoseconds(_ seconds: Double) -> Double { (seconds * 1e9).rounded() / 1e9 }

/// The clock of a layer, in seconds.
struct LayerTime {
  var begin = 0.0
  var speed = 1.0
  var offset = 0.0

  func time(at outer: Double) -> Double { outer < begin ? 0 : wholeNanoseconds((outer - begin) * speed + offset) }
}

extension [LayerTime] {
  /// True if the last of these clocks, each of which goes by the one before, goes back at a time of the display's.
  func runBackwards(at outer: Double) -> Bool {
    var (time, speed) = (outer, 1.0)
    for clock in self {
      speed *= time < clock.begin ? 0 : clock.speed
      time = clock.time(at: time)
    }
    return speed < 0
  }
}
