import Geometry
import LinuxSystem
import Raster
import Testing

@testable import Layers

extension FactTests {
  @Test func keyframes() {
    for fact in FactCase.all("keyframe.value") {
      let input = fact.in
      let shape = CurveShape(
        tensions: input["tension"].numbers ?? [], continuities: input["continuity"].numbers ?? [],
        biases: input["bias"].numbers ?? [])
      var animation = KeyframeAnimation(
        .opacity, values: input["values"].numbers ?? [], keyTimes: input["keyTimes"].numbers, calculationMode: input.mode,
        timingFunctions: input.timingFunctions, curveShape: shape)
      animation.duration = .seconds(1)
      animation.timingFunction = input["tf"].text.flatMap(TimingFunction.init(named:))
      let model = values(input["model"], AnimatableKey<Double>.opacity)
      expect(fact, [shown(animation, over: model, at: input["fraction"].number ?? 0).opacity])
    }
  }

  @Test func paths() {
    for fact in FactCase.all("keyframe.path") {
      let input = fact.in
      var animation = KeyframeAnimation(
        .position, path: input.path, keyTimes: input["keyTimes"].numbers, calculationMode: input.mode,
        timingFunctions: input.timingFunctions)
      animation.duration = .seconds(1)
      let place = shown(animation, over: AnimatableValues(), at: input["fraction"].number ?? 0).position
      expect(fact, place.numbers)
    }
  }
}

extension JSONValue {
  fileprivate var mode: CalculationMode { CalculationMode(rawValue: self["mode"].text ?? "linear") ?? .linear }

  fileprivate var timingFunctions: [TimingFunction] {
    (self["timingFunctions"].array ?? []).compactMap { $0.text.flatMap(TimingFunction.init(named:)) }
  }

  fileprivate var path: Path {
    var path = Path()
    for element in self["path"].array ?? [] {
      let numbers = element.numbers ?? []
      func point(_ index: Int) -> Point { Point(numbers[index], numbers[index + 1]) }
      switch element.array?.first?.text {
      case "M": path.move(to: point(0))
      case "L": path.line(to: point(0))
      case "C": path.cubicCurve(to: point(4), control1: point(0), control2: point(2))
      default: path.close()
      }
    }
    return path
  }
}

extension TimingFunction {
  init?(named name: String) {
    let functions: [String: TimingFunction] = [
      "linear": .linear, "easeIn": .easeIn, "easeOut": .easeOut, "easeInEaseOut": .easeInEaseOut, "default": .default,
    ]
    guard let function = functions[name] else { return nil }
    self = function
  }
}
