import Geometry
import Glibc
import Raster

extension ValueSyntax where Value == Point {
  static var point: Self {
    Self("a point: x y") { reader throws(SceneError) in
      Point(try reader.number("x of a point"), try reader.number("y of a point"))
    } text: { value, _ in
      sceneNumbers(value.x, value.y)
    }
  }
}

extension ValueSyntax where Value == Size {
  static var size: Self {
    Self("a size: width height") { reader throws(SceneError) in
      Size(try reader.number("the width of a size"), try reader.number("the height of a size"))
    } text: { value, _ in
      sceneNumbers(value.width, value.height)
    }
  }
}

extension ValueSyntax where Value == Rect {
  static var rect: Self {
    Self("a rectangle: x y width height") { reader throws(SceneError) in
      let origin = try ValueSyntax<Point>.point.read(reader)
      return Rect(origin: origin, size: try ValueSyntax<Size>.size.read(reader))
    } text: { value, _ in
      sceneNumbers(value.minX, value.minY, value.width, value.height)
    }
  }
}

extension ValueSyntax where Value == Color {
  private static var expectation: String { "a colour such as #FFF, #1E90FF, #1E90FF80 or rgba 0.1 0.5 1 0.5" }

  static var color: Self {
    Self(expectation) { reader throws(SceneError) in
      if reader.take("rgba") {
        let (red, green, blue) = (try reader.number(), try reader.number(), try reader.number())
        return Color(red: red, green: green, blue: blue, alpha: try reader.number())
      }
      guard case .color(let digits) = reader.token.kind, let value = UInt32(digits, radix: 16),
        [3, 4, 6, 8].contains(digits.count)
      else { throw reader.expected(expectation) }
      reader.advance()
      let color =
        switch digits.count {
        case 3: ofShortDigits(value)
        case 4: ofShortDigits(value >> 4).withAlpha(Double(value & 15) / 15)
        case 6: Color(hex: value)
        default: Color(hex: value >> 8, alpha: Double(value & 0xFF) / 255)
        }
      guard reader.takeInValue("alpha") else { return color }
      return color.withAlpha(try reader.number("the alpha of a colour, from 0 to 1"))
    } text: { value, _ in
      text(value)
    }
  }

  /// The colour of three digits, each of which stands for itself twice.
  private static func ofShortDigits(_ value: UInt32) -> Color {
    Color(hex: (value >> 8) * 0x110000 | (value >> 4 & 15) * 0x1100 | (value & 15) * 0x11)
  }

  private static func text(_ color: Color) -> String {
    func byte(_ value: Double) -> UInt32 { value >= 0 && value <= 1 ? UInt32((value * 255).rounded()) : 0 }
    let hex = byte(color.red) << 16 | byte(color.green) << 8 | byte(color.blue)
    guard Color(hex: hex).withAlpha(color.alpha) == color else {
      return "rgba " + sceneNumbers(color.red, color.green, color.blue, color.alpha)
    }
    let text = "#" + SceneNumber.hexadecimal(hex, digits: 6)
    if color.alpha == 1 { return text }
    let alpha = byte(color.alpha)
    return Double(alpha) / 255 == color.alpha
      ? text + SceneNumber.hexadecimal(alpha, digits: 2) : "\(text) alpha \(SceneNumber.text(color.alpha))"
  }
}

extension ValueSyntax where Value == Transform3D {
  static var functions: [String] {
    [
      "identity", "translate", "scale", "rotate", "skew", "matrix", "translate3D", "scale3D", "rotateX", "rotateY",
      "perspective", "matrix3D",
    ]
  }
  private static var expectation: String { "a transform: \(functions.joined(separator: ", "))" }

  /// Functions in the order in which they are applied.
  static var transform: Self {
    Self(expectation) { reader throws(SceneError) in
      var result = try function(reader)
      for next in try reader.list(
        while: { !reader.token.isAfterComma && reader.valueWord.map(functions.contains) ?? false },
        { () throws(SceneError) in try function(reader) })
      {
        // Maps of the plane stay exactly such.
        if let first = result.affine, let second = next.affine {
          result = Transform3D(first.concatenating(second))
        } else {
          result = result.concatenating(next)
        }
      }
      return result
    } text: { value, _ in
      let flat = numbers(Transform3D(value.flattened))
      return flat == numbers(value) ? text(value.flattened) : textOfSolid(value)
    }
  }

  private static func numbers(_ map: Transform3D) -> String {
    let rows = [
      sceneNumbers(map.m11, map.m12, map.m13, map.m14), sceneNumbers(map.m21, map.m22, map.m23, map.m24),
      sceneNumbers(map.m31, map.m32, map.m33, map.m34), sceneNumbers(map.m41, map.m42, map.m43, map.m44),
    ]
    return rows.joined(separator: " ")
  }

