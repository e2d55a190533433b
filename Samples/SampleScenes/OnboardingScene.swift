public import Framepace

/// The first three pages of an application, one after the other: a glider on a path, bars that rise together, rings that open.
/// The words of each page come one by one. A page is pushed away by the next one, covered by it, or fades into it.
///
/// All that moves on a page is one animation group a layer, on the page's own clock, which begins anew whenever the page comes. The
/// root's clock stands, and each picture sets its time.
public final class OnboardingScene: SampleScene {
  public let root = Layer()
  public let isMoving = true

  private static let pageDuration = 4.0
  private static let texts = [
    (title: "Follow any path", line: "Key frames along lines and curves"),
    (title: "Move as one", line: "Groups of movements on one clock"),
    (title: "Open up", line: "Springs, one after the other"),
  ]
  /// The transitions that lead to the pages.
  private static let turns = [Transition(.fade), Transition(.push, .fromRight), Transition(.moveIn, .fromBottom)]

  private let unit: Double
  private let center: Point
  private let book = Layer()
  private var pages: [Layer] = []
  /// The pages as they are at their end.
  private var pictures: [OldPicture] = []
  private let dots = Layer()
  /// The number of the shown page, counted from the beginning on.
  private var shown = -1

  public init(settings: SceneSettings) throws {
    let size = settings.size
    unit = settings.roundUnit
    center = Point(size.width / 2, size.height / 2 - 150 * unit)
    root.speed = 0
    book.frame = Rect(origin: .zero, size: size)
    root.addSublayer(book)
    for ground: UInt32 in [0x0B1016, 0x0C1A1C, 0x17121F] {
      let page = Layer(frame: book.bounds)
      page.backgroundColor = Color(hex: ground)
      pages.append(page)
    }
    addGlider(to: pages[0])
    addBars(to: pages[1])
    addRings(to: pages[2])
    for (page, text) in zip(pages, Self.texts) {
      let title = addWords(
        text.title, to: page, font: settings.fonts.bold(size: 96 * unit), color: Palette.text, y: center.y + 330 * unit,
        delay: 0.25)
      _ = addWords(
        text.line, to: page, font: settings.fonts.regular(size: 42 * unit), color: Palette.dim, y: title + 24 * unit,
        delay: 0.6)
    }
    pictures = pages.map { OldPicture(of: $0, at: .zero + .seconds(Self.pageDuration), scale: settings.scale) }
    for page in pages { book.addSublayer(page) }
    addDots(at: Point(size.width / 2, min(center.y + 580 * unit, size.height - 60 * unit)))
  }

  public func update(at time: Double) {
    let number = Int(time / Self.pageDuration)
    if number != shown { turn(to: number) }
    root.timeOffset = .seconds(time)
  }

  private func turn(to number: Int) {
    shown = number
    let index = number % pages.count
    let start = MonotonicTime.zero + .seconds(Double(number) * Self.pageDuration)
    for page in pages { page.isHidden = page !== pages[index] }
    pages[index].beginTime = start
    book.removeAllAnimations()
    guard number > 0 else { return }
    var turn = Self.turns[index]
    turn.from = pictures[(number - 1) % pages.count]
    turn.beginTime = start
    turn.duration = .milliseconds(700)
    turn.timingFunction = .easeInEaseOut
    book.add(turn)
  }

  // MARK: Movements

  /// Runs the animations, whose times count from the page's beginning, and holds their ends.
  private func group(_ animations: [any Animation]) -> AnimationGroup {
    timed(AnimationGroup(animations), at: 0, for: Self.pageDuration)
  }

  /// Lets an animation begin at a time, and hold its two ends before and after.
  private func timed<Kind: Animation>(_ animation: Kind, at time: Double, for duration: Double?) -> Kind {
    var animation = animation
    animation.beginTime = .zero + .seconds(time)
    if let duration { animation.duration = .seconds(duration) }
    animation.fillMode = .both
    animation.isRemovedOnCompletion = false
    return animation
  }

  /// Lets a layer appear.
  private func appearance(at delay: Double) -> any Animation {
    timed(BasicAnimation(.opacity, from: 0, to: 1), at: delay, for: 0.35)
  }

