public import Framepace

/// A board of departures in three scripts. Towns and remarks turn over from Latin to Greek and to Arabic, row after row; Arabic is
/// read from the right, and stands there.
///
/// The movements are animations that repeat for ever. The root's clock stands, and each picture sets its time.
public final class DeparturesScene: SampleScene {
  public let root = Layer()
  public let isMoving = true

  /// A text in the three scripts.
  private struct Words {
    var texts: [String]

    init(_ latin: String, _ greek: String, _ arabic: String) { texts = [latin, greek, arabic] }
  }

  private enum Remark {
    case onTime
    case boarding
    case delayed
    case closed

    var words: Words {
      switch self {
      case .onTime: Words("On time", "Στην ώρα της", "في الموعد")
      case .boarding: Words("Boarding", "Επιβίβαση", "صعود الركاب")
      case .delayed: Words("Delayed", "Καθυστέρηση", "متأخرة")
      case .closed: Words("Gate closed", "Έκλεισε", "أغلقت البوابة")
      }
    }

    var color: Color {
      switch self {
      case .onTime: Palette.dim
      case .boarding: Palette.teal
      case .delayed: Palette.amber
      case .closed: Palette.rose
      }
    }
  }

  private struct Flight {
    /// In minutes after the hour in which the scene begins.
    var minutes: Int
    var number: String
    var town: Words
    var gate: String
    var remark: Remark
  }

  private static let flights = [
    Flight(minutes: 5, number: "FP 214", town: Words("Athens", "Αθήνα", "أثينا"), gate: "A4", remark: .closed),
    Flight(minutes: 15, number: "FP 87", town: Words("Cairo", "Κάιρο", "القاهرة"), gate: "B11", remark: .boarding),
    Flight(minutes: 25, number: "KR 1402", town: Words("Lisbon", "Λισαβόνα", "لشبونة"), gate: "A9", remark: .boarding),
    Flight(minutes: 40, number: "FP 630", town: Words("Beirut", "Βηρυτός", "بيروت"), gate: "C2", remark: .delayed),
    Flight(minutes: 55, number: "LN 9", town: Words("Vienna", "Βιέννη", "فيينا"), gate: "A1", remark: .onTime),
    Flight(minutes: 70, number: "KR 377", town: Words("Tunis", "Τύνιδα", "تونس"), gate: "B3", remark: .onTime),
    Flight(minutes: 80, number: "FP 1180", town: Words("Nicosia", "Λευκωσία", "نيقوسيا"), gate: "C7", remark: .delayed),
    Flight(minutes: 95, number: "LN 52", town: Words("Amman", "Αμμάν", "عمان"), gate: "B8", remark: .onTime),
  ]
  private static let title = Words("Departures", "Αναχωρήσεις", "المغادرة")
  /// The time for which one script is shown, and the one that a text takes to turn over.
  private static let stay = 3.0
  private static let turn = 0.55

  private let settings: SceneSettings
  private let library: FontLibrary
  private let clock: TextLayer
  /// The size of the rows' text.
  private let textSize: Double

  public init(settings: SceneSettings) throws {
    self.settings = settings
    library = try settings.fonts.library()
    let (size, unit) = (settings.size, settings.roundUnit)
    let margin = 64 * unit
    let width = size.width - 2 * margin
    textSize = size.width < size.height ? 36 * unit : 46 * unit
    clock = TextLayer("00:00:00", font: settings.fonts.regular(size: textSize * 1.6), color: Palette.text)
    root.speed = 0
    root.backgroundColor = Palette.night

    let head = Rect(x: margin, y: margin, width: width, height: textSize * 2.2)
    // It ends where the towns do, which the script from right to left needs.
    addWords(Self.title, in: Rect(origin: head.origin, size: Size(width * 0.57, head.height)), size: textSize * 1.6, row: 0)
    clock.position = Point(head.maxX - clock.bounds.width / 2, head.midY)
    root.addSublayer(clock)

    let top = head.maxY + textSize * 0.6
    let height = min((size.height - top - margin) / Double(Self.flights.count), textSize * 5.6)
    for (index, flight) in Self.flights.enumerated() {
      let y = top + height * Double(index)
      let row = Layer(
        frame: Rect(x: margin, y: settings.edge(near: y), width: width, height: settings.edge(near: height * 0.86)))
      row.backgroundColor = Palette.panel
      row.cornerRadius = 10 * unit
      root.addSublayer(row)
      add(flight, in: row.frame, row: index + 1)
    }
  }

