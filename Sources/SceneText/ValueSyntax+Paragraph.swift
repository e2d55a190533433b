import Geometry
import Raster
import Typesetting

// The values of a paragraph layer.

extension ValueSyntax where Value == FontLibrary {
  /// Those of the system, or those in files, which are found as the font of a text is.
  static var fonts: Self {
    let expected = "system, or the names of font files, as strings"
    return Self(expected) { reader throws(SceneError) in
      if reader.take("system") { return .system }
      let first = reader.token
      let files = try reader.list(while: { reader.isAtString }) { () throws(SceneError) in
        let token = reader.token
        let name = try reader.oneString(expected)
        return (token: token, path: try reader.fontPath(name, at: token))
      }
      guard !files.isEmpty else { throw reader.expected(expected) }
      do throws(FontError) {
        if let library = try reader.resources.library(files.map(\.path)) { return library }
      } catch {
        for file in files { try reader.checkFont(file.path, at: file.token) }
        throw reader.error(.font(error), at: first)
      }
      throw reader.error(.tooMany("lists of font files", limit: SceneLimit.libraries), at: first)
    } text: { value, writer in
      value.files.isEmpty
        ? "system" : value.files.map { SceneWriter.quoted(writer.name(ofFont: $0)) }.joined(separator: " ")
    }
  }
}

extension SceneReader {
  fileprivate var isAtString: Bool { if case .string = token.kind { true } else { false } }

  /// One string, whatever follows it.
  fileprivate func oneString(_ expected: String) throws(SceneError) -> String {
    guard case .string(let text) = token.kind else { throw self.expected(expected) }
    advance()
    return text
  }

  fileprivate func fontPath(_ name: String, at token: SceneToken) throws(SceneError) -> String {
    do throws(FontError) {
      return try resources.fontPath(name)
    } catch {
      throw self.error(.font(error), at: token)
    }
  }

  fileprivate func checkFont(_ path: String, at token: SceneToken) throws(SceneError) {
    do throws(FontError) {
      _ = try FontFace(path: path)
    } catch {
      throw self.error(.font(error), at: token)
    }
  }
}

extension ValueSyntax where Value == FontRequest {
  /// The families, the size, and what else is not that of a regular font.
  static var fontRequest: Self {
    let expected = "a font: the names of families, as strings, and its size"
    return Self(expected) { reader throws(SceneError) in
      let start = reader.token
      let families = try reader.list(while: { reader.isAtString }) { () throws(SceneError) in try reader.family() }
      var request = FontRequest(families, size: try reader.number(families.isEmpty ? expected : "the size of the font"))
      var given: [String: SceneToken] = [:]
      while let word = reader.valueWord, words.contains(word) {
        let token = reader.token
        // All axes stand together, and all features.
        if let first = given.updateValue(token, forKey: word) {
          throw reader.repeated(word, first: first, at: token)
        }
        switch word {
        case "axis": request.variations += try reader.places()
        case "feature": request.features += try reader.features()
        default:
          reader.advance()
          switch word {
          case "weight": request.weight = try reader.wholeNumber("a weight", from: 1, upTo: 1000)
          case "width": request.width = try widths.read(reader)
          default: request.slant = FontRequest.Slant(rawValue: word) ?? .upright
          }
        }
      }
      reader.resources.count(request)
      try reader.checkDesigns(at: start)
      return request
    } text: { value, _ in
      var parts = value.families.filter { !isFile($0) }.map(SceneWriter.quoted) + [SceneNumber.text(value.size)]
      if value.weight != 400 { parts.append("weight \(value.weight)") }
      if value.width != 100 { parts.append("width \(SceneNumber.text(value.width))") }
      if value.slant != .upright { parts.append(value.slant.rawValue) }
      let axes = lastOfEach(value.variations.map { ($0.axis, $0.value) })
      parts += axes.map { "axis \(SceneWriter.name($0.0.description)) \(SceneNumber.text($0.1))" }
      let features = lastOfEach(value.features.map { ($0.tag, $0.value) })
      parts += features.map { "feature \(SceneWriter.name($0.0.description)) \($0.1)" }
      return parts.joined(separator: " ")
    }
  }

  /// No family has such a name, but a file that somebody took for one.
  fileprivate static func isFile(_ name: String) -> Bool {
    [".ttf", ".otf", ".ttc"].contains(where: name.lowercased().hasSuffix)
  }

