@testable import ImageFiles
import LinuxSystem
import Raster
import TestLength
import Testing

/// Pictures of the first scans of progressive files.
@Suite struct CoarsePictureTests {
  static let names = ["progressive.jpg", "grey-progressive.jpg", "large-progressive.jpg"]

  /// The pictures of the scans so far, and the whole one.
  private func pictures(
    _ file: ImageFile, to size: PixelSize? = nil, isCancelled: @escaping () -> Bool = { false }
  ) throws -> (coarse: [Image], whole: Image) {
    var coarse: [Image] = []
    let whole = try file.decode(
      to: size ?? file.header.storedSize(.natural), clock: .monotonic, isCancelled: isCancelled,
      showCoarse: { coarse.append($0) })
    return (coarse, whole)
  }

  /// Files with comments of random length between their scans. A picture is that of a file that ends behind its scan.
  @Test(arguments: names)
  func picturesAreThoseOfTheScansSoFar(name: String) throws {
    var generator = SplitMix64(seed: UInt64(runSeed))
    let scans = try JPEGScans(Pictures.bytes(name))
    var most = 0
    for round in 0..<(isLongRun ? 200 : 6) {
      let padding = scans.ends.map { _ in
        Int.random(in: 0...(Int.random(in: 0..<4, using: &generator) == 0 ? 64 : 200_000), using: &generator)
      }
      let bytes = scans.file(padding: padding)
      let padded = try JPEGScans(bytes)
      var (from, expected) = (bytes.count / 16, [Int]())
      for end in padded.ends where end >= from && end < bytes.count - JPEGFile.leastRest {
        expected.append(end)
        from = 2 * end
      }
      // How far a decoder has read ahead at the end of a scan is not known to some bytes.
      let bounds = expected.map { 2 * $0 } + [bytes.count / 16, bytes.count - JPEGFile.leastRest]
      if padded.ends.contains(where: { end in bounds.contains { abs($0 - end) < 32 } }) { continue }
      for box in [nil, PixelSize(width: 20, height: 15)] {
        let file = try ImageFile(bytes: bytes)
        let size = file.header.storedSize(box.map(ImageFit.inside) ?? .natural)
        let (coarse, whole) = try pictures(file, to: size)
        #expect(whole.pixels == (try ImageFile(bytes: scans.bytes).decode(fitting: box).pixels), "round \(round)")
        try #require(coarse.count == expected.count, "round \(round), seed \(runSeed): \(padding)")
        for (image, end) in zip(coarse, expected) {
          let beginning = try ImageFile(bytes: bytes.prefix(end) + [0xFF, 0xD9]).decode(fitting: box)
          #expect(image.pixels == beginning.pixels, "round \(round), seed \(runSeed): \(end) of \(bytes.count)")
        }
        most = max(most, coarse.count)
      }
    }
    #expect((1...4).contains(most))
  }

  /// Files of one scan, and small ones, have no coarse picture.
  @Test(arguments: Pictures.names)
  func smallFilesHaveNone(name: String) throws {
    guard !name.hasSuffix(".svg") else { return }
    #expect(try pictures(Pictures.file(name)).coarse.isEmpty)
  }

  /// Colours are seen when all of them have come.
  @Test func noPictureLacksAColour() throws {
    // The scans of the colours by themselves: first the grey one.
    let grey = try JPEGScans(Pictures.bytes("grey-progressive.jpg"))
    #expect(try pictures(ImageFile(bytes: grey.file(padding: [0, 100_000, 300_000, 0, 0, 0]))).coarse.count == 1)
    let bytes = try Pictures.bytes("progressive.jpg")
    let colour = try JPEGScans(bytes)
    // Without the first scan, which has the means of all colours, those that follow say nothing of them.
    let padding = JPEGScans.comments(400_000)
    let beginning = bytes[..<colour.begins[0]] + padding + bytes[colour.ends[0]..<colour.ends[1]]
    let lacking = try ImageFile(bytes: Array(beginning + padding + bytes[colour.ends[1]...]))
    #expect(((try? pictures(lacking).coarse) ?? []).isEmpty)
  }

  /// However many scans a file has.
  @Test func theNumberOfPicturesIsBounded() throws {
    let scans = try JPEGScans(Pictures.bytes("grey-progressive.jpg"))
    let first = Array(scans.bytes[scans.begins[0]..<scans.ends[0]]) + JPEGScans.comments(4000)
    let repeated = scans.bytes.prefix(scans.begins[0]) + Array(repeatElement(first, count: 400).joined())
    let file = try ImageFile(bytes: Array(repeated + scans.bytes[scans.begins[0]...]))
    let (coarse, whole) = try pictures(file)
    #expect((3...4).contains(coarse.count))
    #expect(whole.pixels == (try ImageFile(bytes: scans.bytes).decode().pixels))
  }

