public import Framepace

/// Four cards on a table that turn over one after the other, all seen from one place. Each has a front and a back, of which only the
/// one that faces the viewer is shown; in the front's round window, cut out by a mask, hills pass by.
///
/// The movements are animations that repeat for ever. The root's clock stands, and each picture sets its time.
public final class CardsScene: SampleScene {
  public let root = Layer()
  public let isMoving = true

  /// The hour of the day on a card.
  private struct Hour {
    var name: String
    var time: String
    var sky: UInt32
    var sun: UInt32
    /// The height of the sun over the window's middle, in radii of the window.
    var height: Double
    var hills: (far: UInt32, near: UInt32)
    var back: UInt32
  }

  private static let hours = [
    Hour(
      name: "Morning", time: "06:40", sky: 0xF7D9C4, sun: 0xFFB84D, height: 0, hills: (0xB7A0B5, 0x6F7FA0), back: 0xC9785D),
    Hour(
      name: "Noon", time: "12:30", sky: 0xA9DDF3, sun: 0xFFE08A, height: 0.52, hills: (0x7FB8A0, 0x3F8F7C), back: 0x2F8F83),
    Hour(
      name: "Evening", time: "19:10", sky: 0xE88F7A, sun: 0xFFC66B, height: -0.1, hills: (0x9A5A78, 0x573D66), back: 0x7A4E7E
    ),
    Hour(
      name: "Night", time: "23:50", sky: 0x1D2A4A, sun: 0xF2EFE2, height: 0.4, hills: (0x27395F, 0x131D38), back: 0x33518C),
  ]
  /// The time after which everything begins again, and the one that a card takes to turn over.
  private static let period = 10.0
  private static let turn = 1.3

  public init(settings: SceneSettings) throws {
    root.speed = 0
    root.backgroundColor = Color(hex: 0x2A3746)
    let (size, unit) = (settings.size, settings.roundUnit)
    let caption = TextLayer(
      "cards · two sides, masks, one perspective", font: settings.fonts.regular(size: 28 * unit), color: Palette.dim)
    caption.frame.origin = Point(48 * unit, size.height - 48 * unit - caption.bounds.height)
    let table = Layer(frame: Rect(origin: .zero, size: Size(size.width, caption.frame.minY)))
    table.sublayerTransform = .perspective(distance: 1500 * unit)
    root.addSublayer(table)
    root.addSublayer(caption)

    let columns = size.width < size.height ? 2 : 4
    let card = (columns == 2 ? Size(410, 574) : Size(350, 490)) * unit
    let gap = 72 * unit
    let step = Size(card.width + gap, card.height + gap)
    let rows = Self.hours.count / columns
    for (index, hour) in Self.hours.enumerated() {
      let place = Point(
        table.bounds.midX + (Double(index % columns) - Double(columns - 1) / 2) * step.width,
        table.bounds.midY + (Double(index / columns) - Double(rows - 1) / 2) * step.height)
      for isBack in [true, false] {
        let side = isBack ? Self.back(hour, size: card) : Self.front(hour, size: card, fonts: settings.fonts)
        side.position = place
        side.isDoubleSided = false
        // Every second card lies on its face at first.
        addTurn(to: side, index: index, angle: isBack == index.isMultiple(of: 2) ? .pi : 0, unit: unit)
        table.addSublayer(side)
      }
    }
  }

  public func update(at time: Double) {
    root.timeOffset = .seconds(time)
  }

  // MARK: Movements

  private static func forEver(
    _ animation: KeyframeAnimation, _ duration: Double, autoreverses: Bool = false
  ) -> KeyframeAnimation {
    var animation = animation
    animation.beginTime = .zero
    animation.duration = .seconds(duration)
    animation.repeatCount = .infinity
    animation.autoreverses = autoreverses
    return animation
  }

  /// Lets a side of a card sway, and turn over and back: it rises from the table meanwhile.
  private func addTurn(to side: Layer, index: Int, angle: Double, unit: Double) {
    let delay = 0.1 + 0.3 * Double(index)
    let moments: [Double] = [0, delay, delay + Self.turn / 2, delay + Self.turn]
    let later: [Double] = moments.dropFirst().map { $0 + Self.period / 2 }
    let times: [Double] = (moments + later + [Self.period]).map { $0 / Self.period }
    let eases: [TimingFunction] = [.linear, .easeIn, .easeOut, .linear, .easeIn, .easeOut, .linear]
    let angles: [Double] = [0, 0, 0.5, 1, 1, 1.5, 2, 2].map { angle + $0 * Double.pi }
    let height = 150 * unit
    let heights: [Double] = [0, 0, height, 0, 0, height, 0, 0]
    side.add(
      Self.forEver(
        KeyframeAnimation(.transformRotationX, values: [-0.06, 0.06], timingFunctions: [.easeInEaseOut]),
        3.4 + 0.3 * Double(index), autoreverses: true))
    side.add(
      Self.forEver(
        KeyframeAnimation(.transformRotationY, values: angles, keyTimes: times, timingFunctions: eases), Self.period))
    side.add(
      Self.forEver(KeyframeAnimation(.zPosition, values: heights, keyTimes: times, timingFunctions: eases), Self.period))
  }

  // MARK: Sides

  private static func side(_ size: Size, color: UInt32, border: Color) -> Layer {
    let side = Layer(frame: Rect(origin: .zero, size: size))
    let unit = size.width / 350
    side.cornerRadius = 30 * unit
    side.backgroundColor = Color(hex: color)
    side.borderWidth = max(2 * unit, 1)
    side.borderColor = border
    (side.shadowOpacity, side.shadowRadius, side.shadowOffset) = (0.4, 22 * unit, Size(0, 14 * unit))
    return side
  }

