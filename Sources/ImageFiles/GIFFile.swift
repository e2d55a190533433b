internal import CGIF
internal import LinuxSystem
internal import Raster

/// A GIF file, read by giflib.
final class GIFFile: FrameSource {
  let size: PixelSize
  private let gif: UnsafeMutablePointer<GifFileType>
  private let input: UnsafeMutablePointer<Input>
  private let name: String
  /// The pictures so far, one over another.
  private var canvas: [UInt32] = []
  private var control = Control()
  private var repetitions: Int? = 1

  /// The bytes that are to come.
  private struct Input {
    var rest: UnsafeRawBufferPointer
  }

  /// The words that stand before a picture, for that one alone.
  private struct Control {
    var disposal = 0
    var delay = 0
    var clearIndex: Int?

    /// Delays below 20 ms were never meant: browsers take 100 ms for them.
    var duration: Nanoseconds { .milliseconds(delay < 2 ? 100 : Int64(delay) * 10) }
  }

  /// Reads the size. The bytes must stay while the object lives.
  init(_ bytes: UnsafeRawBufferPointer, limits: ImageLimits, name: String) throws(ImageFileError) {
    input = .allocate(capacity: 1)
    input.initialize(to: Input(rest: bytes))
    var status: Int32 = 0
    let opened = DGifOpen(
      input,
      { gif, target, count in
        guard let gif, let target, let data = gif.pointee.UserData else { return 0 }
        let input = data.assumingMemoryBound(to: Input.self)
        let taken = min(max(Int(count), 0), input.pointee.rest.count)
        guard taken > 0 else { return 0 }
        UnsafeMutableRawBufferPointer(start: target, count: taken).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: input.pointee.rest[..<taken]))
        input.pointee.rest = UnsafeRawBufferPointer(rebasing: input.pointee.rest[taken...])
        return Int32(taken)
      }, &status)
    guard let opened else {
      input.deallocate()
      throw Self.error(status, name: name)
    }
    (gif, self.name) = (opened, name)
    size = PixelSize(width: Int(gif.pointee.SWidth), height: Int(gif.pointee.SHeight))
    guard size.width > 0, size.height > 0 else { throw .damaged(name: name, format: .gif, reason: "a side is 0") }
    guard size.pixels <= limits.pixels else {
      throw .tooLarge(name: name, size: size, maximumPixels: limits.pixels)
    }
  }

  deinit {
    var status: Int32 = 0
    DGifCloseFile(gif, &status)
    input.deallocate()
  }

  /// Reads all pictures' times without their pixels; nil for a single picture. Nothing can be decoded afterwards.
  func animation(limits: ImageLimits) throws(ImageFileError) -> ImageAnimation? {
    var durations: [Nanoseconds] = []
    while try findPicture() {
      guard durations.count < limits.frames else { throw .tooManyFrames(name: name, limit: limits.frames) }
      durations.append(control.duration)
      try skipPixels()
    }
    guard !durations.isEmpty else { throw .damaged(name: name, format: .gif, reason: "there is no picture") }
    return durations.count > 1 ? ImageAnimation(durations: durations, repetitions: repetitions) : nil
  }

  func next(to result: PixelSize, watch: DecodingWatch) throws(ImageFileError) -> ImageFrame? {
    guard try findPicture() else { return nil }
    let builder = try PictureBuilder(
      source: size, result: result, orientation: .up, conversion: nil, isOpaque: false, memory: size.pixels * 8, watch: watch
    )
    if canvas.isEmpty { canvas = [UInt32](repeating: 0, count: size.pixels) }
    let before = control.disposal == DISPOSE_PREVIOUS ? canvas : []
    try readPixels(watch)
    for y in 0..<size.height {
      canvas.withUnsafeBufferPointer { canvas in
        if let base = canvas.baseAddress { builder.row.update(from: base + y * size.width, count: size.width) }
      }
      builder.add()
      try watch.check()
    }
    if control.disposal == DISPOSE_PREVIOUS {
      canvas = before
    } else if control.disposal == DISPOSE_BACKGROUND {
      let (columns, rows) = shownPart
      for y in rows {
        for x in columns { canvas[y * size.width + x] = 0 }
      }
    }
    return ImageFrame(image: builder.image(), duration: control.duration)
  }

  /// The part of the current picture that lies on the canvas.
  private var shownPart: (columns: Range<Int>, rows: Range<Int>) {
    let image = gif.pointee.Image
    func part(_ start: GifWord, _ length: GifWord, _ side: Int) -> Range<Int> {
      let start = min(max(Int(start), 0), side)
      return start..<min(start + max(Int(length), 0), side)
    }
    return (part(image.Left, image.Width, size.width), part(image.Top, image.Height, size.height))
  }

  private func readPixels(_ watch: DecodingWatch) throws(ImageFileError) {
    let image = gif.pointee.Image
    guard let table = image.ColorMap ?? gif.pointee.SColorMap, let entries = table.pointee.Colors else {
      throw .damaged(name: name, format: .gif, reason: "there is no table of colours")
    }
    let palette = (0..<256).map { index -> UInt32 in
      if index == control.clearIndex { return 0 }
      guard index < Int(table.pointee.ColorCount) else { return 0xFF00_0000 }
      let entry = entries[index]
      return 0xFF00_0000 | UInt32(entry.Red) << 16 | UInt32(entry.Green) << 8 | UInt32(entry.Blue)
    }
    let (width, height) = (Int(image.Width), Int(image.Height))
    guard width > 0, height > 0 else { return try skipPixels() }
    let (columns, rows) = shownPart
    var line = [UInt8](repeating: 0, count: width)
    let passes = image.Interlace ? [(0, 8), (4, 8), (2, 4), (1, 2)] : [(0, 1)]
    for (start, step) in passes {
      for y in stride(from: start, to: height, by: step) {
        try watch.check()
        try check(DGifGetLine(gif, &line, Int32(width)))
        let target = Int(image.Top) + y
        guard rows.contains(target) else { continue }
        for x in columns {
          let color = palette[Int(line[x - columns.lowerBound])]
          if color != 0 { canvas[target * size.width + x] = color }
        }
      }
    }
  }

  private func skipPixels() throws(ImageFileError) {
    var (codeSize, block): (Int32, UnsafeMutablePointer<UInt8>?) = (0, nil)
    try check(DGifGetCode(gif, &codeSize, &block))
    while block != nil { try check(DGifGetCodeNext(gif, &block)) }
  }

  /// Goes on to the next picture; false at the end of the file.
  private func findPicture() throws(ImageFileError) -> Bool {
    control = Control()
    while true {
      var kind = UNDEFINED_RECORD_TYPE
      try check(DGifGetRecordType(gif, &kind))
      switch kind {
      case IMAGE_DESC_RECORD_TYPE:
        try check(DGifGetImageDesc(gif))
        return true
      case EXTENSION_RECORD_TYPE: try readExtension()
      case TERMINATE_RECORD_TYPE: return false
      default: throw .damaged(name: name, format: .gif, reason: "an unknown record")
      }
    }
  }

  private func readExtension() throws(ImageFileError) {
    var (code, block): (Int32, UnsafeMutablePointer<UInt8>?) = (0, nil)
    try check(DGifGetExtension(gif, &code, &block))
    var isLoop = false
    while let bytes = block {
      // The first byte is the number of those that follow.
      let bytes = UnsafeBufferPointer(start: bytes, count: Int(bytes.pointee) + 1)
      if Int(code) == GRAPHICS_EXT_FUNC_CODE, bytes.count >= 5 {
        control.disposal = Int(bytes[1] >> 2 & 7)
        control.delay = Int(bytes[2]) | Int(bytes[3]) << 8
        control.clearIndex = bytes[1] & 1 == 1 ? Int(bytes[4]) : nil
      } else if Int(code) == APPLICATION_EXT_FUNC_CODE {
        if isLoop, bytes.count >= 4, bytes[1] == 1 {
          let count = Int(bytes[2]) | Int(bytes[3]) << 8
          repetitions = count == 0 ? nil : count
        }
        isLoop = isLoop || bytes.dropFirst().elementsEqual("NETSCAPE2.0".utf8)
      }
      try check(DGifGetExtensionNext(gif, &block))
    }
  }

  private func check(_ status: Int32) throws(ImageFileError) {
    if status == GIF_ERROR { throw Self.error(gif.pointee.Error, name: name) }
  }

  private static func error(_ status: Int32, name: String) -> ImageFileError {
    if status == D_GIF_ERR_NOT_ENOUGH_MEM { return .outOfMemory(name: name) }
    return .damaged(
      name: name, format: .gif, reason: GifErrorString(status).map { String(cString: $0) } ?? "error \(status)")
  }
}
