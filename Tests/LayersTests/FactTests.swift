import Geometry
import LinuxSystem
import Testing

@testable import Layers

/// Runs every case of `Facts/cases.json`.
@Suite struct FactTests {
  /// The kinds of cases, with their number: no case is left out without being noticed.
  private static let counts = [
    "timing.value": 158, "bezier.value": 89, "basic.value": 23,
    "spring.value": 81, "spring.settling": 12, "spring.perceptual": 5,
    "hit": 23, "tree": 5,
    "transform.interpolate": 20, "transform.component": 3,
    "matrix": 5, "convert.point": 14, "convert.rect": 2, "frame.get": 5, "frame.set": 4, "valueFunction": 3,
    "keyframe.value": 63, "keyframe.path": 22,
    "group": 8, "combine": 10, "timing.convert": 25, "timing.throughLayer": 3,
    "default": 49, "gravity": 42, "nineparts": 5,
    "events": 4, "transaction": 1,
  ]

  @Test func everyKindIsRun() {
    var counts: [String: Int] = [:]
    for fact in FactCase.all { counts[fact.kind, default: 0] += 1 }
    #expect(counts == Self.counts && FactCase.all.count == 684)
  }

  @Test func timing() {
    for fact in FactCase.all("timing.value") {
      let input = fact.in
      let shown = values(input["model"], .opacity)
      let animation = BasicAnimation(.opacity, from: input["from"].number, to: input["to"].number)
      var timed = animation
      timed.timing = input.timing
      expect(fact, [self.shown(timed, over: shown, at: input["t"].number ?? 0).opacity])
      let moment = TimedAnimation(timed, .tests).timing.moment(at: seconds(input["t"].number ?? 0))
      #expect((moment != nil) == fact.inEffect, "\(fact.id)")
    }
  }

  @Test func curves() {
    for fact in FactCase.all("bezier.value") {
      let c = fact.in["c"].numbers ?? []
      expect(fact, [TimingFunction(c[0], c[1], c[2], c[3]).progress(at: fact.in["x"].number ?? 0)])
    }
  }

  @Test func springs() {
    for fact in FactCase.all("spring.value") {
      var animation = SpringAnimation(.opacity, from: 0, to: 1, spring: fact.in.spring)
      animation.duration = .seconds(fact.in["duration"].number ?? 100)
      expect(fact, [shown(animation, over: AnimatableValues(), at: fact.in["t"].number ?? 0).opacity])
    }
    for fact in FactCase.all("spring.settling") {
      // The longest time of ours stands for the largest number of theirs.
      if fact.tags == ["undamped-never-ends"] {
        #expect(fact.in.spring.settlingDuration == .forever)
      } else {
        expect(fact, [fact.in.spring.settlingDuration.seconds])
      }
    }
    for fact in FactCase.all("spring.perceptual") {
      let duration = Nanoseconds.seconds(fact.in["duration"].number ?? 0)
      let spring = Spring(perceptualDuration: duration, bounce: fact.in["bounce"].number ?? 0)
      let out = fact.out
      #expect(abs(spring.stiffness - (out["stiffness"].number ?? 0)) < fact.tol, "\(fact.id)")
      #expect(abs(spring.damping - (out["damping"].number ?? 0)) < fact.tol, "\(fact.id)")
      guard let settling = out["settling"].number else { continue }
      #expect(abs(spring.settlingDuration.seconds - settling) < fact.tol, "\(fact.id)")
    }
  }

  @Test func transforms() {
    for fact in FactCase.all("transform.interpolate") {
      let (from, to) = (Affine(fact.in["from"].numbers ?? []), Affine(fact.in["to"].numbers ?? []))
      expect(fact, from.mixed(with: to, fraction: fact.in["fraction"].number ?? 0).numbers)
    }
    for fact in FactCase.all("transform.component") {
      let keys: [String: AnimatableKey<Double>] = [
        "transform.scale": .transformScale, "transform.scale.x": .transformScaleX, "transform.rotation.z": .rotation,
      ]
      guard let key = keys[fact.in["property"].text ?? ""] else { Issue.record("\(fact.id)"); continue }
      var animation = BasicAnimation(key, from: fact.in["from"].number, to: fact.in["to"].number)
      animation.duration = .seconds(1)
      let model = values(fact.in["model"], AnimatableKey<Transform3D>.transform)
      expect(fact, shown(animation, over: model, at: fact.in["fraction"].number ?? 0).affineTransform.numbers)
    }
  }

