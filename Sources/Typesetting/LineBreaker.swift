/// Finds the lines of a paragraph, each as long as fits. Blanks at the end of a line hang out of it.
struct LineBreaker {
  let paragraph: ShapedParagraph
  let wrapping: TextLayout.Wrapping

  /// A line from the stop `range.lowerBound` to `range.upperBound`, where the next one begins.
  struct Line: Hashable {
    var range: Range<Int>
    /// The stop behind the last letter that is no blank.
    var visibleEnd: Int
    var hasHyphen: Bool
  }

  /// A thousandth of a point, which nobody sees, is no reason to break a line: widths are sums of rounded numbers.
  static let tolerance = 1.0 / 1024

  private var stops: [ShapedParagraph.Stop] { paragraph.stops }

  /// The line that begins at a stop.
  func line(from start: Int, width: Double) -> Line {
    let last = stops.count - 1
    if wrapping == .none { return line(start, last) }
    let width = width + Self.tolerance
    if let line = longestLine(from: start, width: width, wrapping == .character ? [.line, .character] : .line) {
      return line
    }
    if wrapping == .wordThenCharacter {
      if let line = longestLine(from: start, width: width, [.line, .character]) { return line }
      return line(start, firstStop(behind: start, [.line, .character]))
    }
    return line(start, firstStop(behind: start, wrapping == .character ? [.line, .character] : .line))
  }

  private func longestLine(from start: Int, width: Double, _ breaks: TextBreaks.Place) -> Line? {
    let last = stops.count - 1
    guard start < last else { return line(start, last) }
    var end: Int?
    var visibleEnd = start
    for stop in start + 1...last {
      if !stops[stop - 1].place.contains(.blank) { visibleEnd = stop }
      let width = width - (stops[visibleEnd].x - stops[start].x)
      if width < 0 { break }
      if canBreak(stop, breaks), !hasHyphen(stop) || hyphenWidth(stop) <= width { end = stop }
    }
    // A line whose letters are shaped anew is a little wider at times.
    while let stop = end {
      let line = line(start, stop)
      if shapedWidth(line) + (line.hasHyphen ? hyphenWidth(stop) : 0) <= width { return line }
      end = (start + 1..<stop).last { canBreak($0, breaks) }
    }
    return nil
  }

  /// The width of the letters of a line as it is shown, without a hyphen.
  private func shapedWidth(_ line: Line) -> Double {
    let (first, end) = (stops[line.range.lowerBound], stops[line.visibleEnd])
    return first.isSafe && end.isSafe ? end.x - first.x : paragraph.pieces(of: Int(first.offset)..<Int(end.offset)).width
  }

  /// The end of a line for which nothing is short enough: the first place where it may end. Blanks behind hang out of it.
  private func firstStop(behind start: Int, _ breaks: TextBreaks.Place) -> Int {
    var stop = start + 1
    while stop < stops.count - 1, !canBreak(stop, breaks) || stops[stop].place.contains(.blank) { stop += 1 }
    return min(stop, stops.count - 1)
  }

  private func canBreak(_ stop: Int, _ breaks: TextBreaks.Place) -> Bool {
    stop == stops.count - 1 || !stops[stop].place.isDisjoint(with: breaks)
  }

  /// The width of a hyphen behind the letters before a stop.
  private func hyphenWidth(_ stop: Int) -> Double { paragraph.hyphen(before: Int(stops[stop].offset))?.width ?? 0 }

  /// True if the text asks for a hyphen where a line ends.
  private func hasHyphen(_ stop: Int) -> Bool {
    stop < stops.count - 1 && stops[stop].place.isSuperset(of: [.line, .hyphen])
  }

  private func line(_ start: Int, _ end: Int) -> Line {
    Line(range: start..<end, visibleEnd: visibleEnd(start..<end), hasHyphen: hasHyphen(end))
  }

  /// The stop behind the last letter between two stops that is no blank.
  func visibleEnd(_ range: Range<Int>) -> Int {
    var end = range.upperBound
    while end > range.lowerBound, stops[end - 1].place.contains(.blank) { end -= 1 }
    return end
  }
}
