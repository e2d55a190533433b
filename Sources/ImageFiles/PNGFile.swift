internal import CImageFiles
internal import Raster

/// A PNG file, read by Raster's reader.
struct PNGFile {
  let size: PixelSize
  let orientation: ImageOrientation
  private let reader: PNGReader
  private let name: String

  /// Reads what stands before the pixels. The bytes must stay while the value is used.
  init(_ bytes: UnsafeRawBufferPointer, limits: ImageLimits, name: String) throws(ImageFileError) {
    do throws(PNGError) {
      reader = try PNGReader(bytes, maximumPixels: limits.pixels, maximumSide: ImageFile.longestSide, name: name)
    } catch {
      throw ImageFileError(error, name: name)
    }
    self.name = name
    size = PixelSize(width: reader.width, height: reader.height)
    orientation = (reader.exif ?? []).withUnsafeBytes { ImageOrientation(exif: $0) }
  }

  /// Decodes to a size that is not turned upright yet.
  func decode(to result: PixelSize, watch: DecodingWatch) throws(ImageFileError) -> Image {
    // Rows of an interlaced file come in pieces, so that all are kept.
    let keptPixels = reader.isInterlaced ? size.pixels : 0
    let builder = try builder(to: result, isOpaque: !reader.hasAlpha, memory: keptPixels * 4, watch)
    let kept = UnsafeMutablePointer<UInt32>.allocate(capacity: keptPixels)
    kept.initialize(repeating: 0, count: keptPixels)
    defer { kept.deallocate() }
    do throws(PNGError) {
      while let y = try reader.nextRow(), !watch.shouldStop() {
        if reader.isInterlaced {
          try reader.readRow(into: kept + y * size.width)
        } else {
          try reader.readRow(into: builder.row)
          add(to: builder)
        }
      }
    } catch {
      throw ImageFileError(error, name: name)
    }
    try watch.check()
    for y in 0..<(reader.isInterlaced ? size.height : 0) {
      builder.row.update(from: kept + y * size.width, count: size.width)
      add(to: builder)
      try watch.check()
    }
    return builder.image()
  }

  /// - Parameter memory: the bytes that are taken besides.
  func builder(
    to result: PixelSize, isOpaque: Bool, memory: Int, _ watch: DecodingWatch
  ) throws(ImageFileError) -> PictureBuilder {
    try PictureBuilder(
      source: size, result: result, orientation: orientation, conversion: conversion(), isOpaque: isOpaque, memory: memory,
      watch: watch)
  }

  /// Adds the row that was written, of R, G, B, A.
  func add(to builder: PictureBuilder) {
    cimagefiles_swap_red_and_blue(builder.row, size.width)
    builder.add()
  }

  /// By the embedded profile, or else by gamma and primaries, if the file has them and does not say that it is sRGB.
  private func conversion() -> ColorConversion? {
    let source: ColorConversion.Source = reader.isGrey ? .grey : .color
    if let profile = reader.profile { return profile.withUnsafeBytes { ColorConversion(profile: $0, source: source) } }
    guard let gamma = reader.gamma else { return nil }
    let primaries = reader.primaries
    // Most files that say 1/2.2 mean sRGB's curve.
    if primaries == nil, (0.44...0.47).contains(gamma) { return nil }
    return ColorConversion(source: source, curve: .power(1 / gamma), primaries: primaries ?? .sRGB)
  }
}

extension ImageFileError {
  init(_ error: PNGError, name: String) {
    switch error {
    case .file(let error): self = .file(error)
    case .damaged(_, let reason), .animation(let reason): self = .damaged(name: name, format: .png, reason: reason)
    case .tooLarge(_, let width, let height, let maximumPixels):
      self = .tooLarge(name: name, size: PixelSize(width: width, height: height), maximumPixels: maximumPixels)
    case .outOfMemory: self = .outOfMemory(name: name)
    }
  }
}
