import Geometry
import Glibc
import LinuxSystem
@testable import Raster
import Testing

@Suite struct SequenceTests {
  /// Pictures of which each differs from the one before in a rectangle, which may be empty.
  private func pictures(_ count: Int, width: Int, height: Int, seed: UInt64) throws -> [Image] {
    var generator = SplitMix64(seed: seed)
    var images = [try Bitmap.random(width: width, height: height, isOpaque: false, using: &generator).freeze()]
    for _ in 1..<count {
      let bitmap = try Bitmap(width: width, height: height)
      for y in 0..<height { memcpy(bitmap.row(y), images[images.count - 1].row(y), width * 4) }
      let (left, top) = (Int.random(in: 0...width, using: &generator), Int.random(in: 0...height, using: &generator))
      for y in top..<min(top + Int.random(in: 0...9, using: &generator), height) where top < height {
        for x in left..<max(left, min(left + 5, width)) {
          bitmap[x, y] = UInt32.random(in: 0...255, using: &generator) << 24
        }
      }
      images.append(bitmap.freeze())
    }
    return images
  }

  /// Plays an animation by the rules of the format: each picture replaces a rectangle.
  private func played(_ file: [UInt8]) throws -> [[UInt32]] {
    func word(_ bytes: ArraySlice<UInt8>) -> Int { bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) } }
    let chunks = try #require(Chunk.all(in: file))
    for chunk in chunks { #expect(chunk.sum == Chunk.sum(of: Array(chunk.name.utf8) + chunk.contents)) }
    let header = chunks[0].contents
    let (width, height) = (word(header[0...]), word(header[4...]))
    var canvas = [UInt32](repeating: 0, count: width * height)
    var shown: [[UInt32]] = []
    var sequence = 0
    var place: (x: Int, y: Int, width: Int, height: Int)?
    var data: [UInt8] = []
    func show() throws {
      guard let place else { return }
      let part: [UInt8] =
        PNGChunk.signature + PNGChunk.header(width: place.width, height: place.height, channels: 4)
        + PNGChunk.chunk("IDAT", data) + PNGChunk.end
      let pixels = try PNG.decode(part).pixels
      for y in 0..<place.height {
        for x in 0..<place.width { canvas[(place.y + y) * width + place.x + x] = pixels[y * place.width + x] }
      }
      shown.append(canvas)
    }
    for chunk in chunks {
      switch chunk.name {
      case "fcTL":
        try show()
        #expect(word(chunk.contents[0...]) == sequence)
        sequence += 1
        let next = (
          x: word(chunk.contents[12...]), y: word(chunk.contents[16...]), width: word(chunk.contents[4...]),
          height: word(chunk.contents[8...])
        )
        #expect(next.x + next.width <= width && next.y + next.height <= height)
        place = next
        #expect(Array(chunk.contents[20...]) == [0, 1, 0, 25, 0, 0])
        data = []
      case "IDAT": data += chunk.contents
      case "fdAT":
        #expect(word(chunk.contents[0...]) == sequence)
        sequence += 1
        data += chunk.contents[4...]
      case "acTL": #expect(word(chunk.contents[4...]) == 0)
      case "IEND": try show()
      default: #expect(chunk.name == "IHDR" || chunk.name == "sRGB")
      }
    }
    return shown
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func animationsArePlayedBack(seed: UInt64) throws {
    let images = try pictures(12, width: 37, height: 23, seed: seed)
    var animation = AnimatedPNG(width: 37, height: 23, pictures: 12, rate: PictureRate(numerator: 25))
    var file: [UInt8] = []
    for (number, image) in images.enumerated() {
      file += try animation.bytes(of: AnimatedPNG.encode(image, after: number > 0 ? images[number - 1] : nil))
    }
    #expect(try played(file) == images.map(\.pixels), "seed \(seed)")
    // A reader that knows no animation sees the first picture.
    #expect(try PNG.decode(file).pixels == images[0].pixels)

    // The file has the changed rectangle of each picture but the first, and a single pixel of one that is as before.
    let places = try #require(Chunk.all(in: file)).filter { $0.name == "fcTL" }.map { chunk in
      stride(from: 4, to: 20, by: 4).map { chunk.contents[$0..<$0 + 4].reduce(0) { $0 << 8 | Int($1) } }
    }
    #expect(places.first == [37, 23, 0, 0])
    for (number, image) in images.enumerated().dropFirst() {
      let (now, before) = (image.pixels, images[number - 1].pixels)
      let changed = now.indices.filter { now[$0] != before[$0] }
      let (columns, rows) = (changed.map { $0 % 37 }, changed.map { $0 / 37 })
      let (left, top) = (columns.min() ?? 0, rows.min() ?? 0)
      let size = [(columns.max() ?? 0) - left + 1, (rows.max() ?? 0) - top + 1]
      #expect(places[number] == size + [left, top], "seed \(seed), picture \(number)")
    }
  }

  @Test func animationsRefuseOtherPictures() throws {
    let images = try pictures(3, width: 8, height: 8, seed: 1)
    let other = try Bitmap(width: 9, height: 8).freeze()
    var animation = AnimatedPNG(width: 8, height: 8, pictures: 2, rate: PictureRate(numerator: 25))
    #expect(throws: PNGError.self) { try AnimatedPNG.encode(other, after: images[0]) }
    #expect(throws: PNGError.self) { try animation.bytes(of: AnimatedPNG.encode(other, after: nil)) }
    #expect(throws: PNGError.self) { try animation.bytes(of: AnimatedPNG.encode(images[1], after: images[0])) }
    _ = try animation.bytes(of: AnimatedPNG.encode(images[0], after: nil))
    let larger = try pictures(2, width: 16, height: 16, seed: 2)
    #expect(throws: PNGError.self) { try animation.bytes(of: AnimatedPNG.encode(larger[1], after: larger[0])) }
    let end = try animation.bytes(of: AnimatedPNG.encode(images[1], after: images[0]))
    #expect(end.suffix(12) == PNGChunk.end[...])
    #expect(throws: PNGError.self) { try animation.bytes(of: AnimatedPNG.encode(images[2], after: images[1])) }
  }

  @Test(arguments: [
    (60, 1, 60, 1), (60_000, 1001, 60_000, 1001), (144_000, 1001, 65_535, 456), (1, 70_000, 1, 65_535), (0, -3, 1, 1),
  ])
  func ratesFitTheFormat(numerator: Int64, denominator: Int64, fitting: Int64, over: Int64) {
    let rate = PictureRate(numerator: numerator, denominator: denominator).fitting(65_535)
    #expect(rate.denominator == over)
    #expect(rate.numerator == fitting)
  }

  /// Colours by the formulas of BT.601 and BT.709, in double precision.
  @Test(arguments: [(17, 9), (16, 8), (1, 1), (1280, 2), (2, 578)])
  func videoHasTheColoursOfItsSize(width: Int, height: Int) throws {
    var generator = SplitMix64(seed: UInt64(width))
    let image = try Bitmap.random(width: width, height: height, isOpaque: true, using: &generator).freeze()
    let video = RawVideo(width: width, height: height, rate: PictureRate(numerator: 60_000, denominator: 1001))
    #expect(
      String(decoding: video.header, as: UTF8.self)
        == "YUV4MPEG2 W\(width) H\(height) F60000:1001 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED\n")
    let frame = try video.frame(image)
    let (columns, rows) = ((width + 1) / 2, (height + 1) / 2)
    try #require(frame.count == 6 + width * height + 2 * columns * rows)
    #expect(Array(frame[..<6]) == Array("FRAME\n".utf8))
    let (kr, kb) = width >= 1280 || height > 576 ? (0.2126, 0.0722) : (0.299, 0.114)
    let pixels = image.pixels.map { pixel in [16, 8, 0].map { Double(pixel >> $0 & 0xFF) / 255 } }
    func luma(_ pixel: [Double]) -> Double { kr * pixel[0] + (1 - kr - kb) * pixel[1] + kb * pixel[2] }
    var worst = 0.0
    for (index, pixel) in pixels.enumerated() {
      worst = max(worst, abs(16 + 219 * luma(pixel) - Double(frame[6 + index])))
    }
    for y in 0..<rows {
      for x in 0..<columns {
        let around = [(0, 0), (1, 0), (0, 1), (1, 1)].map { dx, dy in
          pixels[min(2 * y + dy, height - 1) * width + min(2 * x + dx, width - 1)]
        }
        let mean = (0..<3).map { channel in around.reduce(0) { $0 + $1[channel] } / 4 }
        let blue = 128 + 112 * (mean[2] - luma(mean)) / (1 - kb)
        let red = 128 + 112 * (mean[0] - luma(mean)) / (1 - kr)
        let place = 6 + width * height + y * columns + x
        worst = max(worst, abs(blue - Double(frame[place])), abs(red - Double(frame[place + columns * rows])))
      }
    }
    #expect(worst <= 0.51)
  }

  @Test func videoRefusesOtherSizes() throws {
    let video = RawVideo(width: 4, height: 4, rate: PictureRate(numerator: 60))
    #expect(throws: RawVideo.Failure.size(width: 5, height: 4, expectedWidth: 4, expectedHeight: 4)) {
      try video.frame(Bitmap(width: 5, height: 4).freeze())
    }
    #expect(
      try video.frame(Bitmap(width: 4, height: 4).freeze()).dropFirst(6) == [UInt8](repeating: 16, count: 16)[...]
        + [UInt8](repeating: 128, count: 8))
  }

  /// Results come in the order of the pictures, whatever thread is done first, and no more are under way than asked for.
  @Test func theQueueKeepsTheOrder() throws {
    let pool = WorkerPool(threads: 3)
    var delivered: [Int] = []
    let underWay = Lock(0)
    let queue = EncodingQueue<Int>(pool: pool) { number in
      delivered.append(number)
      underWay.withLock { $0 -= 1 }
    }
    var most = 0
    for number in 0..<200 {
      try queue.add {
        if number % 3 == 0 { sched_yield() }
        return number
      }
      most = max(
        most,
        underWay.withLock {
          $0 += 1; return $0
        })
    }
    try queue.finish()
    #expect(delivered == Array(0..<200))
    #expect(most <= 6)
  }

  /// A queue whose pool was shut down encodes on its own thread.
  @Test func theQueueNeedsNoThreads() throws {
    let pool = WorkerPool(threads: 1)
    var delivered: [Int] = []
    let queue = EncodingQueue<Int>(pool: pool) { delivered.append($0) }
    pool.shutdown()
    for number in 0..<9 { try queue.add { number } }
    try queue.finish()
    #expect(delivered == Array(0..<9))
  }

  @Test func theQueueThrowsTheFirstError() throws {
    let queue = EncodingQueue<Int>(pool: WorkerPool(threads: 2)) { _ in }
    let error = #expect(throws: SystemError.self) {
      for number in 0..<100 {
        try queue.add { if number >= 5 { throw SystemError(call: "n", errno: Int32(number)) } else { number } }
      }
      try queue.finish()
    }
    #expect(error?.errno == 5)
  }
}
