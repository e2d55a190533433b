import ImageFiles
import LinuxSystem
import Raster
import Testing

@Suite struct FrameTests {
  /// Rows count with their padding, so that a narrow picture takes more than its pixels.
  @Test(arguments: ["disposal-1.gif", "moving.webp", "moving.png"]) func allPicturesStayWithinALimit(name: String) throws {
    let file = try Pictures.file(name)
    func bytes(_ frames: [ImageFrame]) -> Int { frames.reduce(0) { $0 + $1.image.bytesPerRow * $1.image.height } }
    let count = try #require(file.header.animation?.durations.count)
    let whole = bytes(try file.frames(.natural, limit: 1 << 30) { false })
    for limit in [whole, whole - 1, whole / 3, 64 * count] {
      let frames = try file.frames(.natural, limit: limit) { false }
      #expect(frames.count == count)
      #expect(bytes(frames) <= limit)
    }
    #expect(throws: ImageFileError.needsMemory(name: Pictures.folder + "/" + name, limit: 64 * count - 1)) {
      try file.frames(.natural, limit: 64 * count - 1) { false }
    }
  }

  /// A file may not take the time of its limits for each of its pictures.
  @Test func allPicturesHaveOneTime() throws {
    var limits = ImageLimits()
    limits.duration = .zero
    let file = try Pictures.file("disposal-1.gif", limits: limits)
    #expect(throws: ImageFileError.tookTooLong(name: Pictures.folder + "/disposal-1.gif", limit: .zero)) {
      try file.frames(.natural, limit: 1 << 20) { false }
    }
  }

  private static let moving = [
    "moving.webp", "disposal-1.gif", "disposal-2.gif", "disposal-3.gif", "moving.png", "moving-beside.png",
    "moving-palette.png",
  ]

  private func all(_ frames: ImageFrames) throws -> [ImageFrame] {
    var all: [ImageFrame] = []
    while let frame = try frames.next() { all.append(frame) }
    return all
  }

  /// Every picture against what Pillow has read, and those of PNG files against the specification's words.
  @Test(arguments: moving)
  func picturesAreThoseOfAnotherReader(name: String) throws {
    let file = try Pictures.file(name)
    let reader = ImageFrames(of: file)
    let frames = try all(reader)
    #expect(frames.count == (name == "moving.png" ? 7 : name.hasSuffix(".gif") ? 4 : 3))
    let hasStill = name == "moving-beside.png"
    for (number, frame) in frames.enumerated() {
      let path = "\(Pictures.folder)/expected/\(name)\(number == 0 && !hasStill ? "" : "-\(number)").png"
      #expect(frame.image.difference(to: try PNG.read(path: path)) == 0, "picture \(number)")
    }
    #expect(frames.map(\.duration) == file.header.animation?.durations)
    #expect((try file.decode().pixels == frames.first?.image.pixels) == !hasStill)
    #expect(try reader.next() == nil)
    reader.rewind()
    #expect(try all(reader).map(\.image.pixels) == frames.map(\.image.pixels))
  }

  @Test func headersSayTimes() throws {
    func milliseconds(_ counts: [Int64]) -> [Nanoseconds] { counts.map { .milliseconds($0) } }
    let webp = try #require(try Pictures.file("moving.webp").header.animation)
    #expect(webp.durations == milliseconds([40, 80, 120]) && webp.repetitions == 3)
    // The third delay, 10 ms, was not meant.
    let gif = try #require(try Pictures.file("disposal-1.gif").header.animation)
    #expect(gif.durations == milliseconds([50, 70, 100, 90]) && gif.repetitions == nil)
    #expect(try Pictures.file("still.gif").header.animation == nil)
    let png = try #require(try Pictures.file("moving.png").header.animation)
    #expect(png.durations == milliseconds([50, 70, 80, 90, 100, 110, 120]) && png.repetitions == 3)
    // The first and the third delay, 0 and 10 ms, were not meant. The second is in hundredths, since 0 says that.
    let beside = try #require(try Pictures.file("moving-beside.png").header.animation)
    #expect(beside.durations == milliseconds([100, 30, 100]) && beside.repetitions == nil)
    #expect(try Pictures.file("colour.png").header.animation == nil)
  }

  /// A picture without words of its own does not take those of the one before it.
  @Test func timesAreThoseOfTheirPicture() throws {
    var bytes = try Pictures.bytes("disposal-1.gif")
    // The second picture's: 70 ms.
    try #require(bytes[199..<207].elementsEqual([0x21, 0xF9, 4, 5, 7, 0, 0, 0]))
    bytes.removeSubrange(199..<207)
    let file = try ImageFile(bytes: bytes)
    let durations = try #require(file.header.animation?.durations)
    #expect(durations == [50, 100, 100, 90].map { .milliseconds($0) })
    #expect(try all(ImageFrames(of: file)).map(\.duration) == durations)
  }

  @Test(arguments: moving)
  func picturesFitTheirBox(name: String) throws {
    for frame in try all(ImageFrames(of: Pictures.file(name), fitting: PixelSize(width: 20, height: 20))) {
      #expect(frame.image.width == 20 && frame.image.height == 14)
    }
  }

  @Test func aStillFileHasOnePicture() throws {
    let frames = try all(ImageFrames(of: Pictures.file("baseline.jpg")))
    #expect(frames.count == 1 && frames.first?.duration == .zero)
  }

  @Test(arguments: moving)
  func picturesAreCounted(name: String) throws {
    var limits = ImageLimits()
    limits.frames = name.hasSuffix(".gif") ? 3 : 2
    #expect(throws: ImageFileError.tooManyFrames(name: Pictures.folder + "/" + name, limit: limits.frames)) {
      try Pictures.file(name, limits: limits)
    }
  }

  /// After an error there are no more pictures.
  @Test(arguments: moving)
  func decodingEndsWithAnError(name: String) throws {
    let frames = ImageFrames(of: try Pictures.file(name))
    #expect(throws: ImageFileError.cancelled) { try frames.next { true } }
    #expect(try frames.next() == nil)
  }
}
