internal import CPango

/// The places between the characters of a text: line breaks by UAX 14, with a dictionary for Thai; places of a caret and ends of words
/// by UAX 29.
package struct TextBreaks: Sendable {
  package struct Place: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A line may begin here.
    package static let line = Place(rawValue: UInt16(CPANGO_LINE_BREAK))
    /// A line must begin here.
    package static let mandatory = Place(rawValue: UInt16(CPANGO_MANDATORY_BREAK))
    /// A line may begin here where words may be broken anywhere.
    package static let character = Place(rawValue: UInt16(CPANGO_CHARACTER_BREAK))
    /// The character behind is a blank.
    package static let blank = Place(rawValue: UInt16(CPANGO_WHITE))
    /// A caret may stand here.
    package static let caret = Place(rawValue: UInt16(CPANGO_CURSOR))
    /// The character behind is a blank that may be widened.
    package static let expandable = Place(rawValue: UInt16(CPANGO_EXPANDABLE))
    /// A line that is broken here gets a hyphen, also in the middle of a word that may be broken anywhere.
    package static let hyphen = Place(rawValue: UInt16(CPANGO_HYPHEN))
    package static let wordStart = Place(rawValue: UInt16(CPANGO_WORD_START))
    package static let wordEnd = Place(rawValue: UInt16(CPANGO_WORD_END))
  }

  /// One for each byte of UTF-8 and one for the end; nothing is possible inside of a scalar.
  private let places: [UInt16]

  /// - Parameters:
  ///   - text: of one longer than 16 MiB the rest is left out.
  ///   - language: some languages break in other places.
  package init(_ text: String, language: String = "und") {
    let text = PangoText(text)
    places = [UInt16](unsafeUninitializedCapacity: text.count + 1) { places, count in
      guard let base = places.baseAddress else { return }
      if text.withBytes({ cpango_breaks($0, $1, language, base) }) { count = text.count + 1 }
    }
  }

  /// The place before a byte of UTF-8, or at the end; empty outside of the text.
  package subscript(offset: Int) -> Place { places.indices.contains(offset) ? Place(rawValue: places[offset]) : [] }
}
