import Framepace

/// Something that happened to a run, for a line of its own.
enum RunNote {
  /// A display was lost, is back, or refused something.
  case change(String)
  /// The scene's file was read again.
  case reload(path: String)
  /// The scene's file has changed and cannot be read. The scene goes on as it was.
  case mistake(SceneError)
  /// The main loop hung.
  case hang(String)

  /// The note for people.
  var sentence: String {
    switch self {
    case .change(let sentence): sentence
    case .reload(let path): "\(path.withoutControlCharacters) was read again"
    case .mistake(let error): "\(error); the scene goes on as it was"
    case .hang(let headline): headline
    }
  }

  var json: JSONValue {
    switch self {
    case .change(let sentence): .object([("change", .text(sentence))])
    case .reload(let path): .object([("reload", .text(path))])
    case .hang(let headline): .object([("hang", .text(headline))])
    case .mistake(let error):
      .object([
        ("mistake", .text(error.message)), ("file", .optional(error.file)),
        ("line", error.line.map { .count($0) } ?? .null), ("column", error.column.map { .count($0) } ?? .null),
      ])
    }
  }
}
