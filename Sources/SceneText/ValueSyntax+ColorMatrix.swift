import RenderTree

extension ValueSyntax where Value == ColorMatrix {
  private static var functions: [String: (syntax: ValueSyntax<Double>, matrix: @MainActor (Double) -> ColorMatrix)] {
    [
      "brightness": (.number, ColorMatrix.brightness), "contrast": (.number, ColorMatrix.contrast),
      "saturation": (.number, ColorMatrix.saturation), "hueRotation": (.angle, ColorMatrix.hueRotation),
      "inversion": (.number, ColorMatrix.inversion),
    ]
  }

  /// Functions, which follow each other, or the 20 numbers of SVG's `feColorMatrix`.
  static var colorMatrix: Self {
    let expected =
      "a map of colours: brightness, contrast, saturation, hueRotation or inversion with its value, or 20 numbers"
    return Self(expected) { reader throws(SceneError) in
      var matrix = ColorMatrix.identity
      if reader.isAtNumber {
        var rows: [Double] = []
        for _ in 0..<20 { rows.append(try reader.number("20 numbers: four rows of five")) }
        matrix.rows = rows
        return matrix
      }
      guard reader.valueWord.map({ functions.keys.contains($0) }) ?? false else { throw reader.expected(expected) }
      while let word = reader.valueWord, let function = functions[word] {
        reader.advance()
        matrix = matrix.concatenating(function.matrix(try function.syntax.read(reader)))
      }
      return matrix
    } text: { value, _ in
      value.rows.map(SceneNumber.text).joined(separator: " ")
    }
  }
}
