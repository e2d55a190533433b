import Input
import LinuxSystem
import Testing

@Suite struct KeyboardLayoutTests {
  private typealias Names = KeyboardLayout.Names
  private typealias Machine = KeyboardLayout.Machine

  private static func automatic(
    _ application: KeyboardLayout.Names = .init(), environment: [String: String] = [:], file: String? = nil
  ) throws -> KeyboardLayout {
    let machine = KeyboardLayout.Machine(environment: environment, file: file.map { .success(Array($0.utf8)) })
    return try KeyboardLayout.automatic(application, machine: machine, folders: TestKeyboard.folders)
  }

  @Test func theFirstPlaceThatNamesALayoutCounts() throws {
    let file = "# A comment\n\nXKBMODEL=\"pc105\"\nXKBLAYOUT=\"de\"\nXKBVARIANT=\"\"\n\nBACKSPACE=\"guess\"\n"
    let environment = ["XKB_DEFAULT_LAYOUT": "us,fr", "XKB_DEFAULT_VARIANT": "dvorak,", "LANG": "C"]
    let cases: [(KeyboardLayout, Names, String)] = [
      (
        try Self.automatic(Names(layout: "es"), environment: environment, file: file), Names(layout: "es"),
        "layout \"es\", as the application says"
      ),
      (
        try Self.automatic(environment: environment, file: file), Names(layout: "us,fr", variant: "dvorak,"),
        "layout \"us,fr\", variant \"dvorak,\", as XKB_DEFAULT_… in the environment says"
      ),
      (
        try Self.automatic(file: file), Names(model: "pc105", layout: "de"),
        "layout \"de\", model \"pc105\", as /etc/default/keyboard says"
      ),
      (
        try Self.automatic(file: "XKBLAYOUT=\n"), Names(),
        "layout \"us\", as neither XKB_DEFAULT_LAYOUT nor /etc/default/keyboard names one"
      ),
      (
        try Self.automatic(), Names(), "layout \"us\", as neither XKB_DEFAULT_LAYOUT nor /etc/default/keyboard names one"
      ),
    ]
    for (layout, names, reason) in cases {
      #expect(layout.names == names && layout.reason == reason && layout.problem == nil, "\(layout.reason)")
    }
    #expect(try Keyboard(layout: cases[1].0).type("X").characters == "q")
    #expect(try Keyboard(layout: cases[2].0).type("Y").characters == "z")
  }

  @Test func aLayoutThatCannotBeUsedIsSaidAndIsUS() throws {
    let cases: [(KeyboardLayout, String)] = [
      (
        try Self.automatic(Names(layout: "zz")),
        "the keyboard's layout \"zz\" cannot be used: Couldn't find file \"symbols/zz\" in include paths"
      ),
      (
        try Self.automatic(environment: ["XKB_DEFAULT_LAYOUT": "de", "XKB_DEFAULT_VARIANT": "zz"]),
        "the keyboard's layout \"de\", variant \"zz\" cannot be used: Couldn't process include statement for 'de(zz)'"
      ),
      (
        try Self.automatic(environment: ["XKB_DEFAULT_RULES": "zz"]),
        "the keyboard's layout \"us\", rules \"zz\" cannot be used: Couldn't find file \"rules/zz\" in include paths"
      ),
      (try Self.automatic(file: "XKBLAYOUT=\"../etc/passwd\""), "\"../etc/passwd\" cannot be a keyboard's layout"),
      (try Self.automatic(Names(layout: "/dev/zero")), "\"/dev/zero\" cannot be a keyboard's layout"),
      (try Self.automatic(Names(layout: "us", variant: "a\u{0}b")), "\"a b\" cannot be a keyboard's variant"),
      (
        try Self.automatic(file: "\nXKBLAYOUT=$(reboot)\n"),
        "/etc/default/keyboard:2:11: expected the end of the value; correct it, or set XKB_DEFAULT_LAYOUT"
      ),
    ]
    for (layout, words) in cases {
      let problem = try #require(layout.problem)
      #expect("\(problem)".hasPrefix(words), "\(problem)")
      #expect(layout.reason == "layout \"us\", because \(problem)" && layout.names == Names())
      #expect(try Keyboard(layout: layout).type("Y").characters == "y")
    }
    let unreadable = SystemError(call: "open", subject: Machine.path, errno: 13)
    let layout = try KeyboardLayout.automatic(
      machine: Machine(file: .failure(unreadable)), folders: TestKeyboard.folders)
    #expect(layout.problem == .unreadable(unreadable))
    #expect("\(try #require(layout.problem))".contains("Permission denied"))
  }

