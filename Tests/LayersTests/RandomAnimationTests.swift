import Geometry
import LinuxSystem
import RenderTree
import TestLength
import XCTest

@testable import Layers

/// Random programs of animations and clocks, against an evaluator that computes in seconds and steps through the repetitions one
/// by one.
final class RandomAnimationTests: XCTestCase {
  func testPresentationEqualsTheReference() {
    onMain {
      for seed in some(2_000, of: 1...100_000) {
        var program = RandomProgram(seed: UInt64(seed))
        program.run()
        if let failure = program.failure { return XCTFail("seed \(seed): \(failure)") }
      }
    }
  }
}

/// An animation as plain numbers, in seconds.
private struct Movement {
  enum Way {
    case basic(from: Double?, to: Double?, by: Double?)
    case spring(to: Double, Spring)
    case keys([Double], times: [Double])
    case group([Movement])
  }

  var way: Way
  var property: Int
  /// Nil: by the commit.
  var begin: Double?
  var isBegunByCommit = false
  var duration: Double
  var speed: Double
  var offset: Double
  var repeats: Double
  var repeatDuration: Double
  var autoreverses: Bool
  var fill: MediaTiming.FillMode
  var isAdditive: Bool
  var isCumulative: Bool
  var curve: TimingFunction

  static let keys: [AnimatableKey<Double>] = [.positionX, .opacity, .cornerRadius]

  var animation: any Animation {
    var result: any Animation
    switch way {
    case .basic(let from, let to, let by):
      var basic = BasicAnimation(Self.keys[property], from: from, to: to, by: by)
      (basic.isAdditive, basic.isCumulative) = (isAdditive, isCumulative)
      result = basic
    case .spring(let to, let spring):
      var animation = SpringAnimation(Self.keys[property], to: to, spring: spring)
      animation.isAdditive = isAdditive
      result = animation
    case .keys(let values, let times):
      var frames = KeyframeAnimation(Self.keys[property], values: values, keyTimes: times)
      (frames.isAdditive, frames.isCumulative) = (isAdditive, isCumulative)
      result = frames
    case .group(let members):
      result = AnimationGroup(members.map(\.animation))
    }
    result.beginTime = begin.map { .zero + .seconds($0) }
    (result.duration, result.speed, result.timeOffset) = (.seconds(duration), speed, .seconds(offset))
    (result.repeatCount, result.repeatDuration) = (repeats, .seconds(repeatDuration))
    (result.autoreverses, result.fillMode, result.timingFunction) = (autoreverses, fill, curve)
    result.isRemovedOnCompletion = false
    return result
  }

  // MARK: Reference

  /// Puts the values at a time into `shown`.
  func apply(to shown: inout [Double], at given: Double) {
    guard let begin else { return }
    let time = isBegunByCommit ? max(given, begin) : given
    let total = wholeNanoseconds(
      repeatDuration > 0 ? repeatDuration : duration * (repeats > 0 ? repeats : 1) * (autoreverses ? 2 : 1))
    var own = wholeNanoseconds((time - begin) * abs(speed))
    if time < begin {
      guard fill == .backwards || fill == .both else { return }
      own = 0
    } else if own > total {
      guard fill == .forwards || fill == .both else { return }
      own = total
    }
    var rest = speed < 0 ? offset - own : offset + own
    var round = 0
    while rest < 0 { (rest, round) = (rest + duration, round - 1) }
    while rest > duration - 1e-9 { (rest, round) = (max(rest - duration, 0), round + 1) }
    let isEnd = speed > 0 ? own == total : speed == 0 && abs(offset - total) < 1e-9
    if isEnd && rest < 1e-9 && round > 0 { (rest, round) = (duration, round - 1) }
    var part = rest / duration
    if autoreverses && !round.isMultiple(of: 2) { part = 1 - part }
    let covered = curve.progress(at: part)
    if case .group(let members) = way {
      for member in members { member.apply(to: &shown, at: wholeNanoseconds(covered * duration)) }
      return
    }
    let under = isAdditive ? 0 : shown[property]
    let (first, last, share): (Double, Double, Double) =
      switch way {
      case .basic(let from?, let to?, _): (from, to, covered)
      case .basic(let from?, nil, let by): (from, by.map { from + $0 } ?? under, covered)
      case .basic(nil, let to?, let by): (by.map { to - $0 } ?? under, to, covered)
      case .basic(nil, nil, let by): (under, under + (by ?? 0), covered)
      case .spring(let to, let spring): (under, to, spring.position(at: covered * duration))
      case .keys(let values, let times): (value(of: values, times, at: covered), values[values.count - 1], 0)
      case .group: (0, 0, 0)
      }
    var value = first + (last - first) * share
    var isCumulative = isCumulative && !autoreverses
    if case .spring = way { isCumulative = false }
    if isCumulative && round > 0 { value += last * Double(round) }
    shown[property] = isAdditive ? shown[property] + value : value
  }

  private func value(of values: [Double], _ times: [Double], at part: Double) -> Double {
    if part < times[0] { return values[0] }
    for index in 0..<(values.count - 1) where part >= times[index] && part < times[index + 1] {
      let share = (part - times[index]) / (times[index + 1] - times[index])
      return values[index] + (values[index + 1] - values[index]) * share
    }
    return values[values.count - 1]
  }
}

