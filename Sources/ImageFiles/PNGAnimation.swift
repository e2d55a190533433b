internal import CDeflate
internal import CImageFiles
internal import LinuxSystem
internal import Raster

/// The pictures of a PNG file that moves (APNG): each is read as a PNG file of its own, which is put together of the file's chunks,
/// and drawn over those before it.
final class PNGAnimation: FrameSource {
  private let bytes: UnsafeRawBufferPointer
  private let name: String
  private let limits: ImageLimits
  private let still: PNGFile
  private let parts: PNGAnimationParts
  private var index = 0
  /// The pictures so far, one over another: R, G, B, A, alpha not multiplied in.
  private var canvas: [UInt32] = []

  /// The bytes must stay while the object lives.
  init(_ bytes: UnsafeRawBufferPointer, limits: ImageLimits, name: String) throws(ImageFileError) {
    still = try PNGFile(bytes, limits: limits, name: name)
    guard let parts = try PNGAnimationParts(of: bytes, size: still.size, limits: limits, name: name) else {
      throw .damaged(name: name, format: .png, reason: "there is no animation")
    }
    (self.bytes, self.name, self.limits, self.parts) = (bytes, name, limits, parts)
  }

  func next(to result: PixelSize, watch: DecodingWatch) throws(ImageFileError) -> ImageFrame? {
    guard index < parts.frames.count else { return nil }
    let (frame, size) = (parts.frames[index], still.size)
    // The canvas, the picture by itself, the canvas before it, and its part of the file.
    let builder = try still.builder(
      to: result, isOpaque: false, memory: size.pixels * 8 + frame.size.pixels * 4 + frame.chunks.count, watch)
    if canvas.isEmpty { canvas = [UInt32](repeating: 0, count: size.pixels) }
    let before = frame.disposal == .previous && index > 0 ? canvas : []
    try draw(frame, watch)
    for y in 0..<size.height {
      canvas.withUnsafeBufferPointer { canvas in
        if let base = canvas.baseAddress { builder.row.update(from: base + y * size.width, count: size.width) }
      }
      still.add(to: builder)
      try watch.check()
    }
    switch frame.disposal {
    case .none: break
    // The first picture has nothing before it, so that its place becomes clear.
    case .previous where index > 0: canvas = before
    case .previous, .background:
      for y in 0..<frame.size.height {
        let start = (frame.y + y) * size.width + frame.x
        for x in start..<start + frame.size.width { canvas[x] = 0 }
      }
    }
    defer { index += 1 }
    return ImageFrame(image: builder.image(), duration: frame.duration)
  }

  private func draw(_ frame: PNGAnimationParts.Frame, _ watch: DecodingWatch) throws(ImageFileError) {
    let file = try file(of: frame)
    var pixels = [UInt32](repeating: 0, count: frame.size.pixels)
    do throws(PNGError) {
      try file.withUnsafeBufferPointer { (file) throws(PNGError) in
        let reader = try PNGReader(
          UnsafeRawBufferPointer(file), maximumPixels: limits.pixels, maximumSide: ImageFile.longestSide, name: name)
        try pixels.withUnsafeMutableBufferPointer { (pixels) throws(PNGError) in
          guard let base = pixels.baseAddress else { return }
          while let y = try reader.nextRow(), !watch.shouldStop() { try reader.readRow(into: base + y * frame.size.width) }
        }
      }
    } catch {
      throw ImageFileError(error, name: name)
    }
    try watch.check()
    canvas.withUnsafeMutableBufferPointer { canvas in
      pixels.withUnsafeBufferPointer { pixels in
        guard let source = pixels.baseAddress, let target = canvas.baseAddress else { return }
        for y in 0..<frame.size.height {
          let (row, place) = (source + y * frame.size.width, target + (frame.y + y) * still.size.width + frame.x)
          if frame.blends {
            cimagefiles_draw_over(place, row, frame.size.width)
          } else {
            place.update(from: row, count: frame.size.width)
          }
        }
      }
    }
  }

