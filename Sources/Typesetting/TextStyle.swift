extension TextLayout {
  /// How paragraphs are set. A number that is not finite counts as 0.
  public struct Style: Hashable, Sendable {
    public var alignment = Alignment.natural
    public var lineHeight = LineHeight.natural
    /// The number of lines that are shown, at least 1; all if nil.
    public var maximumLines: Int?
    public var wrapping = Wrapping.wordThenCharacter
    /// The part of the last line that is left out where not all has room.
    public var truncation = Truncation.end
    /// Points between two paragraphs, at least 0.
    public var paragraphSpacing = 0.0
    /// Points at the beginning of the first line of a paragraph.
    public var firstLineIndent = 0.0
    /// The direction of every paragraph.
    public var direction = Direction.natural

    public init() {}
    public init(_ change: (inout Style) -> Void) { change(&self) }

    /// The style with numbers that layouts can reckon with.
    package var usable: Style {
      var style = self
      style.paragraphSpacing = max(paragraphSpacing.usable, 0)
      style.firstLineIndent = firstLineIndent.usable
      style.lineHeight =
        switch lineHeight {
        case .natural: .natural
        case .multiple(let factor): .multiple(max(factor.usable, 0))
        case .fixed(let points): .fixed(max(points.usable, 0))
        }
      return style
    }
  }

  /// The horizontal place of lines that are narrower than the layout.
  public enum Alignment: String, CaseIterable, Hashable, Sendable {
    /// The side where the paragraph's direction begins.
    case natural
    case left
    case center
    case right
    /// Blanks are widened so that all lines of a paragraph but the last one are as wide as the layout, or places between letters in
    /// scripts without blanks.
    case justified
  }

  /// The height of a line. What is more or less than its fonts have is shared by both sides of it.
  public enum LineHeight: Hashable, Sendable {
    /// The largest ascent and descent of the line's fonts and the layout's, and between lines the gap that they ask for.
    case natural
    /// So many times the natural height with its gap.
    case multiple(Double)
    /// So many points.
    case fixed(Double)
  }

  /// The places where lines may begin.
  public enum Wrapping: String, CaseIterable, Hashable, Sendable {
    /// Between words, as the rules of scripts allow it. A word that is wider than the layout reaches out of it.
    case word
    /// Between all letters.
    case character
    /// As `word`, and between the letters of words that are wider than the layout.
    case wordThenCharacter
    /// At the text's own line breaks only.
    case none
  }

  /// The part of a line that an ellipsis stands for, where not everything has room.
  public enum Truncation: String, CaseIterable, Hashable, Sendable {
    /// None: the rest is left out without an ellipsis.
    case none
    case start
    case middle
    case end
  }

  /// The direction of paragraphs.
  public enum Direction: String, CaseIterable, Hashable, Sendable {
    /// The direction of the first letter that has one; without any from left to right.
    case natural
    case leftToRight
    case rightToLeft
  }
}

extension Double {
  /// 0 for what is not finite, and nothing so large that sums of it are not.
  var usable: Double { isFinite ? min(max(self, -1e9), 1e9) : 0 }
}
