internal import CHarfBuzz

/// A glyph of a part of a text, and the movement of the pen, in units of the design, y upwards.
package struct ShapedGlyph: BitwiseCopyable, Sendable {
  package var id: UInt32
  /// The byte at which the part of the text begins that the glyph shows, alone or with others.
  package var cluster: Int32
  package var advance: Int32
  package var xOffset: Int32
  package var yOffset: Int32
  /// False if the glyphs before `cluster` and behind it would not be the same by themselves.
  package var isSafeToBreak: Bool
}

/// How a part of a text is shaped, beside its font.
package struct ShapingStyle: Hashable, Sendable {
  /// By ISO 15924, such as `Latn`.
  package var script: FontTag
  /// By RFC 3066, such as `ja`.
  package var language: String
  package var isRightToLeft: Bool

  package init(script: FontTag, language: String = "und", isRightToLeft: Bool) {
    (self.script, self.language, self.isRightToLeft) = (script, language, isRightToLeft)
  }
}

extension Font {
  /// Calls `visit` with the glyphs of a part of a text, from left to right. Letters are joined to those around the part, as if the
  /// text went on in the same line.
  ///
  /// - Parameters:
  ///   - text: UTF-8.
  ///   - range: in bytes, between scalars.
  package func shape(
    _ range: Range<Int>, of text: [UInt8], _ style: ShapingStyle, _ visit: (ShapedGlyph) -> Void
  ) {
    let range = range.clamped(to: 0..<text.count)
    face.shaper.shape(features) { buffer in
      text.withUnsafeBytes { bytes in
        hb_buffer_add_utf8(
          buffer, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: bytes.count),
          UInt32(clamping: range.lowerBound), Int32(clamping: range.count))
      }
      hb_buffer_set_content_type(buffer, HB_BUFFER_CONTENT_TYPE_UNICODE)
      hb_buffer_set_script(buffer, hb_script_from_iso15924_tag(style.script.value))
      hb_buffer_set_language(buffer, hb_language_from_string(style.language, -1))
      hb_buffer_set_direction(buffer, style.isRightToLeft ? HB_DIRECTION_RTL : HB_DIRECTION_LTR)
    } visit: { information, position in
      visit(
        ShapedGlyph(
          id: information.codepoint, cluster: Int32(clamping: information.cluster), advance: position.x_advance,
          xOffset: position.x_offset, yOffset: position.y_offset,
          isSafeToBreak: information.mask & HB_GLYPH_FLAG_UNSAFE_TO_BREAK.rawValue == 0))
    }
  }

  /// True if the font has a glyph for a single character.
  package func hasGlyph(for scalar: Unicode.Scalar) -> Bool { face.shaper.glyph(for: scalar) != nil }
}
