import ImageFiles
import LinuxSystem
import Raster
import Testing

@Suite struct LimitTests {
  private func limits(_ change: (inout ImageLimits) -> Void) -> ImageLimits {
    var limits = ImageLimits()
    change(&limits)
    return limits
  }

  @Test(arguments: Pictures.names.filter { $0.hasPrefix("baseline") || $0.hasPrefix("colour") })
  func largeFilesAreRefused(name: String) throws {
    let bytes = try Pictures.bytes(name).count
    #expect(throws: ImageFileError.self) { try Pictures.file(name, limits: limits { $0.fileBytes = bytes - 1 }) }
    #expect(throws: Never.self) { try Pictures.file(name, limits: limits { $0.fileBytes = bytes }) }
    #expect(
      throws: ImageFileError.tooLarge(
        name: Pictures.folder + "/" + name, size: .init(width: 61, height: 43), maximumPixels: 2622)
    ) {
      try Pictures.file(name, limits: limits { $0.pixels = 2622 })
    }
    #expect(throws: Never.self) { try Pictures.file(name, limits: limits { $0.pixels = 2623 }) }
  }

  /// A smaller result needs less memory, and then a file is read that was refused.
  @Test(arguments: [
    "baseline.jpg", "colour.png", "interlaced.png", "lossless.webp", "moving.webp", "still.gif",
    "lossless.avif",
  ])
  func memoryIsBounded(name: String) throws {
    // Rows of the result start at multiples of 64 bytes. Some files are kept whole besides, or even twice.
    let kept = ["interlaced.png": 4, "lossless.webp": 8, "moving.webp": 12, "still.gif": 8, "lossless.avif": 12]
    let whole = 256 * 43 + 61 * 43 * kept[name, default: 0]
    #expect(throws: ImageFileError.needsMemory(name: Pictures.folder + "/" + name, limit: whole - 1)) {
      try Pictures.file(name, limits: limits { $0.memory = whole - 1 }).decode()
    }
    #expect(throws: Never.self) { try Pictures.file(name, limits: limits { $0.memory = whole }).decode() }
    let small = PixelSize(width: 20, height: 20)
    #expect(throws: Never.self) {
      try Pictures.file(name, limits: limits { $0.memory = whole - 5000 }).decode(fitting: small)
    }
  }

  /// A progressive file has coefficients besides, of two bytes each: as many as pixels, and half of that for the colours.
  @Test func memoryForCoefficientsIsBounded() throws {
    let name = "large-progressive.jpg"
    let (result, coefficients) = (512 * 512 * 4, 512 * 512 * 3)
    let limit = result + coefficients * 9 / 10
    #expect(throws: ImageFileError.needsMemory(name: Pictures.folder + "/" + name, limit: limit)) {
      try Pictures.file(name, limits: limits { $0.memory = limit }).decode()
    }
    #expect(throws: Never.self) {
      try Pictures.file(name, limits: limits { $0.memory = result + coefficients * 12 / 10 }).decode()
    }
  }

  @Test func markersAreCounted() throws {
    let whole = try Pictures.bytes("baseline.jpg")
    for marker in [0xE1, 0xE2] as [UInt8] {
      func file(_ count: Int) -> [UInt8] {
        let markers = [[UInt8]](repeating: [0xFF, marker, 0, 2], count: count)
        return Array(whole.prefix(2)) + Array(markers.joined()) + Array(whole.dropFirst(2))
      }
      #expect(throws: ImageFileError.damaged(name: "", format: .jpeg, reason: "more than 1,000 markers")) {
        try ImageFile(bytes: file(1001))
      }
      #expect(try ImageFile(bytes: file(900)).decode().pixels == ImageFile(bytes: whole).decode().pixels)
    }
  }

  /// The clock goes on by a millisecond at each check; so the number of checks is bounded by the limit.
  @Test(arguments: Pictures.names)
  func timeIsBounded(name: String) throws {
    let clock = ManualClock()
    var checks = 0
    let file = try Pictures.file(name, limits: limits { $0.duration = .milliseconds(5) })
    #expect(throws: ImageFileError.tookTooLong(name: Pictures.folder + "/" + name, limit: .milliseconds(5))) {
      try file.decode(fitting: nil, clock: .manual(clock)) {
        checks += 1
        clock.advance(by: .milliseconds(1))
        return false
      }
    }
    #expect(checks == 6)
  }

  @Test(arguments: Pictures.names)
  func decodingCanBeCancelled(name: String) throws {
    var checks = 0
    #expect(throws: ImageFileError.cancelled) {
      try Pictures.file(name).decode {
        checks += 1
        return checks == 4
      }
    }
    #expect(checks == 4)
  }
}
