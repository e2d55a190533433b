public import Framepace
import Glibc

/// A sheet of paper on which all fingers draw at once: the layers of the sample `Paint`.
///
/// Strokes are painted into the pixels of one surface as they come, so that a drawing of a million strokes costs no more than the piece
/// that was added last.
public final class PaintBoard: Layer {
  /// The number of strokes since the paper was clear.
  public private(set) var strokeCount = 0
  public let clearButton: PushButton
  /// The colours to choose from, and before them the one that gives each finger another.
  public let swatches: [Layer]

  private static let barHeight = 72.0
  private static let paperColor = Color(hex: 0xFBF8F1)
  private static let inks =
    [0xE4475B, 0xF59B23, 0x21A67A, 0x1E88D2, 0x7A5BD0].map { Color(hex: $0) } + [Color(hex: 0x2A2E35)]

  private let paper = SurfaceLayer()
  private let pixels: PaperPixels
  private let ring = ShapeLayer()
  private var strokes: [Touch.ID: BrushStroke] = [:]
  /// The ink that is chosen; nil to give each finger another.
  private var ink: Color?
  private var nextInk = 0

  /// - Parameter scale: pixels a point.
  public init(frame: Rect, scale: Double, fonts: FontLibrary) throws {
    clearButton = PushButton("Clear", fonts: fonts, color: Palette.line, textColor: Palette.text)
    let rainbow = GradientLayer()
    (rainbow.type, rainbow.colors) = (.conic, Self.inks.dropLast() + [Self.inks[0]])
    (rainbow.startPoint, rainbow.endPoint) = (Point(0.5, 0.5), Point(0.5, 0))
    swatches =
      [rainbow]
      + Self.inks.map { ink in
        let layer = Layer()
        layer.backgroundColor = ink
        return layer
      }
    pixels = try PaperPixels(
      size: Size(frame.width, max(frame.height - Self.barHeight, 1)), scale: scale, color: Self.paperColor)
    super.init()
    self.frame = frame
    backgroundColor = Palette.panel
    paper.surface = pixels.surface
    paper.responder = Brush(self)
    (ring.fillColor, ring.strokeColor, ring.strokeStyle) = (nil, Palette.text, StrokeStyle(width: 2))
    ring.isInteractionEnabled = false
    for layer in [paper] + swatches + [ring, clearButton] { addSublayer(layer) }
    for (index, swatch) in swatches.enumerated() {
      (swatch.masksToBounds, swatch.borderColor, swatch.borderWidth) = (true, Palette.text.withAlpha(0.25), 1)
      swatch.addGestureRecognizer(TapGestureRecognizer(TapMachine()) { [unowned self] _ in choose(index) })
    }
    clearButton.action = { [unowned self] in clear() }
  }

  public override func layoutSublayers() {
    paper.frame = Rect(x: 0, y: 0, width: bounds.width, height: max(bounds.height - Self.barHeight, 1))
    pixels.fit(paper.bounds.size)
    paper.surface = pixels.surface
    let middle = bounds.height - Self.barHeight / 2
    let step = min((bounds.width - 132) / Double(swatches.count), 56)
    let side = min(step * 0.72, 40)
    for (index, swatch) in swatches.enumerated() {
      let center = Point(16 + step * (Double(index) + 0.5), middle)
      swatch.frame = Rect(x: center.x - side / 2, y: center.y - side / 2, width: side, height: side)
      swatch.cornerRadius = side / 2
    }
    clearButton.frame = Rect(x: bounds.width - 108, y: middle - 20, width: 92, height: 40)
    placeRing()
  }

  private func placeRing() {
    let chosen = swatches[ink.flatMap { ink in Self.inks.firstIndex(of: ink).map { $0 + 1 } } ?? 0].frame
    ring.path = .circle(center: Point(chosen.midX, chosen.midY), radius: chosen.width / 2 + 4)
  }

  /// Chooses the ink of the next strokes: 0 for another one for each finger.
  public func choose(_ index: Int) {
    ink = index == 0 ? nil : Self.inks[index - 1]
    placeRing()
  }

  /// Makes the paper clear. Fingers that are down go on from where they are.
  public func clear() {
    pixels.clear()
    strokeCount = strokes.count
  }

  // MARK: Strokes

  fileprivate func begin(_ touch: Touch) {
    guard let place = touch.location(in: paper) else { return }
    let ink = ink ?? Self.inks[nextInk % (Self.inks.count - 1)]
    nextInk += 1
    strokeCount += 1
    strokes[touch.id] = BrushStroke(at: place, ink: ink)
    pixels.paint { strokes[touch.id]?.draw(to: place, width: Self.width(touch.pressure), in: $0) }
  }

  fileprivate func go(on touch: Touch) {
    guard strokes[touch.id] != nil else { return }
    pixels.paint { context in
      var damage = Rect.zero
      // A brush paints along all samples that the turn has put together.
      for sample in touch.history {
        guard let place = touch.convert(sample.contact.location, to: paper) else { continue }
        let painted = strokes[touch.id]?.draw(to: place, width: Self.width(sample.pressure), in: context) ?? .zero
        damage = damage.union(painted)
      }
      return damage
    }
  }