/// Times that are the same to the nanosecond are the same.
private func wholeNanoseconds(_ seconds: Double) -> Double { (seconds * 1e9).rounded() / 1e9 }

/// The clock of a layer, in seconds.
private struct Clock {
  var begin = 0.0
  var speed = 1.0
  var offset = 0.0

  func time(at outer: Double) -> Double { outer < begin ? 0 : wholeNanoseconds((outer - begin) * speed + offset) }
}

/// Turns with random edits of a layer and its superlayer; after each the layer is looked at several times.
@MainActor
private struct RandomProgram {
  private var random: SplitMix64
  private let stage = Stage()
  private let layer = Layer()
  private var clocks = [Clock(), Clock()]
  private var movements: [Movement] = []
  private(set) var failure: String?

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    stage.root.addSublayer(layer)
    layer.position.x = 10
    stage.turn()
  }

  mutating func run() {
    for _ in 0..<6 where failure == nil {
      for _ in 0...(Int.random(in: 0...2, using: &random)) { edit() }
      stage.turn(after: .random(in: 0...400, using: &random))
      let now = local(stage.now.seconds)
      for index in movements.indices where movements[index].begin == nil {
        movements[index].begin = now
        movements[index].isBegunByCommit = true
      }
      for _ in 0..<4 { look(after: .random(in: 1...1_500_000_000, using: &random)) }
    }
  }

  private func local(_ time: Double) -> Double { clocks.reduce(time) { $1.time(at: $0) } }

  private mutating func edit() {
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<6:
      let movement = movement()
      movements.append(movement)
      layer.add(movement.animation)
    case 6:
      movements.removeAll()
      layer.removeAllAnimations()
    default:
      let index = Int.random(in: 0...1, using: &random)
      let now = stage.now.seconds
      clocks[index].speed = [0, 0.5, 1, 2, -1].randomElement(using: &random) ?? 1
      clocks[index].offset = random.chance(0.5) ? 0 : milliseconds(0...900)
      clocks[index].begin = random.chance(0.5) ? 0 : now
      let changed = index == 0 ? stage.root : layer
      changed.speed = clocks[index].speed
      changed.timeOffset = .seconds(clocks[index].offset)
      changed.beginTime = .zero + .seconds(clocks[index].begin)
    }
  }

  private mutating func look(after nanoseconds: Int64) {
    let time = stage.now + Nanoseconds(nanoseconds)
    var expected = [10.0, 1, 0]
    for movement in movements { movement.apply(to: &expected, at: local(time.seconds)) }
    let shown = layer.presentation(at: time)
    let got = Movement.keys.map { shown[$0] }
    // The tree rounds nothing of a place.
    let drawn = stage.context.renderTree(at: time).records[1].transform.tx
    for (got, expected) in zip(got + [drawn], expected + [expected[0]]) where abs(got - expected) > 1e-4 {
      failure =
        "\(self.movements.count) movements: \(got) instead of \(expected) at \(time), "
        + "clocks \(clocks), movements \(movements)"
    }
  }

  private mutating func milliseconds(_ range: ClosedRange<Int>) -> Double {
    Double(Int.random(in: range, using: &random)) / 1000
  }

  private mutating func movement(depth: Int = 0) -> Movement {
    func value(_ random: inout SplitMix64) -> Double? { random.chance(0.6) ? .random(in: -9...9, using: &random) : nil }
    var way: Movement.Way
    switch Int.random(in: 0..<(depth < 2 ? 6 : 5), using: &random) {
    case 0, 1, 2:
      way = .basic(from: .random(in: -9...9, using: &random), to: value(&random), by: value(&random))
    case 3:
      var spring = Spring()
      spring.damping = .random(in: 1...30, using: &random)
      spring.allowsOverdamping = random.chance(0.5)
      way = .spring(to: .random(in: -9...9, using: &random), spring)
    case 4:
      let values = (0...Int.random(in: 1...3, using: &random)).map { _ in Double.random(in: -9...9, using: &random) }
      way = .keys(values, times: values.indices.map { Double($0 + 1) / Double(values.count + 1) })
    default:
      way = .group((0..<Int.random(in: 0...3, using: &random)).map { _ in movement(depth: depth + 1) })
    }
    if case .basic(_, let to, let by) = way, random.chance(0.3), to != nil || by != nil {
      way = .basic(from: nil, to: to, by: by)
    }
    let isInGroup = depth > 0
    return Movement(
      way: way, property: .random(in: 0..<3, using: &random),
      begin: isInGroup ? milliseconds(0...200) : random.chance(0.7) ? nil : milliseconds(0...3000),
      duration: milliseconds(50...700), speed: [1, 1, 1, 2, 0.5, -1, 0].randomElement(using: &random) ?? 1,
      offset: random.chance(0.7) ? 0 : milliseconds(0...900), repeats: Double(Int.random(in: 0...12, using: &random)) / 4,
      repeatDuration: random.chance(0.8) ? 0 : milliseconds(1...900), autoreverses: random.chance(0.3),
      fill: MediaTiming.FillMode.allCases.randomElement(using: &random) ?? .removed, isAdditive: random.chance(0.3),
      isCumulative: random.chance(0.3), curve: random.chance(0.5) ? .linear : .easeInEaseOut)
  }
}
