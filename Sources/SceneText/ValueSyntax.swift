import Geometry
import Layers
import LinuxSystem
import Raster

/// How values of a type are written in a scene's text.
@MainActor
struct ValueSyntax<Value> {
  /// The words of a message that asks for such a value.
  let expected: String
  let read: @MainActor (SceneReader) throws(SceneError) -> Value
  let text: @MainActor (Value, SceneWriter) -> String

  init(
    _ expected: String, read: @escaping @MainActor (SceneReader) throws(SceneError) -> Value,
    text: @escaping @MainActor (Value, SceneWriter) -> String
  ) {
    (self.expected, self.read, self.text) = (expected, read, text)
  }

  /// The same values, of which some are refused.
  func only(_ expected: String, where isRight: @escaping (Value) -> Bool) -> Self {
    Self(expected) { [read] reader throws(SceneError) in
      let token = reader.token
      let value = try read(reader)
      guard isRight(value) else { throw reader.error(.expected(expected, found: token.name), at: token) }
      return value
    } text: { [text] in
      text($0, $1)
    }
  }

  /// The same values, or `none` for nil.
  static func optional<Wrapped>(_ syntax: ValueSyntax<Wrapped>) -> Self where Value == Wrapped? {
    Self("\(syntax.expected) or none") { reader throws(SceneError) in
      reader.take("none") ? nil : try syntax.read(reader)
    } text: {
      $0.map { [writer = $1] in syntax.text($0, writer) } ?? "none"
    }
  }

  /// As many values as follow; lists in braces are not needed.
  static func list<Element>(
    _ syntax: ValueSyntax<Element>, while goesOn: @escaping @MainActor (SceneReader) -> Bool = { $0.isAtNumber }
  ) -> Self where Value == [Element] {
    Self("a list of values: \(syntax.expected)") { reader throws(SceneError) in
      try reader.list(while: { goesOn(reader) }) { () throws(SceneError) in try syntax.read(reader) }
    } text: { values, writer in
      values.map { syntax.text($0, writer) }.joined(separator: ", ")
    }
  }
}

extension ValueSyntax {
  /// Values that are one together, such as the colours of a gradient: with blanks between them, since in a list of such a comma stands
  /// between two; `none` for no values.
  static func values<Element>(
    _ syntax: ValueSyntax<Element>, while goesOn: @escaping @MainActor (SceneReader) -> Bool
  ) -> Self where Value == [Element] {
    let expected = "\(syntax.expected), or several with blanks between them, or none"
    return Self(expected) { reader throws(SceneError) in
      if reader.take("none") { return [] }
      guard goesOn(reader) else { throw reader.expected(expected) }
      let first = try syntax.read(reader)
      let others = try reader.list(while: { !reader.token.isAfterComma && goesOn(reader) }) {
        () throws(SceneError) in try syntax.read(reader)
      }
      return [first] + others
    } text: { values, writer in
      values.isEmpty ? "none" : values.map { syntax.text($0, writer) }.joined(separator: " ")
    }
  }
}

extension ValueSyntax where Value == Double {
  static var number: Self {
    Self("a number") { reader throws(SceneError) in
      try reader.number()
    } text: { value, _ in
      SceneNumber.text(value)
    }
  }

  /// A number for which anything else would be no meaning.
  static var positive: Self { number.only("a number above 0") { $0 > 0 && $0.isFinite } }

  /// Radians, written as degrees where these give back the same radians.
  static var angle: Self {
    Self("an angle such as 30deg or 0.5rad") { reader throws(SceneError) in
      try reader.number("an angle such as 30deg or 0.5rad", units: ["deg": .pi / 180, "rad": 1])
    } text: { value, _ in
      angleText(value)
    }
  }

  private static func angleText(_ value: Double) -> String {
    let exact = value / (.pi / 180)
    for degrees in [(exact * 1e6).rounded() / 1e6, exact] where degrees * (.pi / 180) == value {
      return "\(SceneNumber.text(degrees))deg"
    }
    return value.isFinite ? "\(SceneNumber.text(value))rad" : SceneNumber.text(value)
  }
}

extension ValueSyntax where Value == Int {
  static var whole: Self {
    Self("a whole number from 0 on") { reader throws(SceneError) in
      try reader.wholeNumber("a number", upTo: 1 << 52)
    } text: { value, _ in
      "\(value)"
    }
  }
}

extension ValueSyntax where Value == Bool {
  static var bool: Self {
    Self("true or false") { reader throws(SceneError) in
      if reader.take("true") { return true }
      if reader.take("false") { return false }
      throw reader.expected("true or false")
    } text: { value, _ in
      value ? "true" : "false"
    }
  }
}

