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
    line.hintAtMissingGlyphs()
    draw(line.run, at: baseline, color: color)
  }

  /// Draws the glyphs of a part of a text, as a line of text is drawn.
  ///
  /// - Parameter baseline: the left end of the run's baseline.
  public func draw(_ run: GlyphRun, at baseline: Point, color: Color) {
    guard isDrawable, !run.glyphs.isEmpty, run.font.size > 0 else { return }
    if run.font.face.hasPictures { return drawPictures(run, at: baseline, opacity: color.alpha) }
    setSource(color)
    drawGlyphs(run, at: baseline)
  }

  /// Draws the pictures of a font in their own colours.
  private func drawPictures(_ run: GlyphRun, at baseline: Point, opacity: Double = 1) {
    let face = run.font.face
    guard isDrawable, let pixelsPerEm = face.pixelsPerEm else { return }
    let scale = run.font.size / Double(pixelsPerEm)
    for glyph in run.glyphs {
      guard let picture = face.picture(of: glyph.id) else { continue }
      draw(
        picture.image,
        in: Rect(
          x: baseline.x + glyph.x + Double(picture.left) * scale, y: baseline.y + glyph.y - Double(picture.top) * scale,
          width: Double(picture.image.width) * scale, height: Double(picture.image.height) * scale), opacity: opacity)
    }
  }

  /// Draws a line of text; see `draw(_:at:color:)`.
  public func draw(_ line: TextLine, at baseline: Point, gradient: Gradient) {
    line.hintAtMissingGlyphs()
    if line.font.face.hasPictures { return drawPictures(line.run, at: baseline) }
    let ink = line.inkBounds
    let place = Rect(x: baseline.x + ink.minX, y: baseline.y + ink.minY, width: ink.width, height: ink.height)
    // Glyphs are antialiased, and stand at whole pixels vertically.
    let pixels = IntRect(covering: transform.boundingBox(of: place).insetBy(dx: -2, dy: -2))
    guard !line.glyphs.isEmpty, line.font.size > 0, setSource(gradient, over: pixels) else { return }
    drawGlyphs(line.run, at: baseline)
    releaseSource()
  }

  private func drawGlyphs(_ run: GlyphRun, at baseline: Point) {
    let grid = GlyphGrid(run, at: baseline, transform)
    guard case .bitmaps(let size) = grid.source, size.turns == 0 else { return drawOutlines(run, at: baseline) }
    grid.place(in: clippedPixels, &textMask.placed)
    let resolved = GlyphCache.shared.resolve(&textMask.placed, face: run.font.face, size: size)
    defer { withExtendedLifetime(resolved) {} }
    textMask.withCoverage(within: clippedPixels) { mask in
      let area = mask.pixels
      let surface = cairo_image_surface_create_for_data(
        mask.row(area.minY), CAIRO_FORMAT_A8, Int32(area.width), Int32(area.height), Int32(mask.bytesPerRow))
      cairo_mask_surface(cairo, surface, Double(area.minX), Double(area.minY))
      cairo_surface_finish(surface)
      cairo_surface_destroy(surface)
    }
  }

  func drawOutlines(_ run: GlyphRun, at baseline: Point) {
    for glyph in run.glyphs {
      let placement = run.placement(of: glyph, at: baseline)
      addPath(run.font.face.outline(of: glyph.id), placement.concatenating(transform))
    }
    fillAdded(.nonZero)
  }
}

extension TextLine {
  /// True if the font does not have all of its characters.
  package var lacksGlyphs: Bool { glyphs.contains { $0.id == 0 } }

  /// Gives a hint at characters that the font does not have.
  package func hintAtMissingGlyphs() {
    #if DEBUG
      guard lacksGlyphs else { return }
      DebugHint.give(
        "the font \(font.face.path) has no glyph for “\(missingCharacters)” in the text “\(string)”; use a font that has it, "
          + "or a paragraph (ParagraphLayer, TextLayout), which takes such letters from other fonts",
        kind: "glyphs of \(font.face.path)")
    #endif
  }
}
