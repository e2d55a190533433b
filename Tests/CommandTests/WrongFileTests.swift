import Foundation
import Testing

/// The messages for files that cannot be read or written to, or are of another kind.
struct WrongFileTests {
  /// Paths that cannot be written to are refused before the work begins, which would take longer than a test may.
  static let unwritable: [(arguments: [String], reason: String)] = [
    (
      ["profile", "orbit", "--json", "/nonexistent/x.json"],
      "'/nonexistent/x.json': there is no folder /nonexistent; make it (mkdir -p /nonexistent)"
    ),
    (["profile", "orbit", "--json", "/dev/full"], "'/dev/full': No space left"),
    (
      ["vblank", "--count", "1000000", "--record", "/nonexistent/x"],
      "'/nonexistent/x': there is no folder /nonexistent; make it (mkdir -p /nonexistent)"
    ),
    (
      ["vblank", "--count", "1000000", "--plot", "/nonexistent/x.png"],
      "'/nonexistent/x.png': there is no folder /nonexistent; make it (mkdir -p /nonexistent)"
    ),
    (
      ["--duration", "1s", "--plot", "/nonexistent/x.png", "--display", "fallback", "--size", "64x64"],
      "'/nonexistent/x.png': there is no folder /nonexistent; make it (mkdir -p /nonexistent)"
    ),
    (
      ["--duration", "1s", "--frame-log", "/nonexistent/x.csv", "--display", "fallback", "--plot", "x.png"],
      "'/nonexistent/x.csv': there is no folder /nonexistent; make it (mkdir -p /nonexistent)"
    ),
    (["profile", "orbit", "--json", "/proc/x"], "'/proc/x': "),
    (["profile", "orbit", "--json", "."], "'.': it is a folder"),
    (["--hang-reports", "/dev/null", "--display", "fallback"], "'/dev/null': it is no folder; name a folder"),
    (["--hang-reports", "/proc", "--display", "fallback"], "'/proc/report.hang': "),
    (["render", "orbit", "--output", "/proc/pictures"], "'/proc/pictures': "),
    (["render", "orbit", "--output", "/proc/orbit.png"], "'/proc/orbit.png': its folder takes no new files"),
    (["render", "orbit", "--output", "/dev/full"], "'/dev/full': it is no folder"),
    (
      ["vblank", "--count", "1000000", "--record", String(repeating: "x", count: 300)],
      "'\(String(repeating: "x", count: 300))': File name too long"
    ),
    (["render", "orbit", "--output", "/dev/null/pictures/here"], "'/dev/null/pictures/here': Not a directory"),
  ]

  @Test(arguments: unwritable.indices)
  func unwritableOutputIsFoundBeforeTheWork(index: Int) throws {
    let (arguments, reason) = Self.unwritable[index]
    let folder = try TemporaryFolder()
    let long =
      arguments[0] == "vblank"
      ? []
      : arguments[0] == "profile"
        ? ["--frames", "1000000"]
        : arguments[0].hasPrefix("--") || arguments[3].hasSuffix(".png") ? [] : ["--frames", "100000"]
    let result = try framepace(arguments + long, in: folder.path)
    #expect(result.status == 1, "\(arguments): \(result.status)")
    let sentence = result.error.replacing("\n", with: " ")
    #expect(sentence.hasPrefix("framepace: cannot write to \(reason)"), "\(arguments): \(result.error)")
    // A word is not broken.
    #expect(result.error.split(separator: "\n").allSatisfy { $0.count <= 80 || !$0.contains(" ") }, "\(result.error)")
    #expect(result.output.isEmpty, "\(arguments): \(result.output)")
    #expect(try folder.files.isEmpty, "\(arguments) left something behind")
  }