extension ValueSyntax where Value == String {
  static var string: Self {
    Self("a string in quotation marks") { reader throws(SceneError) in
      try reader.string()
    } text: { value, _ in
      SceneWriter.quoted(value)
    }
  }
}

extension ValueSyntax {
  /// One of some words.
  static func word(_ words: KeyValuePairs<String, Value>) -> Self where Value: Equatable {
    word(words.map { ($0.key, $0.value) }) { value in words.first { $0.value == value }?.key ?? words[0].key }
  }

  static func word() -> Self where Value: CaseIterable & RawRepresentable<String> {
    word(Value.allCases.map { ($0.rawValue, $0) }, text: \.rawValue)
  }

  private static func word(_ words: [(word: String, value: Value)], text: @escaping (Value) -> String) -> Self {
    let last = words.last.map(\.word) ?? ""
    let expected = words.count < 2 ? last : "\(words.dropLast().map(\.word).joined(separator: ", ")) or \(last)"
    return Self(expected) { reader throws(SceneError) in
      guard let word = reader.word, let value = words.first(where: { $0.word == word })?.value else {
        throw reader.expected(expected)
      }
      reader.advance()
      return value
    } text: { value, _ in
      text(value)
    }
  }
}

// MARK: - Time

extension ValueSyntax where Value == Nanoseconds {
  static var time: Self {
    Self(sceneTime) { reader throws(SceneError) in
      guard case .number(let digits, let unit) = reader.token.kind, let time = nanoseconds(digits, unit: unit) else {
        guard reader.take("infinity") else { throw reader.expected(sceneTime) }
        return Nanoseconds(.max)
      }
      reader.advance()
      return time
    } text: { value, _ in
      value.count == .max ? "infinity" : value.description.filter { $0 != " " }
    }
  }

  /// The length of something, of which negative ones mean the same as 0.
  static var duration: Self {
    let expected = "a duration from 0 on, such as 0.5s or 300ms"
    return Self(expected) { reader throws(SceneError) in
      try time.only(expected) { $0 >= .zero }.read(reader)
    } text: { value, writer in
      time.text(max(value, .zero), writer)
    }
  }

  private static var sceneTime: String { "a time such as 0.5s or 300ms" }

  /// Exact to the nanosecond: decimal digits are not taken through a floating-point number.
  private static func nanoseconds(_ digits: String, unit: String) -> Nanoseconds? {
    let units: [String: Int] = ["s": 9, "ms": 6, "us": 3, "ns": 0]
    guard let power = units[unit], digits.allSatisfy({ "+-.0123456789".contains($0) }) else { return nil }
    let isNegative = digits.hasPrefix("-")
    let parts = digits.drop { $0 == "-" || $0 == "+" }.split(separator: ".", omittingEmptySubsequences: false)
    guard let whole = parts.first, parts.count <= 2 else { return nil }
    let fraction = parts.count == 2 ? parts[1] : ""
    let kept = fraction.prefix(power)
    let zeros = String(repeating: "0", count: power - kept.count)
    guard let count = Int64((isNegative ? "-" : "") + whole + kept + zeros) else { return nil }
    return Nanoseconds(count)
  }
}

extension ValueSyntax where Value == MonotonicTime {
  /// Counts from the beginning of the clock that it is a time of.
  static var time: Self {
    let duration = ValueSyntax<Nanoseconds>.time
    return Self(duration.expected) { reader throws(SceneError) in
      .zero + (try duration.read(reader))
    } text: {
      duration.text($0 - .zero, $1)
    }
  }
}

extension ValueSyntax where Value == TimingFunction {
  private static var presets: KeyValuePairs<String, TimingFunction> {
    [
      "linear": .linear, "easeIn": .easeIn, "easeOut": .easeOut, "easeInEaseOut": .easeInEaseOut, "default": .default,
    ]
  }

  static var timingFunction: Self {
    let expected = "linear, easeIn, easeOut, easeInEaseOut, default or cubic with four numbers"
    return Self(expected) { reader throws(SceneError) in
      if reader.take("cubic") {
        let (x1, y1) = (try reader.number(), try reader.number())
        return TimingFunction(x1, y1, try reader.number(), try reader.number())
      }
      guard let word = reader.word, let preset = presets.first(where: { $0.key == word })?.value else {
        throw reader.expected(expected)
      }
      reader.advance()
      return preset
    } text: { value, _ in
      if let preset = presets.first(where: { $0.value == value }) { return preset.key }
      return "cubic " + [value.x1, value.y1, value.x2, value.y2].map(SceneNumber.text).joined(separator: " ")
    }
  }

  /// True if a timing function begins at the token.
  static func begins(at reader: SceneReader) -> Bool {
    reader.word.map { word in word == "cubic" || presets.contains { $0.key == word } } ?? false
  }
}
