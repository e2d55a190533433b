internal import CWebP
internal import LinuxSystem
internal import Raster

/// A WebP file, read by libwebp: its parts, and its picture if it does not move.
final class WebPFile {
  let size: PixelSize
  let orientation: ImageOrientation
  let animation: ImageAnimation?
  private let bytes: UnsafeRawBufferPointer
  private let name: String
  private let profile: [UInt8]

  /// Reads what stands before the pixels. The bytes must stay while the object lives.
  init(_ bytes: UnsafeRawBufferPointer, limits: ImageLimits, name: String) throws(ImageFileError) {
    func damaged(_ reason: String) -> ImageFileError { .damaged(name: name, format: .webp, reason: reason) }
    (self.bytes, self.name) = (bytes, name)
    var data = WebPData(bytes: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), size: bytes.count)
    guard let parts = WebPDemux(&data) else { throw damaged("its parts are not whole") }
    defer { WebPDemuxDelete(parts) }
    size = PixelSize(
      width: Int(WebPDemuxGetI(parts, WEBP_FF_CANVAS_WIDTH)), height: Int(WebPDemuxGetI(parts, WEBP_FF_CANVAS_HEIGHT)))
    guard size.pixels <= limits.pixels else {
      throw .tooLarge(name: name, size: size, maximumPixels: limits.pixels)
    }
    // As for other formats, one of more than 4 MB counts as missing.
    func chunk(_ name: String) -> [UInt8] {
      var chunk = WebPChunkIterator()
      guard WebPDemuxGetChunk(parts, name, 1, &chunk) != 0 else { return [] }
      defer { WebPDemuxReleaseChunkIterator(&chunk) }
      guard chunk.chunk.size <= 4 << 20 else { return [] }
      return Array(UnsafeBufferPointer(start: chunk.chunk.bytes, count: chunk.chunk.size))
    }
    let flags = WebPDemuxGetI(parts, WEBP_FF_FORMAT_FLAGS)
    profile = flags & ICCP_FLAG.rawValue != 0 ? chunk("ICCP") : []
    // Some writers begin it as in a JPEG.
    var exif = flags & EXIF_FLAG.rawValue != 0 ? chunk("EXIF")[...] : []
    if exif.starts(with: [0x45, 0x78, 0x69, 0x66, 0, 0]) { exif = exif.dropFirst(6) }
    orientation = exif.withUnsafeBytes { ImageOrientation(exif: $0) }

