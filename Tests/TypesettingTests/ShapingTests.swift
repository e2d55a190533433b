import CHarfBuzz
import LinuxSystem
import Raster
import TestLength
import Testing
@testable import Typesetting

/// The glyphs of a layout, and their places, against what HarfBuzz makes of each line by itself.
@Suite struct ShapingTests {
  /// Letters of one script, which a font has, with their marks.
  struct Script: Sendable, CustomTestStringConvertible {
    let name: String
    let file: String
    let family: String
    let letters: ClosedRange<UInt32>
    var marks: ClosedRange<UInt32>?
    let tag: String
    var isRightToLeft = false

    var testDescription: String { "\(name) in \(file)" }
  }

  private static let scripts = [
    Script(
      name: "Latin", file: "DejaVuSans.ttf", family: "DejaVu Sans", letters: 0x61...0x7A, marks: 0x300...0x30C, tag: "Latn"),
    Script(name: "Latin", file: "Roboto-Regular.ttf", family: "Roboto", letters: 0x41...0x7A, tag: "Latn"),
    Script(name: "Latin", file: "Inter.var.ttf", family: "Inter", letters: 0x61...0x7A, marks: 0x300...0x304, tag: "Latn"),
    Script(name: "Greek", file: "DejaVuSans.ttf", family: "DejaVu Sans", letters: 0x391...0x3C9, tag: "Grek"),
    Script(name: "Cyrillic", file: "Roboto-Regular.ttf", family: "Roboto", letters: 0x410...0x44F, tag: "Cyrl"),
    Script(
      name: "Hebrew", file: "DejaVuSans.ttf", family: "DejaVu Sans", letters: 0x5D0...0x5EA, marks: 0x5B0...0x5BC,
      tag: "Hebr",
      isRightToLeft: true),
    Script(
      name: "Arabic", file: "DejaVuSans.ttf", family: "DejaVu Sans", letters: 0x621...0x64A, marks: 0x64B...0x652,
      tag: "Arab",
      isRightToLeft: true),
    Script(
      name: "Devanagari", file: "Lohit-Devanagari.ttf", family: "Lohit Devanagari", letters: 0x915...0x939,
      marks: 0x93E...0x94D, tag: "Deva"),
  ]

  /// Words of random letters, each with a mark or none, as many as fill some lines.
  private static func text(_ script: Script, _ font: Font, _ random: inout SplitMix64) -> String {
    func scalar(_ range: ClosedRange<UInt32>) -> Unicode.Scalar? {
      Unicode.Scalar(UInt32.random(in: range, using: &random)).flatMap { font.hasGlyph(for: $0) ? $0 : nil }
    }
    let words = (0..<Int.random(in: 1...20, using: &random)).map { _ in
      var word = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 1...9, using: &random) {
        guard let letter = scalar(script.letters), letter.properties.isAlphabetic else { continue }
        word.append(letter)
        if let marks = script.marks, random.chance(0.3), let mark = scalar(marks) { word.append(mark) }
      }
      return String(word)
    }
    return words.filter { !$0.isEmpty }.joined(separator: " ")
  }

  private struct Glyph: CustomStringConvertible {
    var id: UInt32
    var x: Double
    var y: Double
    var description: String { "\(id) at \(x) \(y)" }
  }

  /// A part of a text by HarfBuzz alone: its own reading of the file, and its own functions for the font. Arabic letters at the ends are
  /// joined to those around.
  private static func shaped(
    _ part: Range<Int>, of text: String, _ script: Script, path: String, request: FontRequest
  ) -> (glyphs: [Glyph], width: Double) {
    let blob = hb_blob_create_from_file(path)
    let face = hb_face_create(blob, 0)
    let font = hb_font_create(face)
    let buffer = hb_buffer_create()
    defer {
      hb_buffer_destroy(buffer)
      hb_font_destroy(font)
      hb_face_destroy(face)
      hb_blob_destroy(blob)
    }
    if hb_ot_var_has_data(face) != 0 {
      var weight = hb_variation_t(tag: 0x7767_6874, value: Float(request.weight))
      hb_font_set_variations(font, &weight, 1)
    }
    hb_buffer_add_utf8(buffer, text, -1, UInt32(part.lowerBound), Int32(part.count))
    hb_buffer_set_direction(buffer, script.isRightToLeft ? HB_DIRECTION_RTL : HB_DIRECTION_LTR)
    hb_buffer_set_script(buffer, hb_script_from_string(script.tag, -1))
    hb_buffer_set_language(buffer, hb_language_from_string("und", -1))
    let features = request.features.map {
      hb_feature_t(tag: hb_tag_from_string("\($0.tag)", -1), value: $0.value, start: 0, end: .max)
    }
    hb_shape(font, buffer, features, UInt32(features.count))
    let unit = request.size / Double(hb_face_get_upem(face))
    var count: UInt32 = 0
    guard let infos = hb_buffer_get_glyph_infos(buffer, &count),
      let positions = hb_buffer_get_glyph_positions(buffer, &count)
    else { return ([], 0) }
    var pen = 0
    let glyphs = (0..<Int(count)).map { index in
      defer { pen += Int(positions[index].x_advance) }
      return Glyph(
        id: infos[index].codepoint, x: Double(pen + Int(positions[index].x_offset)) * unit,
        y: -Double(positions[index].y_offset) * unit)
    }
    return (glyphs, Double(pen) * unit)
  }

  @Test(arguments: scripts)
  func glyphsAreThoseOfHarfBuzz(script: Script) throws {
    let path = try SystemFonts.path(of: script.file)
    let library = try FontLibrary(files: [path])
    var (lines, glyphs) = (0, 0)
    for seed in UInt64(runSeed)..<UInt64(runSeed + (isLongRun ? 600 : 60)) {
      var random = SplitMix64(seed: seed)
      let features: [[FontFeature]] = [[], [FontFeature("kern", 0)], [FontFeature("liga", 0)], [FontFeature("ss01")]]
      let request = FontRequest(
        [script.family], size: .random(in: 5...40, using: &random), weight: Int.random(in: 100...900, using: &random),
        features: features.randomElement(using: &random) ?? [])
      let wrapping = random.chance(0.5) ? TextLayout.Wrapping.word : .character
      let text = Self.text(script, try library.font(request), &random)
      let layout = try TextLayout(
        AttributedText(text), font: request, style: TextLayout.Style { $0.wrapping = wrapping },
        width: .random(in: 40...600, using: &random), fonts: library)
      let bytes = Array(text.utf8)
      for line in layout.lines {
        let end = bytes[line.range].lastIndex { $0 != UInt8(ascii: " ") }.map { $0 + 1 } ?? line.range.lowerBound
        let seen = line.range.lowerBound..<end
        let expected = Self.shaped(seen, of: text, script, path: path, request: request)
        let found = line.runs.filter { !$0.isHanging }.flatMap { run in
          run.glyphs.glyphs.map { Glyph(id: $0.id, x: run.x + $0.x, y: $0.y) }
        }
        let isEqual = found.elementsEqual(expected.glyphs) {
          $0.id == $1.id && abs($0.x - $1.x) < 1e-6 && abs($0.y - $1.y) < 1e-6
        }
        #expect(
          isEqual && abs(line.width - expected.width) < 1e-6,
          "seed \(seed), \(request): \(seen) of \(text.debugDescription): \(found), not \(expected)")
        (lines, glyphs) = (lines + 1, glyphs + found.count)
      }
    }
    #expect(lines > 100 && glyphs > 4 * lines)
  }
}
