import Geometry
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
}

extension Transform3D {
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
