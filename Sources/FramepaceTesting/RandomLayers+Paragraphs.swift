import Framepace
import LinuxSystem

extension RandomLayers {
  private static let libraries = Lock<[String: FontLibrary]>([:])

  /// The fonts in the file of a face. Trees that show the same font share it, as they share the face.
  static func library(of face: FontFace) -> FontLibrary? {
    libraries.withLock { libraries in
      if let library = libraries[face.path] { return library }
      let library = try? FontLibrary(files: [face.path])
      libraries[face.path] = library
      return library
    }
  }

  /// Changes the text of a paragraph, mostly a word of it, or how it is set.
  func changeParagraph(_ layer: ParagraphLayer) {
    if let library { layer.fonts = library }
    let text = layer.attributedText
    if text.count > 0, random.chance(0.5) {
      let start = Int.random(in: 0..<text.count, using: &random)
      layer.attributedText.replace(start..<start + Int.random(in: 0...4, using: &random), with: span())
      return
    }
    switch Int.random(in: 0..<6, using: &random) {
    case 0 where text.count > 0: layer.baseColor = color()
    case 1 where text.count > 0: layer.paragraphStyle = paragraphStyle()
    case 2 where text.count > 0:
      layer.insets = Insets(top: number(in: -2...9), left: number(in: 0...9), bottom: number(in: 0...9), right: 3)
      layer.verticalAlignment = ParagraphLayer.VerticalAlignment.allCases.randomElement(using: &random) ?? .top
    default:
      layer.baseFont = fontRequest()
      layer.paragraphStyle = random.chance(0.5) ? TextLayout.Style() : paragraphStyle()
      layer.attributedText = (0..<Int.random(in: 0...8, using: &random)).reduce(into: AttributedText("")) { text, _ in
        text.append(span())
      }
    }
  }

  private static let words = [
    "the quick", "fluffy", "AVA", "\u{5E9}\u{5DC}\u{5D5}\u{5DD}", "e\u{301}t\u{E9}", "12:30", "\n", "  ", "su\u{AD}per",
    "supercalifragilistic", "\u{2067}abc\u{2069}", "",
  ]

  private func span() -> AttributedText {
    let word = random.chance(0.3) ? digits() : Self.words.randomElement(using: &random) ?? ""
    return AttributedText(word + (random.chance(0.7) ? " " : ""), attributes())
  }

  private func attributes() -> AttributedText.Attributes {
    AttributedText.Attributes {
      if random.chance(0.5) { return }
      if random.chance(0.2) { $0.font = fontRequest() }
      if random.chance(0.3) { $0.color = color() }
      if random.chance(0.1) { $0.letterSpacing = number(in: -1...4) }
      if random.chance(0.1) { $0.baselineOffset = number(in: -4...4) }
      if random.chance(0.2) { $0.underline = LineDecoration(color: optionalColor()) }
      if random.chance(0.2) { $0.strikethrough = LineDecoration(color: optionalColor()) }
      if random.chance(0.3) { $0.background = color() }
      if random.chance(0.1) { $0.language = ["ja", "de", "und"].randomElement(using: &random) }
      if random.chance(0.1) { $0.isUnbreakable = random.chance(0.5) }
    }
  }

  private func fontRequest() -> FontRequest {
    var request = FontRequest(["DejaVu Sans"], size: font.map { $0.size * number(in: 0.6...1.4) } ?? 0)
    if random.chance(0.3) { request.weight = [300, 600, 850].randomElement(using: &random) ?? 400 }
    if random.chance(0.1) { request.slant = FontRequest.Slant.allCases.randomElement(using: &random) ?? .upright }
    if random.chance(0.1) { request.features = [FontFeature("kern", 0), .tabularFigures] }
    if random.chance(0.05) { request.variations = [.weight(500)] }
    return request
  }

  private func paragraphStyle() -> TextLayout.Style {
    TextLayout.Style {
      $0.alignment = TextLayout.Alignment.allCases.randomElement(using: &random) ?? .natural
      $0.wrapping = TextLayout.Wrapping.allCases.randomElement(using: &random) ?? .word
      $0.direction = TextLayout.Direction.allCases.randomElement(using: &random) ?? .natural
      $0.truncation = TextLayout.Truncation.allCases.randomElement(using: &random) ?? .end
      $0.lineHeight = [.natural, .multiple(1.3), .multiple(0.6), .fixed(20)].randomElement(using: &random) ?? .natural
      if random.chance(0.3) { $0.maximumLines = Int.random(in: 1...3, using: &random) }
      if random.chance(0.2) { ($0.firstLineIndent, $0.paragraphSpacing) = (12, 7) }
    }
  }
}