  /// A file that has memory for its picture is shown, without pictures before.
  @Test func memoryIsBounded() throws {
    let scans = try JPEGScans(Pictures.bytes("large-progressive.jpg"))
    let padding = [50_000, 400_000] + Array(repeating: 0, count: scans.ends.count - 2)
    for (memory, count) in [(512 * 512 * 16, 0), (512 * 512 * 16 + 1, 1)] {
      var limits = ImageLimits()
      limits.memory = memory
      let (coarse, whole) = try pictures(ImageFile(bytes: scans.file(padding: padding), limits: limits))
      #expect(coarse.count == count)
      #expect(whole.pixels == (try ImageFile(bytes: scans.bytes).decode().pixels))
    }
  }

  /// Half of the time is the whole picture's.
  @Test func timeIsBounded() throws {
    let scans = try JPEGScans(Pictures.bytes("large-progressive.jpg"))
    let padding = [50_000, 400_000] + Array(repeating: 0, count: scans.ends.count - 2)
    var limits = ImageLimits()
    limits.duration = .milliseconds(10)
    let file = try ImageFile(bytes: scans.file(padding: padding), limits: limits)
    let expected = try ImageFile(bytes: scans.bytes).decode()
    for (passed, count) in [(5, 1), (6, 0)] as [(Int64, Int)] {
      let clock = ManualClock()
      var (checks, shown) = (0, 0)
      let whole = try file.decode(
        to: file.header.size, clock: .manual(clock),
        isCancelled: {
          checks += 1
          if checks == 2 { clock.advance(by: .milliseconds(passed)) }
          return false
        }, showCoarse: { _ in shown += 1 })
      #expect(shown == count)
      #expect(whole.pixels == expected.pixels)
    }
  }

  @Test func decodingCanBeCancelledBehindAPicture() throws {
    let scans = try JPEGScans(Pictures.bytes("large-progressive.jpg"))
    let padding = [50_000, 400_000] + Array(repeating: 0, count: scans.ends.count - 2)
    let file = try ImageFile(bytes: scans.file(padding: padding))
    var isShown = false
    #expect(throws: ImageFileError.cancelled) {
      try file.decode(
        to: file.header.size, clock: .monotonic, isCancelled: { isShown }, showCoarse: { _ in isShown = true })
    }
    #expect(isShown)
  }

  /// A file that was cut gives an error, whatever was shown before, and so does one that ends between its scans.
  @Test(arguments: names)
  func cutFilesAreRefused(name: String) throws {
    let scans = try JPEGScans(Pictures.bytes(name))
    let bytes = scans.file(padding: [50_000, 300_000, 0, 400_000] + Array(repeating: 0, count: scans.ends.count - 4))
    let step = isLongRun ? 1009 : 20_011
    var shown = 0
    for count in Array(stride(from: 1000, to: bytes.count - 2, by: step)) + (try JPEGScans(bytes)).ends {
      #expect(throws: ImageFileError.self, "\(count) of \(bytes.count) bytes") {
        let file = try ImageFile(bytes: Array(bytes.prefix(count)))
        _ = try file.decode(
          to: file.header.size, clock: .monotonic, isCancelled: { false }, showCoarse: { _ in shown += 1 })
      }
    }
    #expect(shown > 0)
  }

  @Test(arguments: names)
  func damagedFilesAreHarmless(name: String) throws {
    var generator = SplitMix64(seed: UInt64(runSeed))
    let scans = try JPEGScans(Pictures.bytes(name))
    var limits = ImageLimits()
    (limits.pixels, limits.memory) = (1 << 18, 8 << 20)
    var shown = 0
    for _ in 0..<(isLongRun ? 10_000 : 100) {
      var whole = scans.bytes
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        whole[.random(in: whole.indices, using: &generator)] ^= 1 << UInt8.random(in: 0...7, using: &generator)
      }
      // Behind the first scan stands what makes a file a large one.
      let place = scans.ends[0]
      let beginning = whole[..<scans.begins[0]] + JPEGScans.comments(40_000) + whole[scans.begins[0]..<place]
      let bytes = beginning + JPEGScans.comments(300_000) + whole[place...]
      guard let file = try? ImageFile(bytes: Array(bytes), limits: limits) else { continue }
      let (size, before) = (file.header.storedSize(.inside(PixelSize(width: 300, height: 300))), shown)
      _ = try? file.decode(to: size, clock: .monotonic, isCancelled: { false }) { image in
        shown += 1
        #expect(image.width <= 300 && image.height <= 300, "seed \(runSeed)")
      }
      #expect(shown - before <= 4, "seed \(runSeed)")
    }
    #expect(shown > 0)
  }
}

/// Pictures of what has come of a file.
@Suite struct BeginningTests {
  private func picture(
    _ bytes: some Sequence<UInt8>, _ box: PixelSize? = nil, _ limits: ImageLimits = ImageLimits()
  ) -> Image? {
    ImageFile.picture(ofBeginning: Array(bytes), name: "", fitting: box, limits: limits, isCancelled: { false })
  }

