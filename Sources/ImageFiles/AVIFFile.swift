internal import CAVIF
internal import Raster

/// An AVIF file, read by libavif and dav1d. Of one that moves, the first picture is read.
final class AVIFFile {
  /// The size of the part that is shown.
  let size: PixelSize
  let orientation: ImageOrientation
  private let decoder: UnsafeMutablePointer<avifDecoder>
  private let image: UnsafeMutablePointer<avifImage>
  private let part: avifCropRect
  private let name: String

  /// The least memory that a picture takes, see `decode`: what the container says may be less than what is in it.
  private static let bytesPerPixel = 12

  /// Reads what stands before the pixels. The bytes must stay while the object lives.
  init(_ bytes: UnsafeRawBufferPointer, limits: ImageLimits, name: String) throws(ImageFileError) {
    guard let decoder = avifDecoderCreate() else { throw .outOfMemory(name: name) }
    var isKept = false
    defer { if !isKept { avifDecoderDestroy(decoder) } }
    decoder.pointee.codecChoice = AVIF_CODEC_CHOICE_DAV1D
    (decoder.pointee.ignoreExif, decoder.pointee.ignoreXMP) = (1, 1)
    decoder.pointee.imageSizeLimit = UInt32(min(max(min(limits.pixels, limits.memory / Self.bytesPerPixel), 1), 1 << 28))
    decoder.pointee.imageDimensionLimit = UInt32(ImageFile.longestSide)
    decoder.pointee.imageCountLimit = UInt32(clamping: max(limits.frames, 1))
    try Self.check(
      avifDecoderSetIOMemory(decoder, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count), name)
    try Self.check(avifDecoderParse(decoder), name)
    guard let image = decoder.pointee.image else {
      throw .damaged(name: name, format: .avif, reason: "there is no picture")
    }
    part = try Self.part(of: image.pointee, name)
    (self.decoder, self.image, self.name) = (decoder, image, name)
    size = PixelSize(width: Int(part.width), height: Int(part.height))
    orientation = Self.orientation(of: image.pointee)
    isKept = true
  }

  deinit { avifDecoderDestroy(decoder) }

  /// Decodes to a size that is not turned upright yet.
  func decode(to result: PixelSize, watch: DecodingWatch) throws(ImageFileError) -> Image {
    let (width, height) = (Int(image.pointee.width), Int(image.pointee.height))
    // HDR light has no place in sRGB without a choice of what becomes darker.
    guard ![16, 18].contains(image.pointee.transferCharacteristics) || image.pointee.icc.size > 0 else {
      throw .damaged(name: name, format: .avif, reason: "light of HDR (PQ or HLG) is not read")
    }
    // The result of the conversion, and what the decoder has of the frame and of the one that it makes it from.
    let bytesPerSample = image.pointee.depth > 8 ? 2 : 1
    let builder = try PictureBuilder(
      source: size, result: result, orientation: orientation, conversion: conversion(),
      isOpaque: decoder.pointee.alphaPresent == 0, memory: width * height * (4 + 8 * bytesPerSample), watch: watch)
    try Self.check(avifDecoderNextImage(decoder), name)
    try watch.check()
    guard Int(image.pointee.width) == width, Int(image.pointee.height) == height else {
      throw .damaged(name: name, format: .avif, reason: "the picture is not as large as the file says")
    }
    let pixels = UnsafeMutablePointer<UInt32>.allocate(capacity: width * height)
    defer { pixels.deallocate() }
    pixels.initialize(repeating: 0, count: width * height)
    var rgb = avifRGBImage()
    avifRGBImageSetDefaults(&rgb, image)
    (rgb.format, rgb.depth) = (AVIF_RGB_FORMAT_BGRA, 8)
    rgb.pixels = UnsafeMutableRawPointer(pixels).assumingMemoryBound(to: UInt8.self)
    rgb.rowBytes = UInt32(width * 4)
    try Self.check(avifImageYUVToRGB(image, &rgb), name)
    for y in 0..<size.height {
      builder.row.update(from: pixels + (Int(part.y) + y) * width + Int(part.x), count: size.width)
      builder.add()
      try watch.check()
    }
    return builder.image()
  }