  private static func function(_ reader: SceneReader) throws(SceneError) -> Transform3D {
    guard let word = reader.word, functions.contains(word) else { throw reader.expected(expectation) }
    reader.advance()
    let angle = ValueSyntax<Double>.angle
    switch word {
    case "translate":
      let point = try ValueSyntax<Point>.point.read(reader)
      return Transform3D(.translation(x: point.x, y: point.y))
    case "scale":
      let x = try reader.number()
      return Transform3D(.scale(x: x, y: reader.isAtNumber ? try reader.number() : x))
    case "rotate": return Transform3D(.rotation(try angle.read(reader)))
    case "rotateX": return .rotation(try angle.read(reader), x: 1, y: 0, z: 0)
    case "rotateY": return .rotation(try angle.read(reader), x: 0, y: 1, z: 0)
    case "translate3D":
      let point = try ValueSyntax<Point>.point.read(reader)
      return .translation(x: point.x, y: point.y, z: try reader.number())
    case "scale3D":
      let (x, y) = (try reader.number(), try reader.number())
      return .scale(x: x, y: y, z: try reader.number())
    case "perspective":
      let distance = ValueSyntax<Double>.number.only("the distance of the viewer, above 0") { $0 > 0 }
      return .perspective(distance: try distance.read(reader))
    case "matrix3D":
      var map = Transform3D()
      for path in [
        \Transform3D.m11, \.m12, \.m13, \.m14, \.m21, \.m22, \.m23, \.m24, \.m31, \.m32, \.m33, \.m34, \.m41, \.m42, \.m43,
        \.m44,
      ] {
        map[keyPath: path] = try reader.number("sixteen numbers of a matrix, row by row")
      }
      return map
    case "skew":
      let (x, y) = (try angle.read(reader), try angle.read(reader))
      return Transform3D(Affine(a: 1, b: tangent(y), c: tangent(x), d: 1, tx: 0, ty: 0))
    case "matrix":
      var numbers: [Double] = []
      for _ in 0..<6 { numbers.append(try reader.number("six numbers of a matrix: a b c d tx ty")) }
      return Transform3D(
        Affine(a: numbers[0], b: numbers[1], c: numbers[2], d: numbers[3], tx: numbers[4], ty: numbers[5]))
    default: return .identity
    }
  }

  private static func tangent(_ angle: Double) -> Double {
    let turn = Affine.rotation(angle)
    return turn.b / turn.a
  }

  /// One function if it gives back exactly the same map, otherwise the matrix.
  private static func text(_ map: Affine) -> String {
    let numbers = sceneNumbers(map.a, map.b, map.c, map.d, map.tx, map.ty)
    func isExact(_ other: Affine) -> Bool {
      // The sign of a zero counts, so that everything that is made of the map is the same.
      sceneNumbers(other.a, other.b, other.c, other.d, other.tx, other.ty) == numbers
    }
    if isExact(.identity) { return "identity" }
    if isExact(.translation(x: map.tx, y: map.ty)) { return "translate \(sceneNumbers(map.tx, map.ty))" }
    if isExact(.scale(map.a)) { return "scale \(SceneNumber.text(map.a))" }
    if isExact(.scale(x: map.a, y: map.d)) { return "scale \(sceneNumbers(map.a, map.d))" }
    if let angle = angles(sine: map.b, cosine: map.a).first(where: { isExact(.rotation($0)) }) {
      return "rotate \(ValueSyntax<Double>.angle.textAlone(angle))"
    }
    return "matrix \(numbers)"
  }

  /// The same for a map that leaves the plane.
  private static func textOfSolid(_ map: Transform3D) -> String {
    let all = numbers(map)
    func isExact(_ other: Transform3D) -> Bool { numbers(other) == all }
    if isExact(.translation(x: map.m41, y: map.m42, z: map.m43)) {
      return "translate3D \(sceneNumbers(map.m41, map.m42, map.m43))"
    }
    if isExact(.scale(x: map.m11, y: map.m22, z: map.m33)) { return "scale3D \(sceneNumbers(map.m11, map.m22, map.m33))" }
    let distance = -1 / map.m34
    for distance in [(distance * 1e6).rounded() / 1e6, distance]
    where distance > 0 && isExact(.perspective(distance: distance)) {
      return "perspective \(SceneNumber.text(distance))"
    }
    func turn(_ word: String, sine: Double, cosine: Double, x: Double, y: Double) -> String? {
      angles(sine: sine, cosine: cosine).first { isExact(.rotation($0, x: x, y: y, z: 0)) }.map {
        "\(word) \(ValueSyntax<Double>.angle.textAlone($0))"
      }
    }
    return turn("rotateX", sine: map.m23, cosine: map.m22, x: 1, y: 0)
      ?? turn("rotateY", sine: map.m31, cosine: map.m11, x: 0, y: 1) ?? "matrix3D \(all)"
  }

  /// Angles that may have given a sine and a cosine, first those in few digits of a degree: a sine gives back an angle with an error in the
  /// last bits.
  private static func angles(sine: Double, cosine: Double) -> [Double] {
    let angle = atan2(sine, cosine)
    return [1e9, 1e12].map { (angle * 180 / .pi * $0).rounded() / $0 * (.pi / 180) } + [angle]
  }
}

extension ValueSyntax {
  /// The text of a value that needs nothing of a writer.
  func textAlone(_ value: Value) -> String { text(value, SceneWriter()) }
}

func sceneNumbers(_ values: Double...) -> String { values.map(SceneNumber.text).joined(separator: " ") }
