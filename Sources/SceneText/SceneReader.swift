import Raster

/// Reads tokens one by one, with errors that name their place.
@MainActor
final class SceneReader {
  let resources: SceneResources
  private(set) var token: SceneToken
  /// The token after `token`.
  private(set) var following: SceneToken
  private var lexer: SceneLexer
  /// The braces that are open, from outside to inside.
  private(set) var openBraces: [SceneToken] = []

  // The parts of the scene as they are found.
  var animations: [PendingAnimation] = []
  private var counts: [SceneThings: Int] = [:]
  /// The names of the layers that were read. A mask has names of its own: those in it are not found outside, and those outside not in it.
  var names = LayerNames()
  /// The places of what was given in each open block, and outside all blocks.
  private var given: [[String: SceneToken]] = [[:]]

  init(_ bytes: [UInt8], resources: SceneResources) {
    self.resources = resources
    lexer = SceneLexer(bytes)
    token = lexer.next()
    following = lexer.next()
  }

  func advance() {
    token = following
    following = lexer.next()
  }

  // MARK: Errors

  /// True if a brace follows the token, or a name and a brace: so layers, animations and states begin.
  var beginsBlock: Bool {
    switch following.kind {
    case .open: return true
    case .word, .string:
      var rest = lexer
      return rest.next().kind == .open
    default: return false
    }
  }

  /// The error that something else stands at the token.
  func expected(_ what: String) -> SceneError { error(.expected(what, found: token.name), at: token) }

  /// The error that nothing has this name, with one that is like it.
  func unknown(_ name: String, in names: some Sequence<String>, _ what: String, at token: SceneToken) -> SceneError {
    let near = nearest(to: name, in: names).map { ", such as \($0)" } ?? ""
    return error(.expected(what + near, found: SceneToken(kind: .word(name), offset: 0).name), at: token)
  }

  func error(_ reason: SceneError.Reason, at token: SceneToken) -> SceneError {
    let place = lexer.place(of: token.offset)
    return SceneError(file: resources.file, line: place.line, column: place.column, reason: reason)
  }

  /// The line and column of a byte, as messages write it.
  func place(of offset: Int) -> String {
    let place = lexer.place(of: offset)
    return "\(place.line):\(place.column)"
  }

  /// Refuses what was given before in the same block.
  ///
  /// - Parameter token: the one that names it; the present one if nil.
  func takeOnce(_ name: String, at token: SceneToken? = nil) throws(SceneError) {
    let token = token ?? self.token
    guard let first = given[given.count - 1].updateValue(token, forKey: name) else { return }
    throw repeated(name, first: first, at: token)
  }

  func repeated(_ name: String, first: SceneToken, at token: SceneToken) -> SceneError {
    let place = lexer.place(of: first.offset)
    return error(.repeated(name, line: place.line, column: place.column), at: token)
  }

  /// Counts one more of something, whose number is limited.
  ///
  /// - Returns: how many there are now.
  @discardableResult
  func count(_ things: SceneThings) throws(SceneError) -> Int {
    let number = counts[things, default: 0] + 1
    counts[things] = number
    guard number <= SceneLimit.things else {
      throw error(.tooMany(things.rawValue, limit: SceneLimit.things), at: token)
    }
    return number
  }

  // MARK: Words and blocks

  /// The word at the token; nil if there is none. The token stays.
  var word: String? { if case .word(let word) = token.kind { word } else { nil } }

  /// Takes a word if it is this one.
  func take(_ word: String) -> Bool {
    guard self.word == word else { return false }
    advance()
    return true
  }

  /// The word that goes on a value; nil before a brace, where it is the name of a layer.
  var valueWord: String? { following.kind == .open ? nil : word }

  /// Takes a word that goes on a value if it is this one.
  func takeInValue(_ word: String) -> Bool { valueWord == word && take(word) }

  func takeWord(_ expected: String) throws(SceneError) -> String {
    guard let word else { throw self.expected(expected) }
    advance()
    return word
  }

  /// A name: a word or a string.
  func takeName(_ expected: String) throws(SceneError) -> String {
    guard let name = takeName() else { throw self.expected(expected) }
    return name
  }

  /// A name, if there is one.
  func takeName() -> String? {
    switch token.kind {
    case .word(let name), .string(let name):
      advance()
      return name
    default: return nil
    }
  }

  /// Reads `{ … }`: `item` is called at each token in it until the brace closes.
  func block(of content: String, _ item: () throws(SceneError) -> Void) throws(SceneError) {
    guard token.kind == .open else { throw expected("\"{\"") }
    guard openBraces.count < SceneLimit.depth else {
      throw error(.tooMany("levels of braces", limit: SceneLimit.depth), at: token)
    }
    let opening = token
    openBraces.append(opening)
    given.append([:])
    advance()
    while token.kind != .close {
      guard token.kind != .end else {
        throw expected("\"}\" for the \"{\" at \(place(of: opening.offset)), or \(content)")
      }
      try item()
    }
    openBraces.removeLast()
    given.removeLast()
    advance()
  }

  // MARK: Numbers

  /// True if a number stands at the token, whatever its unit.
  var isAtNumber: Bool {
    if case .number = token.kind { true } else { valueWord.map { SceneNumber.words[$0] != nil } ?? false }
  }

  /// True if a colour stands at the token.
  var isAtColor: Bool { if case .color = token.kind { true } else { valueWord == "rgba" } }

  /// A number with one of these units; what each stands for.
  func number(_ expected: String = "a number", units: [String: Double] = ["": 1]) throws(SceneError) -> Double {
    switch token.kind {
    case .number(let digits, let unit):
      guard let value = Double(digits), let factor = units[unit] else {
        let hint = unit.isEmpty || units.keys.contains { !$0.isEmpty } ? "" : ", where no unit belongs"
        throw error(.expected(expected, found: token.name + hint), at: token)
      }
      advance()
      return factor == 1 ? value : value * factor
    case .word(let word):
      guard let value = SceneNumber.words[word] else { throw self.expected(expected) }
      advance()
      return value
    default: throw self.expected(expected)
    }
  }

  /// Values as long as they go on.
  func list<Value>(
    while goesOn: () -> Bool, _ value: () throws(SceneError) -> Value
  ) throws(SceneError) -> [Value] {
    var values: [Value] = []
    while goesOn() {
      guard values.count < SceneLimit.values else {
        throw error(.tooMany("values in a list", limit: SceneLimit.values), at: token)
      }
      values.append(try value())
    }
    return values
  }

  /// One string, or several that follow each other and make one. A string before a brace is a name.
  func string(_ expected: String = "a string in quotation marks") throws(SceneError) -> String {
    guard case .string(var text) = token.kind else { throw self.expected(expected) }
    advance()
    while case .string(let more) = token.kind, following.kind != .open {
      text += more
      advance()
    }
    return text
  }
}

enum SceneNumber {
  /// Numbers without digits.
  static let words = ["infinity": Double.infinity, "-infinity": -Double.infinity, "nan": Double.nan]

  /// The shortest digits that give back exactly this number.
  static func text(_ value: Double) -> String {
    if value.isNaN { return "nan" }
    if value.isInfinite { return value < 0 ? "-infinity" : "infinity" }
    let text = "\(value)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  static func hexadecimal(_ value: UInt32, digits count: Int) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(count - digits.count, 0)) + digits
  }
}