  /// By the embedded profile, or else by the stated colours, if they are others than sRGB's.
  private func conversion() -> ColorConversion? {
    let source: ColorConversion.Source = image.pointee.yuvFormat == AVIF_PIXEL_FORMAT_YUV400 ? .grey : .color
    let profile = UnsafeRawBufferPointer(start: image.pointee.icc.data, count: image.pointee.icc.size)
    // As for other formats, one of more than 4 MB counts as missing.
    if !profile.isEmpty { return profile.count <= 4 << 20 ? ColorConversion(profile: profile, source: source) : nil }
    // The numbers of ITU-T H.273. The curves of video are meant for screens of sRGB's.
    let curve: ColorConversion.Curve
    switch image.pointee.transferCharacteristics {
    case 4: curve = .power(2.2)
    case 5: curve = .power(2.8)
    case 8: curve = .power(1)
    default: curve = .sRGB
    }
    let stated = image.pointee.colorPrimaries
    // 1 are sRGB's, 2 is for those that nobody has named.
    guard curve != .sRGB || stated > 2 else { return nil }
    var primaries = PNGReader.Primaries.sRGB
    if stated > 2 {
      var values = [Float](repeating: 0, count: 8)
      avifColorPrimariesGetValues(stated, &values)
      func place(_ index: Int) -> SIMD2<Double> { [Double(values[index]), Double(values[index + 1])] }
      (primaries.red, primaries.green, primaries.blue, primaries.white) = (place(0), place(2), place(4), place(6))
    }
    return ColorConversion(source: source, curve: curve, primaries: primaries)
  }

  /// The part that the file wants to be shown.
  private static func part(of image: avifImage, _ name: String) throws(ImageFileError) -> avifCropRect {
    guard image.transformFlags & AVIF_TRANSFORM_CLAP.rawValue != 0 else {
      return avifCropRect(x: 0, y: 0, width: image.width, height: image.height)
    }
    var (part, clap, messages) = (avifCropRect(), image.clap, avifDiagnostics())
    guard
      avifCropRectConvertCleanApertureBox(&part, &clap, image.width, image.height, image.yuvFormat, &messages) != 0,
      part.width > 0, part.height > 0, UInt64(part.x) + UInt64(part.width) <= image.width,
      UInt64(part.y) + UInt64(part.height) <= image.height
    else { throw .damaged(name: name, format: .avif, reason: "the part to show lies outside of the picture") }
    return part
  }

  /// It is turned first and mirrored then. The data of EXIF are not asked: they repeat this, if anything.
  private static func orientation(of image: avifImage) -> ImageOrientation {
    let turns = image.transformFlags & AVIF_TRANSFORM_IROT.rawValue != 0 ? Int(image.irot.angle) : 0
    let isMirrored = image.transformFlags & AVIF_TRANSFORM_IMIR.rawValue != 0
    let turned: [ImageOrientation] =
      switch (isMirrored, image.imir.mode) {
      case (false, _): [.up, .left, .down, .right]
      // Top and bottom are exchanged, or left and right.
      case (true, 0): [.downMirrored, .leftMirrored, .upMirrored, .rightMirrored]
      case (true, _): [.upMirrored, .rightMirrored, .downMirrored, .leftMirrored]
      }
    return turned[turns & 3]
  }

  private static func check(_ result: avifResult, _ name: String) throws(ImageFileError) {
    guard result != AVIF_RESULT_OK else { return }
    if result == AVIF_RESULT_OUT_OF_MEMORY { throw .outOfMemory(name: name) }
    let reason = avifResultToString(result).map { String(cString: $0) } ?? "error \(result.rawValue)"
    throw .damaged(name: name, format: .avif, reason: reason)
  }
}