  private static func front(_ hour: Hour, size: Size, fonts: SceneFonts) -> Layer {
    let front = side(size, color: 0xF6F1E7, border: Color(hex: 0xFFFFFF))
    let unit = size.width / 350
    let window = window(hour, diameter: 250 * unit)
    window.position = Point(size.width / 2, 178 * unit)
    let ring = Layer(frame: window.frame.insetBy(dx: -9 * unit, dy: -9 * unit))
    ring.cornerRadius = ring.bounds.width / 2
    ring.borderWidth = 3 * unit
    ring.borderColor = Color(hex: hour.back).withAlpha(0.55)
    front.addSublayer(window)
    front.addSublayer(ring)
    let name = TextLayer(hour.name, font: fonts.bold(size: 46 * unit), color: Color(hex: 0x2B3442))
    name.position = Point(size.width / 2, 366 * unit)
    let time = TextLayer(hour.time, font: fonts.regular(size: 30 * unit), color: Color(hex: 0x6B7484))
    time.position = Point(size.width / 2, 420 * unit)
    front.addSublayer(name)
    front.addSublayer(time)
    return front
  }

  /// A round window with a sun and two rows of hills that pass by.
  private static func window(_ hour: Hour, diameter: Double) -> Layer {
    let window = Layer(frame: Rect(x: 0, y: 0, width: diameter, height: diameter))
    window.backgroundColor = Color(hex: hour.sky)
    let hole = ShapeLayer(frame: window.bounds)
    hole.path = .ellipse(in: hole.bounds)
    window.mask = hole
    let sun = Layer(frame: Rect(x: 0, y: 0, width: diameter * 0.27, height: diameter * 0.27))
    sun.position = Point(diameter * 0.62, diameter * (0.5 - hour.height / 2))
    sun.cornerRadius = sun.bounds.width / 2
    sun.backgroundColor = Color(hex: hour.sun)
    window.addSublayer(sun)
    let rows: [(color: UInt32, top: Double, waves: Int, duration: Double)] = [
      (hour.hills.far, 0.56, 3, 9), (hour.hills.near, 0.7, 2, 6.5),
    ]
    for (color, top, waves, duration) in rows {
      let hills = hills(Size(diameter * 1.8, diameter * 0.5), waves: waves, color: Color(hex: color))
      hills.anchorPoint = .zero
      hills.position = Point(0, diameter * top)
      hills.add(
        forEver(
          KeyframeAnimation(.positionX, values: [0, -diameter * 0.8], timingFunctions: [.easeInEaseOut]), duration,
          autoreverses: true))
      window.addSublayer(hills)
    }
    return window
  }

  private static func hills(_ size: Size, waves: Int, color: Color) -> Layer {
    let hills = ShapeLayer(frame: Rect(origin: .zero, size: size))
    let (step, top) = (size.width / Double(waves * 2), size.height * 0.32)
    var path = Path()
    path.move(to: Point(0, size.height))
    path.line(to: Point(0, top))
    for wave in 0..<(waves * 2) {
      let x = step * Double(wave)
      let level = wave.isMultiple(of: 2) ? 0 : top * 2
      path.quadCurve(to: Point(x + step, top), control: Point(x + step / 2, level))
    }
    path.line(to: Point(size.width, size.height))
    path.close()
    hills.path = path
    hills.fillColor = color
    return hills
  }

  private static func back(_ hour: Hour, size: Size) -> Layer {
    let back = side(size, color: hour.back, border: Color(hex: 0xFFFFFF, alpha: 0.35))
    let unit = size.width / 350
    let frame = Layer(frame: back.bounds.insetBy(dx: 22 * unit, dy: 22 * unit))
    frame.cornerRadius = 16 * unit
    frame.borderWidth = 2 * unit
    frame.borderColor = Color(hex: 0xFFFFFF, alpha: 0.45)
    frame.masksToBounds = true
    let lattice = ShapeLayer(frame: frame.bounds)
    lattice.path = diamonds(in: frame.bounds, columns: 6)
    lattice.fillColor = Color(hex: 0xFFFFFF, alpha: 0.13)
    frame.addSublayer(lattice)
    back.addSublayer(frame)
    let discs: [(diameter: Double, color: Color)] = [
      (132, Color(hex: hour.back)), (108, Color(hex: 0xFFFFFF, alpha: 0.2)), (52, Color(hex: hour.sun)),
    ]
    for (diameter, color) in discs {
      let disc = Layer(frame: Rect(x: 0, y: 0, width: diameter * unit, height: diameter * unit))
      disc.position = Point(size.width / 2, size.height / 2)
      disc.cornerRadius = disc.bounds.width / 2
      disc.backgroundColor = color
      back.addSublayer(disc)
    }
    return back
  }

  private static func diamonds(in rect: Rect, columns: Int) -> Path {
    let width = rect.width / Double(columns)
    let rows = Int((rect.height / width).rounded())
    let height = rect.height / Double(rows)
    var path = Path()
    for row in 0..<rows {
      for column in 0..<columns {
        let middle = Point((Double(column) + 0.5) * width, (Double(row) + 0.5) * height)
        path.move(to: Point(middle.x, middle.y - height * 0.38))
        path.line(to: Point(middle.x + width * 0.38, middle.y))
        path.line(to: Point(middle.x, middle.y + height * 0.38))
        path.line(to: Point(middle.x - width * 0.38, middle.y))
        path.close()
      }
    }
    return path
  }
}
