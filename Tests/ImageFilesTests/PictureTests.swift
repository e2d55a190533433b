import Glibc
import ImageFiles
import LinuxSystem
import Raster
import Testing

@Suite struct PictureTests {
  /// Every file against what Pillow has read: at its own size, and reduced.
  @Test(arguments: Pictures.expected)
  func pixelsAreThoseOfAnotherReader(name: String) throws {
    let expected = try PNG.read(path: "\(Pictures.folder)/expected/\(name)")
    let stem = String(name.dropLast(".png".count))
    let parts = stem.split(separator: "@")
    var box: PixelSize?
    if parts.count == 2 {
      let sides = parts[1].split(separator: "x").compactMap { Int($0) }
      box = PixelSize(width: try #require(sides.first), height: try #require(sides.last))
    }
    let image = try Pictures.file(String(parts[0])).decode(fitting: box)
    // Exact but for roundings: a profile's, 16 bits' in the other reader, a mean's, and that of alpha before the mean.
    let isExact = box == nil && !["wide", "profile", "deep"].contains { stem.contains($0) }
    let difference = try #require(image.difference(to: expected), "\(image.width)x\(image.height)")
    // libavif converts ten bits in several ways, of which the other reader takes another.
    #expect(difference <= (stem == "deep.avif" ? 2 : isExact ? 0 : 1))
    #expect(image.isOpaque == expected.isOpaque)
  }

  /// No file is left out above.
  @Test func everyFileHasAnExpectedPicture() {
    let files = Set(Pictures.expected.map { String($0.dropLast(".png".count).split(separator: "@")[0]) })
    #expect(files.subtracting(Pictures.names).isEmpty)
    #expect(Set(Pictures.names).subtracting(files).isEmpty)
    #expect(files.count >= 30)
  }

  @Test func headersSayWhatFilesAre() throws {
    let baseline = try Pictures.file("baseline.jpg").header
    #expect(baseline.format == .jpeg && baseline.size == PixelSize(width: 61, height: 43) && baseline.orientation == .up)
    let turned = try Pictures.file("turned.png").header
    #expect(turned.format == .png && turned.size == PixelSize(width: 43, height: 61) && turned.orientation == .right)
    let wide = try Pictures.file("turned-1t.avif").header
    #expect(wide.format == .avif && wide.size == PixelSize(width: 42, height: 60) && wide.orientation == .leftMirrored)
    let cut = try Pictures.file("cut.avif").header
    #expect(cut.size == PixelSize(width: 20, height: 31) && cut.orientation == .left)
    let drawing = try Pictures.file("drawing.svg").header
    #expect(drawing.format == .svg && drawing.size == PixelSize(width: 61, height: 43) && drawing.isDrawing)
    for number in 1...8 {
      let header = try Pictures.file("orientation-\(number).jpg").header
      #expect(header.orientation.rawValue == number)
      #expect(header.size == (number < 5 ? PixelSize(width: 61, height: 43) : PixelSize(width: 43, height: 61)))
    }
  }

  /// A box is that of the upright picture.
  @Test func turnedPicturesFitTheirBoxes() throws {
    for number in 1...8 {
      let image = try Pictures.file("orientation-\(number).jpg").decode(fitting: PixelSize(width: 40, height: 20))
      #expect(image.height == 20 && image.width == (number < 5 ? 28 : 14), "\(number): \(image.width)x\(image.height)")
    }
  }

  @Test func pathsAndBytesAreRefusedByName() throws {
    let missing = Pictures.folder + "/none.jpg"
    #expect(throws: ImageFileError.file(SystemError(call: "open", subject: missing, errno: ENOENT))) {
      try ImageFile(path: missing)
    }
    #expect(throws: ImageFileError.unknownFormat(name: "notes")) { try ImageFile(bytes: Array("notes".utf8), name: "notes") }
    #expect(throws: ImageFileError.unknownFormat(name: "")) { try ImageFile(bytes: []) }
    let cut = Array(try Pictures.bytes("baseline.jpg").prefix(700))
    let error = #expect(throws: ImageFileError.self) { try ImageFile(bytes: cut, name: "cut.jpg").decode() }
    #expect(error?.description.contains("cut.jpg: not a whole JPEG file") == true, "\(String(describing: error))")
  }

  /// Many writers leave the end mark out. With several scans it alone says that none is missing.
  @Test func anEndMarkMayBeMissing() throws {
    let whole = try Pictures.bytes("baseline.jpg")
    let image = try ImageFile(bytes: whole).decode()
    #expect(try ImageFile(bytes: whole.dropLast(2)).decode().pixels == image.pixels)
    #expect(throws: ImageFileError.self) { try ImageFile(bytes: whole.dropLast(20)).decode() }
    let progressive = try Pictures.bytes("progressive.jpg")
    #expect(throws: ImageFileError.damaged(name: "", format: .jpeg, reason: "the file ends too early")) {
      try ImageFile(bytes: progressive.dropLast(2)).decode()
    }
  }

  @Test func arithmeticCodingIsRefused() throws {
    var bytes = try Pictures.bytes("baseline.jpg")
    try #require(bytes[158] == 0xFF && bytes[159] == 0xC0)
    // The mark of a frame with arithmetic coding.
    bytes[159] = 0xC9
    #expect(throws: ImageFileError.damaged(name: "", format: .jpeg, reason: "arithmetic coding is not read")) {
      try ImageFile(bytes: bytes)
    }
  }

  /// A WebP's bit for alpha is a hint: without it, pixels are the same, and alpha is multiplied into them.
  @Test func alphaIsThatOfThePixels() throws {
    var bytes = try Pictures.bytes("translucent.webp")
    try #require(bytes[12..<16].elementsEqual("VP8L".utf8) && bytes[24] & 0x10 != 0)
    bytes[24] &= ~0x10
    let image = try ImageFile(bytes: bytes).decode()
    #expect(try image.pixels == Pictures.file("translucent.webp").decode().pixels)
    #expect(!image.isOpaque)
  }
}
