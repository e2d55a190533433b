import Layouts

/// Reads tracks and lines that are written as in CSS.
struct StyleText {
  private var words: [Substring]

  /// Words and brackets.
  init(_ text: String) {
    var words: [Substring] = []
    for part in text.split(whereSeparator: { " ,/".contains($0) }) {
      var rest = part
      while let index = rest.firstIndex(where: { "()".contains($0) }) {
        if index > rest.startIndex { words.append(rest[..<index]) }
        words.append(rest[index...index])
        rest = rest[rest.index(after: index)...]
      }
      if !rest.isEmpty { words.append(rest) }
    }
    self.words = words
  }

  private mutating func next() -> String { words.isEmpty ? "" : String(words.removeFirst()) }

  private static func length(_ word: String) -> LayoutLength {
    word.hasSuffix("%")
      ? .percent(Double(word.dropLast()) ?? .nan)
      : .points(Double(word.hasSuffix("px") ? String(word.dropLast(2)) : word) ?? .nan)
  }

  // MARK: Tracks

  static func tracks(_ text: String) -> GridTracks {
    guard text.contains("repeat(auto") else { return .list(list(text)) }
    var (reader, before, after) = (StyleText(text), [GridTrack](), [GridTrack]())
    var repeated: (kind: String, tracks: [GridTrack])?
    while !reader.words.isEmpty {
      if reader.words[0] == "repeat" {
        _ = (reader.next(), reader.next())
        let kind = reader.next()
        var tracks: [GridTrack] = []
        while let word = reader.words.first, word != ")" { tracks.append(reader.track()) }
        _ = reader.next()
        repeated = (kind, tracks)
      } else if repeated == nil {
        before.append(reader.track())
      } else {
        after.append(reader.track())
      }
    }
    let tracks = repeated?.tracks ?? []
    return repeated?.kind == "auto-fit"
      ? .autoFit(tracks, before: before, after: after) : .autoFill(tracks, before: before, after: after)
  }

  static func list(_ text: String) -> [GridTrack] {
    var (reader, tracks) = (StyleText(text), [GridTrack]())
    while !reader.words.isEmpty { tracks.append(reader.track()) }
    return tracks
  }

  private mutating func track() -> GridTrack {
    let word = next()
    switch word {
    case "auto": return .auto
    case "min-content": return .minContent
    case "max-content": return .maxContent
    case "fit-content":
      _ = next()
      defer { _ = next() }
      return .fitContent(Self.length(next()))
    case "minmax":
      _ = next()
      defer { _ = next() }
      let least: GridTrack.Minimum =
        switch next() {
        case "auto": .auto
        case "min-content": .minContent
        case "max-content": .maxContent
        case let length: .length(Self.length(length))
        }
      switch track() {
      case .length(let length): return .minmax(least, .length(length))
      case .fraction(let factor): return .minmax(least, .fraction(factor))
      case .minContent: return .minmax(least, .minContent)
      case .maxContent: return .minmax(least, .maxContent)
      default: return .minmax(least, .auto)
      }
    default: return word.hasSuffix("fr") ? .fraction(Double(word.dropLast(2)) ?? .nan) : .length(Self.length(word))
    }
  }

  // MARK: Lines

  static func placement(_ text: String) -> GridPlacement {
    var sides: [(isSpan: Bool, number: Int)] = []
    for side in text.split(separator: "/") {
      let words = side.split(separator: " ")
      if words == ["auto"] { continue }
      sides.append((words.first == "span", Int(words.last ?? "") ?? 0))
    }
    switch sides.count {
    case 0: return .auto
    case 1: return sides[0].isSpan ? .span(sides[0].number) : .line(sides[0].number)
    default:
      switch (sides[0].isSpan, sides[1].isSpan) {
      case (false, false): return .lines(sides[0].number, sides[1].number)
      case (false, true): return .line(sides[0].number, span: sides[1].number)
      case (true, false): return .end(sides[1].number, span: sides[0].number)
      case (true, true): return .span(sides[0].number)
      }
    }
  }
}