  @Test func basic() {
    for fact in FactCase.all("basic.value") {
      switch fact.in["type"].text {
      case "number": basic(fact, AnimatableKey<Double>.opacity)
      case "point": basic(fact, AnimatableKey<Point>.position)
      case "rect": basic(fact, AnimatableKey<Rect>.bounds)
      default: basic(fact, AnimatableKey<Color>.backgroundColor)
      }
    }
  }

  private func basic<Value: FactValue>(_ fact: FactCase, _ key: AnimatableKey<Value>) {
    let input = fact.in
    func value(_ name: String) -> Value? { input[name].numbers.map(Value.init) }
    var animation = BasicAnimation(key, from: value("from"), to: value("to"), by: value("by"))
    // The animation of a change from 1 begins there.
    if fact.tags?.contains("implicit") == true { animation = BasicAnimation(key, from: Value([1])) }
    animation.duration = .seconds(1)
    let shown = shown(animation, over: values(input["model"], key), at: input["fraction"].number ?? 0)
    expect(fact, shown[key].numbers)
  }
}

// MARK: - Help

extension FactTests {
  func seconds(_ count: Double) -> MonotonicTime { .zero + .seconds(count) }

  func values<Value: FactValue>(_ model: JSONValue, _ key: AnimatableKey<Value>) -> AnimatableValues {
    var values = AnimatableValues()
    if let numbers = model.numbers { values[key] = Value(numbers) }
    return values
  }

  func shown(_ animation: any Animation, over values: AnimatableValues, at time: Double) -> AnimatableValues {
    var values = values
    let timed = TimedAnimation(animation, .tests).begun(at: .zero)
    timed.apply(to: &values, at: seconds(time))
    return values
  }

  func expect(_ fact: FactCase, _ got: [Double], sourceLocation: SourceLocation = #_sourceLocation) {
    let expected = fact.out.numbers ?? []
    let isClose = got.count == expected.count && zip(got, expected).allSatisfy { abs($0 - $1) <= fact.tol + 1e-12 }
    #expect(isClose, "\(fact.id): \(got) instead of \(expected)", sourceLocation: sourceLocation)
  }
}

extension TimedAnimation.Defaults {
  static let tests = Self(duration: .milliseconds(250), timingFunction: .linear)
}

extension JSONValue {
  /// The timing of an animation in a case.
  var timing: MediaTiming {
    var timing = MediaTiming()
    timing.beginTime = .zero + .seconds(self["begin"].number ?? 0)
    timing.duration = .seconds(self["duration"].number ?? 1)
    timing.speed = self["speed"].number ?? 1
    timing.timeOffset = .seconds(self["offset"].number ?? 0)
    timing.repeatCount = self["repeatCount"].number ?? 0
    timing.repeatDuration = .seconds(self["repeatDuration"].number ?? 0)
    timing.autoreverses = self["autoreverses"].bool ?? false
    timing.fillMode = MediaTiming.FillMode(rawValue: self["fill"].text ?? "removed") ?? .removed
    return timing
  }
}

extension JSONValue {
  /// The spring of a case.
  var spring: Spring {
    var spring = Spring()
    spring.mass = self["mass"].number ?? 1
    spring.stiffness = self["stiffness"].number ?? 100
    spring.damping = self["damping"].number ?? 10
    spring.initialVelocity = self["velocity"].number ?? 0
    spring.allowsOverdamping = self["allowsOverdamping"].bool ?? false
    return spring
  }
}

/// A type of values that cases have.
protocol FactValue: Animatable {
  init(_ numbers: [Double])
  var numbers: [Double] { get }
}

extension Double: FactValue {
  init(_ numbers: [Double]) { self = numbers[0] }
  var numbers: [Double] { [self] }
}
extension Point: FactValue {
  init(_ numbers: [Double]) { self.init(numbers[0], numbers[1]) }
  var numbers: [Double] { [x, y] }
}
extension Rect: FactValue {
  init(_ numbers: [Double]) { self.init(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]) }
  var numbers: [Double] { [minX, minY, width, height] }
}
extension Color: FactValue {
  init(_ numbers: [Double]) { self.init(red: numbers[0], green: numbers[1], blue: numbers[2], alpha: numbers[3]) }
  var numbers: [Double] { [red, green, blue, alpha] }
}
extension Affine: FactValue {
  init(_ numbers: [Double]) {
    self.init(a: numbers[0], b: numbers[1], c: numbers[2], d: numbers[3], tx: numbers[4], ty: numbers[5])
  }
  var numbers: [Double] { [a, b, c, d, tx, ty] }
}