  // MARK: Pages

  private func addGlider(to page: Layer) {
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
    page.addSublayer(trail)

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
    var flight = KeyframeAnimation(.position, path: path, calculationMode: .paced, rotationMode: .auto)
    flight.timingFunction = .easeInEaseOut
    glider.add(group([timed(flight, at: 0.1, for: 3.4)]))
    page.addSublayer(glider)
  }

  private func addBars(to page: Layer) {
    for (index, height) in [0.35, 0.6, 0.45, 0.8, 1].enumerated() {
      let bar = Layer()
      let full = 420 * height * unit
      bar.anchorPoint = Point(0.5, 1)
      bar.bounds = Rect(x: 0, y: 0, width: 96 * unit, height: full)
      bar.position = Point(center.x + Double(index - 2) * 136 * unit, center.y + 210 * unit)
      bar.cornerRadius = 18 * unit
      bar.backgroundColor = Palette.accents[index]
      let delay = 0.4 + 0.12 * Double(index)
      let rise = SpringAnimation(
        .boundsSizeHeight, from: 36 * unit, to: full, spring: Spring(perceptualDuration: .milliseconds(700), bounce: 0.35))
      bar.add(group([timed(rise, at: delay, for: nil), appearance(at: delay)]))
      page.addSublayer(bar)
    }
  }

  private func addRings(to page: Layer) {
    for index in 0..<4 {
      let side = (440 - 104 * Double(index)) * unit
      let ring = Layer()
      ring.bounds = Rect(x: 0, y: 0, width: side, height: side)
      ring.position = center
      ring.cornerRadius = side / 2
      ring.backgroundColor = [Palette.violet, Palette.rose, Palette.amber, Palette.text][index]
      let delay = 0.4 + 0.18 * Double(index)
      let open = SpringAnimation(
        .transformScale, from: 0.2, to: 1, spring: Spring(perceptualDuration: .milliseconds(600), bounce: 0.5))
      ring.add(group([timed(open, at: delay, for: nil), appearance(at: delay)]))
      page.addSublayer(ring)
    }
  }

  /// Adds a line of words in the middle, each a layer that rises into its place a little after the one before.
  /// - Returns: the bottom of the line.
  private func addWords(_ text: String, to page: Layer, font: Font, color: Color, y: Double, delay: Double) -> Double {
    let line = Layer()
    line.layoutManager = CentredRow(gap: font.size * 0.27)
    for (index, word) in text.split(separator: " ").enumerated() {
      let label = TextLayer(String(word), font: font, color: color)
      let delay = delay + 0.12 * Double(index)
      var rise = BasicAnimation(.transformTranslationY, from: 40 * unit, to: 0)
      rise.timingFunction = .easeOut
      label.add(group([timed(rise, at: delay, for: 0.5), appearance(at: delay)]))
      line.addSublayer(label)
    }
    let height = line.preferredSize.height
    line.frame = Rect(x: 0, y: y, width: center.x * 2, height: height)
    page.addSublayer(line)
    return y + height
  }

  /// Adds a dot for each page; that of the shown one is bright. The light goes to the next one while its page comes.
  private func addDots(at place: Point) {
    dots.layoutManager = CentredRow(gap: 20 * unit)
    let (count, turn) = (Double(pages.count), 0.32)
    var times: [Double] = []
    for page in pages.indices { times += [Double(page) / count, (Double(page + 1) - turn / Self.pageDuration) / count] }
    for index in pages.indices {
      let dot = Layer(frame: Rect(x: 0, y: 0, width: 18 * unit, height: 18 * unit))
      dot.cornerRadius = 9 * unit
      dot.backgroundColor = Palette.text
      dot.opacity = index == 0 ? 1 : 0.3
      let values = (0...pages.count * 2).map { $0 / 2 % pages.count == index ? 1 : 0.3 }
      var light = KeyframeAnimation(.opacity, values: values, keyTimes: times + [1])
      light.beginTime = .zero + .seconds(turn)
      light.duration = .seconds(Self.pageDuration * count)
      light.repeatCount = .infinity
      dot.add(light)
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
