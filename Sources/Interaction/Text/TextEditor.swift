import Typesetting

/// A line of text while it is edited: the text, its selection, and the steps that can be undone. A value without a clock, a layer or a device.
///
/// Places are counted in grapheme clusters. A change that joins characters, such as a combining accent behind a letter, leaves the caret behind
/// the joined one.
///
/// ```swift
/// var editor = TextEditor("Grace")
/// editor.insert(" Hopper")
/// editor.move(.word, .backward, extending: true)
/// editor.insert("Kelly")
/// editor.undo()
/// ```
public struct TextEditor: Hashable, Sendable {
  public private(set) var string: String
  public private(set) var selection: TextSelection
  /// Text that is not typed to its end, such as an accent that waits for its letter. It is shown at the caret, and no part of `string` yet;
  /// whatever changes text or selection drops it.
  public var marked = "" {
    didSet { markedCaret = nil }
  }
  /// The caret in the marked text, in bytes of UTF-8; nil for its end.
  public private(set) var markedCaret: Int?
  /// The most characters that may be typed; nil for any number. A text that is longer already stays.
  public var maximumLength: Int?
  /// True for text that is not to be read, such as a password: it is neither cut nor copied, and has no words.
  public var isSecure = false

  private var history = TextHistory()

  /// A text with the caret at its end.
  public init(_ string: String = "", maximumLength: Int? = nil) {
    self.string = Self.line(string)
    self.maximumLength = maximumLength
    selection = TextSelection(0)
    selection = TextSelection(count)
  }

  /// The number of characters.
  public var count: Int { string.count }
  public var selectedText: String { String(string[range(selection.range)]) }

  /// Another text with the caret at its end, and nothing to be undone.
  public mutating func replaceAll(_ string: String) {
    var fresh = TextEditor(string, maximumLength: maximumLength)
    fresh.isSecure = isSecure
    self = fresh
  }

  // MARK: Selection

  /// Selects what is between two places, or between the nearest ones that there are.
  public mutating func select(_ selection: TextSelection) {
    let count = count
    marked = ""
    history.close()
    self.selection = TextSelection(
      anchor: min(max(selection.anchor, 0), count), head: min(max(selection.head, 0), count))
  }

  public mutating func selectAll() { select(TextSelection(anchor: 0, head: count)) }

  /// Selects the word at a place, or the blanks and punctuation between two words.
  public mutating func selectWord(at place: Int) {
    let word = word(at: place)
    select(TextSelection(anchor: word.lowerBound, head: word.upperBound))
  }

  /// Moves the caret. A step by a character leaves a selection at its end, instead of going farther.
  ///
  /// - Parameter extending: true to move one end of the selection alone.
  public mutating func move(_ unit: TextUnit, _ direction: TextDirection, extending: Bool = false) {
    var selection = selection
    if unit == .character, !extending, !selection.isEmpty {
      selection.head = direction == .forward ? selection.range.upperBound : selection.range.lowerBound
    } else {
      selection.head = place(unit, direction, from: selection.head)
    }
    if !extending { selection.anchor = selection.head }
    select(selection)
  }

  /// The place one step from another one.
  private func place(_ unit: TextUnit, _ direction: TextDirection, from place: Int) -> Int {
    switch (isSecure && unit == .word ? .line : unit, direction) {
    case (.character, .backward): max(place - 1, 0)
    case (.character, .forward): min(place + 1, count)
    case (.word, .backward): wordPlaces.last { $0.place < place && $0.isStart }?.place ?? 0
    case (.word, .forward): wordPlaces.first { $0.place > place && $0.isEnd }?.place ?? count
    case (.line, .backward): 0
    case (.line, .forward): count
    }
  }

  /// The word at a place, or what is between two words.
  func word(at place: Int) -> Range<Int> {
    let count = count
    if isSecure || count == 0 { return 0..<count }
    let place = min(max(place, 0), count - 1)
    let edges = wordPlaces.map(\.place)
    return (edges.last { $0 <= place } ?? 0)..<(edges.first { $0 > place } ?? count)
  }

  /// The places at which words begin or end, by UAX 29 and a dictionary for Thai.
  private var wordPlaces: [(place: Int, isStart: Bool, isEnd: Bool)] {
    let breaks = TextBreaks(string)
    var (places, byte) = ([(place: Int, isStart: Bool, isEnd: Bool)](), 0)
    var last: Character?
    func add(_ place: Int) {
      let found = breaks[byte]
      let (isStart, isEnd) = (found.contains(.wordStart), found.contains(.wordEnd))
      // Pango ends a word before an apostrophe, which belongs to it between letters: rule WB6 of UAX 29.
      if isStart, !isEnd, last == "'" || last == "’", let end = places.last, end.isEnd, end.place == place - 1 {
        places.removeLast()
        if end.isStart { places.append((end.place, true, false)) }
      } else if isStart || isEnd {
        places.append((place, isStart, isEnd))
      }
    }
    for (place, character) in string.enumerated() {
      add(place)
      byte += character.utf8.count
      last = character
    }
    add(count)
    return places
  }

  // MARK: Changes

  /// Types text in place of the selection, as much of it as the maximum length allows. What is typed without a pause in between, such as a
  /// movement of the caret, is one step for `undo()`; line breaks and tabs become blanks.
  ///
  /// - Returns: false if nothing of it could be inserted.
  @discardableResult
  public mutating func insert(_ text: String) -> Bool { insert(text, as: .typing) }

