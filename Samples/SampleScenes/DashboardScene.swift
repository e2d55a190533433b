public import Framepace
import Glibc

/// A plant's control room: sixty values that change, four gauges, and a history that worker threads draw.
public final class DashboardScene: SampleScene {
  public let root = Layer()
  public let isMoving = true

  private var values: [ValueCard] = []
  private var gauges: [Gauge] = []
  private let history = HistoryLayer()

  public init(settings: SceneSettings) throws {
    root.backgroundColor = Palette.night
    let unit = settings.unit
    let margin = 36 * unit
    let gap = 16 * unit
    let width = settings.size.width - 2 * margin
    let titleHeight = 64 * unit
    let bottomHeight = 300 * unit
    addTitle(settings: settings, frame: Rect(x: margin, y: 24 * unit, width: width, height: titleHeight))

    // Sixty cards in ten columns of six.
    let top = 24 * unit + titleHeight + 8 * unit
    let gridHeight = settings.size.height - top - bottomHeight - gap - margin
    let cell = Size((width - 9 * gap) / 10, (gridHeight - 5 * gap) / 6)
    for index in 0..<60 {
      let column = Double(index % 10)
      let row = Double(index / 10)
      let frame = Rect(
        x: margin + column * (cell.width + gap), y: top + row * (cell.height + gap), width: cell.width, height: cell.height)
      let card = ValueCard(index: index, frame: frame, fonts: settings.fonts, unit: unit)
      root.addSublayer(card.layer)
      values.append(card)
    }

    // Four gauges, and the history beside them.
    let bottom = settings.size.height - margin - bottomHeight
    let gaugeWidth = (width * 0.52 - 3 * gap) / 4
    for (index, name) in ["load", "pressure", "flow", "heat"].enumerated() {
      let frame = Rect(x: margin + Double(index) * (gaugeWidth + gap), y: bottom, width: gaugeWidth, height: bottomHeight)
      let gauge = Gauge(name: name, color: Palette.accents[index], frame: frame, fonts: settings.fonts, unit: unit)
      root.addSublayer(gauge.layer)
      gauges.append(gauge)
    }
    let chartX = margin + 4 * (gaugeWidth + gap)
    history.frame = Rect(x: chartX, y: bottom, width: margin + width - chartX, height: bottomHeight)
    history.backgroundColor = Palette.panel
    history.cornerRadius = 12 * unit
    history.masksToBounds = true
    history.unit = unit
    history.font = settings.fonts.regular(size: 20 * unit)
    root.addSublayer(history)
    update(at: 0)
  }

  public func update(at time: Double) {
    for value in values { value.update(at: time) }
    for (index, gauge) in gauges.enumerated() {
      gauge.update(0.5 + 0.42 * sin(time * (0.5 + 0.13 * Double(index)) + Double(index) * 1.7))
    }
    // The history moves ten times a second: its points stand on a grid of tenths.
    history.step = Int(time * 10)
  }

  private func addTitle(settings: SceneSettings, frame: Rect) {
    let title = TextLayer()
    title.font = settings.fonts.bold(size: 34 * settings.unit)
    title.color = Palette.text
    title.string = "Plant 7"
    let size = title.preferredSize
    title.frame = Rect(x: frame.minX, y: frame.midY - size.height / 2, width: size.width, height: size.height)
    root.addSublayer(title)

    let note = TextLayer()
    note.font = settings.fonts.regular(size: 22 * settings.unit)
    note.color = Palette.dim
    note.string = "60 values · 4 gauges · history drawn on worker threads"
    let noteSize = note.preferredSize
    note.frame = Rect(
      x: frame.maxX - noteSize.width, y: frame.midY - noteSize.height / 2, width: noteSize.width, height: noteSize.height)
    root.addSublayer(note)
  }
}

/// One number with its name and a bar.
@MainActor
private final class ValueCard {
  let layer = Layer()
  private let number = TextLayer()
  private let bar = Layer()
  private let track: Double
  private let base: Double
  private let speed: Double

  init(index: Int, frame: Rect, fonts: SceneFonts, unit: Double) {
    base = Double(index * 37 % 100)
    speed = 0.4 + Double(index * 13 % 17) / 17
    layer.frame = frame
    layer.backgroundColor = Palette.panel
    layer.cornerRadius = 8 * unit
    let inset = 12 * unit
    track = frame.width - 2 * inset

    let name = TextLayer()
    name.font = fonts.regular(size: 17 * unit)
    name.color = Palette.dim
    name.string = "sensor \(index + 1)"
    name.frame = Rect(x: inset, y: 9 * unit, width: track, height: name.preferredSize.height)
    layer.addSublayer(name)

    number.font = fonts.mono(size: 27 * unit)
    number.color = Palette.text
    number.alignment = .right
    number.string = "000.0"
    let height = number.preferredSize.height
    let barTop = frame.height - 14 * unit
    // Between the name and the bar, in the middle.
    let middle = (name.frame.maxY + barTop) / 2
    number.frame = Rect(x: inset, y: middle - height / 2, width: track, height: height)
    layer.addSublayer(number)

    bar.anchorPoint = .zero
    bar.position = Point(inset, barTop)
    bar.backgroundColor = Palette.accents[index % Palette.accents.count]
    bar.cornerRadius = 2 * unit
    bar.bounds = Rect(x: 0, y: 0, width: track, height: 4 * unit)
    layer.addSublayer(bar)
  }