  /// Files that are missing, empty, folders, or of another kind, for each command that reads one.
  @Test(arguments: [
    ("profile kiosk.profle", 1, "cannot read 'kiosk.profle': No such file or directory. Did you mean 'kiosk.profile'?"),
    ("view ./sub/b.hagn", 1, "cannot read './sub/b.hagn': No such file or directory. Did you mean './sub/b.hang'?"),
    ("vblank --replay other", 1, "cannot read 'other': No such file or directory"),
    ("profile --compare befor.json kiosk.profile", 2, "Did you mean 'before.json'?"),
    ("run crad.scene", 1, "cannot read 'crad.scene': No such file or directory. Did you mean 'card.scene'?"),
    ("render crad.scene --output x.png", 1, "No such file or directory. Did you mean 'card.scene'?"),
    ("run card.scen", 64, "'card.scen' is no scene: use orbit"), ("card.scen", 64, "Did you mean 'card.scene'?"),
    ("profile card.scen", 1, "No such file or directory. Did you mean 'card.scene'?"),
    ("profile empty", 1, "cannot read 'empty': it is empty"), ("view empty", 1, "cannot read 'empty': it is empty"),
    ("profile sub", 1, "cannot read 'sub': it is a folder"), ("view sub", 1, "cannot read 'sub': it is a folder"),
    ("vblank --replay sub", 1, "cannot read 'sub': it is a folder"),
    ("profile --compare sub sub", 2, "cannot read 'sub': it is a folder"),
    ("view bytes", 1, "'bytes' is no text: name a capture of PresentMon or MangoHud, a frame log,"),
    ("run -", 64, "'-' is no scene: use orbit"),
    ("render - --output x.png", 64, "a scene is not read from the standard input"),
    ("view -", 1, "cannot read '-': it is empty"), ("profile - --frames 5", 64, "'-' was recorded already"),
    ("profile bytes", 1, "'bytes' is no scene and no file that a program wrote with FRAMEPACE_PROFILE"),
  ])
  func aFileThatCannotBeUsedIsExplained(arguments: String, status: Int32, sentence: String) throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path + "/sub", withIntermediateDirectories: false)
    for name in ["kiosk.profile", "before.json", "card.scene", "sub/b.hang", "bytes"] {
      try Data([1, 0, 200, 10]).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
    }
    try Data().write(to: URL(fileURLWithPath: folder.path + "/empty"))
    let result = try framepace(arguments.split(separator: " ").map(String.init), in: folder.path)
    #expect(result.status == status, "\(result.status) \(result.error)")
    #expect(result.error.replacing("\n", with: " ").contains(sentence), "\(result.error)")
    #expect(result.output.isEmpty)
  }

  /// A file that another command reads is named, with that command; options of a run come after that.
  @Test(arguments: [
    ("t.json", "is a trace: open it at https://ui.perfetto.dev"),
    ("f.csv", "is a frame log: use framepace view f.csv"), ("f.jsonl", "is a frame log: use framepace view f.jsonl"),
    ("game.csv", "is a capture of another tool: use framepace view game.csv"),
    ("x.hang", "is the report of a hang: use framepace view x.hang"),
    ("p.json", "is the JSON of a profile: use framepace profile --compare with it and with another one"),
    ("r.json", "is the JSON of a run: it has no frames to view; those are in the file of run --frame-log"),
    ("w.json", "is the JSON of a view: it has no frames to view; those are in the file that it names"),
    ("c.json", "is the JSON of a comparison: it has no frames to view, and nothing to compare;"),
    ("p.html", "is a page: open it in a browser"),
    ("v.txt", "is a recording of vblanks: use framepace vblank --replay v.txt"),
    ("a.profile", "is a recording of frames: use framepace profile a.profile"),
    ("b.png", "is a picture: open it in a browser"),
    ("it's.hang", #"is the report of a hang: use framepace view 'it'\''s.hang'"#),
  ])
  func aFileOfAnotherCommandIsNamed(file: String, sentence: String) throws {
    let folder = try TemporaryFolder()
    let contents = [
      "t.json": "{\"displayTimeUnit\":\"ms\",\"otherData\":{},\"traceEvents\":[\n]}", "f.csv": "number,outcome,tick\n",
      "f.jsonl": "{\"number\":1,\"outcome\":\"presented\"}\n", "game.csv": "Application,ProcessID,SwapChainAddress\n",
      "x.hang": "framepace hang report 1\n", "p.json": "{\n  \"verdict\": \"fits\",\n  \"scene\": \"orbit\"\n}\n",
      "p.html": "<!doctype html>\n<html>", "v.txt": "framepace vblanks 2\n", "a.profile": "{\"framepaceProfile\":1}\n",
      "it's.hang": "framepace hang report 1\n", "r.json": "{\"scene\":\"card\",\"clock\":\"\",\"policy\":\"\"}\n",
      "w.json": "{\"verdict\":\"fits\",\"file\":\"f.csv\",\"format\":\"framepace frame log\"}\n",
      "c.json": "{\"verdict\":\"no regression past 5 %\",\"regression\":false,\"failOver\":0.0500}\n",
    ]
    try Data([0x89, 0x50, 0x4E, 0x47, 13, 10]).write(to: URL(fileURLWithPath: "\(folder.path)/b.png"))
    for (name, text) in contents { try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)")) }
    func error(_ arguments: String...) throws -> String {
      try framepace(arguments, in: folder.path).error.replacing("\n", with: " ")
    }
    let (profile, view) = (try error("profile", file, "--frames", "5"), try error("view", file))
    if file != "a.profile" { #expect(profile.hasPrefix("framepace: '\(file)' \(sentence) "), "\(profile)") }
    if !sentence.contains("framepace view") { #expect(view.hasPrefix("framepace: '\(file)' \(sentence) "), "\(view)") }
    for command in ["run", "soak", "dump", "render"] {
      let scene = try error(command, file)
      #expect(scene.contains(": it \(sentence) "), "\(command): \(scene)")
    }
    #expect(try error(file, "--fps").hasPrefix("framepace: '\(file)' \(sentence) "))
    let comparison = try error("profile", "--compare", file, "p.json")
    let name = sentence.prefix { $0 != ":" }
    if !["a.profile", "p.json"].contains(file) {
      #expect(
        comparison == "framepace: '\(file)' \(name): compare two files that profile --json or FRAMEPACE_PROFILE wrote ",
        "\(comparison)")
    }
  }

  @Test func aSocketIsNoOutput() throws {
    let folder = try TemporaryFolder()
    #expect(mknod(folder.path + "/socket.png", S_IFSOCK | 0o600, 0) == 0)
    let result = try framepace(["render", "still", "--size", "64x64", "--output", "socket.png"], in: folder.path)
    #expect(result.status == 1)
    #expect(result.error == "framepace: cannot write to 'socket.png': it is a socket; name a file\n")
  }

  /// A name that is not UTF-8 would be that of another file.
  @Test(arguments: [("render still --output", "render"), ("profile --json", "profile"), ("--plot", "run")])
  func aNameThatIsNotUTF8IsRefused(arguments: String, command: String) throws {
    let folder = try TemporaryFolder()
    let result = try shell("framepace \(arguments) \"$(printf -- '-\\377.png')\"", in: folder.path)
    #expect(result.status == 64 && result.error.contains("is not UTF-8: use names that are."), "\(result.error)")
    #expect(result.error.hasSuffix("\nSee 'framepace \(command) --help' for more information.\n"), "\(result.error)")
    #expect(try folder.files.isEmpty)
  }
}
