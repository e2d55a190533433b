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
    let error = FontError.notFound(fileName: "DejaVuSans.ttf", folders: ["/nowhere", "/nor/here"])
    #expect(error.description.contains("fonts-dejavu-core"))
    #expect(error.description.contains("/nowhere, /nor/here"))
    #expect(error.description.contains("FRAMEPACE_FONTS"))
    #expect(throws: FontError.notFound(fileName: "None.ttf", folders: SystemFonts.usualFolders)) {
      try SystemFonts.path(of: "None.ttf", environment: "")
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
