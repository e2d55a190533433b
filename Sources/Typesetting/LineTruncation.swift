/// The letters of a line that stay where an ellipsis stands for the others.
struct LineTruncation {
  let paragraph: ShapedParagraph
  let width: Double

  /// Everything from the stop `start` on that has room, in the order of the text; nothing if the ellipsis has none.
  ///
  /// - Parameter place: any but `none`. If everything has room, an ellipsis at the end stands for the paragraphs behind.
  func pieces(from start: Int, _ place: TextLayout.Truncation) -> [LinePiece] {
    let stops = paragraph.stops
    let last = stops.count - 1
    let rest = stops[last].x - stops[start].x
    let place = rest <= width ? .end : place
    // The font of the ellipsis is that of a letter beside it.
    let neighbour = place == .start ? stops[last] : stops[lastStop(from: start, width: width)]
    guard let ellipsis = paragraph.ellipsis(like: max(Int(neighbour.offset) - 1, Int(stops[start].offset))) else {
      return []
    }
    let room = width + LineBreaker.tolerance - ellipsis.width
    if room < 0 { return [] }
    let headRoom: Double =
      switch place {
      case .start: 0
      case .middle: room / 2
      default: room
      }
    let head = self.head(from: start, room: headRoom)
    let tail = place == .end ? [] : self.tail(from: head.end, room: room - head.pieces.width)
    return head.pieces + [ellipsis] + tail
  }

  private func lastStop(from start: Int, width: Double) -> Int {
    let x = paragraph.stops[start].x + width
    return max(paragraph.stops.boundary { $0.x > x } - 1, start)
  }

  /// The longest beginning, without blanks at its end.
  private func head(from start: Int, room: Double) -> (pieces: [LinePiece], end: Int) {
    var end = lastStop(from: start, width: room)
    while end > start {
      if isCaret(end), !paragraph.stops[end - 1].place.contains(.blank) {
        let pieces = paragraph.pieces(of: offset(start)..<offset(end))
        if pieces.width <= room { return (pieces, end) }
      }
      end -= 1
    }
    return ([], start)
  }

  /// The longest end, without blanks at its beginning.
  private func tail(from start: Int, room: Double) -> [LinePiece] {
    let stops = paragraph.stops
    let last = stops.count - 1
    var first = max(stops.boundary { stops[last].x - $0.x <= room }, start)
    while first < last {
      if isCaret(first), !stops[first].place.contains(.blank) {
        let pieces = paragraph.pieces(of: offset(first)..<offset(last))
        if pieces.width <= room { return pieces }
      }
      first += 1
    }
    return []
  }

  private func offset(_ stop: Int) -> Int { Int(paragraph.stops[stop].offset) }
  private func isCaret(_ stop: Int) -> Bool {
    stop == paragraph.stops.count - 1 || paragraph.stops[stop].place.contains(.caret)
  }
}

extension [LinePiece] {
  var width: Double { reduce(0) { $0 + $1.width } }
}
