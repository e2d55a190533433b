public import Framepace
import Glibc

/// A plant's control room: sixty changing values, four gauges, and a history that worker threads draw.
public final class DashboardScene: SampleScene {
  public let root = Layer()
  public let isMoving = true

  private var values: [ValueCard] = []
  private var gauges: [Gauge] = []
  private let history = HistoryLayer()

  public init(settings: SceneSettings) throws {
    root.backgroundColor = Palette.night
    let plan = DashboardPlan(size: settings.size)
    let unit = plan.unit
    addTitle(settings: settings, plan: plan)
    for (index, frame) in plan.cards.enumerated() {
      let card = ValueCard(index: index, frame: frame, fonts: settings.fonts, unit: unit)
      root.addSublayer(card.layer)
      values.append(card)
    }
    for (index, frame) in plan.gauges.enumerated() {
      let gauge = Gauge(
        name: ["load", "pressure", "flow", "heat"][index], color: Palette.accents[index], frame: frame,
        fonts: settings.fonts, unit: unit)
      root.addSublayer(gauge.layer)
      gauges.append(gauge)
    }
    history.frame = plan.history
    history.backgroundColor = Palette.panel
    history.cornerRadius = 12 * unit
    history.masksToBounds = true
    history.unit = unit
    root.addSublayer(history)
    let title = TextLayer()
    title.font = settings.fonts.regular(size: 20 * unit)
    title.color = Palette.dim
    title.string = "history"
    title.frame = Rect(origin: Point(20 * unit, 16 * unit), size: title.preferredSize)
    history.addSublayer(title)
    update(at: 0)
  }

  public func update(at time: Double) {
    for value in values { value.update(at: time) }
    for (index, gauge) in gauges.enumerated() {
      gauge.update(0.5 + 0.42 * sin(time * (0.5 + 0.13 * Double(index)) + Double(index) * 1.7))
    }
    // The history moves ten times a second: its points are at tenths of a second.
    history.step = Int(time * 10)
  }

  private func addTitle(settings: SceneSettings, plan: DashboardPlan) {
    let title = TextLayer()
    title.font = settings.fonts.bold(size: 34 * plan.unit)
    title.color = Palette.text
    title.string = "Plant 7"
    let size = title.preferredSize
    title.frame = Rect(x: plan.title.minX, y: plan.title.midY - size.height / 2, width: size.width, height: size.height)
    root.addSublayer(title)

    let note = TextLayer()
    note.font = settings.fonts.regular(size: 22 * plan.unit)
    note.color = Palette.dim
    note.string = "\(plan.cards.count) values · \(plan.gauges.count) gauges · history drawn on worker threads"
    let noteSize = note.preferredSize
    guard noteSize.width < plan.title.width - size.width - 40 * plan.unit else { return }
    note.frame = Rect(
      x: plan.title.maxX - noteSize.width, y: plan.title.midY - noteSize.height / 2, width: noteSize.width,
      height: noteSize.height)
    root.addSublayer(note)
  }
}

/// The layout of the dashboard: columns on a wide display, rows on a tall one. A small display shows fewer cards and gauges,
/// so that all of them can be read.
private struct DashboardPlan {
  let unit: Double
  let title: Rect
  /// The frames of at most sixty cards.
  let cards: [Rect]
  /// The frames of at most four gauges.
  let gauges: [Rect]
  let history: Rect

