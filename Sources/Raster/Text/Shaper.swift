internal import CHarfBuzz
import LinuxSystem
import Synchronization

/// HarfBuzz's view of a face, in units of the design.
///
/// Safe to share although unchecked: `init` makes the font immutable, and HarfBuzz lets threads share immutable fonts.
final class Shaper: @unchecked Sendable {
  private let font: OpaquePointer?
  let face: OpaquePointer?
  private let data: FontData
  private let idleBuffers = Lock<[ShapingBuffer]>([])
  /// The number of calls of `shape`.
  let count = Atomic<Int>(0)

  /// A glyph and the movement of the pen, in units of the design, y upwards.
  struct Glyph {
    var id: UInt32
    var advance: Int32
    var xOffset: Int32
    var yOffset: Int32

    init(_ information: hb_glyph_info_t, _ position: hb_glyph_position_t) {
      (id, advance) = (information.codepoint, position.x_advance)
      (xOffset, yOffset) = (position.x_offset, position.y_offset)
    }
  }

  /// - Parameter coordinates: the design's value on each axis.
  init(data: FontData, index: Int, unitsPerEm: Int, coordinates: (_ axes: [FontAxis]) -> [Double]) {
    self.data = data
    let blob = hb_blob_create(
      data.bytes.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(data.bytes.count), HB_MEMORY_MODE_READONLY, nil,
      nil)
    face = hb_face_create(blob, UInt32(index))
    hb_blob_destroy(blob)
    font = hb_font_create(face)
    hb_font_set_scale(font, Int32(unitsPerEm), Int32(unitsPerEm))
    let values = coordinates(Self.axes(of: face)).map { Float($0) }
    if !values.isEmpty { hb_font_set_var_coords_design(font, values, UInt32(values.count)) }
    hb_font_make_immutable(font)
  }

  deinit {
    hb_font_destroy(font)
    hb_face_destroy(face)
  }

  /// Calls `visit` with the glyphs of a text in the direction of its script, from left to right.
  func shape(_ string: String, features: [FontFeature], _ visit: (Glyph) -> Void) {
    shape(features) { buffer in
      hb_buffer_pre_allocate(buffer, UInt32(clamping: string.utf8.count))
      for (index, scalar) in string.unicodeScalars.enumerated() {
        hb_buffer_add(buffer, scalar.valueInLine, UInt32(clamping: index))
      }
      hb_buffer_set_content_type(buffer, HB_BUFFER_CONTENT_TYPE_UNICODE)
      // Without a language HarfBuzz asks the environment, and glyphs would differ from machine to machine.
      hb_buffer_set_language(buffer, hb_language_from_string("und", -1))
      hb_buffer_guess_segment_properties(buffer)
    } visit: { information, position in
      visit(Glyph(information, position))
    }
  }

  /// Calls `visit` with the glyphs of what `fill` adds to a buffer that is empty, from left to right.
  func shape(
    _ features: [FontFeature], fill: (OpaquePointer?) -> Void, visit: (hb_glyph_info_t, hb_glyph_position_t) -> Void
  ) {
    count.wrappingAdd(1, ordering: .relaxed)
    let shaping = idleBuffers.withLock { $0.popLast() } ?? ShapingBuffer()
    defer { if shaping.isWorthKeeping { idleBuffers.withLock { $0.append(shaping) } } }
    let buffer = shaping.buffer
    hb_buffer_clear_contents(buffer)
    fill(buffer)
    withUnsafeTemporaryAllocation(of: hb_feature_t.self, capacity: features.count) { memory in
      for (index, feature) in features.enumerated() {
        memory.initializeElement(
          at: index, to: hb_feature_t(tag: feature.tag.value, value: feature.value, start: 0, end: .max))
      }
      hb_shape(font, buffer, memory.baseAddress, UInt32(memory.count))
    }
    var count: UInt32 = 0
    guard let infos = hb_buffer_get_glyph_infos(buffer, &count),
      let positions = hb_buffer_get_glyph_positions(buffer, &count)
    else { return }
    for index in 0..<Int(count) { visit(infos[index], positions[index]) }
  }

  /// The glyph that the font has for a single character.
  func glyph(for scalar: Unicode.Scalar) -> UInt32? {
    var glyph: UInt32 = 0
    return hb_font_get_nominal_glyph(font, scalar.value, &glyph) != 0 ? glyph : nil
  }

  /// The extent of the glyph's ink around its origin, y upwards.
  func inkExtents(of glyph: UInt32) -> (left: Int32, top: Int32, width: Int32, height: Int32)? {
    var extents = hb_glyph_extents_t()
    guard hb_font_get_glyph_extents(font, glyph, &extents) != 0 else { return nil }
    return (extents.x_bearing, extents.y_bearing, extents.width, extents.height)
  }

  /// The heights that the font states. Missing ones come from FreeType, missing heights of letters from their ink.
  func metrics(fallback source: OutlineSource) -> FontFace.Metrics {
    func metric(_ tag: hb_ot_metrics_tag_t) -> Double? {
      var value: Int32 = 0
      return hb_ot_metrics_get_position(font, tag, &value) != 0 ? Double(value) : nil
    }
    func inkHeight(of scalar: Unicode.Scalar) -> Double? {
      glyph(for: scalar).flatMap { inkExtents(of: $0) }.map { Double($0.top) }
    }
    let unit = Double(source.unitsPerEm)
    let ascent = metric(HB_OT_METRICS_TAG_HORIZONTAL_ASCENDER) ?? Double(source.ascender)
    let descent = -(metric(HB_OT_METRICS_TAG_HORIZONTAL_DESCENDER) ?? Double(source.descender))
    let lineGap = metric(HB_OT_METRICS_TAG_HORIZONTAL_LINE_GAP) ?? Double(source.height) - ascent - descent
    func stroke(_ place: hb_ot_metrics_tag_t, _ size: hb_ot_metrics_tag_t, _ usual: Double) -> FontStroke {
      FontStroke(top: metric(place) ?? usual * unit, thickness: max(metric(size) ?? unit / 20, 0))
    }
    return FontFace.Metrics(
      ascent: ascent, descent: descent, lineGap: max(lineGap, 0),
      capHeight: metric(HB_OT_METRICS_TAG_CAP_HEIGHT) ?? inkHeight(of: "H") ?? unit * 0.7,
      underline: stroke(HB_OT_METRICS_TAG_UNDERLINE_OFFSET, HB_OT_METRICS_TAG_UNDERLINE_SIZE, -0.1),
      strikethrough: stroke(HB_OT_METRICS_TAG_STRIKEOUT_OFFSET, HB_OT_METRICS_TAG_STRIKEOUT_SIZE, 0.25))
  }
}

/// The memory in which a run of text is shaped, used again for the next one.
///
/// Unchecked but safe to share: who shapes takes it from the idle ones and has it alone.
private final class ShapingBuffer: @unchecked Sendable {
  let buffer = hb_buffer_create()

  deinit { hb_buffer_destroy(buffer) }

  /// False after a run so long that its memory, 40 bytes a glyph, is better given back.
  var isWorthKeeping: Bool { hb_buffer_get_length(buffer) <= 4096 }
}
