public import Framepace

/// The first three pages of an application, one after the other: a glider on a path, bars that rise together, rings that open.
/// The words of each page come one by one.
///
/// All is one animation group a layer, as long as the three pages and repeated for ever. The root's clock stands, and each picture
/// sets its time.
public final class OnboardingScene: SampleScene {
  public let root = Layer()
  public let isMoving = true

  private static let pageDuration = 4.0
  private static let pages = [
    (title: "Follow any path", line: "Key frames along lines and curves"),
    (title: "Move as one", line: "Groups of movements on one clock"),
    (title: "Open up", line: "Springs, one after the other"),
  ]

  private let unit: Double
  private let center: Point
  private let dots = Layer()

  public init(settings: SceneSettings) throws {
    let size = settings.size
    unit = settings.roundUnit
    center = Point(size.width / 2, size.height / 2 - 150 * unit)
    root.speed = 0
    root.backgroundColor = Palette.night
    let grounds = [Color(hex: 0x0B1016), Color(hex: 0x0C1A1C), Color(hex: 0x17121F)]
    root.add(
      group([
        KeyframeAnimation(
          .backgroundColor, values: [grounds[0], grounds[0], grounds[1], grounds[1], grounds[2], grounds[2], grounds[0]],
          keyTimes: [0, 0.29, 0.34, 0.62, 0.67, 0.95, 1])
      ]))

    addGlider(page: 0)
    addBars(page: 1)
    addRings(page: 2)
    for (page, text) in Self.pages.enumerated() {
      let title = addWords(
        text.title, page: page, font: settings.fonts.bold(size: 96 * unit), color: Palette.text, y: center.y + 330 * unit,
        delay: 0.15)
      _ = addWords(
        text.line, page: page, font: settings.fonts.regular(size: 42 * unit), color: Palette.dim, y: title + 24 * unit,
        delay: 0.5)
    }
    addDots(at: Point(size.width / 2, min(center.y + 580 * unit, size.height - 60 * unit)))
  }

  public func update(at time: Double) {
    root.timeOffset = .seconds(time)
  }

  // MARK: Movements

  private func start(of page: Int) -> Double { Double(page) * Self.pageDuration }

  /// Runs the animations, whose times count from the first page's beginning, again and again.
  private func group(_ animations: [any Animation]) -> AnimationGroup {
    var group = AnimationGroup(animations)
    group.beginTime = .zero
    group.duration = .seconds(Self.pageDuration * Double(Self.pages.count))
    group.repeatCount = .infinity
    return group
  }

  /// Lets an animation begin at a time, and hold its two ends before and after.
  private func timed<Kind: Animation>(_ animation: Kind, at time: Double, for duration: Double?) -> Kind {
    var animation = animation
    animation.beginTime = .zero + .seconds(time)
    if let duration { animation.duration = .seconds(duration) }
    animation.fillMode = .both
    return animation
  }

  /// Shows a layer, which is clear otherwise, from a moment of its page until the page's end.
  private func visibility(page: Int, delay: Double) -> any Animation {
    let length = Self.pageDuration - delay
    return timed(
      KeyframeAnimation(.opacity, values: [0, 1, 1, 0], keyTimes: [0, 0.35 / length, 1 - 0.3 / length, 1]),
      at: start(of: page) + delay, for: length)
  }

  // MARK: Pages

  private func addGlider(page: Int) {
    var path = Path()
    func at(_ x: Double, _ y: Double) -> Point { Point(center.x + x * unit, center.y + y * unit) }
    path.move(to: at(-420, 160))
    path.cubicCurve(to: at(0, -40), control1: at(-300, -320), control2: at(-120, 240))
    path.cubicCurve(to: at(420, -180), control1: at(160, -420), control2: at(200, 260))
    let trail = ShapeLayer(
      frame: Rect(x: center.x - 480 * unit, y: center.y - 300 * unit, width: 960 * unit, height: 600 * unit))
    trail.bounds.origin = trail.frame.origin
    trail.path = path
    trail.fillColor = nil
    trail.strokeColor = Palette.line
    trail.strokeStyle = StrokeStyle(width: max(4 * unit, 1), cap: .round)
    trail.opacity = 0
    trail.add(group([visibility(page: page, delay: 0)]))
    root.addSublayer(trail)

    let glider = ShapeLayer()
    glider.bounds = Rect(x: 0, y: 0, width: 84 * unit, height: 72 * unit)
    var wing = Path()
    wing.move(to: Point(84 * unit, 36 * unit))
    wing.line(to: Point(0, 72 * unit))
    wing.line(to: Point(18 * unit, 36 * unit))
    wing.line(to: Point(0, 0))
    wing.close()
    glider.path = wing
    glider.fillColor = Palette.sky
    glider.opacity = 0
    var flight = KeyframeAnimation(.position, path: path, calculationMode: .paced, rotationMode: .auto)
    flight.timingFunction = .easeInEaseOut
    glider.add(group([timed(flight, at: start(of: page) + 0.1, for: 3.2), visibility(page: page, delay: 0)]))
    root.addSublayer(glider)
  }