  init(size: Size) {
    let isTall = size.height > size.width
    let fitting = isTall ? min(size.width / 1080, size.height / 1920) : min(size.width / 1920, size.height / 1080)
    let unit = max(fitting, 0.4)
    self.unit = unit
    let margin = 36 * unit
    let gap = 16 * unit
    let width = size.width - 2 * margin
    title = Rect(x: margin, y: 24 * unit, width: width, height: 64 * unit)

    // The layout starts at the bottom: history and gauges are beside or above each other.
    let height = min(300 * unit, size.height * 0.3)
    let bottom = size.height - margin - height
    let gaugesTop = isTall ? bottom - gap - height : bottom
    let gaugesWidth = isTall ? width : width * 0.52
    let gaugeCount = min(max(Int((gaugesWidth + gap) / (150 * unit + gap)), 1), 4)
    let gaugeWidth = (gaugesWidth - Double(gaugeCount - (isTall ? 1 : 0)) * gap) / Double(gaugeCount)
    gauges = (0..<gaugeCount).map {
      Rect(x: margin + Double($0) * (gaugeWidth + gap), y: gaugesTop, width: gaugeWidth, height: height)
    }
    let historyX = isTall ? margin : margin + Double(gaugeCount) * (gaugeWidth + gap)
    history = Rect(x: historyX, y: bottom, width: margin + width - historyX, height: height)

    // The cards fill the space between the title and the gauges.
    let top = title.maxY + 8 * unit
    let room = max(gaugesTop - gap - top, 0)
    let columns = min(max(Int((width + gap) / (140 * unit + gap)), 1), 10)
    let rows = min(max(Int((room + gap) / (72 * unit + gap)), 1), (60 + columns - 1) / columns)
    let cell = Size((width + gap) / Double(columns) - gap, (room + gap) / Double(rows) - gap)
    cards = (0..<min(columns * rows, 60)).map {
      Rect(
        x: margin + Double($0 % columns) * (cell.width + gap), y: top + Double($0 / columns) * (cell.height + gap),
        width: cell.width, height: cell.height)
    }
  }
}

/// A number with its name and a bar.
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
    // The number is in the middle between the name and the bar.
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
  private let arc = ShapeLayer()
  private let percent = TextLayer()
  private let radius: Double

  /// The dial is open at the bottom: it goes from 135° to 405°, clockwise from the right.
  private static let start = 0.75 * Double.pi
  private static let sweep = 1.5 * Double.pi

  init(name: String, color: Color, frame: Rect, fonts: SceneFonts, unit: Double) {
    layer.frame = frame
    layer.backgroundColor = Palette.panel
    layer.cornerRadius = 12 * unit
    radius = min(frame.width, frame.height) * 0.36
    let center = Point(frame.width / 2, frame.height * 0.47)

    let track = ShapeLayer()
    for (part, stroke) in [(track, Palette.line), (arc, color)] {
      part.bounds = Rect(x: 0, y: 0, width: radius * 2.4, height: radius * 2.4)
      part.position = center
      part.fillColor = nil
      part.strokeColor = stroke
      part.strokeStyle = StrokeStyle(width: radius * 0.14, cap: .round)
      layer.addSublayer(part)
    }
    track.path = path(to: 1)

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
    // A low panel only has room for the number.
    if label.frame.minY > percent.frame.maxY { layer.addSublayer(label) }
  }

  /// - Parameter value: from 0 to 1.
  func update(_ value: Double) {
    needle.transform = .rotation(Self.start + Self.sweep * value)
    arc.path = path(to: value)
    percent.string = "\(Int((value * 100).rounded())) %"
  }

  private func path(to value: Double) -> Path {
    var path = Path()
    path.addArc(
      center: Point(radius * 1.2, radius * 1.2), radius: radius, startAngle: Self.start,
      endAngle: Self.start + Self.sweep * value)
    return path
  }
}

/// A filled curve of the last minute. Worker threads draw its bitmap; the old bitmap stays until the new one is finished.
private final class HistoryLayer: Layer {
  var unit = 1.0
  /// The tenth of a second of the newest point.
  var step = -1 {
    didSet { if step != oldValue { setNeedsDisplay() } }
  }

  override func makeDrawing() -> (any Drawing)? {
    Chart(size: bounds.size, unit: unit, step: step)
  }

  private struct Chart: Drawing {
    var size: Size
    var unit: Double
    var step: Int

    func draw(in context: DrawingContext) {
      let inset = 20 * unit
      let plot = Rect(
        x: inset, y: inset + 32 * unit, width: size.width - 2 * inset, height: size.height - 2 * inset - 32 * unit)
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
