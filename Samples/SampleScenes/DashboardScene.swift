public import Framepace
import Glibc

/// A plant's control room: gauges and a history above, values with their units and limits below.
///
/// Colours stand for states alone: blue is normal, amber a warning, red an alarm. A small display shows fewer values instead of
/// smaller ones.
public final class DashboardScene: SampleScene {
  public let root = Layer()
  public let isMoving = true

  private var cards: [ValueCard] = []
  private var gauges: [Gauge] = []
  private let history: HistoryPanel
  private let summary = TextLayer()
  /// The counts in the summary; nil before the first update.
  private var shownStates: StateCounts?

  public init(settings: SceneSettings) throws {
    root.backgroundColor = Palette.night
    let plan = DashboardPlan(size: settings.size)
    let unit = plan.unit
    let fonts = settings.fonts
    for (frame, measure) in zip(plan.gauges, Measure.gauges) {
      gauges.append(Gauge(measure, frame: frame, fonts: fonts, unit: unit))
    }
    for (index, frame) in plan.cards.enumerated() {
      let measure = Measure.cards[index % Measure.cards.count].numbered(index / Measure.cards.count + 1)
      cards.append(ValueCard(measure, index: index, frame: frame, fonts: fonts, unit: unit))
    }
    history = HistoryPanel(frame: plan.history, fonts: fonts, unit: unit)
    for layer in gauges.map(\.layer) + cards.map(\.layer) + [history.layer] { root.addSublayer(layer) }

    let title = TextLayer("Plant 7", font: fonts.bold(size: 40 * unit), color: Palette.text)
    title.frame.origin = Point(plan.title.minX, plan.title.midY - title.bounds.height / 2)
    root.addSublayer(title)
    summary.name = "summary"
    summary.font = fonts.medium(size: 28 * unit)
    summary.alignment = .right
    summary.frame = Rect(
      x: title.frame.maxX, y: plan.title.minY, width: plan.title.maxX - title.frame.maxX, height: plan.title.height)
    root.addSublayer(summary)
    update(at: 0)
  }

  public func update(at time: Double) {
    for (index, gauge) in gauges.enumerated() {
      let phase = Double(index)
      gauge.update(0.55 + 0.3 * sin(time * (0.5 + 0.13 * phase) + phase * 1.7))
    }
    for card in cards { card.update(at: time) }
    var states = StateCounts()
    for gauge in gauges { states.add(gauge.state) }
    for card in cards { states.add(card.state) }
    if states != shownStates { show(states) }
    // The history moves ten times a second.
    history.curves.step = Int(time * 10)
  }

  private func show(_ states: StateCounts) {
    shownStates = states
    let parts = [Self.count(states.alarms, of: "alarm"), Self.count(states.warnings, of: "warning")].compactMap(\.self)
    summary.string = parts.isEmpty ? "all values normal" : parts.joined(separator: "  ·  ")
    summary.color = (states.alarms > 0 ? State.alarm : states.warnings > 0 ? .warning : .normal).color
  }

  private static func count(_ number: Int, of name: String) -> String? {
    number == 0 ? nil : "\(number) \(name)\(number == 1 ? "" : "s")"
  }
}

/// How many values are in a state that needs attention.
private struct StateCounts: Equatable {
  private(set) var alarms = 0
  private(set) var warnings = 0

  mutating func add(_ state: State) {
    switch state {
    case .normal: break
    case .warning: warnings += 1
    case .alarm: alarms += 1
    }
  }
}

/// The layout: gauges and the history side by side above the cards, or in two rows on a tall display.
private struct DashboardPlan {
  let unit: Double
  let title: Rect
  /// The frames of at most four gauges.
  let gauges: [Rect]
  let history: Rect
  let cards: [Rect]

