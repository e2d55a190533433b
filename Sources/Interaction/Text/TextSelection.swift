/// The selected part of a text, between two places that are counted in grapheme clusters: what people take for a character.
public struct TextSelection: Hashable, Sendable {
  /// The end that stays when the selection is extended.
  public var anchor: Int
  /// The end that moves, at which the caret is.
  public var head: Int

  public init(anchor: Int, head: Int) { (self.anchor, self.head) = (anchor, head) }

  /// A caret without a selected character.
  public init(_ place: Int) { self.init(anchor: place, head: place) }

  public var range: Range<Int> { min(anchor, head)..<max(anchor, head) }
  public var isEmpty: Bool { anchor == head }
}

/// A step of a caret, or an extent that is deleted.
public enum TextUnit: Hashable, Sendable, CaseIterable {
  case character
  /// To the end of a word, or backwards to its beginning; blanks and punctuation before it are passed.
  case word
  /// To the end of the line, or to its beginning.
  case line
}

/// A direction in the order of a text, which is to the left or to the right as the script is written.
public enum TextDirection: Hashable, Sendable, CaseIterable { case backward, forward }