  @Test(arguments: CoarsePictureTests.names, [nil, PixelSize(width: 20, height: 15)])
  func picturesAreThoseOfTheWholeScans(name: String, box: PixelSize?) throws {
    let scans = try JPEGScans(Pictures.bytes(name))
    let whole = try ImageFile(bytes: scans.bytes).decode(fitting: box)
    for end in scans.ends {
      // A scan has ended when the marker behind it is there.
      let beginning = try #require(picture(scans.bytes.prefix(end + 2), box))
      let expected = try ImageFile(bytes: scans.bytes.prefix(end) + [0xFF, 0xD9]).decode(fitting: box)
      #expect(beginning.pixels == expected.pixels, "\(end)")
    }
    // Rows of the scan that comes are finer already; it is not made up where it is not there.
    for count in stride(from: 0, to: scans.bytes.count, by: 7) {
      let beginning = picture(scans.bytes.prefix(count), box)
      #expect((beginning == nil) == (count < scans.ends[0] + 2), "\(count)")
      #expect(beginning.map { $0.width == whole.width && $0.height == whole.height } ?? true)
    }
    #expect(picture(scans.bytes, box)?.pixels == whole.pixels)
    // The end of a comment has not come either, in which a marker means nothing.
    let comment: [UInt8] = [0xFF, 0xFE, 0xFF, 0xFF, 1, 0xFF, 0xC0, 0, 11, 8, 0, 16, 0, 16, 1, 1, 0x11, 0]
    #expect(picture(scans.bytes.prefix(scans.ends[0]) + comment, box) != nil)
    // Without the first scan, which has the means of all colours, the others say nothing of them.
    let lacking = scans.bytes[..<scans.begins[0]] + scans.bytes[scans.ends[0]..<(scans.ends[2] + 2)]
    #expect(picture(lacking, box) == nil)
  }

  @Test(arguments: Pictures.names.filter { !CoarsePictureTests.names.contains($0) })
  func otherFilesHaveNone(name: String) throws {
    let bytes = try Pictures.bytes(name)
    for count in [bytes.count / 2, bytes.count - 1, bytes.count] { #expect(picture(bytes.prefix(count)) == nil) }
  }

  @Test(arguments: CoarsePictureTests.names)
  func damagedBeginningsAreHarmless(name: String) throws {
    var generator = SplitMix64(seed: UInt64(runSeed))
    let whole = try Pictures.bytes(name)
    var limits = ImageLimits()
    (limits.pixels, limits.memory) = (1 << 18, 4 << 20)
    var shown = 0
    for _ in 0..<(isLongRun ? 10_000 : 200) {
      var bytes = Array(whole.prefix(.random(in: 0...whole.count, using: &generator)))
      for _ in 0..<Int.random(in: 0...3, using: &generator) where !bytes.isEmpty {
        bytes[.random(in: bytes.indices, using: &generator)] ^= 1 << UInt8.random(in: 0...7, using: &generator)
      }
      guard let image = picture(bytes, PixelSize(width: 300, height: 300), limits) else { continue }
      shown += 1
      #expect(image.width <= 300 && image.height <= 300, "seed \(runSeed)")
    }
    #expect(shown > 0)
  }
}

/// The places of a JPEG's scans, whose tables stand before them.
struct JPEGScans {
  let bytes: [UInt8]
  /// The first byte of the markers before each scan, and the first one behind it.
  private(set) var (begins, ends): ([Int], [Int]) = ([], [])

  init(_ bytes: [UInt8]) throws {
    self.bytes = bytes
    var (index, begin) = (2, 0)
    while index + 3 < bytes.count {
      guard bytes[index] == 0xFF, ![0, 0xFF].contains(bytes[index + 1]), !(0xD0...0xD7).contains(bytes[index + 1]) else {
        index += 1
        continue
      }
      if begin == 0, bytes[index + 1] != 0xFE { begin = index }
      if ends.count < begins.count { ends.append(index) }
      let isScan = bytes[index + 1] == 0xDA
      // Frame and quantization stand before the first scan's own tables.
      if begins.isEmpty, ![0xC4, 0xDA].contains(bytes[index + 1]) { begin = 0 }
      index += 2 + (Int(bytes[index + 2]) << 8 | Int(bytes[index + 3]))
      if isScan {
        begins.append(begin)
        begin = 0
      }
    }
    if ends.count < begins.count { ends.append(bytes.count - 2) }
    guard begins.count > 3 else { throw ImageFileError.damaged(name: "", format: .jpeg, reason: "it has few scans") }
  }

  /// The file with comments of so many bytes before each scan.
  func file(padding: [Int]) -> [UInt8] {
    var (result, place) = ([UInt8](), 0)
    for (begin, count) in zip(begins, padding) {
      result += bytes[place..<begin] + Self.comments(count)
      place = begin
    }
    return result + bytes[place...]
  }

  /// Comments of so many bytes, or some more.
  static func comments(_ count: Int) -> [UInt8] {
    guard count > 0 else { return [] }
    let length = min(max(count, 4), 65_537)
    let head = [0xFF, 0xFE, UInt8((length - 2) >> 8), UInt8((length - 2) & 0xFF)]
    return head + [UInt8](repeating: 32, count: length - 4) + comments(count - length)
  }
}
