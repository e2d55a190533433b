internal import CPango
import LinuxSystem
import Raster

/// A font in a file, as fontconfig names it.
struct FontFile: Hashable, Sendable {
  let path: String
  /// The number of the face in the file.
  let face: Int
  /// The number of the named instance, from 1 on; 0 for none.
  let instance: Int
}

extension FontFile {
  fileprivate init(_ font: cpango_font) {
    self.init(path: String(cString: font.path), face: Int(font.index & 0xFFFF), instance: Int(font.index >> 16))
  }
}

/// Pango's fonts, one thread at a time.
///
/// All signals are blocked while Pango chooses fonts: threads that it starts then never take one that the process's loop waits for.
///
/// Safe to send although unchecked: a `FontLibrary` calls it under its lock, and nothing else has it.
final class PangoFonts: @unchecked Sendable {
  /// A part of a text, with the number of its span.
  struct Part: Sendable {
    let range: Range<Int>
    let file: FontFile?
    let script: FontTag
    let level: UInt8
    let span: Int
  }

  /// Nil where calloc or fontconfig had no memory; GLib ends the process without any.
  private let fonts: OpaquePointer?

  /// The system's.
  init() {
    var refused = 0
    fonts = Self.blockingSignals { cpango_fonts_new(nil, 0, &refused) }
  }

  init(files: [String]) throws(FontError) {
    var refused = 0
    fonts = Self.blockingSignals { Self.withCStrings(files) { cpango_fonts_new($0, files.count, &refused) } }
    if files.indices.contains(refused) { throw .unusable(path: files[refused], reason: "fontconfig finds no font in it") }
  }

  deinit {
    if let fonts { cpango_fonts_free(fonts) }
  }

  func families() -> [String] {
    guard let fonts else { return [] }
    var names: [String] = []
    Self.blockingSignals {
      withUnsafeMutablePointer(to: &names) { names in
        cpango_families(
          fonts, { $0.assumingMemoryBound(to: [String].self).pointee.append(String(cString: $1)) }, names)
      }
    }
    return names
  }

  func match(_ request: FontRequest) -> FontFile? {
    guard let fonts else { return nil }
    return Self.blockingSignals {
      request.families.joined(separator: ",").withCString { families in
        var wanted = request.request(families)
        var found = cpango_font(path: families, index: 0)
        return cpango_match(fonts, &wanted, &found) ? FontFile(found) : nil
      }
    }
  }

  /// The parts of a text, and its level.
  func itemize(
    _ text: String, _ spans: [RequestSpan], _ direction: BaseDirection, _ language: String
  ) -> (parts: [Part], level: UInt8) {
    guard let fonts else { return ([], 0) }
    let text = PangoText(text)
    let direction =
      switch direction {
      case .natural: CPANGO_NATURAL
      case .leftToRight: CPANGO_LEFT_TO_RIGHT
      case .rightToLeft: CPANGO_RIGHT_TO_LEFT
      }
    let starts = text.starts(spans)
    var visit = Visit(starts: starts)
    let level = Self.blockingSignals {
      Self.withCStrings(spans.map { $0.request.families.joined(separator: ",") }) { families in
        let wanted = spans.indices.map { index in
          cpango_span(start: UInt32(starts[index]), request: spans[index].request.request(families[index]))
        }
        return withUnsafeMutablePointer(to: &visit) { visit in
          text.withBytes { bytes, count in
            cpango_itemize(
              fonts, bytes, count, Int32(direction), language, wanted, wanted.count,
              { $0.assumingMemoryBound(to: Visit.self).pointee.add($1.pointee) }, visit)
          }
        }
      }
    }
    return (visit.parts, level)
  }

  private struct Visit {
    let starts: [Int]
    var parts: [Part] = []
    var span = 0

    mutating func add(_ item: cpango_item) {
      let range = Int(item.offset)..<Int(item.offset + item.length)
      while span + 1 < starts.count, starts[span + 1] <= range.lowerBound { span += 1 }
      parts.append(
        Part(
          range: range, file: item.has_font ? FontFile(item.font) : nil, script: FontTag(value: item.script),
          level: item.level, span: span))
    }
  }

  private static func blockingSignals<Result>(_ body: () -> Result) -> Result {
    let mask = SignalMask.blockAll()
    defer { mask.restore() }
    return body()
  }

  /// Calls `body` with the strings as C has them; they last for the call.
  private static func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafePointer<CChar>]) -> Result
  ) -> Result {
    var bytes: [CChar] = []
    var starts: [Int] = []
    for string in strings {
      starts.append(bytes.count)
      bytes += string.utf8CString
    }
    return bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return body([]) }
      return body(starts.map { base + $0 })
    }
  }
}

extension FontRequest {
  fileprivate func request(_ families: UnsafePointer<CChar>) -> cpango_request {
    let slant: Int32 =
      switch slant {
      case .upright: 0
      case .italic: 1
      case .oblique: 2
      }
    return cpango_request(families: families, weight: Int32(weight), width: width, slant: slant)
  }
}

/// A text as Pango can take it: valid UTF-8 without zeros, of limited length.
struct PangoText {
  static let longest = 16 << 20

  private var bytes: [UInt8]

  init(_ text: String) {
    bytes = Array(text.utf8)
    if bytes.count > Self.longest {
      // A scalar is not cut in two.
      var end = Self.longest
      while bytes[end] & 0xC0 == 0x80 { end -= 1 }
      bytes.removeSubrange(end...)
    }
    // Another control character, which looks and breaks the same.
    for index in bytes.indices where bytes[index] == 0 { bytes[index] = 1 }
  }

  var count: Int { bytes.count }

  /// The beginnings of spans: the first is 0, none is inside of a scalar or before the one in front of it.
  func starts(_ spans: [RequestSpan]) -> [Int] {
    var last = 0
    return spans.indices.map { index in
      var start = index == 0 ? 0 : min(max(spans[index].start, last), bytes.count)
      while start < bytes.count, start > last, bytes[start] & 0xC0 == 0x80 { start -= 1 }
      last = start
      return start
    }
  }

  func withBytes<Result>(_ body: (UnsafePointer<CChar>, UInt32) -> Result) -> Result {
    bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return body("", 0) }
      return body(base.assumingMemoryBound(to: CChar.self), UInt32(bytes.count))
    }
  }
}
