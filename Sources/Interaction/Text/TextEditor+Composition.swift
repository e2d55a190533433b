public import Input

extension TextEditor {
  /// Takes a step of an input method. Bytes in the middle of a character of Unicode are taken for those at its outer edge.
  public mutating func compose(_ step: TextComposition) {
    marked = ""
    deleteAround(before: step.deletedBefore, behind: step.deletedBehind)
    if !step.inserted.isEmpty { insert(step.inserted) }
    let text = Self.line(step.marked)
    guard !text.isEmpty else { return }
    if !selection.isEmpty { delete(.character, .backward) }
    mark(text, caret: step.marked == text ? step.markedCaret : nil)
  }

  private mutating func deleteAround(before: Int, behind: Int) {
    guard before > 0 || behind > 0 else { return }
    let bytes = Array(string.utf8)
    func isInside(_ byte: Int) -> Bool { byte < bytes.count && bytes[byte] & 0xC0 == 0x80 }
    let (first, last) = (byte(at: selection.range.lowerBound), byte(at: selection.range.upperBound))
    var (start, end) = (first - min(before, first), last + min(behind, bytes.count - last))
    while isInside(start) { start -= 1 }
    while isInside(end) { end += 1 }
    delete(bytes: start..<end)
  }
}
