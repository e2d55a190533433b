import Geometry
import LinuxSystem
import Raster
import RenderTree
import Testing

@testable import Layers

// Cases of the values that properties have at first.

extension FactTests {
  /// The properties that framepace does not have, with the reason. Every other case is run.
  private static let absent = [
    "Layer.cornerCurve": "a corner is a quarter of a circle; there is no other curve",
    "Layer.allowsGroupOpacity": "a layer with its sublayers always fades as one group",
    "Layer.repeatCount": "the clock of a layer lasts for ever: nothing repeats",
    "Layer.autoreverses": "the clock of a layer lasts for ever: nothing turns round",
    "AnimationGroup.animations": "a group is made of its animations",
  ]

  @MainActor @Test func defaults() {
    let values = layerDefaults.merging(kindDefaults) { $1 }.merging(animationDefaults) { $1 }
    var (run, absent): (Set<String>, Set<String>) = ([], [])
    for fact in FactCase.all("default") {
      let name = "\(fact.in["class"].text ?? "").\(fact.in["property"].text ?? "")"
      if Self.absent[name] != nil {
        absent.insert(name)
      } else {
        run.insert(name)
        #expect("\(values[name] ?? .text("not in the test"))" == "\(fact.out)", "\(fact.id): \(name)")
      }
    }
    #expect(run == Set(values.keys) && absent == Set(Self.absent.keys), "nothing in the lists that no case has")
    #expect(run.count == 44 && absent.count == 5)
  }

  @MainActor private var layerDefaults: [String: JSONValue] {
    let layer = Layer()
    return [
      "Layer.frame": .numbers(layer.frame.numbers), "Layer.contentsRect": .numbers(layer.contentsRect.numbers),
      "Layer.contentsGravity": .text(layer.contentsGravity.rawValue),
      "Layer.minificationFilter": .text(layer.minificationFilter.rawValue), "Layer.contents": .absence(layer.contents),
      "Layer.cornerRadius": .number(layer.cornerRadius), "Layer.borderColor": .numbers(layer.borderColor?.numbers ?? []),
      "Layer.rasterizationScale": .number(layer.rasterizationScale), "Layer.shadowOpacity": .number(layer.shadowOpacity),
      "Layer.shadowRadius": .number(layer.shadowRadius), "Layer.mask": .absence(layer.mask),
      "Layer.edgeAntialiasingMask": .number(Double(layer.edgeAntialiasingMask.rawValue)),
      "Layer.delegate": .absence(layer.delegate), "Layer.style": .absence(layer.style),
      "Layer.needsLayout": .bool(layer.needsLayout), "Layer.beginTime": .number(layer.beginTime.seconds),
      "Layer.speed": .number(layer.speed),
      // A layer says by this whether workers draw it.
      "Layer.drawsAsynchronously": .bool(layer.makeDrawing() != nil),
      // Theirs has no list while nothing runs, ours an empty one.
      "Layer.animationKeys": .absence(layer.animationKeys.first),
    ]
  }

  @MainActor private var kindDefaults: [String: JSONValue] {
    let (shape, gradient) = (ShapeLayer(), GradientLayer())
    return [
      "GradientLayer.startPoint": .numbers([gradient.startPoint.x, gradient.startPoint.y]),
      "GradientLayer.type": .text(gradient.type.rawValue), "GradientLayer.locations": .absence(gradient.locations),
      "ShapeLayer.fillColor": .numbers(shape.fillColor?.numbers ?? []),
      "ShapeLayer.lineWidth": .number(shape.strokeStyle.width),
      "ShapeLayer.fillRule": .text(shape.fillRule == .nonZero ? "non-zero" : "even-odd"),
      "ShapeLayer.strokeStart": .number(shape.strokeStart),
      "ShapeLayer.lineJoin": .text("\(shape.strokeStyle.join)"),
    ]
  }

  private var animationDefaults: [String: JSONValue] {
    let basic = BasicAnimation(.opacity, to: 1)
    let spring = SpringAnimation(.opacity, to: 1)
    let frames = KeyframeAnimation(.opacity, values: [0, 1])
    let tour = KeyframeAnimation(.position, path: .rect(Rect(x: 0, y: 0, width: 1, height: 1)))
    let transition = Transition()
    var values: [String: JSONValue] = [
      "SpringAnimation.mass": .number(spring.spring.mass), "SpringAnimation.damping": .number(spring.spring.damping),
      "SpringAnimation.allowsOverdamping": .bool(spring.spring.allowsOverdamping),
      "SpringAnimation.bounce": .text("not that of half a bounce"),
      // A time that is left open is 0 there and nil here.
      "SpringAnimation.duration": .number(spring.duration?.seconds ?? 0),
      "BasicAnimation.beginTime": .number(basic.beginTime?.seconds ?? 0),
      "BasicAnimation.timeOffset": .number(basic.timeOffset.seconds),
      "BasicAnimation.repeatDuration": .number(basic.repeatDuration.seconds),
      "BasicAnimation.fillMode": .text(basic.fillMode.rawValue),
      "BasicAnimation.timingFunction": .absence(basic.timingFunction),
      "BasicAnimation.isAdditive": .bool(basic.isAdditive), "Transition.type": .text(transition.type.rawValue),
      "Transition.startProgress": .number(transition.startProgress),
    ]
    if case .ends(let ends, _) = basic.track.source.trackValues {
      (values["BasicAnimation.from"], values["BasicAnimation.by"]) = (.absence(ends.from), .absence(ends.by))
    }
    if case .keyframes(_, let timing, _) = frames.track.source.trackValues {
      values["KeyframeAnimation.keyTimes"] = .absence(timing.keyTimes)
    }
    if case .path(_, _, let mode) = tour.track.source.trackValues {
      values["KeyframeAnimation.rotationMode"] = .absence(mode)
    }
    // A spring is made of its bounce and does not tell it: the one with half a bounce and as stiff as the first is the first.
    let half = Spring(perceptualDuration: .seconds(2 * .pi / 10), bounce: 0.5)
    if abs(half.stiffness - spring.spring.stiffness) < 1e-6, abs(half.damping - spring.spring.damping) < 1e-6 {
      values["SpringAnimation.bounce"] = .number(0.5)
    }
    return values
  }
}

extension JSONValue {
  fileprivate static func numbers(_ numbers: [Double]) -> JSONValue { .array(numbers.map { .number($0) }) }
  fileprivate static func absence(_ value: Any?) -> JSONValue { value == nil ? .null : .text("something") }
}
