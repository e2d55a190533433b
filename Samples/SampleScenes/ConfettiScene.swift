public import Framepace

/// Confetti over all: it falls, and two cannons fire it from the lower corners every few seconds.
///
/// The root's clock stands, and each picture sets its time: the scene is a function of time.
public final class ConfettiScene: SampleScene {
  public let root = Layer()
  public let isMoving = true

  /// The time from one shot to the next, longer than what was fired is seen.
  private static let period = 5.0

  private let cannons = [EmitterLayer(), EmitterLayer()]
  /// The cells of each cannon for a shot at 0.
  private var shots: [[EmitterCell]] = []
  private var round = -1

  public init(settings: SceneSettings) throws {
    root.backgroundColor = Palette.night
    root.speed = 0
    let (size, unit) = (settings.size, settings.roundUnit)
    addCard(settings)
    let shapes = try [Size(18, 11), Size(12, 12), Size(24, 6)].enumerated().map { index, size in
      try Self.image(Size(size.width * unit, size.height * unit), isRound: index == 1, scale: settings.scale)
    }
    let rain = EmitterLayer(frame: Rect(origin: .zero, size: size))
    rain.emitterShape = .line
    (rain.emitterPosition, rain.emitterSize) = (Point(size.width / 2, -20 * unit), Size(size.width * 1.1, 0))
    rain.emitterCells = Self.pieces(shapes, settings.scale).map { piece in
      var cell = piece
      cell.birthRate = 4.5 * size.width / (1920 * unit)
      // It has fallen for long when the scene begins.
      cell.beginTime = .zero + .seconds(-60.0)
      (cell.lifetime, cell.velocity, cell.velocityRange) = (size.height / (110 * unit) + 1, 190 * unit, 120 * unit)
      (cell.emissionLongitude, cell.emissionRange) = (.pi / 2, 0.5)
      return cell
    }
    root.addSublayer(rain)
    for (cannon, isLeft) in zip(cannons, [true, false]) {
      cannon.frame = Rect(origin: .zero, size: size)
      cannon.emitterPosition = Point(isLeft ? -10 * unit : size.width + 10 * unit, size.height * 0.96)
      cannon.seed = isLeft ? 1 : 2
      // It comes as high as the upper quarter.
      let height = size.height * 0.72
      let (gravity, flight) = (900 * unit, (2 * height / (900 * unit)).squareRoot())
      shots.append(
        Self.pieces(shapes, settings.scale).map { piece in
          var cell = piece
          (cell.birthRate, cell.duration) = (240, .milliseconds(300))
          (cell.lifetime, cell.lifetimeRange) = (4.2, 0.8)
          (cell.velocity, cell.velocityRange) = (gravity * flight, gravity * flight * 0.6)
          (cell.emissionLongitude, cell.emissionRange) = (isLeft ? -.pi / 2 + 0.42 : -.pi / 2 - 0.42, 0.7)
          cell.yAcceleration = gravity
          (cell.alphaRange, cell.alphaSpeed, cell.color.alpha) = (0.4, -0.35, 1.8)
          return cell
        })
      root.addSublayer(cannon)
    }
    update(at: 0)
  }

  public func update(at time: Double) {
    root.timeOffset = .seconds(time)
    let round = Int(min(time / Self.period, 1e9))
    guard round != self.round else { return }
    self.round = round
    for (cannon, shot) in zip(cannons, shots) {
      cannon.emitterCells = shot.map { piece in
        var cell = piece
        cell.beginTime = .zero + .seconds(Double(round) * Self.period + 0.1)
        return cell
      }
    }
  }

  private func addCard(_ settings: SceneSettings) {
    let (size, unit) = (settings.size, settings.roundUnit)
    let title = TextLayer("Well done", font: settings.fonts.bold(size: 150 * unit), color: Palette.text)
    let line = TextLayer(
      "three emitters, a thousand pieces, over all", font: settings.fonts.regular(size: 38 * unit), color: Palette.dim)
    let card = Layer()
    card.bounds.size = Size(
      settings.edge(near: max(title.bounds.width, line.bounds.width) + 160 * unit), settings.edge(near: 360 * unit))
    card.frame.origin = Point(
      settings.edge(near: (size.width - card.bounds.width) / 2), settings.edge(near: (size.height - card.bounds.height) / 2))
    (card.backgroundColor, card.cornerRadius) = (Palette.panel, 36 * unit)
    (card.borderWidth, card.borderColor) = (settings.lineWidth(3 * unit), Palette.line)
    title.position = Point(card.bounds.midX, 140 * unit)
    line.position = Point(card.bounds.midX, 270 * unit)
    card.addSublayer(title)
    card.addSublayer(line)
    root.addSublayer(card)
  }

  /// Pieces of each shape in each colour, which tumble.
  private static func pieces(_ shapes: [Image], _ scale: Double) -> [EmitterCell] {
    Palette.accents.enumerated().map { index, color in
      var cell = EmitterCell(contents: shapes[index % shapes.count])
      (cell.contentsScale, cell.scale, cell.scaleRange) = (scale, 0.9, 0.5)
      (cell.spin, cell.spinRange) = (index % 2 == 0 ? 3 : -3, 5)
      cell.color = color
      return cell
    }
  }

  /// A white rectangle or ellipse.
  private static func image(_ size: Size, isRound: Bool, scale: Double) throws -> Image {
    let pixels = Size(max((size.width * scale).rounded(), 1), max((size.height * scale).rounded(), 1))
    let bitmap = try Bitmap(width: Int(pixels.width), height: Int(pixels.height))
    let context = DrawingContext(bitmap: bitmap)
    let rect = Rect(origin: .zero, size: pixels)
    if isRound { context.fill(.ellipse(in: rect), color: .white) } else { context.fill(rect, color: .white) }
    context.flush()
    return bitmap.freeze()
  }
}
