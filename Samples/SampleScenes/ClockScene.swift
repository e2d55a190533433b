public import Framepace
import Glibc

/// An analogue clock: hands turn around their ends, numerals are text, and the second hand moves continuously.
public final class ClockScene: SampleScene {
  public let root = Layer()
  public let isMoving = true

  private let timeOfDay: Double
  private let hourHand = Layer()
  private let minuteHand = Layer()
  private let secondHand = Layer()
  private let digits = TextLayer()

  public init(settings: SceneSettings) throws {
    timeOfDay = settings.timeOfDay
    root.backgroundColor = Palette.night
    let unit = settings.roundUnit
    let radius = 430 * unit
    let center = Point(settings.size.width / 2, settings.size.height / 2)

    let dial = Layer()
    dial.bounds = Rect(x: 0, y: 0, width: radius * 2, height: radius * 2)
    dial.position = center
    dial.cornerRadius = radius
    dial.backgroundColor = Palette.panel
    root.addSublayer(dial)
    addMarks(to: dial, radius: radius, unit: unit)
    addNumerals(to: dial, radius: radius, settings: settings)

    digits.font = settings.fonts.regular(size: 48 * unit)
    digits.color = Palette.text.withAlpha(0.8)
    digits.alignment = .center
    digits.bounds = Rect(x: 0, y: 0, width: 300 * unit, height: 52 * unit)
    digits.position = Point(radius, radius * 1.42)
    dial.addSublayer(digits)

    addHand(hourHand, to: dial, length: 190 * unit, tail: 50 * unit, width: 20 * unit, color: Palette.text)
    addHand(minuteHand, to: dial, length: 284 * unit, tail: 60 * unit, width: 13 * unit, color: Palette.text)
    addHand(secondHand, to: dial, length: 370 * unit, tail: 80 * unit, width: 5 * unit, color: Palette.rose)
    addCap(to: dial, radius: radius, diameter: 30 * unit, color: Palette.rose)
    addCap(to: dial, radius: radius, diameter: 11 * unit, color: Palette.panel)
    update(at: 0)
  }

  public func update(at time: Double) {
    let seconds = (timeOfDay + time).truncatingRemainder(dividingBy: 86_400)
    hourHand.transform = .rotation(seconds / 43_200 * 2 * .pi)
    minuteHand.transform = .rotation(seconds / 3600 * 2 * .pi)
    secondHand.transform = .rotation(seconds / 60 * 2 * .pi)
    let whole = Int(seconds)
    digits.string = [whole / 3600, whole / 60 % 60, whole % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }

  private func addMarks(to dial: Layer, radius: Double, unit: Double) {
    for minute in 0..<60 {
      let isHour = minute.isMultiple(of: 5)
      let mark = Layer()
      let length = (isHour ? 34 : 16) * unit
      let width = (isHour ? 8 : 4) * unit
      mark.bounds = Rect(x: 0, y: 0, width: width, height: length)
      mark.cornerRadius = width / 2
      mark.backgroundColor = isHour ? Palette.text : Palette.line
      // The anchor point is the dial's centre, so the mark turns around it to its place.
      mark.anchorPoint = Point(0.5, (radius - 22 * unit) / length)
      mark.position = Point(radius, radius)
      mark.transform = .rotation(Double(minute) / 60 * 2 * .pi)
      dial.addSublayer(mark)
    }
  }

  private func addNumerals(to dial: Layer, radius: Double, settings: SceneSettings) {
    for hour in 1...12 {
      let numeral = TextLayer("\(hour)", font: settings.fonts.regular(size: 64 * settings.roundUnit), color: Palette.text)
      let angle = Double(hour) / 12 * 2 * .pi
      numeral.position = Point(radius + radius * 0.755 * sin(angle), radius - radius * 0.755 * cos(angle))
      dial.addSublayer(numeral)
    }
  }

  private func addHand(_ hand: Layer, to dial: Layer, length: Double, tail: Double, width: Double, color: Color) {
    hand.bounds = Rect(x: 0, y: 0, width: width, height: length + tail)
    hand.anchorPoint = Point(0.5, length / (length + tail))
    hand.position = Point(dial.bounds.midX, dial.bounds.midY)
    hand.cornerRadius = width / 2
    hand.backgroundColor = color
    dial.addSublayer(hand)
  }

  private func addCap(to dial: Layer, radius: Double, diameter: Double, color: Color) {
    let cap = Layer()
    cap.bounds = Rect(x: 0, y: 0, width: diameter, height: diameter)
    cap.position = Point(radius, radius)
    cap.cornerRadius = diameter / 2
    cap.backgroundColor = color
    dial.addSublayer(cap)
  }
}