  static var words: [String] { ["weight", "width", "italic", "oblique", "axis", "feature"] }

  private static var widths: ValueSyntax<Double> {
    .number.only("a width in percent, from 1 to 1000") { $0 >= 1 && $0 <= 1000 }
  }

  /// A text names nothing twice.
  private static func lastOfEach<Setting>(_ values: [(FontTag, Setting)]) -> [(FontTag, Setting)] {
    values.enumerated().filter { index, value in !values[(index + 1)...].contains { $0.0 == value.0 } }.map(\.element)
  }
}

extension SceneReader {
  fileprivate func family() throws(SceneError) -> String {
    let token = token
    let name = try oneString("the name of a family")
    guard !ValueSyntax<FontRequest>.isFile(name) else {
      throw error(.expected("the name of a family; files stand behind fonts", found: token.name), at: token)
    }
    return name
  }

  /// Places on axes, which a font has or not.
  fileprivate func places() throws(SceneError) -> [FontVariation] {
    var places: [FontTag: SceneToken] = [:]
    return try list(while: { takeInValue("axis") }) { () throws(SceneError) in
      FontVariation(try tag(once: &places), try number("a place on the axis"))
    }
  }
}

extension AttributedText.Attributes {
  @MainActor static let properties: [TextProperty<Self>] = [
    TextProperty("font", optional: \.font, .fontRequest),
    TextProperty("color", optional: \.color, .color),
    TextProperty("letterSpacing", optional: \.letterSpacing, .number),
    TextProperty("baselineOffset", optional: \.baselineOffset, .number),
    TextProperty("underline", optional: \.underline, .decoration),
    TextProperty("strikethrough", optional: \.strikethrough, .decoration),
    TextProperty("background", optional: \.background, .color),
    TextProperty("language", optional: \.language, .string),
    TextProperty("isUnbreakable", optional: \.isUnbreakable, .bool),
  ]
}

extension ValueSyntax where Value == LineDecoration {
  /// A colour, or `true` for that of the letters.
  fileprivate static var decoration: Self {
    Self("a colour, or true for that of the letters") { reader throws(SceneError) in
      LineDecoration(color: reader.take("true") ? nil : try ValueSyntax<Color>.color.read(reader))
    } text: { value, writer in
      value.color.map { ValueSyntax<Color>.color.text($0, writer) } ?? "true"
    }
  }
}

extension ValueSyntax where Value == AttributedText {
  /// A string, or strings and spans in braces.
  static var attributedText: Self {
    let expected = "a string in quotation marks, or strings and spans in braces"
    return Self(expected) { reader throws(SceneError) in
      if reader.isAtString { return AttributedText(try reader.string()) }
      guard reader.token.kind == .open else { throw reader.expected(expected) }
      var text = AttributedText("")
      try reader.block(of: "a string or a span") { () throws(SceneError) in
        let part = try reader.textPart()
        if text.count == 0 { text = part } else { text.append(part) }
      }
      return text
    } text: { value, writer in
      let utf8 = value.string.utf8
      var start = utf8.startIndex
      var parts: [String] = []
      for (index, run) in value.runs.enumerated() {
        let end =
          index + 1 < value.runs.count ? utf8.index(start, offsetBy: value.runs[index + 1].start - run.start) : utf8.endIndex
        let string = SceneWriter.quoted(String(value.string[start..<end]))
        let attributes = writer.texts(
          AttributedText.Attributes.properties, of: run.attributes, new: AttributedText.Attributes())
        parts.append(attributes.isEmpty ? string : "span \(string) { \(attributes.joined(separator: "; ")) }")
        start = end
      }
      return parts.count == 1 && value.runs[0].attributes == AttributedText.Attributes()
        ? parts[0] : "{ \(parts.joined(separator: "; ")) }"
    }
  }
}

extension SceneReader {
  /// A string, or a span with its attributes.
  fileprivate func textPart() throws(SceneError) -> AttributedText {
    guard take("span") else { return AttributedText(try string("a string in quotation marks, or span")) }
    var string = try oneString("the string of the span")
    while isAtString { string += try oneString("") }
    var attributes = AttributedText.Attributes()
    try block(of: "an attribute of the span") { () throws(SceneError) in
      guard try !take(AttributedText.Attributes.properties, in: &attributes) else { return }
      let names = AttributedText.Attributes.properties.map(\.name)
      guard let word else { throw expected("an attribute of the span") }
      throw unknown(word, in: names, "an attribute of the span", at: token)
    }
    return AttributedText(string, attributes)
  }
}

