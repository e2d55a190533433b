import Input
import LinuxSystem
import Testing

@testable import Interaction

/// Steps of an input method in a text.
struct TextCompositionTests {
  @Test func markedTextTakesThePlaceOfTheSelection() {
    var editor = TextEditor("one two")
    editor.select(TextSelection(anchor: 4, head: 7))
    editor.compose(TextComposition(marked: "x\ny", markedCaret: 1))
    #expect(editor.string == "one ")
    #expect(editor.marked == "x y")
    // The line differs from what the place was in.
    #expect(editor.markedCaret == nil)
    editor.compose(TextComposition(inserted: "2"))
    #expect(editor.string == "one 2" && editor.marked.isEmpty && editor.selection == TextSelection(5))
    editor.undo()
    #expect(editor.string == "one ")
    editor.undo()
    #expect(editor.string == "one two")
  }

  @Test func anAccentAloneIsDeleted() {
    var editor = TextEditor("ae\u{301}b")
    editor.select(TextSelection(2))
    editor.compose(TextComposition(deletedBefore: 2))
    #expect(editor.string == "aeb" && editor.selection == TextSelection(2))
    // A byte in a character is the whole one.
    editor.compose(TextComposition(inserted: "é字", deletedBefore: 100, deletedBehind: 100))
    editor.compose(TextComposition(deletedBefore: 1))
    #expect(editor.string == "é")
    editor = TextEditor("é字b")
    editor.select(TextSelection(2))
    editor.compose(TextComposition(deletedBefore: 1))
    #expect(editor.string == "éb" && editor.selection == TextSelection(1))
    editor = TextEditor("é")
    editor.maximumLength = 2
    editor.compose(TextComposition(inserted: "xyz"))
    #expect(editor.string == "éx")
  }

  /// The same as cutting bytes from the text, for all places in texts whose characters are of one scalar.
  @Test func deletingIsCuttingBytes() {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix64(seed: seed)
    for _ in 0..<2000 {
      let characters = (0..<Int.random(in: 0...12, using: &random)).map { _ in
        ["a", "é", "字", "🎈"][Int.random(in: 0...3, using: &random)]
      }
      var editor = TextEditor(characters.joined())
      let (anchor, head) = (Int.random(in: 0...12, using: &random), Int.random(in: 0...12, using: &random))
      editor.select(TextSelection(anchor: anchor, head: head))
      let range = editor.selection.range
      let before = characters[..<range.lowerBound].suffix(Int.random(in: 0...3, using: &random)).joined().utf8.count
      let behind = characters[range.upperBound...].prefix(Int.random(in: 0...3, using: &random)).joined().utf8.count
      let bytes = Array(editor.string.utf8)
      let (start, end) = (editor.byte(at: range.lowerBound) - before, editor.byte(at: range.upperBound) + behind)
      editor.compose(TextComposition(inserted: "-", deletedBefore: before, deletedBehind: behind))
      // Without a length to delete, inserting alone takes the selection.
      let expected = bytes[..<start] + Array("-".utf8) + bytes[end...]
      #expect(Array(editor.string.utf8) == Array(expected), "seed \(seed)")
      #expect(editor.byte(at: editor.selection.head) == start + 1, "seed \(seed)")
    }
  }
}