  init(size: Size) {
    let isTall = size.height > size.width
    // On a small display everything is larger in proportion, so that it can be read from a metre; less is shown there.
    let (wide, tall) = isTall ? (1080.0, 1920.0) : (1920, 1080)
    let readable = 0.72 * min(min(size.width, size.height) / 480, 1)
    unit = max(min(size.width / wide, size.height / tall), readable)
    let margin = 28 * unit
    let gap = 16 * unit
    title = Rect(x: margin, y: margin / 2, width: size.width - 2 * margin, height: 72 * unit)
    let body = Rect(x: margin, y: title.maxY, width: title.width, height: size.height - margin - title.maxY)

    let rowHeight = body.height * (isTall ? 0.22 : 0.44)
    let gaugesWidth = isTall ? body.width : body.width * 0.62
    let count = min(max(Int((gaugesWidth + gap) / (220 * unit + gap)), 1), 4)
    let gauge = min((gaugesWidth + gap) / Double(count) - gap, isTall ? .infinity : rowHeight * 0.8)
    gauges = (0..<count).map { Rect(x: margin + Double($0) * (gauge + gap), y: body.minY, width: gauge, height: rowHeight) }
    let beside = gauges.last.map { $0.maxX + gap } ?? margin
    history =
      isTall
      ? Rect(x: margin, y: body.minY + rowHeight + gap, width: body.width, height: rowHeight)
      : Rect(x: beside, y: body.minY, width: body.maxX - beside, height: rowHeight)

    let top = history.maxY + gap
    let columns = max(Int((body.width + gap) / (232 * unit + gap)), 1)
    let rows = max(Int((body.maxY - top + gap) / (120 * unit + gap)), 1)
    let cell = Size((body.width + gap) / Double(columns) - gap, (body.maxY - top + gap) / Double(rows) - gap)
    cards = (0..<columns * rows).map {
      Rect(
        x: margin + Double($0 % columns) * (cell.width + gap), y: top + Double($0 / columns) * (cell.height + gap),
        width: cell.width, height: cell.height)
    }
  }
}

/// The state of a value, by which it is coloured.
enum State {
  case normal
  case warning
  case alarm

  static let warningLimit = 0.8
  static let alarmLimit = 0.9

  /// - Parameter fraction: the share of the range, from 0 to 1.
  init(_ fraction: Double) {
    self = fraction >= Self.alarmLimit ? .alarm : fraction >= Self.warningLimit ? .warning : .normal
  }

  var color: Color {
    switch self {
    case .normal: Palette.sky
    case .warning: Palette.amber
    case .alarm: Palette.rose
    }
  }

  /// The number's colour: white is calmer than blue for what needs no attention.
  var textColor: Color { self == .normal ? Palette.text : color }
}

/// A quantity with a name, a unit and a range from zero.
struct Measure {
  var name: String
  var unit: String
  var limit: Double
  var digits: Int

  static let gauges = [
    Measure(name: "Load", unit: "%", limit: 100, digits: 0),
    Measure(name: "Pressure", unit: "bar", limit: 10, digits: 1),
    Measure(name: "Flow", unit: "l/min", limit: 240, digits: 0),
    Measure(name: "Boiler", unit: "°C", limit: 120, digits: 0),
  ]
  static let cards = [
    Measure(name: "Pump", unit: "rpm", limit: 3000, digits: 0),
    Measure(name: "Tank", unit: "%", limit: 100, digits: 0),
    Measure(name: "Motor", unit: "°C", limit: 110, digits: 1),
    Measure(name: "Valve", unit: "bar", limit: 10, digits: 2),
    Measure(name: "Drive", unit: "A", limit: 40, digits: 1),
    Measure(name: "Bearing", unit: "mm/s", limit: 9, digits: 2),
    Measure(name: "Duct", unit: "m³/h", limit: 800, digits: 0),
  ]

  func numbered(_ number: Int) -> Measure {
    var measure = self
    measure.name += " \(number)"
    return measure
  }

  /// The value's digits, with as many decimals as the measure has.
  func text(_ fraction: Double) -> String {
    let scale = [1, 10, 100][digits]
    let value = Int((fraction * limit * Double(scale)).rounded())
    guard digits > 0 else { return "\(value)" }
    let decimals = "\(value % scale)"
    return "\(value / scale).\(String(repeating: "0", count: digits - decimals.count))\(decimals)"
  }
}
