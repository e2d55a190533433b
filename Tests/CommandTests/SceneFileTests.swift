import Foundation
import Framepace
import FramepaceTesting
import XCTest

/// Scenes from files in the command: printed, rendered, run and read again.
final class SceneFileTests: XCTestCase {
  func testADumpRendersToTheSameBytes() throws {
    let folder = try TemporaryFolder()
    // An event at the very time of the picture is seen in both, as is the end of an animation, which is the beginning of one that is
    // played backwards. The first frame shows an animation that stands at its end, and one that fills the time after it.
    let text = """
      size 30 20
      layer {
        layer card { bounds 0 0 9 9; backgroundColor #F00; state open { position 20 10 } }
        layer { bounds 0 0 4 4; position 2 2; backgroundColor #0F0; basic position.x { to 26; duration 1s } }
        layer {
          bounds 0 0 4 4; position 2 16; backgroundColor #00F; speed -1; timeOffset 1s
          basic position.x { to 26; beginTime 0s; duration 1s }
        }
        layer {
          bounds 0 0 4 4; position 2 9; backgroundColor #0FF; speed 0; timeOffset 1s
          basic position.x { to 26; beginTime 0s; duration 1s }
        }
        layer {
          bounds 0 0 4 4; position 2 13; backgroundColor #FF0; timeOffset 2s
          basic position.x { to 26; beginTime 0s; duration 1s; fillMode forwards }
        }
      }
      at 1s card.state open
      """
    try text.write(toFile: "\(folder.path)/card.scene", atomically: true, encoding: .utf8)
    let size = ["--size", "320x180"]
    for (scene, options) in [
      ("still", size), ("springs", size + ["--time", "0.9s"]), ("card.scene", ["--time", "0"]),
      ("card.scene", ["--time", "1s"]),
    ] {
      for arguments in [
        ["dump", scene, "--output", "a.scene"] + options, ["render", scene, "--output", "first.png"] + options,
        ["render", "a.scene", "--output", "second.png"] + (options.contains("--time") ? options.suffix(2) : []),
      ] {
        let result = try framepace(arguments, in: folder.path)
        XCTAssertEqual(result.status, 0, "\(arguments): \(result.error)")
      }
      XCTAssertEqual(try folder.contents(of: "first.png"), try folder.contents(of: "second.png"), scene)
    }
  }

  /// The animations that have begun go on in the text. Between these times no callback changes anything else: springs are pulled at
  /// 0.7 s and 2.2 s, and the next page of onboarding comes at 4 s. The clock of gallery is ahead of the scene's.
  func testADumpedSampleGoesOn() throws {
    let folder = try TemporaryFolder()
    for scene in ["cards", "onboarding", "springs", "gallery"] {
      for arguments in [
        ["dump", scene, "--output", "a.scene", "--time", "0.9s", "--size", "320x180"],
        ["render", scene, "--output", "first.png", "--time", "1.9s", "--size", "320x180"],
        ["render", "a.scene", "--output", "second.png", "--time", "1.9s"],
      ] {
        let result = try framepace(arguments, in: folder.path)
        XCTAssertEqual(result.status, 0, "\(arguments): \(result.error)")
      }
      XCTAssertEqual(try folder.contents(of: "first.png"), try folder.contents(of: "second.png"), scene)
    }
  }

  func testMistakesAreNamedWithTheirPlace() throws {
    let folder = try TemporaryFolder()
    try "layer {\n  opacty 1\n}\n".write(toFile: "\(folder.path)/bad.scene", atomically: true, encoding: .utf8)
    let result = try framepace(["render", "bad.scene", "--output", "x.png"], in: folder.path)
    XCTAssertEqual(result.status, 1)
    XCTAssertTrue(result.error.contains("bad.scene:2:3: expected a property of a layer, such as opacity"), result.error)
    XCTAssertEqual(try framepace("dump", "nothing").status, 64)
    XCTAssertEqual(try framepace("render", "/nowhere/x.scene", "--output", "x.png").status, 1)
    XCTAssertEqual(try framepace(["--state", "open"]).status, 64)
  }

