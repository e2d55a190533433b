import CXKBCommon
import Glibc
import Input
import LinuxSystem
import Testing

/// The sequences of a Compose file as a dictionary: what a table has to do, done slowly.
private struct ReferenceSequences {
  private(set) var texts: [[UInt32]: String] = [:]
  /// The symbols that continue each beginning.
  private(set) var continuations: [[UInt32]: Set<UInt32>] = [:]
  var pending: [UInt32] = []

  init(_ text: String) {
    for line in text.unicodeScalars.split(separator: "\n") where line.first == "<" {
      guard let quote = line.firstIndex(of: "\"") else { continue }
      let names = line[..<quote].split { "<> \t:".unicodeScalars.contains($0) }
      let symbols = names.map { xkb_keysym_from_name(String($0), XKB_KEYSYM_NO_FLAGS) }
      if symbols.contains(0) { continue }
      texts[symbols] = Self.quoted(line[quote...].dropFirst())
      for count in symbols.indices { continuations[Array(symbols[..<count]), default: []].insert(symbols[count]) }
    }
    // A longer sequence takes the place of those that it begins with.
    for beginning in continuations.keys { texts[beginning] = nil }
  }

  /// The text up to the closing quote.
  private static func quoted(_ rest: Substring.UnicodeScalarView) -> String {
    var result = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in rest {
      if !isEscaped, scalar == "\"" { break }
      isEscaped = !isEscaped && scalar == "\\"
      if !isEscaped { result.append(scalar) }
    }
    return String(result)
  }

  /// The text of a key, nil while more is needed.
  /// - Parameter alone: the key's own text.
  mutating func type(_ symbol: UInt32, alone: String) -> String? {
    if let text = texts[pending + [symbol]] {
      pending = []
      return text
    }
    if continuations[pending + [symbol]] != nil {
      pending.append(symbol)
      return nil
    }
    if pending.isEmpty { return alone }
    pending = []
    return type(symbol, alone: alone)
  }
}

@Suite struct ComposeTests {
  private static let text: String = {
    let bytes = try? OwnedDescriptor.contents(of: "/usr/share/X11/locale/en_US.UTF-8/Compose", limit: 4 << 20)
    return String(decoding: bytes ?? [], as: UTF8.self)
  }()

