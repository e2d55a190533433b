import Geometry
import LinuxSystem
import Testing

@testable import Layers

extension FactTests {
  @Test func groups() {
    for fact in FactCase.all("group") {
      let input = fact.in
      var group = AnimationGroup(
        (input["children"].array ?? []).map { child in
          var animation = BasicAnimation(key(child["property"]), from: child["from"].number, to: child["to"].number)
          animation.timing = child.timing
          return animation
        })
      group.timing = input["group"].timing
      var model = AnimatableValues()
      for (name, value) in input["model"].object ?? [:] { model[key(.text(name))] = value.number ?? 0 }
      let values = shown(group, over: model, at: input["t"].number ?? 0)
      for (name, value) in fact.out.object ?? [:] {
        let got = values[key(.text(name))]
        #expect(abs(got - (value.number ?? .nan)) <= fact.tol, "\(fact.id): \(name) is \(got)")
      }
    }
  }

  @Test func combinations() {
    for fact in FactCase.all("combine") {
      switch fact.in["property"].text {
      case "position": combine(fact, AnimatableKey<Point>.position)
      case "bounds": combine(fact, AnimatableKey<Rect>.bounds)
      default: combine(fact, key(fact.in["property"]))
      }
    }
  }

  private func key(_ name: JSONValue) -> AnimatableKey<Double> { name.text == "opacity" ? .opacity : .positionX }

  private func combine<Value: FactValue>(_ fact: FactCase, _ key: AnimatableKey<Value>) {
    var shown = values(fact.in["model"], key)
    for input in fact.in["animations"].array ?? [] {
      func value(_ name: String) -> Value? { input[name].numbers.map(Value.init) }
      let (isAdditive, isCumulative) = (input["additive"].bool ?? false, input["cumulative"].bool ?? false)
      var animation: any Animation
      if let values = input["values"].array {
        var frames = KeyframeAnimation(key, values: values.map { Value($0.numbers ?? []) })
        (frames.isAdditive, frames.isCumulative) = (isAdditive, isCumulative)
        animation = frames
      } else {
        var basic = BasicAnimation(key, from: value("from"), to: value("to"), by: value("by"))
        (basic.isAdditive, basic.isCumulative) = (isAdditive, isCumulative)
        animation = basic
      }
      animation.timing = input.timing
      shown = self.shown(animation, over: shown, at: fact.in["t"].number ?? 0)
    }
    expect(fact, shown[key].numbers)
  }
}
