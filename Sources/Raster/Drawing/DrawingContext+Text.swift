internal import CCairo
public import Geometry
import LinuxSystem

extension DrawingContext {
  /// Draws a line of text.
  ///
  /// Where the transform only moves and scales evenly, glyphs come from a cache. They stand at whole pixels vertically and
  /// at quarters of a pixel horizontally. Under other transforms, and above 128 pixels, their outlines are filled.
  ///
  /// - Parameter baseline: the left end of the line's baseline. The top of the line is `line.ascent` above it.
  public func draw(_ line: TextLine, at baseline: Point, color: Color) {
    guard isDrawable, !line.glyphs.isEmpty, line.font.size > 0 else { return }
    setSource(color)
    drawGlyphs(line, at: baseline)
  }

  /// Draws a line of text; see `draw(_:at:color:)`.
  public func draw(_ line: TextLine, at baseline: Point, gradient: Gradient) {
    let ink = line.inkBounds
    let place = Rect(x: baseline.x + ink.minX, y: baseline.y + ink.minY, width: ink.width, height: ink.height)
    // Glyphs are antialiased, and stand at whole pixels vertically.
    let pixels = IntRect(covering: transform.boundingBox(of: place).insetBy(dx: -2, dy: -2))
    guard !line.glyphs.isEmpty, line.font.size > 0, setSource(gradient, over: pixels) else { return }
    drawGlyphs(line, at: baseline)
    releaseSource()
  }

  private func drawGlyphs(_ line: TextLine, at baseline: Point) {
    #if DEBUG
      if line.glyphs.contains(where: { $0.id == 0 }) {
        DebugHint.give(
          "the font \(line.font.face.path) has no glyph for “\(line.missingCharacters)” in the text “\(line.string)”; "
            + "use a font that has it",
          kind: "glyphs of \(line.font.face.path)")
      }
    #endif
    if let size64 = cachedSize64(of: line.font) {
      textMask.place(line, origin: transform.apply(baseline), pixelsPerPoint: transform.a)
      GlyphCache.shared.resolve(&textMask.placed, face: line.font.face, size64: size64)
      if textMask.accumulate(within: clippedPixels) {
        paintThroughMask()
        return
      }
    }
    drawOutlines(line, at: baseline)
  }

  /// The font's size in 1/64 pixel, or nil if its glyphs must be drawn as outlines.
  private func cachedSize64(of font: Font) -> Int? {
    guard transform.isScaleAndTranslation, transform.a == transform.d, transform.a > 0 else { return nil }
    let size64 = (font.size * transform.a * 64).rounded()
    return size64 >= 1 && size64 <= 128 * 64 ? Int(size64) : nil
  }

  func drawOutlines(_ line: TextLine, at baseline: Point) {
    for glyph in line.glyphs {
      let placement = line.placement(of: glyph, at: baseline)
      addPath(line.font.face.outline(of: glyph.id), placement.concatenating(transform))
    }
    fillAdded(.nonZero)
  }

  private func paintThroughMask() {
    let area = textMask.area
    let stride = Int32(textMask.stride)
    guard !area.isEmpty else { return }
    textMask.coverage.withUnsafeMutableBufferPointer { coverage in
      let mask = cairo_image_surface_create_for_data(
        coverage.baseAddress, CAIRO_FORMAT_A8, Int32(area.width), Int32(area.height), stride)
      cairo_mask_surface(cairo, mask, Double(area.minX), Double(area.minY))
      cairo_surface_finish(mask)
      cairo_surface_destroy(mask)
    }
  }
}
