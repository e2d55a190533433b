import Geometry
import LinuxSystem
import Testing

@testable import Layers

// Cases of maps of space and of the places of layers.

extension FactTests {
  @Test func matrices() {
    for fact in FactCase.all("matrix") {
      let input = fact.in
      let matrix = Transform3D(input["m"].numbers ?? [])
      switch input["op"].text {
      case "translate":
        let v = input["v"].numbers ?? []
        expect(fact, Transform3D.translation(x: v[0], y: v[1], z: v[2]).concatenating(matrix).numbers)
      case "invert":
        // Theirs is unchanged where ours is nil.
        expect(fact, (matrix.inverted ?? matrix).numbers)
      default:
        let axis = input["axis"].numbers ?? []
        expect(fact, Transform3D.rotation(input["angle"].number ?? 0, x: axis[0], y: axis[1], z: axis[2]).numbers)
      }
    }
  }

  /// Value functions make transforms of numbers; the keys of parts do the same.
  @Test func valueFunctions() {
    let keys: [String: [AnimatableKey<Double>]] = [
      "rotateX": [.transformRotationX], "rotateZ": [.rotation],
      "scale": [.transformScaleX, .transformScaleY, .transformScaleZ],
    ]
    for fact in FactCase.all("valueFunction") {
      let (from, to) = (fact.in["from"].numbers ?? [], fact.in["to"].numbers ?? [])
      let animations: [any Animation] = (keys[fact.in["name"].text ?? ""] ?? []).enumerated().map { index, key in
        BasicAnimation(key, from: from[index], to: to[index], duration: .seconds(1))
      }
      var group = AnimationGroup(animations)
      group.duration = .seconds(1)
      expect(fact, shown(group, over: AnimatableValues(), at: fact.in["fraction"].number ?? 0).transform.numbers)
    }
  }

  @Test func frames() {
    for fact in FactCase.all("frame.get") + FactCase.all("frame.set") {
      let input = fact.in
      var values = AnimatableValues()
      values.bounds = Rect((input["bounds"].numbers ?? input["boundsBefore"].numbers) ?? [])
      if let position = input["position"].numbers { values.position = Point(position) }
      if let anchor = input["anchor"].numbers { values.anchorPoint = Point(anchor) }
      if let transform = input["transform"].numbers { values.affineTransform = Affine(transform) }
      if let frame = input["frame"].numbers {
        values.frame = Rect(frame)
        #expect(isClose(values.bounds.numbers, fact.out["bounds"].numbers, fact.tol), "\(fact.id): \(values.bounds)")
        #expect(isClose(values.position.numbers, fact.out["position"].numbers, fact.tol), "\(fact.id): \(values.position)")
      } else {
        expect(fact, values.frame.numbers)
      }
    }
  }

  private func isClose(_ got: [Double], _ expected: [Double]?, _ tolerance: Double) -> Bool {
    guard let expected, got.count == expected.count else { return false }
    return zip(got, expected).allSatisfy { abs($0 - $1) <= tolerance }
  }

  @Test @MainActor func conversions() throws {
    for fact in FactCase.all("convert.point") + FactCase.all("convert.rect") {
      let named = fact.in["layers"].object ?? [:]
      var layers: [String: Layer] = [:]
      for (name, values) in named {
        let layer = Layer()
        layer.bounds = Rect(values["bounds"].numbers ?? [])
        if let anchor = values["anchor"].numbers { layer.anchorPoint = Point(anchor) }
        if let position = values["position"].numbers { layer.position = Point(position) }
        if let transform = values["transform"].numbers { layer.transform = Transform3D(transform) }
        if let transform = values["sublayerTransform"].numbers { layer.sublayerTransform = Transform3D(transform) }
        layers[name] = layer
      }
      for (name, values) in named {
        guard let parent = values["parent"].text, let layer = layers[name] else { continue }
        layers[parent]?.addSublayer(layer)
      }
      let from = try #require(layers[fact.in["from"].text ?? ""])
      let other = fact.in["to"].text.flatMap { layers[$0] }
      let value = fact.in["value"].numbers ?? []
      if value.count == 2 {
        expect(fact, from.convert(Point(value), to: other)?.numbers ?? [])
        if let other { expect(fact, other.convert(Point(value), from: from)?.numbers ?? []) }
      } else {
        expect(fact, from.convert(Rect(value), to: other)?.numbers ?? [])
      }
    }
  }
}

extension Transform3D: FactValue {
  init(_ m: [Double]) {
    self.init()
    guard m.count == 16 else {
      if m.count == 6 { self.init(Affine(m)) }
      return
    }
    (m11, m12, m13, m14) = (m[0], m[1], m[2], m[3])
    (m21, m22, m23, m24) = (m[4], m[5], m[6], m[7])
    (m31, m32, m33, m34) = (m[8], m[9], m[10], m[11])
    (m41, m42, m43, m44) = (m[12], m[13], m[14], m[15])
  }
  var numbers: [Double] {
    [m11, m12, m13, m14, m21, m22, m23, m24, m31, m32, m33, m34, m41, m42, m43, m44]
  }
}
