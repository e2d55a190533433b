import LinuxSystem
import TestLength
import Testing

@testable import Interaction

@Suite struct TextEditorTests {
  /// Whatever is done to a text, in every order: the same as with an array of characters.
  @Test func randomProgramsAgreeWithAnArrayOfCharacters() {
    for seed in 0..<(isLongRun ? 20_000 : 600) as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      // Accents and flags join what they stand beside; then there are no steps by words, which begin elsewhere with them.
      let joins = seed % 2 == 0
      let signs =
        ["a", "B", "7", " ", "-", "é", "א", "👨‍👩‍👧"] + (joins ? ["\u{301}", "🇩", "🇪", "\u{200D}"] : [])
      var editor = TextEditor()
      var reference = ReferenceEditor()
      if seed % 3 == 0 { editor.maximumLength = 12 }
      reference.limit = editor.maximumLength
      var program = ""
      for _ in 0..<80 {
        let unit: TextUnit = [.character, joins ? .character : .word, .line].randomElement(using: &random) ?? .character
        let direction = TextDirection.allCases.randomElement(using: &random) ?? .forward
        switch Int.random(in: 0..<14, using: &random) {
        case 0..<5:
          let text = (0..<Int.random(in: 0...3, using: &random)).map { _ in signs.randomElement(using: &random) ?? "" }
            .joined()
          let isTyped = Bool.random(using: &random)
          program += "insert '\(text)' \(isTyped); "
          _ = isTyped ? editor.insert(text) : editor.paste(text)
          reference.insert(text, isTyped: isTyped)
        case 5..<7:
          program += "delete \(unit) \(direction); "
          editor.delete(unit, direction)
          reference.delete(unit, direction)
        case 7..<10:
          let isExtending = Bool.random(using: &random)
          program += "move \(unit) \(direction) \(isExtending); "
          editor.move(unit, direction, extending: isExtending)
          reference.move(unit, direction, extending: isExtending)
        case 10:
          let (anchor, head) = (Int.random(in: -2...15, using: &random), Int.random(in: -2...15, using: &random))
          program += "select \(anchor) \(head); "
          editor.select(TextSelection(anchor: anchor, head: head))
          reference.select(anchor: anchor, head: head)
        case 11 where !joins:
          let place = Int.random(in: 0...12, using: &random)
          program += "word \(place); "
          editor.selectWord(at: place)
          reference.selectWord(at: place)
        case 12:
          program += "redo; "
          editor.redo()
          reference.redo()
        default:
          program += "undo; "
          editor.undo()
          reference.undo()
        }
        let isSame = editor.string == String(reference.state.text) && editor.selection == reference.state.selection
        #expect(
          isSame, "seed \(seed): \(editor.string.debugDescription) \(editor.selection), \(reference.state), after \(program)"
        )
        guard isSame else { return }
      }
    }
  }

  @Test func wordsAreThoseOfTheirScripts() {
    var editor = TextEditor("Don't  stop, señor")
    editor.move(.word, .backward)
    #expect(editor.selection == TextSelection(13))
    editor.move(.word, .backward, extending: true)
    #expect(editor.selectedText == "stop, ")
    editor.selectWord(at: 2)
    #expect(editor.selectedText == "Don't")
    editor.selectWord(at: 5)
    #expect(editor.selectedText == "  ")
    editor.selectWord(at: 99)
    #expect(editor.selectedText == "señor")
    editor.delete(.word, .backward)
    editor.delete(.word, .backward)
    #expect(editor.string == "Don't  ")
    // Thai has no blanks between words: a dictionary tells them apart.
    editor = TextEditor("สวัสดีชาวโลก")
    editor.selectWord(at: 0)
    #expect(editor.selectedText == "สวัสดี")
  }

  @Test func textStaysOneLine() {
    var editor = TextEditor("a\r\nb\u{0}")
    #expect(editor.string == "a b")
    editor.paste("\tc\u{1B}\nd\u{2028}")
    #expect(editor.string == "a b c d ")
  }

  @Test func aTextThatIsTooLongAlreadyStays() {
    var editor = TextEditor("abcdef", maximumLength: 4)
    editor.insert("x")
    #expect(editor.string == "abcdef")
    // An accent joins its letter.
    var inserted = editor.insert("\u{301}")
    #expect(inserted)
    editor.select(TextSelection(anchor: 0, head: 3))
    editor.insert("xyzuvw")
    #expect(editor.string == "xdef\u{301}")
    inserted = editor.insert("y")
    #expect(!inserted)
    inserted = editor.insert("\u{301}")
    #expect(inserted)
    #expect(editor.string == "x\u{301}def\u{301}")
  }

  @Test func onlyTheLastHundredStepsAreKept() {
    var editor = TextEditor()
    for _ in 0..<150 { editor.paste("a") }
    while editor.undo() {}
    #expect(editor.count == 50)
    while editor.redo() {}
    #expect(editor.count == 150)
  }

  @Test func secureTextIsNotCopiedAndHasNoWords() {
    var editor = TextEditor("my secret")
    editor.isSecure = true
    editor.selectWord(at: 1)
    #expect(editor.selection.range == 0..<9)
    #expect(editor.copy() == nil)
    let text = editor.cut()
    #expect(text == nil)
    #expect(editor.string == "my secret")
    editor.select(TextSelection(9))
    editor.move(.word, .backward)
    #expect(editor.selection.head == 0)
  }

  @Test func cutTextIsDeletedAndReturned() {
    var editor = TextEditor("one two")
    var text = editor.cut()
    #expect(text == nil)
    editor.selectWord(at: 0)
    #expect(editor.copy() == "one")
    text = editor.cut()
    #expect(text == "one")
    #expect(editor.string == " two")
    editor.undo()
    #expect(editor.string == "one two")
    #expect(editor.selectedText == "one")
  }

  @Test func markedTextIsDroppedByChangesAndMovements() {
    for change in [
      { $0.insert("x") }, { $0.move(.character, .backward) }, { $0.delete(.character, .backward) }, { $0.undo() },
      { $0.selectAll() },
    ] as [(inout TextEditor) -> Void] {
      var editor = TextEditor("ab")
      editor.marked = "´"
      #expect(editor.string == "ab")
      change(&editor)
      #expect(editor.marked == "")
    }
  }
}
