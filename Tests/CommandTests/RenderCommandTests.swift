import Foundation
import Framepace
import Testing

/// `framepace render`: pictures in files.
struct RenderCommandTests {
  @Test func rendersTheSameBytesTwice() throws {
    let folder = try TemporaryFolder()
    for name in ["a.png", "b.png"] {
      let result = try framepace(["render", "dashboard", "--output", name, "--size", "320x180"], in: folder.path)
      #expect(result.status == 0, "\(result.error)")
      #expect(result.output.hasPrefix("wrote \(name): "), "\(result.output)")
    }
    let first = try #require(FileManager.default.contents(atPath: folder.path + "/a.png"))
    let second = try #require(FileManager.default.contents(atPath: folder.path + "/b.png"))
    #expect(first == second)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["a.png", "b.png"])
  }

  /// Each overlay is another picture; a single one shows what changed since the frame before.
  @Test func drawsOverlays() throws {
    let folder = try TemporaryFolder()
    let names = ["", "damage", "borders", "reasons", "overdraw", "meter", "damage,borders"]
    let pictures = try names.map { name in
      let overlays = name.isEmpty ? [] : ["--show", name]
      let result = try framepace(["render", "orbit", "--output", "a.png", "--size", "320x180"] + overlays, in: folder.path)
      #expect(result.status == 0, "\(result.error)")
      return try folder.contents(of: "a.png")
    }
    #expect(Set(pictures).count == names.count)
    for (count, file) in [("1", "b.png"), ("3", "c")] {
      let frames = file == "c" ? ["--frames", count] : ["--time", "0"]
      let result = try framepace(
        ["render", "orbit", "--show", "damage", "--output", file, "--size", "64x36"] + frames, in: folder.path)
      #expect(result.status == 0, "\(result.error)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/c").count == 3)
  }

  /// A scene's text says how it is blended, as its print does, and the option has the last word.
  @Test func blendsAsTheSceneOrTheOptionSays() throws {
    let folder = try TemporaryFolder()
    let layers = "layer { backgroundColor #000; layer { bounds 0 0 9 9; position 5 5; backgroundColor #FFF; opacity 0.5 } }"
    for (name, statement) in [("plain", ""), ("light", "blending linear\n")] {
      try Data("size 16 16\n\(statement)\(layers)\n".utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(name).scene"))
    }
    func picture(_ arguments: [String]) throws -> Data {
      let result = try framepace(["render"] + arguments + ["--output", "a.png"], in: folder.path)
      #expect(result.status == 0, "\(result.error)")
      return try folder.contents(of: "a.png")
    }
    let (stored, light) = (try picture(["plain.scene"]), try picture(["light.scene"]))
    #expect(stored != light)
    #expect(try picture(["plain.scene", "--blending", "linear"]) == light)
    #expect(try picture(["light.scene", "--blending", "srgb"]) == stored)
    #expect(try framepace(["dump", "light.scene", "--output", "b.scene"], in: folder.path).status == 0)
    #expect(try picture(["b.scene"]) == light)
  }

  @Test func leavesOutTheBackgroundOnRequest() throws {
    let folder = try TemporaryFolder()
    let text = "size 16 16\nlayer { layer { bounds 0 0 4 4; position 8 8; backgroundColor #FF000080 } }\n"
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/dot.scene"))
    for (option, corner, middle) in [("--scale=1", 0xFF00_0000, 0xFF80_0000), ("--transparent", 0, 0x8080_0000)]
      as [(String, UInt32, UInt32)]
    {
      let result = try framepace(["render", "dot.scene", "--output", "a.png", option], in: folder.path)
      #expect(result.status == 0, "\(result.error)")
      let image = try PNG.decode([UInt8](folder.contents(of: "a.png")))
      #expect(image.row(0).load(as: UInt32.self) == corner)
      #expect(image.row(8).load(fromByteOffset: 32, as: UInt32.self) == middle)
    }
    let film = try framepace(
      ["render", "dot.scene", "--output", "a.apng", "--transparent", "--frames", "2"], in: folder.path)
    #expect(film.status == 0, "\(film.error)")
    let picture = try PNG.decode([UInt8](folder.contents(of: "a.apng")))
    #expect(picture.row(0).load(as: UInt32.self) == 0)
  }

  /// A disk that fills up during the write leaves the old picture and no other file.
  @Test(.enabled(if: mayMount, "needs the right to mount a file system of its own"))
  func aFullDiskLeavesTheOldPicture() throws {
    let folder = try TemporaryFolder()
    let script = """
      mount -t tmpfs -o size=32k tmpfs '\(folder.path)' && cd '\(folder.path)' && printf old >orbit.png
      '\(try executable().path)' render orbit --output orbit.png --size 800x480
      echo "status $?: $(cat orbit.png | head -c 99)"
      ls -A
      """
    let result = try finish("/usr/bin/unshare", ["--user", "--map-root-user", "--mount", "/bin/sh", "-c", script])
    #expect(result.output == "status 1: old\norbit.png\n")
    #expect(result.error.contains("orbit.png") && result.error.contains("No space left"), "\(result.error)")
  }

  /// The limit on file sizes is a full disk too: its signal would leave an unfinished file.
  @Test func theLimitOnFileSizesLeavesTheOldPicture() throws {
    let folder = try TemporaryFolder()
    try Data("old".utf8).write(to: URL(fileURLWithPath: "\(folder.path)/orbit.png"))
    let result = try shell("ulimit -f 8; framepace render orbit --output orbit.png --size 320x200", in: folder.path)
    #expect(result.status == 1)
    #expect(result.error == "framepace: PNG: write orbit.png: File too large (27)\n")
    #expect(try folder.contents(of: "orbit.png") == Data("old".utf8))
    #expect(try folder.files == ["orbit.png"])
  }

  /// One picture has its file's name and its size, also in a folder.
  @Test(arguments: [(["d"], "d/still.png"), (["d/"], "d/still.png"), (["d", "--frames", "1"], "d/still-0000.png")])
  func saysWhichFileItWrote(output: [String], file: String) throws {
    let folder = try TemporaryFolder()
    let result = try framepace(["render", "still", "--size", "64x64", "--output"] + output, in: folder.path)
    #expect(
      result.output.hasPrefix("wrote \(file): 64x64 pixels, ") && result.output.hasSuffix(" s\n"), "\(result.output)")
    #expect(FileManager.default.fileExists(atPath: "\(folder.path)/\(file)"))
  }

  /// A scene whose picture would be too large is refused, not cut.
  @Test(arguments: [
    ("20000 100", [], "'big.scene' is 20000 by 100 points, and a picture has at most 16384 pixels a side: use --size"),
    ("100 9000", ["--scale", "2"], "'big.scene' is 100 by 9000 points at --scale 2, and a picture has"),
  ])
  func aSceneThatIsTooLargeIsRefused(size: String, options: [String], sentence: String) throws {
    let folder = try TemporaryFolder()
    try Data("size \(size)\nlayer { backgroundColor #F80 }".utf8).write(to: URL(fileURLWithPath: folder.path + "/big.scene"))
    let result = try framepace(["render", "big.scene", "--output", "x.png"] + options, in: folder.path)
    #expect(result.status == 1)
    #expect(result.error.replacing("\n", with: " ").hasPrefix("framepace: \(sentence)"), "\(result.error)")
    #expect(try folder.files == ["big.scene"])
    let fitted = try framepace(["render", "big.scene", "--output", "x.png", "--size", "64x64"], in: folder.path)
    #expect(fitted.status == 0, "\(fitted.error)")
  }

  /// A link that leads nowhere says so.
  @Test func aLinkToNowhereIsNamed() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createSymbolicLink(atPath: folder.path + "/x.png", withDestinationPath: "/nowhere/x.png")
    let result = try framepace(["render", "still", "--output", "x.png"], in: folder.path)
    #expect(result.error == "framepace: cannot write to 'x.png': it is a link to a file whose folder does not\nexist\n")
  }

