import Framepace
import Glibc

/// A number with its name, its unit, and a bar with a mark at the limit.
@MainActor
final class ValueCard {
  let layer = Layer()
  private(set) var state = State.normal
  private let number = TextLayer()
  private let bar = Layer()
  private let measure: Measure
  private let track: Double
  private let phase: Double
  private let speed: Double
  private let swing: Double

  init(_ measure: Measure, index: Int, frame: Rect, fonts: SceneFonts, unit: Double) {
    self.measure = measure
    phase = Double(index * 37 % 100)
    speed = 0.15 + Double(index * 13 % 17) / 40
    swing = 0.12 + Double(index * 7 % 11) / 40
    (layer.name, number.name, bar.name) = (measure.name, "\(measure.name) value", "\(measure.name) bar")
    layer.frame = frame
    layer.backgroundColor = Palette.panel
    layer.cornerRadius = 10 * unit
    let inset = 16 * unit
    track = frame.width - 2 * inset
    let barTop = frame.height - 24 * unit

    let name = TextLayer(measure.name, font: fonts.regular(size: 26 * unit), color: Palette.dim)
    name.frame.origin = Point(inset, 10 * unit)
    layer.addSublayer(name)
    let dimension = TextLayer(measure.unit, font: fonts.regular(size: 24 * unit), color: Palette.dim)
    number.font = fonts.medium(size: 50 * unit)
    number.color = Palette.text
    number.alignment = .right
    number.string = measure.text(1)
    // Number and unit share a baseline and are in the middle between the name and the bar.
    let height = number.preferredSize.height
    let top = (name.frame.maxY + barTop - height) / 2
    let unitWidth = dimension.bounds.width + 8 * unit
    number.frame = Rect(x: inset, y: top, width: track - unitWidth, height: height)
    dimension.frame.origin = Point(
      frame.width - inset - dimension.bounds.width, top + height * 0.79 - dimension.bounds.height * 0.79)
    layer.addSublayer(number)
    layer.addSublayer(dimension)

    let groove = Layer()
    groove.frame = Rect(x: inset, y: barTop, width: track, height: 8 * unit)
    groove.backgroundColor = Palette.line
    groove.cornerRadius = 4 * unit
    layer.addSublayer(groove)
    bar.anchorPoint = .zero
    bar.position = groove.frame.origin
    bar.cornerRadius = 4 * unit
    bar.bounds = groove.bounds
    layer.addSublayer(bar)
    let mark = Layer()
    mark.frame = Rect(x: inset + track * State.warningLimit, y: barTop - 4 * unit, width: 2 * unit, height: 16 * unit)
    mark.backgroundColor = Palette.dim
    layer.addSublayer(mark)
  }

  func update(at time: Double) {
    let fraction = 0.5 + swing * sin(time * speed + phase) + 0.06 * sin(time * 1.9 + phase)
    state = State(fraction)
    number.string = measure.text(fraction)
    number.color = state.textColor
    bar.bounds.size.width = max(track * fraction, bar.cornerRadius * 2)
    bar.backgroundColor = state.color
  }
}

/// A dial of three quarters of a circle with a needle, and with its limits marked outside.
@MainActor
final class Gauge {
  let layer = Layer()
  private(set) var state = State.normal
  private let measure: Measure
  private let needle = Layer()
  private let arc = ShapeLayer()
  private let number = TextLayer()
  private let radius: Double

  /// The dial is open at the bottom: it goes from 135° to 405°, clockwise from the right.
  private static let start = 0.75 * Double.pi
  private static let sweep = 1.5 * Double.pi

  init(_ measure: Measure, frame: Rect, fonts: SceneFonts, unit: Double) {
    self.measure = measure
    (layer.name, number.name) = (measure.name, "\(measure.name) value")
    (arc.name, needle.name) = ("\(measure.name) arc", "\(measure.name) needle")
    layer.frame = frame
    layer.backgroundColor = Palette.panel
    layer.cornerRadius = 12 * unit
    let name = TextLayer(measure.name, font: fonts.regular(size: 28 * unit), color: Palette.dim)
    name.frame.origin = Point(20 * unit, 14 * unit)
    layer.addSublayer(name)
    // The dial reaches 1.08 radii up from its centre, its unit 1.28 down.
    radius = min(frame.width * 0.38, (frame.height - name.frame.maxY - 24 * unit) / 2.36)
    let center = Point(frame.width / 2, (name.frame.maxY + frame.height) / 2 - 0.1 * radius)

    addArc(ShapeLayer(), from: 0, to: 1, width: 0.15, color: Palette.line, at: center)
    addArc(
      ShapeLayer(), from: State.warningLimit, to: State.alarmLimit, width: 0.045, inset: -0.14, color: Palette.amber,
      at: center)
    addArc(ShapeLayer(), from: State.alarmLimit, to: 1, width: 0.045, inset: -0.14, color: Palette.rose, at: center)
    addArc(arc, from: 0, to: 0.5, width: 0.15, color: Palette.sky, at: center)

    needle.bounds = Rect(x: 0, y: 0, width: radius * 0.78, height: 6 * unit)
    needle.anchorPoint = Point(0, 0.5)
    needle.position = center
    needle.cornerRadius = 3 * unit
    needle.backgroundColor = Palette.text
    layer.addSublayer(needle)
    let hub = Layer()
    hub.bounds = Rect(x: 0, y: 0, width: 20 * unit, height: 20 * unit)
    hub.position = center
    hub.cornerRadius = 10 * unit
    hub.backgroundColor = Palette.text
    layer.addSublayer(hub)

    number.font = fonts.medium(size: min(52 * unit, radius * 0.5))
    number.alignment = .center
    number.string = measure.text(1)
    let height = number.preferredSize.height
    number.frame = Rect(x: 0, y: center.y + radius * 0.42, width: frame.width, height: height)
    layer.addSublayer(number)
    let dimension = TextLayer(measure.unit, font: fonts.regular(size: min(26 * unit, radius * 0.26)), color: Palette.dim)
    dimension.position = Point(center.x, number.frame.maxY + dimension.bounds.height * 0.4)
    layer.addSublayer(dimension)
  }