  /// The picture is rendered without it, and the error says which file it is.
  func testADamagedPictureIsTold() throws {
    let folder = try TemporaryFolder()
    let picture = try XCTUnwrap(
      Data(base64Encoded: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
    )
    try picture.prefix(45).write(to: URL(fileURLWithPath: "\(folder.path)/cut.png"))
    let text = "size 20 20\nlayer { picture { bounds 0 0 9 9; file \"cut.png\" } }"
    try text.write(toFile: "\(folder.path)/card.scene", atomically: true, encoding: .utf8)
    let result = try framepace(["render", "card.scene", "--output", "card.png"], in: folder.path)
    XCTAssertEqual(result.status, 0, result.error)
    XCTAssertTrue(result.error.replacing("\n", with: " ").contains("cut.png: not a whole PNG file"), result.error)
  }

  /// The contents of a layer are PNG; who names a JPEG there hears of picture layers.
  func testAnImageOfAnotherFormatIsForAPicture() throws {
    let folder = try TemporaryFolder()
    try Data([0xFF, 0xD8, 0xFF, 0xE0]).write(to: URL(fileURLWithPath: "\(folder.path)/photo.jpg"))
    let text = "size 20 20\nlayer { bounds 0 0 9 9; contents \"photo.jpg\" }"
    try text.write(toFile: "\(folder.path)/card.scene", atomically: true, encoding: .utf8)
    let result = try framepace(["render", "card.scene", "--output", "card.png"], in: folder.path)
    XCTAssertEqual(result.status, 1)
    let error = result.error.replacing("\n", with: " ")
    XCTAssertTrue(error.contains("a picture layer shows a file of another format: picture { file \"photo.jpg\" }"), error)
  }

  /// The help of each command that takes a scene leads to the page about scenes, whose example is one.
  func testTheHelpTellsHowToWriteAScene() throws {
    for command in ["run", "render", "dump", "profile", "soak"] {
      let help = try framepace(["help", command]).output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      XCTAssertTrue(help.contains("see framepace help scenes"), command)
    }
    XCTAssertTrue(try framepace(["help"]).output.contains("framepace help scenes"))
    let help = try framepace(["help", "scenes"]).output
    let page = "Sources/SceneText/SceneText.docc/Grammar.md"
    XCTAssertTrue(help.split(whereSeparator: \.isWhitespace).contains(Substring(page)))
    let root = #filePath.dropLast("Tests/CommandTests/SceneFileTests.swift".count)
    XCTAssertTrue(FileManager.default.fileExists(atPath: root + page))
    let folder = try TemporaryFolder()
    let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
    let example = lines.drop { !$0.contains("// hello.scene") }.prefix { !$0.isEmpty }.joined(separator: "\n")
    try example.write(toFile: "\(folder.path)/hello.scene", atomically: true, encoding: .utf8)
    let result = try framepace(["render", "hello.scene", "--output", "hello.png", "--time", "3s"], in: folder.path)
    XCTAssertEqual(result.status, 0, result.error)
    XCTAssertEqual(result.error, "")
    // All kinds that a mistake names are on the page.
    try "nothing { }".write(toFile: "\(folder.path)/wrong.scene", atomically: true, encoding: .utf8)
    let mistake = try framepace(["render", "wrong.scene", "--output", "wrong.png"], in: folder.path).error
    let list = mistake.split(whereSeparator: \.isWhitespace).joined(separator: " ").split(separator: "a layer: ").last
    let kinds = (list?.split(separator: ", found").first ?? "").split { !$0.isLetter }.filter { $0 != "or" }
    XCTAssertGreaterThan(kinds.count, 8, mistake)
    for kind in kinds { XCTAssertTrue(lines.contains { $0.hasPrefix("  \(kind) ") }, "\(kind)") }
  }

  /// Letters that no font has are told once, whatever texts have them in whatever frames.
  func testMissingLettersAreTold() throws {
    let folder = try TemporaryFolder()
    let text = """
      size 60 40
      layer {
        text { bounds 0 0 60 20; position 30 10; font "DejaVuSans.ttf" 12; string "a\u{65E5}" }
        text { bounds 0 0 60 20; position 30 10; font "DejaVuSans.ttf" 12; string "\u{65E5}b" }
        paragraph { bounds 0 0 60 20; position 30 30; fonts "DejaVuSans.ttf"; attributedText "c\u{672C}" }
        text { bounds 0 0 60 20; font "DejaVuSans.ttf" 12; string "whole" }
      }
      """
    try text.write(toFile: "\(folder.path)/card.scene", atomically: true, encoding: .utf8)
    let result = try framepace(["render", "card.scene", "--output", "card", "--frames", "3"], in: folder.path)
    XCTAssertEqual(result.status, 0, result.error)
    let notes = result.error.replacing("\n", with: " ").split(separator: "framepace: ").filter { $0.contains("glyph") }
    XCTAssertEqual(notes.count, 2, result.error)
    XCTAssertTrue(
      notes.contains { $0.contains("DejaVuSans.ttf has no glyph for “\u{65E5}” in the text “a\u{65E5}”") }, result.error)
    XCTAssertTrue(notes.contains { $0.contains("a paragraph (ParagraphLayer), which takes such letters") }, result.error)
    XCTAssertTrue(notes.contains { $0.contains("no font has a glyph for “\u{672C}” in the text “c\u{672C}”") }, result.error)
  }

  /// The fonts of the samples are not asked for.
  func testAFileNeedsNoFontThatItDoesNotName() throws {
    let folder = try TemporaryFolder()
    try "size 20 20\nlayer { }".write(toFile: "\(folder.path)/plain.scene", atomically: true, encoding: .utf8)
    let line = "FRAMEPACE_FONTS=. framepace render plain.scene --output plain.png"
    let result = try shell(line, in: folder.path)
    XCTAssertEqual(result.status, 0, result.error)
  }

  func testAFileIsReadAgainWhenItChanges() throws {
    let folder = try TemporaryFolder()
    // Its control character must not reach a terminal.
    let name = "a\u{1B}card.scene"
    let path = "\(folder.path)/\(name)"
    try "size 40 30\nlayer {}\n".write(toFile: path, atomically: true, encoding: .utf8)
    // A short name: its line is not wrapped.
    let arguments = ["run", name, "--display", "fallback", "--fps", "--duration", "1h"]
    let run = try Running(executable().path, arguments, in: folder.path)
    func waitFor(_ text: String) -> Bool {
      // Empty lines are read as none.
      (0..<100).contains { _ in run.readLine()?.contains(text) ?? false }
    }
    XCTAssertTrue(waitFor("a card on"))
    run.waitUntilAtRest()
    // Written in place, then replaced by another file, as editors do.
    let handle = try XCTUnwrap(FileHandle(forWritingAtPath: path))
    try handle.write(contentsOf: Data("size 40 30\nlayer }\n".utf8))
    try handle.truncate(atOffset: 19)
    try handle.close()
    XCTAssertTrue(waitFor("a card.scene:2:7: expected"))
    try "size 40 30\nlayer { opacity 0.5 }\n".write(toFile: path, atomically: true, encoding: .utf8)
    XCTAssertTrue(waitFor("a card.scene was read again"))
    run.send(SIGINT)
    _ = run.finish()
  }

  func testAQuietRunNamesMistakesAsErrors() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/card.scene"
    try "layer {}\n".write(toFile: path, atomically: true, encoding: .utf8)
    let arguments = ["run", "card.scene", "--display", "fallback", "--quiet", "--duration", "1h"]
    let run = try Running(executable().path, arguments, in: folder.path)
    run.waitUntilHandled(SIGINT)
    run.waitUntilAtRest()
    try "layer }\n".write(toFile: path, atomically: true, encoding: .utf8)
    let line = run.readErrorLine() ?? ""
    XCTAssertTrue(line.hasPrefix("framepace: card.scene:1:7: expected"), line)
    run.send(SIGINT)
    let ended = run.finish()
    XCTAssertEqual(ended.output, "")
    // A file that is written in several steps is read more than once.
    XCTAssertTrue(ended.error.split(separator: "\n").allSatisfy { $0 == line }, ended.error)
  }

