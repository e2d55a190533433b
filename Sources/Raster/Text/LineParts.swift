internal import CFriBidi
internal import CHarfBuzz

/// The parts of a line of text that are shaped one by one: in each, all letters have one direction and one script.
struct LineParts {
  struct Part {
    /// The scalars of the line that are in it.
    var range: Range<Int>
    /// The embedding level, odd from right to left.
    var level: UInt8
    /// Nil where there are only characters that many scripts have, as digits.
    var script: hb_script_t?
  }

  /// The scalars of the line, in the order of the text.
  let scalars: [UInt32]
  /// From left to right.
  let parts: [Part]
  /// True if the first letter that has a direction is from right to left.
  let isRightToLeft: Bool

  init(_ string: String) {
    scalars = string.unicodeScalars.map(\.valueInLine)
    let (levels, isRightToLeft) = Self.levels(of: scalars)
    let parts = Self.parts(of: scalars, levels)
    self.parts = LineOrder.leftToRight(parts.map(\.level)).map { parts[$0] }
    self.isRightToLeft = isRightToLeft
  }

  /// The embedding levels by UAX 9, and the direction of the line. Without memory for them, all is from left to right.
  private static func levels(of scalars: [UInt32]) -> (levels: [Int8], isRightToLeft: Bool) {
    let count = Int32(clamping: scalars.count)
    var types = [FriBidiCharType](repeating: FRIBIDI_TYPE_ON, count: scalars.count)
    var brackets = [FriBidiBracketType](repeating: 0, count: scalars.count)
    var levels = [Int8](repeating: 0, count: scalars.count)
    var direction = FRIBIDI_PAR_ON
    fribidi_get_bidi_types(scalars, count, &types)
    fribidi_get_bracket_types(scalars, count, types, &brackets)
    guard fribidi_get_par_embedding_levels_ex(types, brackets, count, &direction, &levels) != 0 else {
      return ([Int8](repeating: 0, count: scalars.count), false)
    }
    return (levels, direction.rawValue & UInt32(FRIBIDI_MASK_RTL) != 0)
  }

  /// In the order of the text.
  private static func parts(of scalars: [UInt32], _ levels: [Int8]) -> [Part] {
    var parts: [Part] = []
    for (index, scalar) in scalars.enumerated() {
      let level = UInt8(clamping: levels[index])
      let script = hb_script_t(ofScalar: scalar)
      if let last = parts.last, last.level == level, script == nil || last.script == nil || script == last.script {
        parts[parts.count - 1] = Part(
          range: last.range.lowerBound..<index + 1, level: level, script: last.script ?? script)
      } else {
        parts.append(Part(range: index..<index + 1, level: level, script: script))
      }
    }
    // Digits are those of the letters before them.
    for index in parts.indices.dropFirst() where parts[index].script == nil { parts[index].script = parts[index - 1].script }
    return parts
  }
}

extension Shaper {
  /// Calls `visit` with the glyphs of a line, from left to right.
  ///
  /// - Parameter line: the parts of the text; nil if it is one.
  func shape(_ string: String, _ line: LineParts?, features: [FontFeature], _ visit: (Glyph) -> Void) {
    guard let line else { return shape(string, features: features, visit) }
    for part in line.parts { shape(part, of: line, features: features, visit) }
  }

  /// Calls `visit` with the glyphs of a part of a line, from left to right. Letters are joined to those around the part.
  private func shape(_ part: LineParts.Part, of line: LineParts, features: [FontFeature], _ visit: (Glyph) -> Void) {
    shape(features) { buffer in
      hb_buffer_add_utf32(
        buffer, line.scalars, Int32(clamping: line.scalars.count), UInt32(clamping: part.range.lowerBound),
        Int32(clamping: part.range.count))
      hb_buffer_set_content_type(buffer, HB_BUFFER_CONTENT_TYPE_UNICODE)
      hb_buffer_set_script(buffer, part.script ?? HB_SCRIPT_COMMON)
      hb_buffer_set_language(buffer, hb_language_from_string("und", -1))
      hb_buffer_set_direction(buffer, part.level & 1 == 0 ? HB_DIRECTION_LTR : HB_DIRECTION_RTL)
    } visit: { information, position in
      visit(Glyph(information, position))
    }
  }
}

extension hb_script_t {
  /// Nil for a character that many scripts have.
  fileprivate init?(ofScalar scalar: UInt32) {
    switch hb_unicode_script(hb_unicode_funcs_get_default(), scalar) {
    case HB_SCRIPT_COMMON, HB_SCRIPT_INHERITED, HB_SCRIPT_UNKNOWN: return nil
    case let script: self = script
    }
  }
}

extension String {
  /// True if it is a line of one part: its letters are of one script, and no character is written from right to left or makes others so.
  var isOnePart: Bool {
    // ASCII has the letters of one script.
    guard utf8.contains(where: { $0 >= 0x80 }) else { return true }
    var script: hb_script_t?
    for scalar in unicodeScalars {
      if scalar.isFromTheRight { return false }
      guard let found = hb_script_t(ofScalar: scalar.value) else { continue }
      if let script, script != found { return false }
      script = found
    }
    return true
  }
}

extension Unicode.Scalar {
  /// The character that stands for this one in a line: a line has no breaks in it, and fonts have no glyphs for control characters.
  var valueInLine: UInt32 {
    properties.generalCategory == .control || self == "\u{2028}" || self == "\u{2029}" ? 0x20 : value
  }

  /// True in the blocks that DerivedBidiClass.txt of Unicode reserves for letters from right to left, and for the marks, embeddings,
  /// overrides and isolates of that direction.
  fileprivate var isFromTheRight: Bool {
    switch value {
    case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x1_0800...0x1_0FFF, 0x1_E800...0x1_EFFF: true
    case 0x200F, 0x202B, 0x202E, 0x2067: true
    default: false
    }
  }
}
