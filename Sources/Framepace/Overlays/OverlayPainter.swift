import Compositing
import Geometry
import Glibc
import LinuxSystem
import Presentation
import Raster
import RenderTree

/// Draws overlays over the frames of one output. Frames are painted into bitmaps of its own, which stay as the compositor left them.
@MainActor
final class OverlayPainter: FramePainter {
  private let overlays: Set<FrameOverlay>
  private let names: LayerNames
  private let geometry: () -> DisplayGeometry
  private let compositor: Compositor
  private let font: FontFace
  private let meter: MeterPanel?
  /// The picture of each buffer, by its index; nil where there is no memory for it.
  private var canvases: [Canvas?] = []

  private struct Canvas {
    let bitmap: Bitmap
    /// The pixels in which the buffer may differ from it.
    var covered: DamageRegion
  }

  init(
    _ overlays: Set<FrameOverlay>, names: LayerNames, workers: WorkerPool, geometry: @escaping () -> DisplayGeometry,
    meter: MeterPanel? = nil
  ) throws(FontError) {
    (self.overlays, self.names, self.geometry, self.meter) = (overlays, names, geometry, meter)
    compositor = Compositor(workers: workers)
    font = try SystemFonts.face(.sans)
  }

  func canvas(for buffer: PresentationBuffer) -> Bitmap? {
    while canvases.count <= buffer.index { canvases.append(newCanvas(for: buffer)) }
    // After a change of the mode the output paints all.
    if let canvas = canvases[buffer.index]?.bitmap,
      canvas.width != buffer.target.width || canvas.height != buffer.target.height
    {
      canvases[buffer.index] = newCanvas(for: buffer)
    }
    return canvases[buffer.index]?.bitmap
  }

  private func newCanvas(for buffer: PresentationBuffer) -> Canvas? {
    guard let target = buffer.target.bitmap, let bitmap = try? Bitmap(width: target.width, height: target.height) else {
      return nil
    }
    let bounds = IntRect(x: 0, y: 0, width: bitmap.width, height: bitmap.height)
    return Canvas(bitmap: bitmap, covered: DamageRegion(bounds))
  }

  func draw(over frame: InspectedFrame) -> DamageRegion {
    guard let canvas = canvases[frame.buffer.index], let bitmap = frame.buffer.target.bitmap else {
      return frame.made.written
    }
    let view = OverlayView(width: bitmap.width, height: bitmap.height, geometry: geometry())
    var written = frame.made.written
    written.add(canvas.covered)
    for rect in written.rects {
      let (start, length) = (Int(rect.minX) * 4, Int(rect.width) * 4)
      for y in Int(rect.minY)..<Int(rect.maxY) {
        memcpy(bitmap.row(y) + start, canvas.bitmap.row(y) + start, length)
      }
    }
    if overlays.contains(.overdraw) { paintOverdraw(of: frame, bitmap) }
    let context = DrawingContext(bitmap: bitmap)
    context.concatenate(view.toOutput)
    if overlays.contains(.overdraw) { drawLegend(context, view) }
    if overlays.contains(.damage) { draw(frame.damage, context, view) }
    if overlays.contains(.borders) { drawBorders(of: frame.tree, context, view) }
    if overlays.contains(.reasons) { drawReasons(of: frame, context, view) }
    meter?.draw(context, view)
    context.flush()
    let covered = covered(frame.damage, view)
    canvases[frame.buffer.index]?.covered = covered
    written.add(covered)
    return written
  }

  /// The pixels that the overlays may have changed.
  private func covered(_ damage: DamageRegion, _ view: OverlayView) -> DamageRegion {
    guard overlays.isSubset(of: [.damage, .meter]) else { return DamageRegion(view.output) }
    var covered = DamageRegion()
    if let meter { covered.add(IntRect(covering: view.toOutput.boundingBox(of: meter.box(in: view)))) }
    if overlays.contains(.damage) { covered.add(damage) }
    covered.clip(to: view.output)
    return covered
  }

  // MARK: Damage

  private static let damageColor = Color(hex: 0xFF3D8B)

  private func draw(_ damage: DamageRegion, _ context: DrawingContext, _ view: OverlayView) {
    for rect in damage.rects.map(view.rect) {
      // The line around a rectangle that is narrower than two lines would lie outside of it.
      context.withSavedState {
        context.clip(rect)
        context.fill(rect, color: Self.damageColor.withAlpha(0.14))
        view.stroke(view.outline(of: rect), Self.damageColor, context)
      }
    }
  }

  // MARK: Borders

