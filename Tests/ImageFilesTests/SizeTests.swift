import Glibc
import LinuxSystem
import Raster
import TestLength
import Testing

@testable import ImageFiles

@Suite struct SizeTests {
  @Test func picturesFitIntoTheirBoxes() {
    func fit(_ width: Int, _ height: Int, into boxWidth: Int, _ boxHeight: Int) -> String {
      PixelSize(width: width, height: height).fitting(PixelSize(width: boxWidth, height: boxHeight)).description
    }
    #expect(fit(4000, 3000, into: 400, 300) == "400x300")
    #expect(fit(4000, 3000, into: 400, 3000) == "400x300")
    #expect(fit(3000, 4000, into: 400, 300) == "225x300")
    #expect(fit(30, 20, into: 400, 300) == "30x20")
    #expect(fit(30, 20, into: 30, 19) == "29x19")
    #expect(fit(65_535, 1, into: 10, 10) == "10x1")
    #expect(fit(5, 5, into: 0, -3) == "1x1")
    #expect(fit(5, 9, into: .max, 3) == "2x3")
  }

  /// The pictures of a movement have the size of the same file's first picture by itself, in the smallest boxes too.
  /// The bytes that a file begins with say what all of it says, or nothing.
  @Test func beginningsSayWhatFilesSay() throws {
    for name in Pictures.names where !name.hasSuffix(".svg") {
      let bytes = try Pictures.bytes(name)
      guard let whole = try? ImageFile(bytes: bytes).header else { continue }
      var least: Int?
      for count in 0...bytes.count where count < 400 || count % 7 == 0 || isLongRun {
        let header = bytes[..<count].withUnsafeBytes {
          try? ImageFile.header(of: $0, name: name, limits: ImageLimits(), isWhole: false)
        }
        #expect(header == nil ? least == nil : header?.measures == whole.measures, "\(name), \(count) bytes")
        if header != nil { least = least ?? count }
      }
      // The others say it in parts that may stand behind the pixels.
      if [.gif, .png, .jpeg].contains(whole.format) { #expect(try #require(least) < bytes.count / 2, "\(name)") }
    }
  }

  /// A large file is not read to its end, nor is one that is too large read at all.
  @Test func measuresAreReadFromTheBeginning() throws {
    let path = "/tmp/framepace-measures-\(getpid())"
    defer { unlink(path) }
    for name in Pictures.names where ![".svg", ".webp", ".avif"].contains(where: name.hasSuffix) {
      let bytes = try Pictures.bytes(name)
      let file = try OwnedDescriptor.open(path, flags: O_WRONLY | O_CREAT | O_TRUNC)
      #expect(bytes.withUnsafeBytes { write(file.number, $0.baseAddress, $0.count) } == bytes.count)
      // More follows than there is memory for.
      #expect(ftruncate(file.number, 1 << 42) == 0)
      var limits = ImageLimits()
      #expect(throws: ImageFileError.file(SystemError(call: "read", subject: path, errno: EFBIG)), "\(name)") {
        try ImageFile.measures(path: path, limits: limits)
      }
      limits.fileBytes = 1 << 42
      #expect(try ImageFile.measures(path: path, limits: limits) == ImageFile(bytes: bytes).header.measures, "\(name)")
    }
    for name in Pictures.names {
      let path = Pictures.folder + "/" + name
      #expect(try ImageFile.measures(path: path, limits: ImageLimits()) == ImageFile(path: path).header.measures, "\(name)")
    }
  }

  @Test func aMovementIsAsLargeAsAStillPicture() throws {
    for name in ["moving.webp", "disposal-1.gif"] {
      let file = try Pictures.file(name)
      for width in [1, 2, 3, 7, 60] {
        for height in [1, 2, 3, 7, 60] {
          let box = PixelSize(width: width, height: height)
          for fit in [ImageFit.inside(box), .covering(box), .natural] {
            let still = try file.decode(to: file.header.storedSize(fit), clock: .monotonic) { false }
            let frame = try #require(try file.frames(fit, limit: 1 << 20) { false }.first)
            #expect([frame.image.width, frame.image.height] == [still.width, still.height], "\(name), \(fit)")
          }
        }
      }
    }
  }
}
