import Glibc
import LinuxSystem
import Raster
import Testing
@testable import Typesetting

@Suite struct FontLibraryTests {
  let library: FontLibrary

  init() throws {
    library = try FontLibrary(
      files: fontFiles("Roboto-Regular.ttf", "Roboto-Bold.ttf", "DejaVuSans.ttf", "DejaVuSansMono.ttf", "Inter.var.ttf"))
  }

  private func file(_ families: String..., weight: Int = 400) throws -> String {
    TypesettingTests.file(try library.font(FontRequest(families, size: 12, weight: weight)))
  }

  @Test func familiesAreThoseOfTheFilesAlone() {
    let families = library.families()
    #expect(families == ["DejaVu Sans", "DejaVu Sans Mono", "Inter", "Roboto"])
  }

  @Test func theFirstFamilyThatThereIsIsTaken() throws {
    #expect(try file("DejaVu Sans Mono", "Roboto") == "DejaVuSansMono.ttf")
    #expect(try file("No Such Family", "DejaVu Sans") == "DejaVuSans.ttf")
    #expect(try file("dejavu sans mono") == "DejaVuSansMono.ttf")
    // Some font, rather than none.
    #expect(try !file("No Such Family").isEmpty)
    #expect(try !file().isEmpty)
  }

  @Test func theNearestWeightIsTaken() throws {
    #expect(try file("Roboto", weight: 400) == "Roboto-Regular.ttf")
    #expect(try file("Roboto", weight: 700) == "Roboto-Bold.ttf")
    #expect(try file("Roboto", weight: 5000) == "Roboto-Bold.ttf")
    #expect(try file("Roboto", weight: -5) == "Roboto-Regular.ttf")
  }

  /// A variable font has every weight, not only those that have a name.
  @Test func variableFontsTakeWhatIsAskedFor() throws {
    func variations(_ change: (inout FontRequest) -> Void) throws -> [FontVariation] {
      var request = FontRequest(["Inter"], size: 12)
      change(&request)
      let font = try library.font(request)
      #expect(TypesettingTests.file(font) == "Inter.var.ttf")
      return font.face.variations
    }
    #expect(try variations { _ in }.isEmpty)
    #expect(try variations { $0.weight = 612 } == [.weight(612)])
    #expect(try variations { $0.weight = 700 } == [.weight(700)])
    #expect(try variations { $0.slant = .italic } == [.slant(-10)])
    #expect(try variations { ($0.weight, $0.slant) = (1000, .oblique) } == [.weight(900), .slant(-10)])
    #expect(try variations { ($0.weight, $0.variations) = (700, [.weight(250.5)]) } == [.weight(250.5)])
  }

  @Test func equalRequestsGiveEqualFonts() throws {
    let request = FontRequest(["Inter"], size: 9, weight: 550, features: [.tabularFigures])
    let font = try library.font(request)
    #expect(try font == library.font(request))
    #expect(font.size == 9 && font.features == [.tabularFigures])
    #expect(try library.font(FontRequest(["Roboto"], size: 1)).face === library.font(FontRequest(["Roboto"], size: 2)).face)
  }

  @Test func textsInALanguageDoNotChangeWhatRequestsGive() throws {
    let library = try FontLibrary(files: fontFiles("DejaVuSans.ttf", "Lohit-Devanagari.ttf"))
    let request = FontRequest(["No Such Family"], size: 9)
    let font = try library.font(request)
    _ = try library.itemize("नमस्ते", [RequestSpan(request)], language: "hi")
    #expect(try library.font(request) == font)
  }

  /// An application that tries one weight after another keeps none.
  @Test func designsThatNobodyUsesAreDropped() throws {
    weak var face: FontFace?
    do {
      let font = try library.font(FontRequest(["Inter"], size: 9, weight: 333))
      face = font.face
      #expect(face != nil)
    }
    #expect(face == nil)
  }