  /// A PNG file of this picture alone.
  private func file(of frame: PNGAnimationParts.Frame) throws(ImageFileError) -> [UInt8] {
    var file = Array(bytes.prefix(PNGAnimationParts.start))
    func append(_ name: StaticString, _ contents: some Collection<UInt8>) {
      file += PNGAnimationParts.word(contents.count)
      let start = file.count
      name.withUTF8Buffer { file += $0 }
      file += contents
      let sum = file.withUnsafeBytes { libdeflate_crc32(0, $0.baseAddress.map { $0 + start }, $0.count - start) }
      file += PNGAnimationParts.word(Int(sum))
    }
    append(
      "IHDR",
      PNGAnimationParts.word(frame.size.width) + PNGAnimationParts.word(frame.size.height) + bytes[24..<29])
    // The colours of a palette, and what of them is clear.
    for range in parts.palette { file += bytes[range] }
    var place = frame.chunks.lowerBound
    while let chunk = PNGAnimationParts.Chunk(in: bytes, at: place), place < frame.chunks.upperBound {
      place = chunk.end
      switch chunk.name {
      case "IDAT": append("IDAT", bytes[chunk.contents])
      case "fdAT":
        guard chunk.isWhole(in: bytes) else {
          throw .damaged(name: name, format: .png, reason: "a wrong sum of picture \(index + 1)")
        }
        append("IDAT", bytes[chunk.contents.dropFirst(4)])
      default: break
      }
    }
    append("IEND", [])
    return file
  }
}

/// The places of an animation's pictures in a PNG file.
struct PNGAnimationParts {
  struct Frame {
    /// Before the next picture is drawn, the place of this one stays as it is, becomes clear, or has again what was there.
    enum Disposal: UInt8 {
      case none, background, previous
    }

    var size: PixelSize
    var x: Int
    var y: Int
    var duration: Nanoseconds
    var disposal: Disposal
    /// True for a picture that is drawn over those before it, false for one that takes the place of its part.
    var blends: Bool
    /// The chunks behind its control, with its pixels among them.
    var chunks: Range<Int>
  }

  struct Chunk {
    let name: String
    let contents: Range<Int>
    var end: Int { contents.upperBound + 4 }

    /// Nil where the file ends before the chunk does.
    init?(in bytes: UnsafeRawBufferPointer, at place: Int) {
      guard place + 12 <= bytes.count else { return nil }
      let length = number(in: bytes, at: place)
      guard length <= bytes.count - place - 12 else { return nil }
      name = String(decoding: bytes[place + 4..<place + 8], as: UTF8.self)
      contents = place + 8..<place + 8 + length
    }

    func isWhole(in bytes: UnsafeRawBufferPointer) -> Bool {
      let summed = UnsafeRawBufferPointer(rebasing: bytes[contents.lowerBound - 4..<contents.upperBound])
      return Int(libdeflate_crc32(0, summed.baseAddress, summed.count)) == number(in: bytes, at: contents.upperBound)
    }
  }

  /// The bytes of the signature.
  static let start = 8

  private(set) var frames: [Frame] = []
  private(set) var repetitions: Int?
  /// Whole chunks: `PLTE` and `tRNS`.
  private(set) var palette: [Range<Int>] = []

  var animation: ImageAnimation? {
    frames.count > 1 ? ImageAnimation(durations: frames.map(\.duration), repetitions: repetitions) : nil
  }

