/// A format of picture files.
public enum ImageFormat: String, CaseIterable, Sendable {
  case png = "PNG"
  case jpeg = "JPEG"
  case webp = "WebP"
  case gif = "GIF"
  case svg = "SVG"
  case avif = "AVIF"

  /// The format of a file by its first bytes, whatever its name is; nil if it is none of these.
  init?(of bytes: UnsafeRawBufferPointer) {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
      self = .webp
    } else if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) {
      self = .gif
    } else if Self.isAVIF(bytes) {
      self = .avif
    } else if SVGRoot(of: bytes) != nil {
      self = .svg
    } else {
      return nil
    }
  }

  /// The first box names the kinds of file that it is, behind its length, its name and, at 12, a version.
  private static func isAVIF(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= 16, bytes.dropFirst(4).starts(with: "ftyp".utf8) else { return false }
    let end = min(Int(bytes[2]) << 8 | Int(bytes[3]), bytes.count) - 3
    return stride(from: 8, to: end, by: 4).contains { place in
      place != 12 && ["avif", "avis"].contains { bytes.dropFirst(place).starts(with: $0.utf8) }
    }
  }
}