  private func addBars(page: Int) {
    for (index, height) in [0.35, 0.6, 0.45, 0.8, 1].enumerated() {
      let bar = Layer()
      let full = 420 * height * unit
      bar.anchorPoint = Point(0.5, 1)
      bar.bounds = Rect(x: 0, y: 0, width: 96 * unit, height: full)
      bar.position = Point(center.x + Double(index - 2) * 136 * unit, center.y + 210 * unit)
      bar.cornerRadius = 18 * unit
      bar.backgroundColor = Palette.accents[index]
      bar.opacity = 0
      let delay = 0.1 + 0.12 * Double(index)
      let rise = SpringAnimation(
        .boundsSizeHeight, from: 36 * unit, to: full, spring: Spring(perceptualDuration: .milliseconds(700), bounce: 0.35))
      bar.add(group([timed(rise, at: start(of: page) + delay, for: nil), visibility(page: page, delay: delay)]))
      root.addSublayer(bar)
    }
  }

  private func addRings(page: Int) {
    for index in 0..<4 {
      let side = (440 - 104 * Double(index)) * unit
      let ring = Layer()
      ring.bounds = Rect(x: 0, y: 0, width: side, height: side)
      ring.position = center
      ring.cornerRadius = side / 2
      ring.backgroundColor = [Palette.violet, Palette.rose, Palette.amber, Palette.text][index]
      ring.opacity = 0
      let delay = 0.1 + 0.18 * Double(index)
      let open = SpringAnimation(
        .transformScale, from: 0.2, to: 1, spring: Spring(perceptualDuration: .milliseconds(600), bounce: 0.5))
      ring.add(group([timed(open, at: start(of: page) + delay, for: nil), visibility(page: page, delay: delay)]))
      root.addSublayer(ring)
    }
  }

  /// Adds a line of words in the middle, each a layer that rises into its place a little after the one before.
  /// - Returns: the bottom of the line.
  private func addWords(_ text: String, page: Int, font: Font, color: Color, y: Double, delay: Double) -> Double {
    let line = Layer()
    line.layoutManager = CentredRow(gap: font.size * 0.27)
    for (index, word) in text.split(separator: " ").enumerated() {
      let label = TextLayer(String(word), font: font, color: color)
      label.opacity = 0
      let delay = delay + 0.12 * Double(index)
      var rise = BasicAnimation(.transformTranslationY, from: 40 * unit, to: 0)
      rise.timingFunction = .easeOut
      label.add(group([timed(rise, at: start(of: page) + delay, for: 0.5), visibility(page: page, delay: delay)]))
      line.addSublayer(label)
    }
    let height = line.preferredSize.height
    line.frame = Rect(x: 0, y: y, width: center.x * 2, height: height)
    root.addSublayer(line)
    return y + height
  }

  /// Adds a dot for each page; that of the shown one is bright.
  private func addDots(at place: Point) {
    dots.layoutManager = CentredRow(gap: 20 * unit)
    for page in Self.pages.indices {
      let dot = Layer(frame: Rect(x: 0, y: 0, width: 18 * unit, height: 18 * unit))
      dot.cornerRadius = 9 * unit
      dot.backgroundColor = Palette.text
      dot.opacity = 0.3
      dot.add(
        group([
          timed(
            KeyframeAnimation(.opacity, values: [0.3, 1, 1, 0.3], keyTimes: [0, 0.08, 0.92, 1]), at: start(of: page),
            for: Self.pageDuration)
        ]))
      dots.addSublayer(dot)
    }
    dots.frame = Rect(x: place.x - 200 * unit, y: place.y, width: 400 * unit, height: dots.preferredSize.height)
    root.addSublayer(dots)
  }
}

/// Lays out sublayers in a row, as large as they would like to be, around the middle of their superlayer.
private final class CentredRow: LayoutManager {
  private let gap: Double

  init(gap: Double) { self.gap = gap }

  func layoutSublayers(of layer: Layer) {
    var x = layer.bounds.midX - preferredSize(of: layer).width / 2
    for sublayer in layer.sublayers {
      let size = sublayer.preferredSize
      sublayer.frame = Rect(origin: Point(x, layer.bounds.midY - size.height / 2), size: size)
      x += size.width + gap
    }
  }

  func preferredSize(of layer: Layer) -> Size {
    let sizes = layer.sublayers.map(\.preferredSize)
    return Size(
      sizes.reduce(gap * Double(max(sizes.count - 1, 0))) { $0 + $1.width }, sizes.map(\.height).max() ?? 0)
  }
}
