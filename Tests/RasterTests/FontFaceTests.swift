import Geometry
import Glibc
import LinuxSystem
@testable import Raster
import Testing

@Suite struct FontFaceTests {
  @Test func missingFileNamesPathAndReason() {
    let error = #expect(throws: FontError.self) { try FontFace(path: "/nowhere/font.ttf") }
    #expect(error == .file(SystemError(call: "open", subject: "/nowhere/font.ttf", errno: ENOENT)))
    #expect(error?.description.contains("/nowhere/font.ttf: No such file") == true)
    #expect(throws: FontError.self) { try FontFace(path: "/usr") }
  }

  @Test func filesWithoutAFontAreRefused() throws {
    let error = #expect(throws: FontError.self) { try FontFace(path: "/etc/passwd") }
    guard case .unusable("/etc/passwd", _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.description.contains("accepted") == true)
    #expect(throws: FontError.self) { try FontFace(bytes: [], path: "empty") }
    let path = try SystemFonts.path(of: "DejaVuSans.ttf")
    #expect(throws: FontError.self) { try FontFace(path: path, index: 7) }
    #expect(throws: FontError.self) { try FontFace(path: path, index: -1) }
  }

  @Test func missingSystemFontNamesThePackage() {
    func message(_ name: String, near: [String] = []) -> String {
      FontError.notFound(fileName: name, folders: ["/a", "/b"], near: near).description
    }
    for (name, advice) in [
      ("DejaVuSans.ttf", "the Debian package fonts-dejavu-core"),
      ("Roboto-Bold.ttf", "the Debian package fonts-roboto-unhinted"), ("None.ttf", "it"),
    ] {
      let remedy = "install \(advice), or name its folder in FRAMEPACE_FONTS"
      #expect(message(name) == "font \(name) is not among the fonts of the system, in /a or /b; \(remedy)")
      #expect(
        message(name, near: ["A.ttf", "B.ttf"])
          == "font \(name) is not among the fonts of the system; name one that is, such as A.ttf or B.ttf, or \(remedy)")
    }
    #expect(
      message("Roboto", near: ["A.ttf", "B.ttf", "C.otf"])
        == "font Roboto has no ending; name its file, such as A.ttf, B.ttf or C.otf")
    #expect(
      message("Roboto")
        == "font Roboto has no ending, and no file in /a or /b has a name like it; name one that is there, or install it, "
        + "or name its folder in FRAMEPACE_FONTS")
  }

  @Test func theCurrentFolderIsNoPoint() {
    let error = FontError.notFound(fileName: "None.ttf", folders: [".", "/b"], near: [])
    #expect(error.description.contains("the fonts of the system, in the current folder or /b;"))
  }

  /// Only files that are there are suggested.
  @Test func suggestionsAreThere() throws {
    let (own, named) = (try TemporaryFolder(), try TemporaryFolder())
    let font = try SystemFonts.path(of: "DejaVuSans.ttf", environment: nil)
    let files = ["Wide-Black.ttf", "Wide-Bold.ttf", "Wide-Regular.OTF", "Wide-Thin.ttf", "Other.ttc", "Wide.txt", "wide"]
    for name in files { #expect(symlink(font, "\(named.path)/\(name)") == 0) }
    #expect(symlink("/nowhere/font.ttf", "\(named.path)/Wide.ttf") == 0)
    #expect(symlink(font, "\(own.path)/Wider.ttf") == 0)
    func near(_ name: String) -> [String]? {
      let error = #expect(throws: FontError.self) {
        try SystemFonts.path(of: name, beside: own.path, environment: named.path)
      }
      guard case .notInNamedFolder(_, named.path, true, let near)? = error else { return nil }
      return near
    }
    // The regular one first, then the shortest.
    #expect(near("Wide") == ["Wide-Regular.OTF", "Wider.ttf", "Wide-Bold.ttf"])
    #expect(near("wide bold.ttf") == ["Wide-Bold.ttf"])
    #expect(near("Wide-Bld.ttf")?.first == "Wide-Bold.ttf")
    #expect(near("Othre") == ["Other.ttc"])
    #expect(near("Serif.ttf") == [])
    #expect(near("") == [])
    #expect(try SystemFonts.path(of: "Wider.ttf", beside: own.path, environment: named.path) == "\(own.path)/Wider.ttf")
    let error = #expect(throws: FontError.self) {
      try SystemFonts.path(of: "Wide", environment: named.path)
    }
    #expect(error?.description.contains("such as Wide-Regular.OTF, Wide-Bold.ttf or Wide-Thin.ttf, or put it there") == true)
  }

  /// The name of a family leads to its files, and a name like none to the folders that were searched.
  @Test func familiesLeadToFiles() throws {
    let roboto = #expect(throws: FontError.self) { try SystemFonts.path(of: "Roboto", environment: nil) }
    #expect(
      roboto?.description
        == "font Roboto has no ending; name its file, such as Roboto-Regular.ttf, Roboto-Bold.ttf or Roboto-Thin.ttf")
    let none = #expect(throws: FontError.self) {
      try SystemFonts.path(of: "Xyzzyqwfp", environment: nil, home: "/nowhere")
    }
    let folders = Self.folders(in: "/nowhere")
    #expect(none == .notFound(fileName: "Xyzzyqwfp", folders: folders, near: []))
  }

  private static func folders(in home: String) -> [String] {
    ["\(home)/.local/share/fonts", "\(home)/.fonts", "/usr/local/share/fonts", "/usr/share/fonts"]
  }

  @Test func fontsAreFoundInFoldersBelowTheUsersOwn() throws {
    let home = "/tmp/framepace-fonts-\(getpid())"
    var folders = [home]
    defer { for folder in folders.reversed() { rmdir(folder) } }
    for name in [".local", "share", "fonts", "b"] { folders.append("\(folders[folders.count - 1])/\(name)") }
    folders.append("\(folders[3])/a")
    for folder in folders { #expect(mkdir(folder, 0o700) == 0) }
    let files = [folders[4], folders[5]].map { "\($0)/Own.ttf" }
    defer { for file in files { unlink(file) } }
    // A link that leads back up is no trap.
    #expect(symlink("..", "\(folders[5])/again") == 0)
    defer { unlink("\(folders[5])/again") }
    // Neither a folder of this name nor a device is a font.
    folders.append("\(folders[3])/Own.ttf")
    #expect(mkdir(folders[6], 0o700) == 0)
    #expect(symlink("/dev/null", "\(folders[6])/Own.ttf") == 0)
    defer { unlink("\(folders[6])/Own.ttf") }
    let font = try SystemFonts.path(of: "DejaVuSans.ttf", environment: nil)
    for (file, expected) in [(files[0], files[0]), (files[1], files[1])] {
      #expect(symlink(font, file) == 0)
      #expect(try SystemFonts.path(of: "Own.ttf", environment: nil, home: home) == expected)
    }
    #expect(throws: FontError.self) { try SystemFonts.path(of: "Own.ttf", environment: nil) }
  }

  /// A link may lead to all files of the machine.
  @Test func fontsAreFoundSixLevelsDeep() throws {
    let home = "/tmp/framepace-deep-fonts-\(getpid())"
    var folders = [home]
    defer { for folder in folders.reversed() { rmdir(folder) } }
    for name in [".fonts", "1", "2", "3", "4", "5", "6"] { folders.append("\(folders[folders.count - 1])/\(name)") }
    for folder in folders { #expect(mkdir(folder, 0o700) == 0) }
    let files = ["\(folders[6])/Deep.ttf", "\(folders[7])/Deeper.ttf"]
    defer { for file in files { unlink(file) } }
    let font = try SystemFonts.path(of: "DejaVuSans.ttf", environment: nil)
    for file in files { #expect(symlink(font, file) == 0) }
    #expect(try SystemFonts.path(of: "Deep.ttf", environment: nil, home: home) == files[0])
    #expect(throws: FontError.notFound(fileName: "Deeper.ttf", folders: Self.folders(in: home), near: ["Deep.ttf"])) {
      try SystemFonts.path(of: "Deeper.ttf", environment: nil, home: home)
    }
  }

  /// A folder that was named is looked at, not advised.
  @Test func aNamedFolderWithoutTheFontIsSaid() throws {
    for (folder, words) in [
      ("/nowhere", "names /nowhere, which is no folder"), ("/tmp", "is not in /tmp, the folder that FRAMEPACE_FONTS"),
    ] {
      let error = #expect(throws: FontError.self) { try SystemFonts.path(of: "None.ttf", environment: folder) }
      let text = error?.description ?? ""
      #expect(text.contains(words) && text.contains("unset") && !text.contains("install"), "\(text)")
    }
  }

  @Test func environmentReplacesTheFolders() throws {
    let path = try SystemFonts.path(of: "DejaVuSans.ttf", environment: nil)
    let folder = String(path.dropLast("/DejaVuSans.ttf".count))
    #expect(try SystemFonts.path(of: "DejaVuSans.ttf", environment: folder) == path)
    #expect(try SystemFonts.path(of: "DejaVuSans.ttf", environment: "") == path)
    #expect(try SystemFonts.face(.mono) === SystemFonts.face(.mono))
  }

  /// Random damage to a font gives an error or odd glyphs, but never a trap.
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func damagedFontsAreHarmless(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let good = try OwnedDescriptor.contents(of: SystemFonts.path(of: "DejaVuSansMono.ttf"), limit: 1 << 24)
    let bitmap = try Bitmap(width: 64, height: 32)
    for _ in 0..<60 {
      var bytes = good
      if Int.random(in: 0..<4, using: &generator) == 0 {
        bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator))
      }
      // Half of the damage goes to the directory of tables at the beginning.
      for _ in 0..<Int.random(in: 1...400, using: &generator) where !bytes.isEmpty {
        let range = Bool.random(using: &generator) ? min(bytes.count, 2_000) : bytes.count
        bytes[Int.random(in: 0..<range, using: &generator)] = .random(in: 0...255, using: &generator)
      }
      guard let face = try? FontFace(bytes: bytes, path: "damaged") else { continue }
      let line = TextLine("Ag %ffi", font: Font(face, size: 14))
      let context = DrawingContext(bitmap: bitmap)
      context.draw(line, at: Point(2, 20), color: .white)
      context.rotate(0.1)
      context.draw(line, at: Point(2, 20), color: .white)
      _ = line.inkBounds
      _ = line.truncated(to: 20)
    }
  }
}