  /// Nil for a file that does not move.
  init?(
    of bytes: UnsafeRawBufferPointer, size: PixelSize, limits: ImageLimits, name: String
  ) throws(ImageFileError) {
    func damaged(_ reason: String) -> ImageFileError { .damaged(name: name, format: .png, reason: reason) }
    var place = Self.start
    // The pictures that the file states, the number of the next chunk of an animation, and whether pixels have come.
    var (stated, sequence, hasPixels, hasPixelsOfFrame, hasEnd) = (0, 0, false, false, false)
    func checkSequence(_ chunk: Chunk) throws(ImageFileError) {
      guard chunk.contents.count >= 4, number(in: bytes, at: chunk.contents.lowerBound) == sequence else {
        throw damaged("the parts of its pictures are not in their order")
      }
      sequence += 1
    }
    while let chunk = Chunk(in: bytes, at: place) {
      place = chunk.end
      switch chunk.name {
      case "acTL" where !hasPixels && stated == 0:
        guard chunk.contents.count == 8, chunk.isWhole(in: bytes) else {
          throw damaged("the animation's control is not whole")
        }
        stated = number(in: bytes, at: chunk.contents.lowerBound)
        let count = number(in: bytes, at: chunk.contents.lowerBound + 4)
        repetitions = count == 0 ? nil : count
        guard stated > 0 else { throw damaged("an animation without pictures") }
        guard stated <= limits.frames else { throw .tooManyFrames(name: name, limit: limits.frames) }
      case "PLTE" where !hasPixels, "tRNS" where !hasPixels: palette.append(chunk.contents.lowerBound - 8..<chunk.end)
      case "IDAT":
        guard stated > 0 else { return nil }
        // Pixels without a control before them are those of a reader that does not know animations.
        (hasPixels, hasPixelsOfFrame) = (true, hasPixelsOfFrame || !frames.isEmpty)
      case "fcTL" where stated > 0:
        try checkSequence(chunk)
        guard hasPixelsOfFrame == !frames.isEmpty else { throw damaged("a picture without pixels") }
        endFrame(at: chunk.contents.lowerBound - 8)
        guard frames.count < stated else { throw damaged("more pictures than it states") }
        guard chunk.isWhole(in: bytes), let frame = Frame(bytes[chunk.contents], behind: chunk.end, canvas: size) else {
          throw damaged("the control of picture \(frames.count + 1) is not whole")
        }
        guard hasPixels || frame.size == size else { throw damaged("the first picture is not as large as the file") }
        frames.append(frame)
        hasPixelsOfFrame = false
      case "fdAT" where stated > 0:
        try checkSequence(chunk)
        guard !frames.isEmpty, hasPixels else { throw damaged("pixels of no picture") }
        hasPixelsOfFrame = true
      case "IEND": hasEnd = true
      default: break
      }
      if hasEnd { break }
    }
    guard stated > 0 else { return nil }
    guard frames.count == stated, hasPixelsOfFrame, hasEnd else { throw damaged("a picture or the end is missing") }
    endFrame(at: place)
  }

  private mutating func endFrame(at place: Int) {
    guard let last = frames.indices.last else { return }
    frames[last].chunks = frames[last].chunks.lowerBound..<place
  }

  static func word(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
}

extension PNGAnimationParts.Frame {
  /// Nil if the contents of its control break a rule.
  fileprivate init?(_ contents: Slice<UnsafeRawBufferPointer>, behind place: Int, canvas: PixelSize) {
    let bytes = UnsafeRawBufferPointer(rebasing: contents)
    guard bytes.count == 26, let disposal = Disposal(rawValue: bytes[24]), bytes[25] < 2 else { return nil }
    let numbers = stride(from: 4, to: 20, by: 4).map { number(in: bytes, at: $0) }
    size = PixelSize(width: numbers[0], height: numbers[1])
    (x, y) = (numbers[2], numbers[3])
    guard size.width > 0, size.height > 0, x + size.width <= canvas.width, y + size.height <= canvas.height else {
      return nil
    }
    let (share, whole) = (Int64(bytes[20]) << 8 | Int64(bytes[21]), Int64(bytes[22]) << 8 | Int64(bytes[23]))
    let stated = Nanoseconds(share * 1_000_000_000 / (whole == 0 ? 100 : whole))
    // Browsers take 100 ms for one that was never meant, up to 10 ms.
    duration = stated <= .milliseconds(10) ? .milliseconds(100) : stated
    (self.disposal, blends, chunks) = (disposal, bytes[25] == 1, place..<place)
  }
}

/// Four bytes, of which the highest comes first.
private func number(in bytes: UnsafeRawBufferPointer, at place: Int) -> Int {
  (0..<4).reduce(0) { $0 << 8 | Int(bytes[place + $1]) }
}