  /// - Parameter value: from 0 to 1.
  func update(_ value: Double) {
    state = State(value)
    needle.transform = .rotation(Self.start + Self.sweep * value)
    arc.path = path(from: 0, to: value)
    arc.strokeColor = state.color
    number.string = measure.text(value)
    number.color = state.textColor
  }

  /// Adds an arc of the dial; widths and insets are in radii.
  private func addArc(
    _ part: ShapeLayer, from: Double, to: Double, width: Double, inset: Double = 0, color: Color, at center: Point
  ) {
    part.bounds = Rect(x: 0, y: 0, width: radius * 2.5, height: radius * 2.5)
    part.position = center
    part.fillColor = nil
    part.strokeColor = color
    part.strokeStyle = StrokeStyle(width: radius * width, cap: inset == 0 ? .round : .butt)
    part.path = path(from: from, to: to, inset: inset)
    layer.addSublayer(part)
  }

  private func path(from: Double, to: Double, inset: Double = 0) -> Path {
    var path = Path()
    path.addArc(
      center: Point(radius * 1.25, radius * 1.25), radius: radius * (1 - inset), startAngle: Self.start + Self.sweep * from,
      endAngle: Self.start + Self.sweep * to)
    return path
  }
}

/// The temperatures of the last minute with their axes and a legend.
@MainActor
final class HistoryPanel {
  let layer = Layer()
  let curves = CurvesLayer()

  init(frame: Rect, fonts: SceneFonts, unit: Double) {
    (layer.name, curves.name) = ("temperature", "temperature curves")
    layer.frame = frame
    layer.backgroundColor = Palette.panel
    layer.cornerRadius = 12 * unit
    let title = TextLayer("Temperature", font: fonts.regular(size: 28 * unit), color: Palette.dim)
    title.frame.origin = Point(20 * unit, 14 * unit)
    layer.addSublayer(title)
    let small = fonts.regular(size: 24 * unit)
    let legend = zip(CurvesLayer.names, CurvesLayer.colors).map { TextLayer($0, font: small, color: $1) }
    let width = legend.reduce(24 * unit * Double(legend.count - 1)) { $0 + $1.bounds.width }
    var x = frame.width - 20 * unit - width
    // The legend comes first if there is no room for both: the axis says what is measured too.
    title.isHidden = x < title.frame.maxX + 20 * unit
    if title.isHidden { x = title.frame.minX }
    for label in legend {
      label.frame.origin = Point(x, title.frame.midY - label.bounds.height / 2)
      layer.addSublayer(label)
      x = label.frame.maxX + 24 * unit
    }

    let scale = TextLayer("\(CurvesLayer.limit) °C", font: small, color: Palette.dim)
    let height = scale.bounds.height
    let left = 20 * unit + scale.bounds.width + 14 * unit
    let top = title.frame.maxY + 28 * unit
    let bottom = frame.height - 20 * unit - height
    curves.frame = Rect(x: left, y: top, width: frame.width - left - 28 * unit, height: bottom - top)
    curves.unit = unit
    layer.addSublayer(curves)
    for line in 0...CurvesLayer.lines {
      let value = CurvesLayer.limit * line / CurvesLayer.lines
      let label = TextLayer(line == CurvesLayer.lines ? "\(value) °C" : "\(value)", font: small, color: Palette.dim)
      label.frame.origin = Point(
        left - 14 * unit - label.bounds.width,
        bottom - curves.bounds.height * Double(line) / Double(CurvesLayer.lines) - height / 2)
      layer.addSublayer(label)
    }
    for (part, text) in [(0.0, "1 min ago"), (0.5, "30 s"), (1, "now")] {
      let label = TextLayer(text, font: small, color: Palette.dim)
      label.frame.origin = Point(left + (curves.bounds.width - label.bounds.width) * part, bottom + 6 * unit)
      layer.addSublayer(label)
    }
  }
}

/// The curves of the history. Worker threads draw their bitmap; the old bitmap stays until the new one is finished.
final class CurvesLayer: Layer {
  nonisolated static let names = ["supply", "return", "outside"]
  nonisolated static let colors = [Palette.teal, Palette.violet, Palette.dim]
  /// The top of the axis in degrees.
  nonisolated static let limit = 90
  nonisolated static let lines = 3

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
      let thin = max(unit.rounded(), 1)
      for line in 0...lines {
        let y = ((size.height - thin) * Double(line) / Double(lines)).rounded()
        context.fill(Rect(x: 0, y: y, width: size.width, height: thin), color: Palette.line)
      }
      for index in colors.indices where !context.isCancelled {
        var line = Path()
        let points = 120
        for point in 0...points {
          let time = Double(step) / 10 - 60 * Double(points - point) / Double(points)
          let place = Point(
            size.width * Double(point) / Double(points), size.height * (1 - degrees(curve: index, at: time) / Double(limit)))
          if point == 0 { line.move(to: place) } else { line.line(to: place) }
        }
        context.stroke(line, StrokeStyle(width: 3 * unit, join: .round), color: colors[index])
      }
    }

    private func degrees(curve: Int, at time: Double) -> Double {
      let shifted = time + Double(curve) * 40
      return [71.0, 48, 18][curve] + 6 * sin(shifted * 0.21) + 3 * sin(shifted * 0.53 + 1) + sin(shifted * 1.3)
    }
  }
}
