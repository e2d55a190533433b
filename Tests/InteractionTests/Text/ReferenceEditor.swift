@testable import Interaction

/// A text editor that goes the slow and obvious way: an array of characters, and a log of all changes.
struct ReferenceEditor {
  struct State: Equatable {
    var text: [Character] = []
    var selection = TextSelection(0)
  }

  private struct Change {
    var before: State
    var after: State
    /// True if it is undone together with the change before it.
    var isJoined: Bool
  }

  private(set) var state = State()
  var limit: Int?
  private var done: [Change] = []
  private var undone: [Change] = []
  /// The word for the changes that the next one may join.
  private var open = ""

  private var range: Range<Int> { state.selection.range }

  mutating func select(anchor: Int, head: Int) {
    open = ""
    let count = state.text.count
    state.selection = TextSelection(anchor: min(max(anchor, 0), count), head: min(max(head, 0), count))
  }

  mutating func move(_ unit: TextUnit, _ direction: TextDirection, extending: Bool) {
    var (anchor, head) = (state.selection.anchor, state.selection.head)
    if unit == .character, !extending, anchor != head {
      head = direction == .backward ? min(anchor, head) : max(anchor, head)
    } else {
      head = place(unit, direction, from: head)
    }
    if !extending { anchor = head }
    select(anchor: anchor, head: head)
  }

  mutating func selectWord(at place: Int) {
    guard !state.text.isEmpty else { return select(anchor: 0, head: 0) }
    let place = min(max(place, 0), state.text.count - 1)
    let kind = Self.isOfWord(state.text[place])
    var (start, end) = (place, place)
    while start > 0, Self.isOfWord(state.text[start - 1]) == kind { start -= 1 }
    while end < state.text.count, Self.isOfWord(state.text[end]) == kind { end += 1 }
    select(anchor: start, head: end)
  }

  private static func isOfWord(_ character: Character) -> Bool { character.isLetter || character.isNumber }

  private func place(_ unit: TextUnit, _ direction: TextDirection, from place: Int) -> Int {
    var place = place
    switch (unit, direction) {
    case (.character, .backward): place = max(place - 1, 0)
    case (.character, .forward): place = min(place + 1, state.text.count)
    case (.line, .backward): place = 0
    case (.line, .forward): place = state.text.count
    case (.word, .backward):
      while place > 0, !Self.isOfWord(state.text[place - 1]) { place -= 1 }
      while place > 0, Self.isOfWord(state.text[place - 1]) { place -= 1 }
    case (.word, .forward):
      while place < state.text.count, !Self.isOfWord(state.text[place]) { place += 1 }
      while place < state.text.count, Self.isOfWord(state.text[place]) { place += 1 }
    }
    return place
  }

  mutating func insert(_ text: String, isTyped: Bool) {
    let kind = isTyped ? "typing" : ""
    let rest = state.text.count - range.count
    var inserted = Array(text)
    while !inserted.isEmpty, joined(inserted).count > max(limit ?? .max, rest) { inserted.removeLast() }
    if inserted.isEmpty { return }
    change(inserted, joins: range.isEmpty && kind != "" && open == kind, kind)
  }

  mutating func delete(_ unit: TextUnit, _ direction: TextDirection) {
    let hadSelection = !range.isEmpty
    let selection = state.selection
    if !hadSelection { state.selection.anchor = place(unit, direction, from: selection.head) }
    let kind = unit == .character && !hadSelection ? "deletion \(direction)" : ""
    if range.isEmpty { return state.selection = selection }
    let removed = range
    state.selection = selection
    change([], joins: kind != "" && open == kind, kind, removed)
  }

  private func joined(_ inserted: [Character], _ range: Range<Int>? = nil) -> [Character] {
    let range = range ?? self.range
    return Array(String(state.text[..<range.lowerBound]) + String(inserted) + String(state.text[range.upperBound...]))
  }

  private mutating func change(_ inserted: [Character], joins: Bool, _ kind: String, _ range: Range<Int>? = nil) {
    let range = range ?? self.range
    let before = state
    let end = (String(state.text[..<range.lowerBound]) + String(inserted)).utf8.count
    state.text = joined(inserted, range)
    let head = (0...state.text.count).first { String(state.text[..<$0]).utf8.count >= end } ?? 0
    state.selection = TextSelection(head)
    done.append(Change(before: before, after: state, isJoined: joins))
    undone = []
    open = kind
  }

  mutating func undo() {
    open = ""
    if done.isEmpty { return }
    done[done.count - 1].after = state
    while let change = done.popLast() {
      undone.append(change)
      state = change.before
      if !change.isJoined { break }
    }
  }

  mutating func redo() {
    open = ""
    guard var change = undone.popLast() else { return }
    change.before = state
    done.append(change)
    while let next = undone.last, next.isJoined { done.append(undone.removeLast()) }
    state = done[done.count - 1].after
  }
}