  public func update(at time: Double) {
    root.timeOffset = .seconds(time)
    let second = Int(settings.timeOfDay + time) % 86_400
    let parts = [second / 3600, second / 60 % 60, second % 60]
    clock.string = parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }

  private func add(_ flight: Flight, in row: Rect, row index: Int) {
    func column(_ start: Double, _ end: Double) -> Rect {
      Rect(x: row.minX + row.width * start, y: row.minY, width: row.width * (end - start), height: row.height)
    }
    let minutes = Int(settings.timeOfDay) / 3600 * 60 + flight.minutes
    let (hour, minute) = (minutes / 60 % 24, minutes % 60)
    let time = "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    addLabel(time, settings.fonts.medium(size: textSize), Palette.text, in: column(0.025, 0.15))
    addLabel(flight.number, settings.fonts.regular(size: textSize * 0.9), Palette.dim, in: column(0.15, 0.29))
    addWords(flight.town, in: column(0.3, 0.57), size: textSize * 1.08, row: index)
    addLabel(flight.gate, settings.fonts.medium(size: textSize), Palette.sky, in: column(0.6, 0.69))
    addWords(flight.remark.words, in: column(0.7, 0.94), size: textSize * 0.94, row: index, color: flight.remark.color)
    guard flight.remark == .boarding else { return }
    let side = textSize * 0.4
    let lamp = Layer(frame: Rect(x: column(0.955, 1).minX, y: row.midY - side / 2, width: side, height: side))
    lamp.cornerRadius = side / 2
    lamp.backgroundColor = flight.remark.color
    var blinking = KeyframeAnimation(.opacity, values: [1, 0.15], timingFunctions: [.easeInEaseOut])
    (blinking.beginTime, blinking.duration) = (.zero, .milliseconds(700))
    (blinking.autoreverses, blinking.repeatCount) = (true, .infinity)
    lamp.add(blinking)
    root.addSublayer(lamp)
  }

  private func addLabel(_ string: String, _ font: Font, _ color: Color, in column: Rect) {
    let label = TextLayer(string, font: font, color: color)
    label.position = Point(column.minX + label.bounds.width / 2, column.midY)
    root.addSublayer(label)
  }

  /// Adds a text that turns over from script to script, each row a little after the one above.
  private func addWords(_ words: Words, in rect: Rect, size: Double, row: Int, color: Color = Palette.text) {
    // Accents before the first letter reach out of the line.
    let overhang = size * 0.2
    let place = Layer(frame: rect.insetBy(dx: -overhang, dy: 0))
    place.sublayerTransform = .perspective(distance: size * 12)
    for (index, string) in words.texts.enumerated() {
      let text = ParagraphLayer(frame: place.bounds)
      text.fonts = library
      text.baseFont = FontRequest(["Roboto"], size: size, weight: 500)
      text.baseColor = color
      text.attributedText = AttributedText(string)
      text.paragraphStyle = TextLayout.Style { $0.maximumLines = 1 }
      text.verticalAlignment = .center
      text.insets = Insets(top: 0, left: overhang, bottom: 0, right: overhang)
      text.isDoubleSided = false
      addTurns(to: text, place: index, of: words.texts.count, delay: 1.2 + 0.09 * Double(row))
      place.addSublayer(text)
    }
    root.addSublayer(place)
  }

  /// Lets a text come from behind when it is its turn, and go back when the next one comes.
  private func addTurns(to text: Layer, place: Int, of count: Int, delay: Double) {
    let period = Self.stay * Double(count)
    let (comes, goes) = (0.0, Self.stay)
    let times = [comes, comes + Self.turn, goes, goes + Self.turn, period].map { $0 / period }
    var turns = KeyframeAnimation(
      .transformRotationX, values: [-Double.pi, 0, 0, .pi, .pi], keyTimes: times,
      timingFunctions: [.easeInEaseOut, .linear, .easeInEaseOut, .linear])
    // The first script is there from the beginning on.
    turns.beginTime = .zero + .seconds(delay + Self.stay * Double(place - 1) - period)
    turns.duration = .seconds(period)
    turns.repeatCount = .infinity
    text.add(turns)
  }
}