  func testJSONTellsMistakesFromReloads() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/card.scene"
    try "layer {}\n".write(toFile: path, atomically: true, encoding: .utf8)
    let arguments = ["run", "card.scene", "--display", "fallback", "--json", "--duration", "1h"]
    let run = try Running(executable().path, arguments, in: folder.path)
    func waitFor(_ key: String) throws -> [String: Any] {
      for _ in 0..<100 {
        guard let line = run.readLine(), let object = try JSONLines(line).objects.first else { continue }
        if object[key] != nil { return object }
      }
      return [:]
    }
    _ = try waitFor("scene")
    run.waitUntilAtRest()
    try "layer }\n".write(toFile: path, atomically: true, encoding: .utf8)
    let mistake = try waitFor("mistake")
    XCTAssertEqual(mistake["file"] as? String, "card.scene")
    XCTAssertEqual([mistake["line"] as? Int, mistake["column"] as? Int], [1, 7])
    try "layer { opacity 0.5 }\n".write(toFile: path, atomically: true, encoding: .utf8)
    XCTAssertEqual(try waitFor("reload")["reload"] as? String, "card.scene")
    run.send(SIGINT)
    _ = run.finish()
  }

  func testStatesAreSetFromTheCommandLine() throws {
    let folder = try TemporaryFolder()
    let text = """
      size 40 30
      layer {
        layer card {
          bounds 0 0 10 10; position 5 5; backgroundColor #FF0000
          state open { position 30 20 }
          state dim { backgroundColor #00FF00 }
          stateTransition { duration 9s }
        }
        layer lamp { bounds 0 0 10 10; position 5 25; backgroundColor #FFFFFF; state dim { backgroundColor #0000FF } }
      }
      """
    try text.write(toFile: "\(folder.path)/a.scene", atomically: true, encoding: .utf8)
    let expected = """
      size 40 30
      layer {
        layer { bounds 0 0 10 10; position 30 20; backgroundColor #FF0000 }
        layer { bounds 0 0 10 10; position 5 25; backgroundColor #0000FF }
      }
      """
    try expected.write(toFile: "\(folder.path)/b.scene", atomically: true, encoding: .utf8)
    for arguments in [
      ["render", "a.scene", "--state", "open", "--state", "lamp=dim", "--output", "1.png"],
      ["render", "b.scene", "--output", "2.png"],
    ] {
      let result = try framepace(arguments, in: folder.path)
      XCTAssertEqual(result.status, 0, "\(arguments): \(result.error)")
    }
    XCTAssertEqual(try folder.contents(of: "1.png"), try folder.contents(of: "2.png"))
    let dump = try framepace(["dump", "a.scene", "--state", "open", "--state", "lamp=dim"], in: folder.path)
    XCTAssertEqual(dump.status, 0, dump.error)
    XCTAssertTrue(dump.output.contains("inState open { position 5 5 }"), dump.output)
    XCTAssertTrue(dump.output.contains("inState dim { backgroundColor #FFFFFF }"), dump.output)
    for (state, reason) in [
      ("opne", "no layer of the scene has a state opne."),
      ("dim", "the layers in lines 3 and 9 have a state dim: name the layer, as LAYER=STATE."),
      ("none", "name the layer whose state is taken away, as LAYER=STATE."),
      ("card=opne", "the layer card has no state opne."), ("floor=dim", "no layer of the scene has the name floor."),
    ] {
      for command in [["render", "a.scene", "--output", "3.png"], ["dump", "a.scene"]] {
        let result = try framepace(command + ["--state", state], in: folder.path)
        XCTAssertEqual(result.status, 64, state)
        // Wrapped to lines.
        let words = result.error.split { $0.isWhitespace }.joined(separator: " ")
        XCTAssertTrue(words.contains("--state '\(state)': \(reason)"), result.error)
      }
    }
  }

  /// As `render` does; on a screen it is scaled to the screen's size.
  func testWithoutAScreenARunHasTheSizeOfTheFile() throws {
    let folder = try TemporaryFolder()
    try "size 40 30\nlayer {}\n".write(toFile: "\(folder.path)/a.scene", atomically: true, encoding: .utf8)
    for (options, size) in [([], "40x30"), (["--size", "80x70"], "80x70")] {
      let clock = ["run", "a.scene", "--display", "fallback", "--duration", "50ms"] + options
      let simulation = ["run", "a.scene", "--simulate", "steady", "--fast", "--duration", "50ms"] + options
      for arguments in [clock, simulation] {
        let result = try framepace(arguments, in: folder.path)
        XCTAssertTrue((result.output + result.error).contains(size), "\(arguments): \(result.output)\(result.error)")
      }
    }
  }

  func testImagesLieBesideTheText() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: "\(folder.path)/scenes/images", withIntermediateDirectories: true)
    let photo = "size 40 30\nlayer { layer { bounds 0 0 20 20; position 15 15; backgroundColor #228B22 } }\n"
    let frame = "size 40 30\nlayer { bounds 0 0 40 30; anchorPoint 0 0; contents \"images/photo.png\" }\n"
    for (name, text) in [("photo", photo), ("frame", frame)] {
      try text.write(toFile: "\(folder.path)/scenes/\(name).scene", atomically: true, encoding: .utf8)
    }
    for (scene, picture) in [("photo", "scenes/images/photo.png"), ("frame", "frame.png")] {
      let result = try framepace(["render", "scenes/\(scene).scene", "--output", picture], in: folder.path)
      XCTAssertEqual(result.status, 0, result.error)
    }
    XCTAssertEqual(try folder.contents(of: "scenes/images/photo.png"), try folder.contents(of: "frame.png"))
  }

  /// A picture of the text's own, or one that another text needs, may have the name already.
  func testADumpReplacesNoPicture() throws {
    let folder = try TemporaryFolder()
    let photo = try framepace(["render", "still", "--output", "a-1.png", "--size", "30x20"], in: folder.path)
    XCTAssertEqual(photo.status, 0, photo.error)
    let text = "size 30 20\nlayer { contents \"a-1.png\"; layer { bounds 0 0 9 9; contents \"a-1.png\"; opacity 0.5 } }\n"
    try text.write(toFile: "\(folder.path)/a.scene", atomically: true, encoding: .utf8)
    let before = try folder.contents(of: "a-1.png")
    try Data("other".utf8).write(to: URL(fileURLWithPath: "\(folder.path)/a-2.png"))
    XCTAssertEqual(symlink("nowhere.png", "\(folder.path)/a-3.png"), 0)
    // A picture that is the same already is not written again.
    for _ in 0..<2 {
      let dump = try framepace(["dump", "a.scene", "--output", "a.scene"], in: folder.path)
      XCTAssertEqual(dump.status, 0, dump.error)
      XCTAssertEqual(dump.output, "wrote a.scene and its picture; a-1.png and 2 more are beside it and not in it\n")
      XCTAssertEqual(try folder.files, ["a-1.png", "a-2.png", "a-3.png", "a-4.png", "a.scene"])
      XCTAssertEqual(try folder.contents(of: "a-1.png"), before)
      XCTAssertEqual(try folder.contents(of: "a-2.png"), Data("other".utf8))
      XCTAssertTrue(String(decoding: try folder.contents(of: "a.scene"), as: UTF8.self).contains("\"a-4.png\""))
    }
    let copy = try framepace(["render", "a.scene", "--output", "b.png"], in: folder.path)
    XCTAssertEqual(copy.status, 0, copy.error)
  }

  /// Pictures of an earlier dump that are not in the text any more are named, and stay.
  func testADumpTellsOfPicturesThatAreNotInTheText() throws {
    let folder = try TemporaryFolder()
    for size in ["4x4", "5x5"] {
      let picture = try framepace(["render", "still", "--output", "\(size).png", "--size", size], in: folder.path)
      XCTAssertEqual(picture.status, 0, picture.error)
    }
    func dump(_ pictures: String...) throws -> String {
      let layers = pictures.map { "layer { bounds 0 0 9 9; contents \"\($0).png\" }" }
      try "size 30 20\nlayer { \(layers.joined(separator: "\n")) }\n"
        .write(toFile: "\(folder.path)/in.scene", atomically: true, encoding: .utf8)
      let dump = try framepace(["dump", "in.scene", "--output", "out.scene"], in: folder.path)
      XCTAssertEqual(dump.status, 0, dump.error)
      return dump.output
    }
    XCTAssertEqual(try dump("4x4", "5x5"), "wrote out.scene and its 2 pictures\n")
    XCTAssertEqual(try dump("4x4"), "wrote out.scene and its picture; out-2.png is beside it and not in it\n")
    XCTAssertEqual(try dump(), "wrote out.scene; out-1.png and 1 more are beside it and not in it\n")
    for name in ["out-01.png", "out-1x.png", "out-.png", "outer-1.png", "out-1.jpg"] {
      try Data().write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
    }
    XCTAssertEqual(try dump("4x4", "5x5"), "wrote out.scene and its 2 pictures\n")
    XCTAssertEqual(
      try folder.files.filter { $0.hasPrefix("out") },
      ["out-.png", "out-01.png", "out-1.jpg", "out-1.png", "out-1x.png", "out-2.png", "out.scene", "outer-1.png"])
  }

  func testADumpInAnotherFolderFindsItsFonts() throws {
    let folder = try TemporaryFolder()
    let files = FileManager.default
    for name in ["from/fonts", "to"] {
      try files.createDirectory(atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
    }
    try files.copyItem(atPath: try SystemFonts.path(of: "Roboto-Bold.ttf"), toPath: "\(folder.path)/from/fonts/own.ttf")
    let text = """
      size 60 20
      layer { text { bounds 0 0 60 20; position 30 10; font "fonts/own.ttf" 16; string "own" } }
      """
    try text.write(toFile: "\(folder.path)/from/a.scene", atomically: true, encoding: .utf8)
    for arguments in [
      ["dump", "from/a.scene", "--output", "to/a.scene"], ["dump", "from/a.scene", "--output", "from/b.scene"],
      ["render", "from/a.scene", "--output", "1.png"], ["render", "to/a.scene", "--output", "2.png"],
      ["render", "from/b.scene", "--output", "3.png"],
    ] {
      let result = try framepace(arguments, in: folder.path)
      XCTAssertEqual(result.status, 0, "\(arguments): \(result.error)")
    }
    let pictures = try (1...3).map { try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/\($0).png")) }
    XCTAssertTrue(pictures.allSatisfy { $0 == pictures[0] })
    // The folder of the text may be moved with its fonts.
    XCTAssertTrue(
      try String(contentsOfFile: "\(folder.path)/from/b.scene", encoding: .utf8).contains("\"fonts/own.ttf\" 16"))
  }
}
