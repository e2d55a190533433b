public import Geometry

/// A step of an input method, in which people write Chinese or Japanese, say, or choose an emoji. It is made in this order.
public struct TextComposition: Hashable, Sendable {
  /// How many bytes of UTF-8 before and behind the selection are deleted, with what is selected.
  public var deletedBefore: Int
  public var deletedBehind: Int
  /// The text that is inserted at the caret.
  public var inserted: String
  /// Text that is not complete, to be shown at the caret in place of the one of the step before.
  public var marked: String
  /// The caret in the marked text, in bytes of UTF-8; nil for none.
  public var markedCaret: Int?

  public init(
    inserted: String = "", marked: String = "", markedCaret: Int? = nil, deletedBefore: Int = 0, deletedBehind: Int = 0
  ) {
    (self.inserted, self.marked, self.markedCaret) = (inserted, marked, markedCaret)
    (self.deletedBefore, self.deletedBehind) = (max(deletedBefore, 0), max(deletedBehind, 0))
  }
}

/// The part of a text that an input method may know: the text that a person writes, and where.
public struct TextInputState: Hashable, Sendable {
  /// The text without marked text; empty for one that is not to be read.
  public var text: String
  /// The end of the selection that stays, and the one with the caret, in bytes of UTF-8.
  public var anchor: Int
  public var head: Int
  /// The caret, in parts of the output's area from 0 to 1.
  public var caret: Rect
  /// True for a password.
  public var isSecure: Bool
  /// A number that is another one after each change which the input method did not make.
  public var change: UInt64

  public init(text: String, anchor: Int, head: Int, caret: Rect, isSecure: Bool, change: UInt64) {
    (self.text, self.anchor, self.head) = (text, anchor, head)
    (self.caret, self.isSecure, self.change) = (caret, isSecure, change)
  }
}