  fileprivate func end(_ touch: Touch) {
    guard var stroke = strokes.removeValue(forKey: touch.id) else { return }
    pixels.paint { stroke.finish(in: $0) }
  }

  /// A brush is 10 points wide, that of a pen 3 to 24.
  private static func width(_ pressure: Double?) -> Double { pressure.map { 3 + 21 * $0 } ?? 10 }

  private final class Brush: Responder {
    private weak let board: PaintBoard?
    init(_ board: PaintBoard) { self.board = board }

    override func touchBegan(_ touch: Touch) { board?.begin(touch) }
    override func touchMoved(_ touch: Touch) { board?.go(on: touch) }
    override func touchEnded(_ touch: Touch) { board?.end(touch) }
    override func touchCancelled(_ touch: Touch) { board?.end(touch) }
  }
}

/// A stroke under way: a curve through the middles between places, so that it has no corners.
private struct BrushStroke {
  private let ink: Color
  private var last: Point
  private var middle: Point
  private var width = 0.0

  init(at place: Point, ink: Color) { (self.ink, last, middle) = (ink, place, place) }

  /// Goes on to a place, and returns what it painted.
  mutating func draw(to place: Point, width new: Double, in context: DrawingContext) -> Rect {
    let next = Point((last.x + place.x) / 2, (last.y + place.y) / 2)
    // Widths change softly.
    width = width == 0 ? new : width + (new - width) * 0.3
    var path = Path()
    path.move(to: middle)
    path.quadCurve(to: next, control: last)
    let painted = stroke(path, [middle, last, next], in: context)
    (middle, last) = (next, place)
    return painted
  }

  mutating func finish(in context: DrawingContext) -> Rect {
    var path = Path()
    path.move(to: middle)
    path.line(to: last)
    return stroke(path, [middle, last], in: context)
  }

  private func stroke(_ path: Path, _ points: [Point], in context: DrawingContext) -> Rect {
    var style = StrokeStyle(width: width)
    (style.cap, style.join) = (.round, .round)
    context.stroke(path, style, color: ink)
    let (x, y) = (points.map(\.x), points.map(\.y))
    let (left, top) = (x.min() ?? 0, y.min() ?? 0)
    return Rect(x: left, y: top, width: (x.max() ?? 0) - left, height: (y.max() ?? 0) - top)
      .insetBy(dx: -width / 2 - 1, dy: -width / 2 - 1)
  }
}

/// The pixels of the paper: a bitmap that is painted on, and the surface that shows it.
@MainActor
private final class PaperPixels {
  private(set) var surface: Surface
  /// As large as the paper ever was: what is drawn beyond its edges comes back with its size.
  private var bitmap: Bitmap
  private var context: DrawingContext
  private let color: Color
  private let scale: Double

  init(size: Size, scale: Double, color: Color) throws {
    let (width, height) = Self.pixels(size, scale)
    (bitmap, self.color, self.scale) = (try Bitmap(width: width, height: height), color, scale)
    surface = try Surface(width: width, height: height, isOpaque: true)
    context = DrawingContext(bitmap: bitmap, scale: scale)
    clear()
  }

  private static func pixels(_ size: Size, _ scale: Double) -> (width: Int, height: Int) {
    (Int((size.width * scale).rounded(.up)), Int((size.height * scale).rounded(.up)))
  }

  /// Gives the paper another size, in points. What was drawn stays where it is.
  func fit(_ size: Size) {
    let (width, height) = Self.pixels(size, scale)
    if width == surface.width, height == surface.height { return }
    do {
      if width > bitmap.width || height > bitmap.height {
        let larger = try Bitmap(width: max(width, bitmap.width), height: max(height, bitmap.height))
        let paper = DrawingContext(bitmap: larger, scale: scale)
        paper.fill(color: color)
        paper.flush()
        for y in 0..<bitmap.height { memcpy(larger.row(y), bitmap.row(y), bitmap.width * 4) }
        (bitmap, context) = (larger, paper)
      }
      surface = try Surface(width: width, height: height, isOpaque: true)
    } catch {
      return print("the paper keeps its size: \(error)")
    }
    paint { $0.bounds }
  }

  func clear() {
    paint { context in
      context.fill(color: color)
      return context.bounds
    }
  }

  /// Paints, and shows the rectangle that `body` returns, in points.
  func paint(_ body: (DrawingContext) -> Rect?) {
    guard let painted = body(context) else { return }
    context.flush()
    let (left, top) = (
      max(Int((painted.minX * scale).rounded(.down)), 0), max(Int((painted.minY * scale).rounded(.down)), 0)
    )
    let right = min(Int((painted.maxX * scale).rounded(.up)), surface.width)
    let bottom = min(Int((painted.maxY * scale).rounded(.up)), surface.height)
    guard left < right, top < bottom else { return }
    let bytes = UnsafeRawBufferPointer(
      start: bitmap.row(top) + left * 4, count: (bottom - top - 1) * bitmap.bytesPerRow + (right - left) * 4)
    do {
      try surface.write(
        bytes, bytesPerRow: bitmap.bytesPerRow, to: IntRect(x: left, y: top, width: right - left, height: bottom - top))
      try surface.commit()
    } catch {
      print("the drawing is not shown: \(error)")
    }
  }
}