  func update(at time: Double) {
    let value = 50 + 49 * sin(time * speed + base)
    let tenths = Int((value * 10).rounded())
    number.string = "\(tenths / 10).\(tenths % 10)"
    bar.bounds.size.width = max(track * value / 100, bar.cornerRadius * 2)
  }
}

/// A dial of three quarters of a circle with a needle.
@MainActor
private final class Gauge {
  let layer = Layer()
  private let needle = Layer()
  private let percent = TextLayer()

  /// The dial opens downwards: from 135° to 405°, clockwise from the right.
  private static let start = 0.75 * Double.pi
  private static let sweep = 1.5 * Double.pi

  init(name: String, color: Color, frame: Rect, fonts: SceneFonts, unit: Double) {
    layer.frame = frame
    layer.backgroundColor = Palette.panel
    layer.cornerRadius = 12 * unit
    let radius = min(frame.width, frame.height) * 0.36
    let center = Point(frame.width / 2, frame.height * 0.47)

    for (part, stroke) in [(1.0, Palette.line), (0.72, color)] {
      let arc = ShapeLayer()
      arc.bounds = Rect(x: 0, y: 0, width: radius * 2.4, height: radius * 2.4)
      arc.position = center
      var path = Path()
      path.addArc(
        center: Point(radius * 1.2, radius * 1.2), radius: radius, startAngle: Self.start,
        endAngle: Self.start + Self.sweep * part)
      arc.path = path
      arc.fillColor = nil
      arc.strokeColor = stroke
      arc.strokeStyle = StrokeStyle(width: radius * 0.14, cap: .round)
      layer.addSublayer(arc)
    }

    needle.bounds = Rect(x: 0, y: 0, width: radius * 0.82, height: 5 * unit)
    needle.anchorPoint = Point(0, 0.5)
    needle.position = center
    needle.cornerRadius = 2.5 * unit
    needle.backgroundColor = Palette.text
    layer.addSublayer(needle)

    let hub = Layer()
    hub.bounds = Rect(x: 0, y: 0, width: 18 * unit, height: 18 * unit)
    hub.position = center
    hub.cornerRadius = 9 * unit
    hub.backgroundColor = Palette.text
    layer.addSublayer(hub)

    percent.font = fonts.bold(size: 32 * unit)
    percent.color = Palette.text
    percent.alignment = .center
    percent.string = "100 %"
    percent.frame = Rect(
      x: 0, y: center.y + radius * 0.62, width: frame.width, height: percent.preferredSize.height)
    layer.addSublayer(percent)

    let label = TextLayer()
    label.font = fonts.regular(size: 20 * unit)
    label.color = Palette.dim
    label.alignment = .center
    label.string = name
    let height = label.preferredSize.height
    label.frame = Rect(x: 0, y: frame.height - height - 14 * unit, width: frame.width, height: height)
    layer.addSublayer(label)
  }

  /// - Parameter value: from 0 to 1.
  func update(_ value: Double) {
    needle.transform = .rotation(Self.start + Self.sweep * value)
    percent.string = "\(Int((value * 100).rounded())) %"
  }
}

/// The last minute as a filled curve. Its bitmap is drawn on worker threads; the old one stays until the new one is there.
private final class HistoryLayer: Layer {
  var unit = 1.0
  var font: Font?
  /// Which tenth of a second is the newest.
  var step = -1 {
    didSet { if step != oldValue { setNeedsDisplay() } }
  }

  override func makeDrawing() -> (any Drawing)? {
    guard let font else { return nil }
    return Chart(size: bounds.size, unit: unit, step: step, title: TextLine("history", font: font))
  }

  private struct Chart: Drawing {
    var size: Size
    var unit: Double
    var step: Int
    var title: TextLine

    func draw(in context: DrawingContext) {
      let inset = 20 * unit
      let plot = Rect(
        x: inset, y: inset + 32 * unit, width: size.width - 2 * inset, height: size.height - 2 * inset - 32 * unit)
      context.draw(title, at: Point(inset, inset + title.ascent - 4 * unit), color: Palette.dim)
      for line in 0...4 {
        let y = plot.minY + plot.height * Double(line) / 4
        context.fill(
          Rect(x: plot.minX, y: y.rounded(), width: plot.width, height: max(unit.rounded(), 1)), color: Palette.line)
      }
      for (index, color) in [Palette.violet, Palette.teal, Palette.sky].enumerated() where !context.isCancelled {
        draw(curve: index, color: color, plot: plot, in: context)
      }
    }

    private func draw(curve: Int, color: Color, plot: Rect, in context: DrawingContext) {
      let points = 120
      var line = Path()
      for index in 0...points {
        let x = plot.minX + plot.width * Double(index) / Double(points)
        let y = plot.maxY - plot.height * value(curve: curve, at: step - points + index)
        if index == 0 { line.move(to: Point(x, y)) } else { line.line(to: Point(x, y)) }
      }
      var area = line
      area.line(to: Point(plot.maxX, plot.maxY))
      area.line(to: Point(plot.minX, plot.maxY))
      area.close()
      context.fill(area, color: color.withAlpha(0.12))
      context.stroke(line, StrokeStyle(width: 2.5 * unit, join: .round), color: color)
    }

    private func value(curve: Int, at step: Int) -> Double {
      let time = Double(step) / 10 + Double(curve) * 40
      return 0.2 + 0.22 * Double(curve) + 0.1 * sin(time * 0.7) + 0.06 * sin(time * 2.3 + 1) + 0.03 * sin(time * 5.1)
    }
  }
}