  @Test func withoutDataThereIsNoLayout() {
    #expect(throws: KeyboardLayoutError.noData(folders: ["/nowhere"])) {
      try KeyboardLayout.automatic(machine: Machine(), folders: ["/nowhere"])
    }
    #expect("\(KeyboardLayoutError.noData(folders: ["/nowhere"]))".hasSuffix("install the package xkb-data"))
  }

  @Test func wordsThatAreIgnoredAreSaid() throws {
    let layout = try Self.automatic(Names(layout: "us", options: "nonsense:word"))
    #expect(layout.warnings == ["Unrecognized RMLVO option \"nonsense:word\" was ignored"] && layout.problem == nil)
    #expect(layout.reason.hasSuffix("; Unrecognized RMLVO option \"nonsense:word\" was ignored"))
  }

  @Test(arguments: [
    ("XKBLAYOUT=de", Names(layout: "de")), ("  XKBLAYOUT='de,us' # two\r\n", Names(layout: "de,us")),
    ("XKBLAYOUT=\"us\"\nXKBLAYOUT=\"fr\"", Names(layout: "fr")), ("OTHER='$HOME `x` \\'\nXKBMODEL=a\n", Names(model: "a")),
    ("XKBOPTIONS=\"compose:ralt,caps:escape\"\nXKBRULES=evdev", Names(rules: "evdev", options: "compose:ralt,caps:escape")),
    ("XKBLAYOUT=de\r\n\r\n", Names(layout: "de")), ("", Names()), ("\n\n#\n", Names()), ("XKBVARIANT=", Names()),
  ])
  func filesOfAssignmentsAreRead(text: String, names: KeyboardLayout.Names) throws {
    #expect(try Names(keyboardFile: Array(text.utf8)) == names)
  }

  @Test(arguments: [
    ("XKBLAYOUT", 1, 10, "NAME=value or a comment"), ("a=1\nXKBLAYOUT = de", 2, 10, "NAME=value or a comment"),
    ("1A=2", 1, 3, "NAME=value or a comment"), ("export XKBLAYOUT=de", 1, 7, "NAME=value or a comment"),
    ("A=\"de", 1, 6, "a closing quote, and none of $, ` and \\ before it"),
    ("A=\"d$e\"", 1, 5, "a closing quote, and none of $, ` and \\ before it"), ("A='a'b", 1, 6, "the end of the value"),
    ("A=a;reboot", 1, 4, "the end of the value"), ("A=a b", 1, 5, "the end of the line or a comment"),
    ("\u{0}", 1, 1, "NAME=value or a comment"), ("A=`x`", 1, 3, "the end of the value"),
  ])
  func mistakesHaveAPlace(text: String, line: Int, column: Int, expected: String) {
    #expect(throws: KeyboardLayoutError.file(line: line, column: column, expected: expected)) {
      try Names(keyboardFile: Array(text.utf8))
    }
  }

  /// Damaged files are read or refused, with an error at a place of the file; a layout comes of each.
  @Test(arguments: 0..<20) func damagedFilesAreHarmless(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let file = """
      # A comment
      XKBMODEL="pc105"
      XKBLAYOUT='de,us' # two
      XKBVARIANT=nodeadkeys,
      XKBOPTIONS="caps:escape"

      """
    for round in 0..<200 {
      var bytes = Array(file.utf8)
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let place = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(contentsOf: "\"'=#\n$\\;/.".utf8.shuffled(using: &random).prefix(2), at: place)
        case 3: bytes.insert(contentsOf: bytes[place...].prefix(30), at: place)
        default: bytes.removeSubrange(place..<min(place + 20, bytes.count))
        }
        if bytes.isEmpty { bytes = [0] }
      }
      do throws(KeyboardLayoutError) {
        _ = try Names(keyboardFile: bytes)
      } catch {
        guard case .file(let line, let column, _) = error else {
          Issue.record("seed \(seed): \(error)")
          continue
        }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        #expect(lines.indices.contains(line - 1) && 1...(lines[line - 1].count + 1) ~= column, "seed \(seed): \(error)")
      }
      if round % 10 == 0 {
        let machine = Machine(file: .success(bytes))
        let layout = try KeyboardLayout.automatic(machine: machine, folders: TestKeyboard.folders)
        #expect(!layout.reason.unicodeScalars.contains { $0.properties.generalCategory == .control }, "seed \(seed)")
      }
    }
  }

  /// This machine's own settings, whatever they are, give a layout.
  @Test func thisMachineHasAKeyboard() throws {
    #expect(try KeyboardLayout.automatic().reason.hasPrefix("layout"))
  }
}
