internal import CSpng
import Glibc

/// Reads a PNG file row by row: R, G, B, A of 8 bits each, alpha not multiplied in, from files of any kind. One thread at a time
/// may use it, and only while the bytes of the file are there.
package final class PNGReader {
  package let width: Int
  package let height: Int
  /// True if rows come several times, each time with further pixels.
  package let isInterlaced: Bool
  /// True if red, green and blue are the same in every pixel.
  package let isGrey: Bool
  /// True if a pixel may be translucent.
  package let hasAlpha: Bool

  private let decoder: OpaquePointer
  private let name: String
  private let fileSize: Int
  private var state = State.idle

  private enum State {
    case idle, running, ended
  }

  /// Reads what stands before the pixels.
  ///
  /// - Parameters:
  ///   - maximumPixels: a larger image throws `tooLarge`.
  ///   - maximumSide: as does one with a longer side.
  ///   - name: the path of the file, for errors; empty for bytes in memory.
  package init(
    _ bytes: UnsafeRawBufferPointer, maximumPixels: Int, maximumSide: Int = Bitmap.maximumSide, name: String
  ) throws(PNGError) {
    guard !bytes.isEmpty else { throw .damaged(name: name, reason: "empty") }
    guard let decoder = spng_ctx_new(0) else { throw .outOfMemory(bytes: bytes.count) }
    (self.decoder, self.name, fileSize) = (decoder, name, bytes.count)
    var header = spng_ihdr()
    // The library unpacks the profile and all text, and refuses a file with more: 4 MB of a profile, 2 MB of a packed text,
    // 8 MB in all. It also refuses more than 1,000 texts, a number that cannot be raised.
    var status = spng_set_chunk_limits(decoder, 4 << 20, 8 << 20)
    if status == 0 { status = spng_set_png_buffer(decoder, bytes.baseAddress, bytes.count) }
    if status == 0 { status = spng_get_ihdr(decoder, &header) }
    (width, height) = (Int(header.width), Int(header.height))
    isInterlaced = header.interlace_method != 0
    let color = Int(header.color_type)
    isGrey =
      color == Int(SPNG_COLOR_TYPE_GRAYSCALE.rawValue) || color == Int(SPNG_COLOR_TYPE_GRAYSCALE_ALPHA.rawValue)
    // Reads all that stands before the pixels.
    var transparency = spng_trns()
    if status == 0 { status = spng_get_trns(decoder, &transparency) }
    hasAlpha =
      color == Int(SPNG_COLOR_TYPE_GRAYSCALE_ALPHA.rawValue) || color == Int(SPNG_COLOR_TYPE_TRUECOLOR_ALPHA.rawValue)
      || status == 0
    if status != 0, status != Int32(SPNG_ECHUNKAVAIL.rawValue) { throw error(status) }
    guard width <= maximumSide, height <= maximumSide, width * height <= maximumPixels else {
      throw .tooLarge(name: name, width: width, height: height, maximumPixels: maximumPixels)
    }
    // Deflate makes at most 1,032 bytes of one: a file that states more than it can hold takes no memory.
    let bits = Int(header.bit_depth) * Self.channels(of: color)
    guard (width * bits + 7) / 8 * height / 1032 <= bytes.count else {
      throw .damaged(name: name, reason: "\(bytes.count) bytes cannot hold \(width)x\(height) pixels")
    }
  }

  deinit { spng_ctx_free(decoder) }

  /// The number of the row that `readRow(into:)` gives next, or nil after the last one.
  package func nextRow() throws(PNGError) -> Int? {
    switch state {
    case .ended: return nil
    case .idle:
      let flags = Int32(SPNG_DECODE_TRNS.rawValue | SPNG_DECODE_PROGRESSIVE.rawValue)
      let status = spng_decode_image(decoder, nil, 0, Int32(SPNG_FMT_RGBA8.rawValue), flags)
      guard status == 0 else { throw error(status) }
      state = .running
    case .running: break
    }
    var row = spng_row_info()
    let status = spng_get_row_info(decoder, &row)
    guard status == 0 else { throw error(status) }
    return Int(row.row_num)
  }

  /// Decodes that row into the memory of `width` pixels. Of an interlaced image only some pixels are written, those of the pass.
  package func readRow(into row: UnsafeMutableRawPointer) throws(PNGError) {
    let status = spng_decode_row(decoder, row, width * 4)
    if status == Int32(SPNG_EOI.rawValue) {
      state = .ended
    } else if status != 0 {
      throw error(status)
    }
  }

  /// The embedded profile.
  package var profile: [UInt8]? {
    var profile = spng_iccp()
    guard spng_get_iccp(decoder, &profile) == 0, let bytes = profile.profile else { return nil }
    return Array(UnsafeRawBufferPointer(start: bytes, count: profile.profile_len))
  }

  /// The data of EXIF.
  package var exif: [UInt8]? {
    var exif = spng_exif()
    guard spng_get_exif(decoder, &exif) == 0, let bytes = exif.data else { return nil }
    return Array(UnsafeRawBufferPointer(start: bytes, count: exif.length))
  }

  /// The exponent from light to values, such as 0.45455; nil if the file states none, or that it is sRGB.
  package var gamma: Double? {
    var (intent, gamma): (UInt8, Double) = (0, 0)
    guard spng_get_srgb(decoder, &intent) != 0, spng_get_gama(decoder, &gamma) == 0 else { return nil }
    return (0.01...10).contains(gamma) ? gamma : nil
  }

  /// The places of white and of the three colours in CIE's diagram.
  package struct Primaries: Equatable {
    package var white, red, green, blue: SIMD2<Double>

    package static let sRGB = Primaries(
      white: [0.3127, 0.329], red: [0.64, 0.33], green: [0.3, 0.6], blue: [0.15, 0.06])
  }

  /// The stated primaries.
  package var primaries: Primaries? {
    var places = spng_chrm()
    guard spng_get_chrm(decoder, &places) == 0 else { return nil }
    return Primaries(
      white: [places.white_point_x, places.white_point_y], red: [places.red_x, places.red_y],
      green: [places.green_x, places.green_y], blue: [places.blue_x, places.blue_y])
  }

  private func error(_ status: Int32) -> PNGError {
    if status == Int32(SPNG_EMEM.rawValue) { return .outOfMemory(bytes: fileSize) }
    return .damaged(name: name, reason: spng_strerror(status).map { String(cString: $0) } ?? "error \(status)")
  }

  /// The components of a pixel of PNG's colour type.
  private static func channels(of colorType: Int) -> Int {
    switch colorType {
    case Int(SPNG_COLOR_TYPE_TRUECOLOR.rawValue): 3
    case Int(SPNG_COLOR_TYPE_GRAYSCALE_ALPHA.rawValue): 2
    case Int(SPNG_COLOR_TYPE_TRUECOLOR_ALPHA.rawValue): 4
    default: 1
    }
  }
}