  /// There may be no descriptor or no memory for a moment.
  @Test func aFileThatCouldNotBeReadIsReadAgain() throws {
    let path = "/tmp/framepace-typesetting-\(getpid())-\(UInt64.random(in: 0 ... .max)).ttf"
    defer { unlink(path) }
    let (request, file) = (FontRequest([], size: 9), FontFile(path: path, face: 0, instance: 0))
    #expect(throws: FontError.file(SystemError(call: "open", subject: path, errno: ENOENT))) {
      try library.font(file, request)
    }
    #expect(symlink(try fontFiles("DejaVuSans.ttf")[0], path) == 0)
    #expect(try library.font(file, request).face.path == path)
  }

  /// A file without outlines has none later.
  @Test func aFileThatIsNoFontIsReadOnce() throws {
    let path = "/tmp/framepace-typesetting-\(getpid())-\(UInt64.random(in: 0 ... .max)).ttf"
    defer { unlink(path) }
    let (request, file) = (FontRequest([], size: 9), FontFile(path: path, face: 0, instance: 0))
    #expect(symlink("/etc/passwd", path) == 0)
    let error = try #require(throws: FontError.self) { try library.font(file, request) }
    unlink(path)
    #expect(throws: error) { try library.font(file, request) }
  }

  @Test func filesWithoutAFontAreNamed() throws {
    #expect(throws: FontError.noFont(families: [])) { try FontLibrary(files: []) }
    let error = #expect(throws: FontError.self) { try FontLibrary(files: fontFiles("DejaVuSans.ttf") + ["/etc/passwd"]) }
    #expect(error?.description.contains("/etc/passwd") == true)
    #expect(throws: FontError.self) { try FontLibrary(files: ["/nowhere.ttf"]) }
    for (families, text) in [(["A", "B"], " for the families A, B"), ([], "")] {
      #expect(
        FontError.noFont(families: families).description
          == "there is no font at all\(text); name files of fonts, or install some")
    }
  }

  /// Signals are blocked for the threads that Pango starts. Those live too briefly to be looked at.
  @Test func theCallerHasItsSignalMaskAgain() throws {
    var (before, after) = (sigset_t(), sigset_t())
    pthread_sigmask(SIG_BLOCK, nil, &before)
    _ = try library.font(FontRequest(["Roboto"], size: 8, weight: 321))
    _ = try library.parts(of: "a")
    _ = library.families()
    pthread_sigmask(SIG_BLOCK, nil, &after)
    for signal in 1..<32 { #expect(sigismember(&before, Int32(signal)) == sigismember(&after, Int32(signal))) }
  }

  @Test func threadsMayUseItAtOnce() async throws {
    let library = library
    let text = "abc שלום عربي"
    let expected = try library.parts(of: text)
    await withTaskGroup(of: Bool.self) { group in
      for task in 0..<8 {
        group.addTask {
          (0..<20).allSatisfy { index in
            let font = try? library.font(FontRequest(["Inter"], size: 9, weight: 100 + 20 * index + task))
            return font != nil && (try? library.parts(of: text)) == expected
          }
        }
      }
      for await isSame in group { #expect(isSame) }
    }
  }

  /// The choice differs from machine to machine; but no box is shown where a font has the character.
  @Test func theSystemsFontsStandInForEachOther() throws {
    let library = FontLibrary.system
    let families = library.families()
    #expect(!families.isEmpty)
    let faces = families.compactMap { try? library.font(FontRequest([$0], size: 9)).face }
    for character in "aЖΩאسकกあ漢한ሀაԱ→∑" {
      let items = try library.itemize(String(character), [RequestSpan(FontRequest(["sans-serif"], size: 9))]).items
      let isShown = items.allSatisfy { $0.font.face.contains(character) }
      #expect(isShown || !faces.contains { $0.contains(character) }, "\(character) in \(items.map { $0.font.face.path })")
    }
  }
}