  /// Inserts text as a step of its own.
  @discardableResult
  public mutating func paste(_ text: String) -> Bool { insert(text, as: .other) }

  private mutating func insert(_ text: String, as kind: TextHistory.Kind) -> Bool {
    marked = ""
    let range = selection.range
    var line = Substring(Self.line(text))
    if let maximumLength {
      let rest = count - range.count
      // At most one character at each end joins what is there already.
      line = line.prefix(max(maximumLength - rest, 0) + 2)
      while !line.isEmpty, replacing(range, with: line).count > max(maximumLength, rest) { line.removeLast() }
    }
    guard !line.isEmpty else { return false }
    replace(range, with: line, as: selection.isEmpty ? kind : .other, next: kind)
    return true
  }

  /// Deletes the selection, or without one what is between the caret and a step from it.
  ///
  /// - Returns: false if there is nothing to be deleted.
  @discardableResult
  public mutating func delete(_ unit: TextUnit, _ direction: TextDirection) -> Bool {
    marked = ""
    let end = selection.isEmpty ? place(unit, direction, from: selection.head) : selection.anchor
    let range = min(end, selection.head)..<max(end, selection.head)
    guard !range.isEmpty else { return false }
    let kind: TextHistory.Kind = unit == .character && selection.isEmpty ? .deletion(direction) : .other
    replace(range, with: "", as: kind, next: kind)
    return true
  }

  /// Deletes a part that may begin or end within a character, at the edges of its Unicode scalars.
  mutating func delete(bytes: Range<Int>) {
    let utf8 = string.utf8
    let start = utf8.index(utf8.startIndex, offsetBy: bytes.lowerBound)
    let rest = String(string[..<start]) + string[utf8.index(start, offsetBy: bytes.count)...]
    guard rest.utf8.count < utf8.count else { return }
    history.record(TextHistory.Step(string: string, selection: selection), .other, next: .other)
    string = rest
    selection = TextSelection(place(atOrAfterByte: bytes.lowerBound))
  }

  /// Shows text that is not complete at the caret.
  ///
  /// - Parameter caret: in bytes of the text; nil for its end.
  mutating func mark(_ text: String, caret: Int?) {
    marked = text
    markedCaret = caret.map { min(max($0, 0), text.utf8.count) }
  }

  /// Deletes the selection.
  ///
  /// - Returns: its text; nil without a selection, or for text that is not to be read.
  public mutating func cut() -> String? {
    guard let text = copy() else { return nil }
    delete(.character, .backward)
    return text
  }

  /// The selected text; nil without a selection, or for text that is not to be read.
  public func copy() -> String? { isSecure || selection.isEmpty ? nil : selectedText }

  private func range(_ range: Range<Int>) -> Range<String.Index> {
    let start = string.index(string.startIndex, offsetBy: range.lowerBound)
    return start..<string.index(start, offsetBy: range.count)
  }

  private func replacing(_ range: Range<Int>, with text: Substring) -> String {
    let range = self.range(range)
    return String(string[..<range.lowerBound]) + text + string[range.upperBound...]
  }

  private mutating func replace(
    _ range: Range<Int>, with text: Substring, as kind: TextHistory.Kind, next: TextHistory.Kind
  ) {
    history.record(TextHistory.Step(string: string, selection: selection), kind, next: next)
    let end = string[..<self.range(range).lowerBound].utf8.count + text.utf8.count
    string = replacing(range, with: text)
    selection = TextSelection(place(atOrAfterByte: end))
  }

  /// The first place that is not before a byte of UTF-8.
  private func place(atOrAfterByte end: Int) -> Int {
    var (place, byte) = (0, 0)
    for character in string {
      if byte >= end { break }
      byte += character.utf8.count
      place += 1
    }
    return place
  }

  /// The byte of UTF-8 at a place.
  func byte(at place: Int) -> Int {
    string.index(string.startIndex, offsetBy: place, limitedBy: string.endIndex)
      .map { string[..<$0].utf8.count } ?? string.utf8.count
  }

  // MARK: Undo

  public var canUndo: Bool { history.canUndo }
  public var canRedo: Bool { history.canRedo }

  /// Goes back to what was before the last step.
  ///
  /// - Returns: false if there is none.
  @discardableResult
  public mutating func undo() -> Bool {
    show(history.undo(from: TextHistory.Step(string: string, selection: selection)))
  }

  /// Makes a step anew that was undone, if nothing else was changed since.
  @discardableResult
  public mutating func redo() -> Bool {
    show(history.redo(from: TextHistory.Step(string: string, selection: selection)))
  }

  private mutating func show(_ step: TextHistory.Step?) -> Bool {
    marked = ""
    guard let step else { return false }
    (string, selection) = (step.string, step.selection)
    return true
  }

  /// The text in one line: line breaks and tabs are blanks, other control characters are left out.
  static func line(_ text: String) -> String {
    var line = String.UnicodeScalarView()
    var last: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n" where last == "\r": break
      case "\t", "\n"..."\r", "\u{85}", "\u{2028}", "\u{2029}": line.append(" ")
      case _ where scalar.properties.generalCategory == .control: break
      default: line.append(scalar)
      }
      last = scalar
    }
    return String(line)
  }
}