extension ValueSyntax where Value == TextLayout.Style {
  static var words: [String] {
    [
      "alignment", "lineHeight", "maximumLines", "wrapping", "truncation", "paragraphSpacing", "firstLineIndent",
      "direction",
    ]
  }

  /// The settings that are not those of a new style, in any order.
  static var paragraphStyle: Self {
    let expected = "a style: \(words.dropLast().joined(separator: ", ")) or direction with its value"
    return Self(expected) { reader throws(SceneError) in
      guard reader.valueWord.map(words.contains) ?? false else { throw reader.expected(expected) }
      var style = TextLayout.Style()
      var given: [String: SceneToken] = [:]
      while let word = reader.valueWord, words.contains(word) {
        if let first = given.updateValue(reader.token, forKey: word) {
          throw reader.repeated(word, first: first, at: reader.token)
        }
        reader.advance()
        switch word {
        case "alignment": style.alignment = try ValueSyntax<TextLayout.Alignment>.word().read(reader)
        case "lineHeight": style.lineHeight = try ValueSyntax<TextLayout.LineHeight>.lineHeight.read(reader)
        case "maximumLines":
          style.maximumLines =
            reader.take("none") ? nil : try reader.wholeNumber("a number of lines", from: 1, upTo: Int(Int32.max))
        case "wrapping": style.wrapping = try ValueSyntax<TextLayout.Wrapping>.word().read(reader)
        case "truncation": style.truncation = try ValueSyntax<TextLayout.Truncation>.word().read(reader)
        case "paragraphSpacing": style.paragraphSpacing = try reader.number()
        case "firstLineIndent": style.firstLineIndent = try reader.number()
        default: style.direction = try ValueSyntax<TextLayout.Direction>.word().read(reader)
        }
      }
      return style
    } text: { style, writer in
      let plain = TextLayout.Style()
      var words = ["alignment \(style.alignment)"]
      if style.lineHeight != plain.lineHeight {
        words.append("lineHeight \(ValueSyntax<TextLayout.LineHeight>.lineHeight.text(style.lineHeight, writer))")
      }
      if let lines = style.maximumLines { words.append("maximumLines \(min(max(lines, 1), Int(Int32.max)))") }
      if style.wrapping != plain.wrapping { words.append("wrapping \(style.wrapping)") }
      if style.truncation != plain.truncation { words.append("truncation \(style.truncation)") }
      if style.paragraphSpacing != plain.paragraphSpacing {
        words.append("paragraphSpacing \(SceneNumber.text(style.paragraphSpacing))")
      }
      if style.firstLineIndent != plain.firstLineIndent {
        words.append("firstLineIndent \(SceneNumber.text(style.firstLineIndent))")
      }
      if style.direction != plain.direction { words.append("direction \(style.direction)") }
      return words.joined(separator: " ")
    }
  }
}

extension ValueSyntax where Value == TextLayout.LineHeight {
  fileprivate static var lineHeight: Self {
    let expected = "natural, or multiple or fixed with a number"
    return Self(expected) { reader throws(SceneError) in
      if reader.take("natural") { return .natural }
      if reader.take("multiple") { return .multiple(try reader.number()) }
      guard reader.take("fixed") else { throw reader.expected(expected) }
      return .fixed(try reader.number("points"))
    } text: { value, _ in
      switch value {
      case .natural: "natural"
      case .multiple(let factor): "multiple \(SceneNumber.text(factor))"
      case .fixed(let points): "fixed \(SceneNumber.text(points))"
      }
    }
  }
}

extension ValueSyntax where Value == Insets {
  static var insets: Self {
    Self("insets: top left bottom right") { reader throws(SceneError) in
      var insets = Insets()
      for path in [\Insets.top, \.left, \.bottom, \.right] { insets[keyPath: path] = try reader.number("four insets") }
      return insets
    } text: { value, _ in
      sceneNumbers(value.top, value.left, value.bottom, value.right)
    }
  }
}
