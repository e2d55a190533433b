internal import Glibc
internal import LinuxSystem
package import Raster

/// The facts of a file that its place in a layout needs.
package struct ImageMeasures: Hashable, Sendable {
  /// The size of the upright picture.
  package let size: PixelSize
  /// See `ImageFile.Header.isDrawing`.
  package let isDrawing: Bool
}

extension ImageFile.Header {
  package var measures: ImageMeasures { ImageMeasures(size: size, isDrawing: isDrawing) }
}

extension ImageFile {
  /// The bytes that say the size of most files: metadata of a JPEG that stand before it fit into as many, and so does what may stand
  /// before the size of an SVG.
  private static let beginningBytes = 65_536

  /// Reads the measures of a file, and not more of it than that needs.
  package static func measures(path: String, limits: ImageLimits) throws(ImageFileError) -> ImageMeasures {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try beginning(of: path, limit: limits.fileBytes)
    } catch {
      throw .file(error)
    }
    let found = bytes.withUnsafeBytes { try? header(of: $0, name: path, limits: limits, isWhole: false) }
    if let found { return found.measures }
    return try ImageFile(path: path, limits: limits).header.measures
  }

  /// The picture of the scans that have come of a progressive JPEG, for bytes that its file begins with; nil for a file of another kind,
  /// and while no scan is whole. See `decode(fitting:isCancelled:)`.
  package static func picture(
    ofBeginning bytes: [UInt8], name: String, fitting box: PixelSize?, limits: ImageLimits,
    isCancelled: @escaping () -> Bool
  ) -> Image? {
    bytes.withUnsafeBytes { bytes in
      guard ImageFormat(of: bytes) == .jpeg,
        let header = try? header(of: bytes, name: name, limits: limits, isWhole: false),
        let file = try? JPEGFile(bytes, name: name, isBeginning: true)
      else { return nil }
      let watch = DecodingWatch(name: name, limits: limits, clock: .monotonic, isCancelled: isCancelled)
      return try? file.decodeBeginning(to: header.storedSize(box.map(ImageFit.inside) ?? .natural), watch: watch)
    }
  }

  /// The first bytes of a file that has no more than `limit`.
  private static func beginning(of path: String, limit: Int) throws(SystemError) -> [UInt8] {
    let file = try OwnedDescriptor.open(path, flags: O_RDONLY | O_NONBLOCK)
    var status = Glibc.stat()
    guard fstat(file.number, &status) == 0 else { throw .last(call: "fstat", subject: path) }
    guard Int(status.st_size) <= limit else { throw SystemError(call: "read", subject: path, errno: EFBIG) }
    var bytes = [UInt8](repeating: 0, count: beginningBytes)
    let count = bytes.withUnsafeMutableBytes { pread(file.number, $0.baseAddress, $0.count, 0) }
    guard count >= 0 else { throw .last(call: "read", subject: path) }
    bytes.removeLast(bytes.count - count)
    return bytes
  }
}
