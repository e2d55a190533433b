internal import CImageFiles
internal import Raster

/// A JPEG file, read by libjpeg-turbo.
final class JPEGFile {
  let size: PixelSize
  let orientation: ImageOrientation
  private let decoder: OpaquePointer
  private let header: cimagefiles_jpeg_header
  private let (name, fileBytes): (String, Int)

  /// The bytes that must still come where a picture of the scans so far is shown: those that take about a frame to decode.
  static let leastRest = 256 << 10

  /// Reads what stands before the pixels. The bytes must stay while the object lives.
  ///
  /// - Parameter isBeginning: true for bytes that a file begins with, for `decodeBeginning`.
  init(_ bytes: UnsafeRawBufferPointer, name: String, isBeginning: Bool = false) throws(ImageFileError) {
    guard let base = bytes.baseAddress, let decoder = cimagefiles_jpeg_open(base, bytes.count, isBeginning) else {
      throw .outOfMemory(name: name)
    }
    var header = cimagefiles_jpeg_header()
    let result = cimagefiles_jpeg_read_header(decoder, &header)
    (self.decoder, self.header, self.name, fileBytes) = (decoder, header, name, bytes.count)
    size = PixelSize(width: Int(header.width), height: Int(header.height))
    orientation = ImageOrientation(exif: UnsafeRawBufferPointer(start: header.exif, count: header.exif_size))
    if result != cimagefiles_ok { throw error(result, watch: nil) }
  }

  deinit { cimagefiles_jpeg_close(decoder) }

  /// Decodes to a size that is not turned upright yet.
  ///
  /// - Parameter showCoarse: is called with pictures of a progressive file's first scans, at most four: each has at least twice the
  ///   bytes of the one before, the first a sixteenth of the file's. None is made where memory is too short for two results, or once
  ///   half of the time has passed.
  func decode(to result: PixelSize, watch: DecodingWatch, showCoarse: ((Image) -> Void)?) throws(ImageFileError) -> Image {
    let source = try start(to: result, watch)
    // Coefficients have two bytes, as many of each colour as there are pixels at most.
    let makesCoarse = showCoarse != nil && header.is_progressive && size.pixels * 8 + result.pixels * 8 < watch.limits.memory
    // No scan ends before 0.
    var end = makesCoarse ? max(fileBytes - Self.leastRest, 0) : 0
    var (from, isWhole) = (fileBytes / 16, false)
    while true {
      try check(cimagefiles_jpeg_read_scans(decoder, from, end, &from, &isWhole), watch)
      if !isWhole, watch.isHalfOver {
        end = 0
        continue
      }
      let image = try readRows(source, result, watch)
      if isWhole { return withExtendedLifetime(watch) { image } }
      showCoarse?(image)
      from *= 2
    }
  }

  /// Decodes the scans that have come of a progressive file; nil for another one, or while no scan is whole.
  func decodeBeginning(to result: PixelSize, watch: DecodingWatch) throws(ImageFileError) -> Image? {
    guard header.is_progressive else { return nil }
    let source = try start(to: result, watch)
    var (end, isWhole) = (0, false)
    try check(cimagefiles_jpeg_read_scans(decoder, 0, 0, &end, &isWhole), watch)
    let image = try readRows(source, result, watch)
    return withExtendedLifetime(watch) { image }
  }

  /// Returns the size of the rows that come.
  private func start(to result: PixelSize, _ watch: DecodingWatch) throws(ImageFileError) -> PixelSize {
    let resultBytes = result.pixels * 4
    guard resultBytes < watch.limits.memory else { throw .needsMemory(name: name, limit: watch.limits.memory) }
    var (width, height): (UInt32, UInt32) = (0, 0)
    try check(
      cimagefiles_jpeg_start(
        decoder, Int32(eighths(for: result)), watch.limits.memory - resultBytes,
        { context in context.map { Unmanaged<DecodingWatch>.fromOpaque($0).takeUnretainedValue().shouldStop() } ?? false },
        Unmanaged.passUnretained(watch).toOpaque(), &width, &height), watch)
    return PixelSize(width: Int(width), height: Int(height))
  }

  private func readRows(_ source: PixelSize, _ result: PixelSize, _ watch: DecodingWatch) throws(ImageFileError) -> Image {
    let builder = try PictureBuilder(
      source: source, result: result, orientation: orientation, conversion: conversion, isOpaque: true, memory: 0,
      watch: watch)
    let hasInks = header.colors == cimagefiles_cmyk || header.colors == cimagefiles_inverted_cmyk
    let hasConversion = conversion != nil
    for _ in 0..<source.height {
      try check(cimagefiles_jpeg_read_row(decoder, builder.row), watch)
      if hasInks {
        // Profiles want full ink as 255, the plain conversion as 0.
        if (header.colors == cimagefiles_inverted_cmyk) == hasConversion { cimagefiles_invert(builder.row, source.width) }
        if !hasConversion { cimagefiles_plain_cmyk(builder.row, source.width) }
      }
      builder.add()
    }
    return builder.image()
  }

  private lazy var conversion: ColorConversion? = {
    let source: ColorConversion.Source =
      switch header.colors {
      case cimagefiles_grey: .grey
      case cimagefiles_rgb: .color
      default: .inks
      }
    return ColorConversion(
      profile: UnsafeRawBufferPointer(start: header.profile, count: header.profile_size), source: source)
  }()

  /// The smallest of the sizes at which libjpeg decodes in a fraction of the time that is not below the result.
  private func eighths(for result: PixelSize) -> Int {
    func length(_ side: Int, _ eighths: Int) -> Int { (side * eighths + 7) / 8 }
    return [1, 2, 4].first { length(size.width, $0) >= result.width && length(size.height, $0) >= result.height } ?? 8
  }

  private func check(_ result: cimagefiles_result, _ watch: DecodingWatch) throws(ImageFileError) {
    if result != cimagefiles_ok { throw error(result, watch: watch) }
  }

  private func error(_ result: cimagefiles_result, watch: DecodingWatch?) -> ImageFileError {
    if let failure = watch?.failure { return failure }
    if result == cimagefiles_no_memory {
      return watch.map { .needsMemory(name: name, limit: $0.limits.memory) } ?? .outOfMemory(name: name)
    }
    return .damaged(name: name, format: .jpeg, reason: String(cString: cimagefiles_jpeg_reason(decoder)))
  }
}