  private func drawBorders(of tree: TreeSnapshot, _ context: DrawingContext, _ view: OverlayView) {
    for outline in LayerOutline.all(of: tree, in: view.output) {
      let color: Color =
        switch outline.kind {
        case .plain: Color(hex: 0x90A4AE).withAlpha(0.7)
        case .content: Color(hex: 0x4FC3F7).withAlpha(0.8)
        case .picture: Color(hex: 0xFFB74D).withAlpha(0.9)
        }
      context.withSavedState {
        context.clip(view.rect(outline.clip))
        view.stroke(view.path(around: outline.corners), color, context)
      }
    }
  }

  // MARK: Overdraw

  /// The tints of pixels that were painted once, twice and so on; the last is for more.
  private static let heat = [0x3F51B5, 0x2E9E5B, 0xE8B422, 0xEF7B1A, 0xE02B3C].map { Color(hex: $0) }
  private static let heatAlpha: UInt32 = 140

  private func paintOverdraw(of frame: InspectedFrame, _ bitmap: Bitmap) {
    // A count for each pixel. Without memory for them the picture is shown as it is.
    guard let counts = try? Bitmap(width: bitmap.width, height: bitmap.height) else { return }
    func row(_ y: Int, of bitmap: Bitmap) -> UnsafeMutablePointer<UInt32> {
      bitmap.row(y).assumingMemoryBound(to: UInt32.self)
    }
    compositor.visitPaintedRuns(of: frame.tree, damage: frame.made.damage, width: bitmap.width, height: bitmap.height) {
      y, columns in
      let counts = row(Int(y), of: counts)
      for x in columns { counts[Int(x)] &+= 1 }
    }
    let tints = Self.heat.map(\.premultipliedBGRA)
    for y in 0..<bitmap.height {
      let (pixels, counts) = (row(y, of: bitmap), row(y, of: counts))
      for x in 0..<bitmap.width where counts[x] > 0 {
        pixels[x] = Self.mix(pixels[x], tints[min(Int(counts[x]), tints.count) - 1])
      }
    }
  }

  private static func mix(_ pixel: UInt32, _ tint: UInt32) -> UInt32 {
    func channel(_ shift: UInt32) -> UInt32 {
      (((pixel >> shift & 255) * (255 - heatAlpha) + (tint >> shift & 255) * heatAlpha) / 255) << shift
    }
    return 0xFF00_0000 | channel(16) | channel(8) | channel(0)
  }

  private func drawLegend(_ context: DrawingContext, _ view: OverlayView) {
    let font = Font(font, size: 11 * view.scale)
    let names = Self.heat.indices.map { $0 == Self.heat.count - 1 ? "\($0 + 1)× or more" : "\($0 + 1)×" }
    let lines = (["painted"] + names).map { TextLine($0, font: font) }
    let (gap, swatch) = (8 * view.scale, 10 * view.scale)
    let width = lines.reduce(gap) { $0 + $1.width + gap } + Double(names.count) * (swatch + gap / 2)
    let height = font.lineHeight + gap
    let box = Rect(
      x: gap, y: view.size.height - height - gap, width: width, height: height)
    context.fill(box, cornerRadius: 4 * view.scale, color: Color.black.withAlpha(0.75))
    var x = box.minX + gap
    for (index, line) in lines.enumerated() {
      if index > 0 {
        context.fill(
          Rect(x: x, y: box.center.y - swatch / 2, width: swatch, height: swatch), cornerRadius: 2 * view.scale,
          color: Self.heat[index - 1])
        x += swatch + gap / 2
      }
      context.draw(line, at: Point(x, box.minY + gap / 2 + font.ascent), color: .white)
      x += line.width + gap
    }
  }

  // MARK: Reasons

  private func drawReasons(of frame: InspectedFrame, _ context: DrawingContext, _ view: OverlayView) {
    let reasons = SceneDiff.reasons(
      from: frame.old, to: frame.tree, width: view.output.width, height: view.output.height)
    let names = names.names(of: Set(reasons.map(\.layer)))
    let isFirst = frame.old.records.isEmpty
    var labels = OverlayLabels(font: Font(font, size: 11 * view.scale), view: view)
    for rect in frame.damage.rects {
      var layers: [String: Set<UInt32>] = [:]
      var lines: [String] = []
      for reason in reasons where !isFirst && reason.pixels.intersects(rect) {
        let line = "\(reason.layer == 0 ? "output" : names[reason.layer] ?? "a layer"): \(reason.change)"
        if layers[line] == nil { lines.append(line) }
        layers[line, default: []].insert(reason.layer)
      }
      let texts = lines.map { line in
        let count = layers[line]?.count ?? 1
        return count == 1 ? line : "\(count) × \(line)"
      }
      labels.add(isFirst ? ["first frame"] : texts, at: view.rect(rect))
    }
    labels.draw(context)
  }
}