  /// One picture goes to the standard output as PNG.
  @Test func aPictureOnTheStandardOutputNeedsNoFormat() throws {
    let folder = try TemporaryFolder()
    let result = try shell("framepace render still --size 64x64 --output - > x.png", in: folder.path)
    #expect(result.status == 0, "\(result.error)")
    #expect(try folder.contents(of: "x.png").starts(with: [0x89, 0x50, 0x4E, 0x47]))
  }

  /// A scene that is named often is rendered once. The last line says what was written, to no terminal too.
  @Test func rendersEachSceneOnceAndSaysHowFast() throws {
    let folder = try TemporaryFolder()
    let result = try framepace(
      ["render", "still", "orbit", "still", "--output", "d", "--size", "64x64", "--frames", "2"], in: folder.path)
    #expect(result.status == 0, "\(result.error)")
    let words = result.output.split(separator: " ")
    #expect(
      result.output.hasPrefix("wrote 4 files to d: ") && result.output.hasSuffix(" frames a second\n"), "\(result.output)")
    #expect(words.count > 6 && Double(words[5]) != nil && words[6] == "s,", "\(result.output)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/d").count == 4)
  }

  /// Picture k of a sequence equals the picture of `--time k/rate`, also at rates whose interval is not a whole number of
  /// nanoseconds.
  @Test(arguments: ["60", "59.94", "24", "30", "1", "240", "60000/1001"])
  func aSequenceShowsTheSceneAtItsTimes(rate: String) throws {
    let parts = rate.split(separator: "/").compactMap { Double($0) }
    let hertz = parts[0] / (parts.count > 1 ? parts[1] : 1)
    let folder = try TemporaryFolder()
    let size = ["--size", "96x54"]
    let result = try framepace(
      ["render", "orbit", "--output", "frames", "--frames", "5", "--rate", rate] + size, in: folder.path)
    #expect(result.status == 0, "\(result.error)")
    let pictures = try (0..<5).map { try folder.contents(of: "frames/orbit-000\($0).png") }
    #expect(Set(pictures).count == 5, "a picture comes twice")
    for (number, picture) in pictures.enumerated() {
      // The time is written to the nanosecond by hand, since a printed `Double` may have an exponent.
      let nanoseconds = String(Int((Double(number) / hertz * 1e9).rounded()))
      let padded = String(repeating: "0", count: max(10 - nanoseconds.count, 0)) + nanoseconds
      let time = "\(padded.dropLast(9)).\(padded.suffix(9))s"
      let single = try framepace(["render", "orbit", "--output", "one.png", "--time", time] + size, in: folder.path)
      #expect(single.status == 0, "\(single.error)")
      let alone = try folder.contents(of: "one.png")
      #expect(alone == picture, "picture \(number) differs from --time \(time): \(difference(picture, alone))")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/frames").count == 5)
  }

  /// A picture after a thousand hours is rendered as fast as the first one: earlier times are not played.
  @Test func aPictureFarFromTheStartCostsNoMore() throws {
    let folder = try TemporaryFolder()
    let result = try framepace(
      ["render", "--all", "--output", ".", "--time", "3600000s", "--size", "64x64"], in: folder.path)
    #expect(result.status == 0, "\(result.error)")
    #expect(try folder.files.count == framepace("scenes").output.split(separator: "\n").count)
  }

  /// Missing parent folders are made, and a file name may be in capitals.
  @Test func makesFoldersAndTakesCapitals() throws {
    let folder = try TemporaryFolder()
    for output in ["a/b/c", "ORBIT.PNG"] {
      let result = try framepace(["render", "orbit", "--output", output, "--size", "64x64"], in: folder.path)
      #expect(result.status == 0, "\(result.error)")
    }
    #expect(try folder.contents(of: "a/b/c/orbit.png") == folder.contents(of: "ORBIT.PNG"))
  }

  /// Ctrl-C says how many files are complete, and leaves no other ones.
  @Test(arguments: [SIGINT, SIGTERM])
  func aSignalEndsItWithTheNumberOfFiles(signal: Int32) throws {
    let folder = try TemporaryFolder()
    let run = try Running(
      ["render", "still", "--frames", "100000", "--size", "64x64", "--output", "\(folder.path)/d"])
    while !FileManager.default.fileExists(atPath: "\(folder.path)/d/still-0009.png") { usleep(1000) }
    run.send(signal)
    let result = run.finish()
    #expect(result.status == 128 + signal && result.error.isEmpty, "\(result.status): \(result.error)")
    let files = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/d")
    #expect(files.count >= 10)
    #expect(result.output.hasPrefix("wrote \(files.count) of 100000 files to \(folder.path)/d: "), "\(result.output)")
  }

  /// A film appears when it is complete: a signal leaves the old file and no other one.
  @Test func aSignalLeavesTheOldFilm() throws {
    let folder = try TemporaryFolder()
    try Data("old".utf8).write(to: URL(fileURLWithPath: "\(folder.path)/x.apng"))
    let run = try Running(
      ["render", "still", "--frames", "100000", "--size", "64x64", "--output", "\(folder.path)/x.apng"])
    while try folder.files.count < 2 { usleep(1000) }
    run.send(SIGINT)
    let result = run.finish()
    #expect(result.status == 128 + SIGINT && result.error.isEmpty, "\(result.status): \(result.error)")
    #expect(
      result.output.hasPrefix("stopped after ") && result.output.contains(" of 100000 pictures, without writing the film: "),
      "\(result.output)")
    #expect(try folder.files == ["x.apng"])
    #expect(try folder.contents(of: "x.apng") == Data("old".utf8))
  }

  /// A film goes to a file, into a folder by the scene's name, or to the standard output, which has nothing else then.
  @Test(arguments: ["apng", "y4m"])
  func filmsAreTheSameEverywhere(format: String) throws {
    let folder = try TemporaryFolder()
    let arguments = ["render", "orbit", "--frames", "12", "--size", "96x54", "--output"]
    let file = try framepace(arguments + ["film.\(format)"], in: folder.path)
    #expect(file.status == 0 && file.output.hasPrefix("wrote film.\(format): "), "\(file.error)\(file.output)")
    let inFolder = try framepace(arguments + ["d", "--format", format], in: folder.path)
    #expect(inFolder.output.hasPrefix("wrote d/orbit.\(format): "), "\(inFolder.error)\(inFolder.output)")
    let piped = try shell(
      "framepace \(arguments.joined(separator: " ")) - --format \(format) 2>said >piped", in: folder.path)
    #expect(piped.status == 0)
    let film = try folder.contents(of: "film.\(format)")
    #expect(try folder.contents(of: "d/orbit.\(format)") == film)
    #expect(try folder.contents(of: "piped") == film)
    let said = String(decoding: try folder.contents(of: "said"), as: UTF8.self)
    #expect(said.hasPrefix("wrote 12 pictures to the standard output: "), "\(said)")
  }

  /// A reader that has seen enough gets no message. The status tells that the film is not complete.
  @Test func aReaderOfAFilmMayEnd() throws {
    let film = "framepace render still --output - --format y4m --frames 5000 --size 640x360"
    let result = try shell("{ \(film); echo \"status $?\" >&2; } | head -c 9")
    #expect(result.output == "YUV4MPEG2" && result.error == "status 141\n", "\(result.output): \(result.error)")
  }

  @Test func aFolderThatIsNamedAsAPictureIsRefused() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: "\(folder.path)/d.png", withIntermediateDirectories: false)
    let result = try framepace(["render", "orbit", "--output", "d.png", "--size", "64x64"], in: folder.path)
    #expect(result.status == 1)
    #expect(result.error == "framepace: cannot write to 'd.png': it is a folder; name a file\n")
  }
}

/// Tells two PNG files apart: by their pixels, or by their compression alone.
private func difference(_ one: Data, _ other: Data) -> String {
  guard let one = try? PNG.decode(Array(one)), let other = try? PNG.decode(Array(other)) else { return "one cannot be read" }
  guard one.width == other.width && one.height == other.height else { return "another size" }
  let pixel = { (picture: Bitmap, x: Int, y: Int) in picture.row(y).load(fromByteOffset: x * 4, as: UInt32.self) }
  var differing: [(x: Int, y: Int)] = []
  for y in 0..<one.height {
    for x in 0..<one.width where pixel(one, x, y) != pixel(other, x, y) { differing.append((x, y)) }
  }
  guard let (x, y) = differing.first else { return "the pixels are the same" }
  let values = [one, other].map { String(pixel($0, x, y), radix: 16) }
  return "\(differing.count) pixels, of which \(x), \(y) is the first: \(values[0]) and \(values[1])"
}