  /// Random sequences of libx11's file and random mistakes in them, against a dictionary of the file.
  @Test(arguments: [("us", "intl"), ("de", ""), ("fr", ""), ("es", ""), ("gr", ""), ("ca", "multix")])
  func sequencesOfTheFileCompose(layout: String, variant: String) throws {
    let options = "compose:menu"
    let layoutEntries = try ReferenceLayout(layout, variant, options: options).entries
    var entries: [UInt32: ReferenceLayout.Entry] = [:]
    for entry in layoutEntries where entry.taps.isEmpty && entry.keysyms.count == 1 && entries[entry.keysyms[0]] == nil {
      if entry.modifiers.isDisjoint(with: .commands) { entries[entry.keysyms[0]] = entry }
    }
    // Modifiers are no part of a sequence.
    let symbols = entries.keys.filter { !(0xFE01...0xFE13).contains($0) && !(0xFFE1...0xFFEE).contains($0) && $0 != 0xFF7F }
      .filter { $0 != 0xFF7E && $0 != 0xFF14 }.sorted()
    var reference = ReferenceSequences(Self.text)
    #expect(reference.texts.count > 4000)
    let seed = UInt64(layout.utf8.reduce(0) { $0 + Int($1) })
    var random = SplitMix64(seed: seed)
    let keyboard = try TestKeyboard.make(layout, variant, options: options, sequences: ComposeTable(text: Self.text))
    let plain = try TestKeyboard.make(layout, variant, options: options)
    var (composed, cancelled) = (0, 0)
    for _ in 0..<5000 {
      let next = reference.continuations[reference.pending]?.filter { entries[$0] != nil }.sorted() ?? []
      let wantsNext = random.chance(0.85)
      guard let symbol = (wantsNext && !next.isEmpty ? next : symbols).randomElement(using: &random),
        let entry = entries[symbol]
      else { continue }
      let before = reference.pending
      let event = try keyboard.type(entry.holds + [entry.code])
      let alone = try plain.type(entry.holds + [entry.code])
      let expected = reference.type(symbol, alone: alone.characters)
      #expect(
        event.characters.unicodeScalars.elementsEqual((expected ?? "").unicodeScalars)
          && event.isPending == (expected == nil),
        "\(layout) \(variant), seed \(seed): \(before.map { Keysym(rawValue: $0) }), \(entry), \(event)")
      if reference.pending != before + [symbol], !before.isEmpty {
        if reference.texts[before + [symbol]] != nil { composed += 1 } else { cancelled += 1 }
      }
    }
    #expect(composed > 500 && cancelled > 100, "\(composed) composed, \(cancelled) cancelled")
  }

  private func make() throws -> Keyboard {
    try TestKeyboard.make("de", options: "compose:menu", sequences: ComposeTable(text: Self.text))
  }

  @Test func deadKeysWaitForALetter() throws {
    let keyboard = try make()
    let accent = try keyboard.type("EQUAL")
    #expect(accent.keysym.name == "dead_acute" && accent.isPending && accent.characters == "")
    let letter = try keyboard.type("LEFTSHIFT E")
    #expect(letter.characters == "É" && letter.keysym.name == "Eacute" && !letter.isPending)
    #expect(try keyboard.type("E").characters == "e")
    // Compose, o, o makes °; without a table the same keys are plain.
    #expect(try ["COMPOSE", "O", "O"].map { try keyboard.type($0).characters } == ["", "", "°"])
    let plain = try TestKeyboard.make("de", options: "compose:menu")
    #expect(try ["COMPOSE", "O", "O"].map { try plain.type($0).characters } == ["", "o", "o"])
    #expect(try ["EQUAL", "E"].map { try plain.type($0).characters } == ["", "e"])
  }

  @Test func aKeyThatContinuesNothingCountsByItself() throws {
    let keyboard = try make()
    #expect(try ["EQUAL", "X", "E"].map { try keyboard.type($0).characters } == ["", "x", "e"])
    // A dead key that ends one sequence begins the next.
    #expect(try ["COMPOSE", "EQUAL", "E"].map { try keyboard.type($0).characters }.last == "é")
  }

  @Test func commandsFocusAndRemovalDropWhatIsPending() throws {
    let keyboard = try make()
    try keyboard.type("EQUAL")
    #expect(try keyboard.type("LEFTCTRL E").characters == "")
    #expect(try keyboard.type("E").characters == "e")
    try keyboard.type("EQUAL")
    _ = keyboard.releaseAll(at: .zero)
    #expect(try keyboard.type("E").characters == "e")
    try keyboard.type("EQUAL")
    _ = keyboard.releaseAll(of: TestKeyboard.device, at: .zero)
    #expect(try keyboard.type("E").characters == "e")
  }

  private static let hasOwnSequences =
    getenv("XCOMPOSEFILE") != nil || getenv("HOME").map { access(String(cString: $0) + "/.XCompose", F_OK) == 0 } ?? false

  @Test(
    .disabled(if: hasOwnSequences, "the user's own sequences take the place of the locale's"),
    arguments: ["", "C", "POSIX", "C.UTF-8", "de_DE.UTF-8", "de_DE.ISO-8859-1", "xx_YY.UTF-8", "../../etc.utf8"]
  )
  func eachLocaleHasSequences(locale: String) throws {
    let table = try ComposeTable.automatic(machine: .init(environment: ["LC_ALL": "", "LC_CTYPE": locale, "LANG": "C"]))
    #expect(["en_US.UTF-8", locale].contains(table.locale))
  }

  @Test func damagedSequencesAreRefusedOrHarmless() throws {
    // xkbcommon passes over some mistakes, and refuses a text with more.
    #expect(throws: KeyboardLayoutError.self) { try ComposeTable(text: String(repeating: "nonsense\n", count: 20)) }
    #expect(try ComposeTable(text: "<a> <b> : \"x\"\nnonsense\n").warnings.count == 1)
    var random = SplitMix64(seed: 1)
    let bytes = Array(Self.text.utf8.prefix(4000))
    for _ in 0..<200 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...20, using: &random) {
        damaged[Int.random(in: damaged.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      _ = try? ComposeTable(text: String(decoding: damaged, as: UTF8.self))
    }
  }
}
