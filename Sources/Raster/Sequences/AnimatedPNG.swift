import Glibc
import LinuxSystem

/// Writes animated PNG files (PNG, third edition), which browsers and picture viewers play: a picture and its successors, of
/// each of which the file has the rectangle that changed.
///
/// ```swift
/// var animation = try AnimatedPNG(width: 640, height: 360, pictures: images.count, rate: PictureRate(numerator: 60))
/// var file: [UInt8] = []
/// for (number, image) in images.enumerated() {
///   file += try animation.bytes(of: AnimatedPNG.encode(image, after: number > 0 ? images[number - 1] : nil))
/// }
/// ```
public struct AnimatedPNG {
  /// The changed part of a picture, compressed.
  public struct Picture: Sendable {
    fileprivate let x: Int
    fileprivate let y: Int
    fileprivate let width: Int
    fileprivate let height: Int
    fileprivate let isFirst: Bool
    /// The size of the whole picture.
    fileprivate let fullWidth: Int
    fileprivate let fullHeight: Int
    /// The zlib stream of its rows.
    fileprivate let stream: [[UInt8]]
  }

  private let width: Int
  private let height: Int
  private let pictures: Int
  private let delay: PictureRate
  private let scale: Double
  private let plays: UInt32
  /// The pictures that were written.
  private var count = 0
  /// The number of the next chunk of the animation.
  private var sequence: UInt32 = 0

  /// - Parameters:
  ///   - width: of every picture, in pixels.
  ///   - height: of every picture, in pixels.
  ///   - pictures: their number, which stands in front of them; at least 1.
  ///   - rate: how many are shown in a second. The format has 16 bits for each number of the fraction.
  ///   - scale: pixels a point; see `PNG.encode(_:effort:scale:pool:)`.
  ///   - plays: how often the animation is shown; 0 for ever.
  public init(width: Int, height: Int, pictures: Int, rate: PictureRate, scale: Double = 1, plays: Int = 0) {
    self.width = width
    self.height = height
    self.pictures = max(pictures, 1)
    delay = rate.fitting(Int64(UInt16.max))
    self.scale = scale
    self.plays = UInt32(clamping: plays)
  }

  /// Compresses the part of `image` in which it differs from its predecessor. Any thread may call this, for several pictures
  /// at the same time.
  ///
  /// - Parameter previous: the picture before, of the same size; nil for the first one.
  public static func encode(_ image: Image, after previous: Image?) throws(PNGError) -> Picture {
    let rows: PNGRows
    if let previous {
      guard previous.width == image.width, previous.height == image.height else {
        throw .animation(
          reason: "a picture of \(image.width)x\(image.height) pixels follows one of \(previous.width)x\(previous.height); "
            + "all must have one size")
      }
      rows = changes(of: image, from: previous)
    } else {
      rows = PNGRows(image, x: 0, y: 0, width: image.width, height: image.height, channels: 4)
    }
    guard Memory.hasRoom(for: 3 * rows.size) else { throw .outOfMemory(bytes: 3 * rows.size) }
    var stream: [[UInt8]] = []
    try PNGStream(rows, effort: .fast, threads: 1).forEachPiece(pool: nil) { stream.append(Array($0)) }
    return Picture(
      x: rows.x, y: rows.y, width: rows.width, height: rows.height, isFirst: previous == nil, fullWidth: image.width,
      fullHeight: image.height, stream: stream)
  }

  /// The bytes that follow in the file: with the first picture its beginning, with the last one its end.
  ///
  /// - Throws: `animation` if the picture has another size than the animation, if the first one was compressed against another
  ///   one, or if there are more pictures than announced.
  public mutating func bytes(of picture: Picture) throws(PNGError) -> [UInt8] {
    guard count < pictures else {
      throw .animation(reason: "there are more than the \(pictures) pictures that it was made for")
    }
    guard picture.fullWidth == width, picture.fullHeight == height else {
      throw .animation(
        reason: "a picture of \(picture.fullWidth)x\(picture.fullHeight) pixels; all must have \(width)x\(height)")
    }
    guard count > 0 || picture.isFirst else {
      throw .animation(reason: "the first picture was compressed against another one; it must be a whole one")
    }
    var file: [UInt8] = []
    if count == 0 {
      file += PNGChunk.signature
      file += PNGChunk.header(width: width, height: height, channels: 4)
      file += PNGChunk.description(scale: scale)
      file += PNGChunk.chunk("acTL", PNGChunk.bytes(UInt32(clamping: pictures)) + PNGChunk.bytes(plays))
    }
    file += control(picture)
    for piece in picture.stream {
      let prefix = count == 0 ? [] : nextSequence()
      piece.withUnsafeBytes { PNGChunk.write(count == 0 ? "IDAT" : "fdAT", prefix: prefix, $0) { file += $0 } }
    }
    count += 1
    if count == pictures { file += PNGChunk.end }
    return file
  }

  /// The place of a picture and the time for which it is shown. It replaces the pixels below it, alpha too, and stays.
  private mutating func control(_ picture: Picture) -> [UInt8] {
    let place = [picture.width, picture.height, picture.x, picture.y].flatMap { PNGChunk.bytes(UInt32(clamping: $0)) }
    let time = PNGChunk.bytes(UInt16(clamping: delay.denominator)) + PNGChunk.bytes(UInt16(clamping: delay.numerator))
    return PNGChunk.chunk("fcTL", nextSequence() + place + time + [0, 0])
  }

  private mutating func nextSequence() -> [UInt8] {
    defer { sequence += 1 }
    return PNGChunk.bytes(sequence)
  }

  /// The smallest rectangle with all pixels that differ; a single pixel if none does, because the format knows no empty one.
  private static func changes(of image: Image, from previous: Image) -> PNGRows {
    let bytes = image.width * 4
    func isSame(_ y: Int) -> Bool { memcmp(image.row(y), previous.row(y), bytes) == 0 }
    var rows = 0..<image.height
    while let last = rows.last, isSame(last) { rows.removeLast() }
    while let first = rows.first, isSame(first) { rows.removeFirst() }
    var (left, right) = (image.width, 0)
    for y in rows {
      let pixels = image.row(y).assumingMemoryBound(to: UInt32.self)
      let others = previous.row(y).assumingMemoryBound(to: UInt32.self)
      var x = 0
      while x < left, pixels[x] == others[x] { x += 1 }
      left = min(left, x)
      x = image.width
      while x > right, pixels[x - 1] == others[x - 1] { x -= 1 }
      right = max(right, x)
    }
    withExtendedLifetime((image, previous)) {}
    guard !rows.isEmpty else { return PNGRows(image, x: 0, y: 0, width: 1, height: 1, channels: 4) }
    return PNGRows(image, x: left, y: rows.lowerBound, width: right - left, height: rows.count, channels: 4)
  }
}
