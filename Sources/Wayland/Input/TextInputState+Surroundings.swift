import Input

extension TextInputState {
  /// The most bytes of text that a message has.
  private static let most = 4000

  /// The text around the caret, and the ends of the selection in it: as much as a message takes.
  var surroundings: (text: String, anchor: Int, head: Int) {
    let bytes = Array(text.utf8)
    let (anchor, head) = (min(max(anchor, 0), bytes.count), min(max(head, 0), bytes.count))
    guard bytes.count > Self.most else { return (text, anchor, head) }
    // As much before as behind the caret, at the edges of characters.
    var start = min(max(head - Self.most / 2, 0), bytes.count - Self.most)
    var end = start + Self.most
    while start < end, bytes[start] & 0xC0 == 0x80 { start += 1 }
    while end > start, end < bytes.count, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    let part = String(decoding: bytes[start..<end], as: UTF8.self)
    return (part, min(max(anchor, start), end) - start, min(max(head, start), end) - start)
  }
}
