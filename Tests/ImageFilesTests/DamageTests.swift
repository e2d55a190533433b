import Glibc
import ImageFiles
import LinuxSystem
import Raster
import TestLength
import Testing

/// Damaged files give an error or a picture; they never trap, and take no more than the limits say.
@Suite struct DamageTests {
  /// A file that was cut gives an error, wherever it was cut: at every 100th byte, in a long run at every byte.
  @Test(arguments: Pictures.names)
  func cutFilesAreRefused(name: String) throws {
    let bytes = try Pictures.bytes(name)
    // The end mark of a JPEG with one scan may be missing, and what stands behind the pixels of a PNG: its end.
    let tail = name.hasSuffix(".jpg") ? 2 : name.hasSuffix(".png") ? 16 : name.hasSuffix(".svg") ? 1 : 0
    for count in stride(from: 0, to: bytes.count - tail, by: isLongRun ? 1 : 100) {
      #expect(throws: ImageFileError.self, "\(count) of \(bytes.count) bytes") {
        try ImageFile(bytes: Array(bytes.prefix(count))).decode()
      }
    }
  }

  @Test(arguments: Pictures.names)
  func damagedFilesAreHarmless(name: String) throws {
    // A process draws each SVG.
    try damage(name, times: isLongRun ? 10_000 : name.hasSuffix(".svg") ? 50 : 200, seed: UInt64(runSeed))
  }

  /// The same for as many seconds as asked for, with seeds that no run had before.
  @Test(.enabled(if: stressSeconds > 0, "FRAMEPACE_STRESS_SECONDS is not set"))
  func damagedFilesAreHarmlessForLong() throws {
    let end = SystemClock.monotonic.now + .seconds(stressSeconds)
    var seed = UInt64(runSeed) * 1_000_000
    while SystemClock.monotonic.now < end {
      for name in Pictures.names { try damage(name, times: 20, seed: seed) }
      seed += 1
    }
  }

  /// Turns bits round, and decodes at the file's size and at a smaller one.
  private func damage(_ name: String, times: Int, seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let whole = try Pictures.bytes(name)
    var limits = ImageLimits()
    limits.pixels = 1 << 18
    limits.memory = 4 << 20
    for _ in 0..<times {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        // Half of them in the header, where a bit changes most.
        let range = Bool.random(using: &generator) ? 0..<bytes.count : 0..<min(700, bytes.count)
        bytes[.random(in: range, using: &generator)] ^= 1 << UInt8.random(in: 0...7, using: &generator)
      }
      if name.hasSuffix(".png"), Bool.random(using: &generator) { PNGSums.correct(&bytes) }
      let box = Bool.random(using: &generator) ? PixelSize(width: 20, height: 15) : nil
      guard let file = try? ImageFile(bytes: bytes, limits: limits) else { continue }
      if file.header.animation != nil {
        let frames = ImageFrames(of: file, fitting: box)
        while (try? frames.next()) != nil {}
      }
      guard let image = try? file.decode(fitting: box) else { continue }
      let isBounded = image.width * image.height <= limits.pixels && image.bytesPerRow * image.height <= limits.memory
      #expect(isBounded, "seed \(seed)")
      #expect(image.isMultiplied, "seed \(seed)")
      if let box { #expect(image.width <= box.width && image.height <= box.height, "seed \(seed)") }
    }
  }
}

private let stressSeconds = getenv("FRAMEPACE_STRESS_SECONDS").flatMap { Double(String(cString: $0)) } ?? 0

/// The checksums of a PNG, so that damage gets past them.
enum PNGSums {
  static func correct(_ file: inout [UInt8]) {
    var index = 8
    while index + 12 <= file.count {
      let length = file[index..<index + 4].reduce(0) { $0 << 8 | Int($1) }
      guard index + 12 + length <= file.count else { return }
      var sum = UInt32.max
      for byte in file[index + 4..<index + 8 + length] {
        sum ^= UInt32(byte)
        for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : 0xEDB8_8320 ^ sum >> 1 }
      }
      for byte in 0..<4 { file[index + 8 + length + byte] = UInt8(truncatingIfNeeded: ~sum >> UInt32(24 - 8 * byte)) }
      index += 12 + length
    }
  }
}