    let count = Int(WebPDemuxGetI(parts, WEBP_FF_FRAME_COUNT))
    guard count > 0 else { throw damaged("there is no picture") }
    guard count <= limits.frames else { throw .tooManyFrames(name: name, limit: limits.frames) }
    var frame = WebPIterator()
    guard WebPDemuxGetFrame(parts, 1, &frame) != 0 else { throw damaged("there is no picture") }
    defer { WebPDemuxReleaseIterator(&frame) }
    guard flags & ANIMATION_FLAG.rawValue != 0 else {
      animation = nil
      return
    }
    var durations: [Nanoseconds] = []
    repeat {
      durations.append(.milliseconds(Int64(frame.duration)))
    } while WebPDemuxNextFrame(&frame) != 0
    let loops = Int(WebPDemuxGetI(parts, WEBP_FF_LOOP_COUNT))
    animation = ImageAnimation(durations: durations, repetitions: loops == 0 ? nil : loops)
  }

  /// Decodes a picture that does not move, to a size that is not turned upright yet.
  func decode(to result: PixelSize, watch: DecodingWatch) throws(ImageFileError) -> Image {
    // The pixels, and as much again inside the decoder of lossless files.
    let builder = try builder(result, bytesPerPixel: 8, watch)
    let pixels = UnsafeMutablePointer<UInt32>.allocate(capacity: size.pixels)
    defer { pixels.deallocate() }
    pixels.initialize(repeating: 0, count: size.pixels)
    guard
      let decoder = WebPINewRGB(
        MODE_BGRA, UnsafeMutableRawPointer(pixels).assumingMemoryBound(to: UInt8.self), size.pixels * 4,
        Int32(size.width * 4))
    else { throw .outOfMemory(name: name) }
    defer { WebPIDelete(decoder) }
    var count = 0
    var status = VP8_STATUS_SUSPENDED
    while status == VP8_STATUS_SUSPENDED, count < bytes.count {
      try watch.check()
      count = min(count + Self.pieceSize, bytes.count)
      status = WebPIUpdate(decoder, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), count)
    }
    if status == VP8_STATUS_OUT_OF_MEMORY { throw .outOfMemory(name: name) }
    guard status == VP8_STATUS_OK else {
      throw .damaged(
        name: name, format: .webp,
        reason: status == VP8_STATUS_SUSPENDED
          ? "the file ends too early" : "the pixels cannot be decoded, status \(status.rawValue)")
    }
    try add(pixels, to: builder, watch)
    return builder.image()
  }

  /// The bytes that are decoded between two looks at the time.
  private static let pieceSize = 16_384

  func builder(_ result: PixelSize, bytesPerPixel: Int, _ watch: DecodingWatch) throws(ImageFileError) -> PictureBuilder {
    let conversion = profile.withUnsafeBytes { ColorConversion(profile: $0, source: .color) }
    // A file's word that it has no alpha is a hint: pixels may be translucent all the same.
    return try PictureBuilder(
      source: size, result: result, orientation: orientation, conversion: conversion, isOpaque: false,
      memory: size.pixels * bytesPerPixel, watch: watch)
  }

  func add(
    _ pixels: UnsafePointer<UInt32>, to builder: PictureBuilder, _ watch: DecodingWatch
  ) throws(ImageFileError) {
    for y in 0..<size.height {
      builder.row.update(from: pixels + y * size.width, count: size.width)
      builder.add()
      try watch.check()
    }
  }
}

/// The pictures of a WebP file that moves.
final class WebPAnimation: FrameSource {
  private let file: WebPFile
  private let bytes: UnsafeRawBufferPointer
  private let name: String
  private var decoder: OpaquePointer?
  private var index = 0

  init(_ bytes: UnsafeRawBufferPointer, limits: ImageLimits, name: String) throws(ImageFileError) {
    file = try WebPFile(bytes, limits: limits, name: name)
    (self.bytes, self.name) = (bytes, name)
  }

  deinit { if let decoder { WebPAnimDecoderDelete(decoder) } }

  func next(to result: PixelSize, watch: DecodingWatch) throws(ImageFileError) -> ImageFrame? {
    guard let animation = file.animation, index < animation.durations.count else { return nil }
    // The current picture, the one before it as it was disposed of, and as much again inside the decoder of lossless files.
    let builder = try file.builder(result, bytesPerPixel: 12, watch)
    if decoder == nil {
      var options = WebPAnimDecoderOptions()
      guard WebPAnimDecoderOptionsInit(&options) != 0 else { throw .outOfMemory(name: name) }
      options.color_mode = MODE_BGRA
      options.use_threads = 0
      var data = WebPData(bytes: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), size: bytes.count)
      decoder = WebPAnimDecoderNew(&data, &options)
    }
    guard let decoder else { throw .outOfMemory(name: name) }
    var (pixels, time): (UnsafeMutablePointer<UInt8>?, Int32) = (nil, 0)
    guard WebPAnimDecoderGetNext(decoder, &pixels, &time) != 0, let pixels else {
      throw .damaged(name: name, format: .webp, reason: "picture \(index + 1) cannot be decoded")
    }
    try file.add(UnsafeRawPointer(pixels).assumingMemoryBound(to: UInt32.self), to: builder, watch)
    defer { index += 1 }
    return ImageFrame(image: builder.image(), duration: animation.durations[index])
  }
}
