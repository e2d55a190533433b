import LinuxSystem

/// Characters of a text for which there is no glyph. Boxes stand in their places.
public struct MissingCharacters: Hashable, Sendable, CustomStringConvertible {
  public var characters: Set<Character>
  public var text: String
  /// The file of the only font that was looked into; nil where all fonts of a library were.
  public var fontPath: String?

  public var description: String {
    let characters = String(characters.sorted()).withoutControlCharacters
    let text = (text.count > 40 ? String(text.prefix(39)) + "…" : text).withoutControlCharacters
    let place = "“\(characters)” in the text “\(text)”"
    if let fontPath {
      return "the font \(fontPath) has no glyph for \(place); use a font that has it, "
        + "or a paragraph (ParagraphLayer), which takes such letters from other fonts"
    }
    return "no font has a glyph for \(place); install or name one that has it"
  }
}
