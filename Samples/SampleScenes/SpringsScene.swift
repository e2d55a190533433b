public import Framepace
import Glibc

/// Balls on springs, each with another bounce. A script pulls them to new places before they have come to rest: the full ones go on
/// with their velocity, the outlined ones begin each time at rest.
///
/// The root's clock stands, and each picture sets its time: the scene is a function of time although its movements are begun one
/// after the other.
public final class SpringsScene: SampleScene {
  public let root = Layer()
  public let isMoving = true

  /// A place to go to: from 0, on the left, to 1.
  private struct Step {
    var time: Double
    var place: Double
  }

  private struct Ball {
    var layer: Layer
    var spring: Spring
    var keepsVelocity: Bool
  }

  /// The script is repeated when the last ball has come to rest, where all were at first.
  private static let period = 10.0
  private static let script = [
    Step(time: 0.1, place: 1), Step(time: 0.38, place: 0), Step(time: 0.7, place: 1), Step(time: 2.2, place: 0.25),
    Step(time: 2.5, place: 0.75), Step(time: 2.8, place: 0.25), Step(time: 4.2, place: 1), Step(time: 4.45, place: 0.5),
    Step(time: 5.8, place: 1), Step(time: 6.0, place: 0), Step(time: 6.2, place: 1), Step(time: 6.4, place: 0),
  ]

  private let settings: SceneSettings
  private var balls: [Ball] = []
  private let target = Layer()
  /// The leftmost place of a ball's middle, and the way from there to the rightmost.
  private let left: Double
  private let width: Double
  /// The half of an outlined ball's side.
  private let radius: Double
  /// The repetition of the script, and the steps of it that were taken.
  private var round = 0
  private var count = 0

  public init(settings: SceneSettings) throws {
    self.settings = settings
    root.backgroundColor = Palette.night
    root.speed = 0
    let (size, unit) = (settings.size, settings.roundUnit)
    let isTall = size.height > size.width
    let margin = 96 * unit
    radius = 54 * unit
    left = margin + (isTall ? 0 : 300 * unit) + radius
    width = size.width - margin - radius - left

    let title = TextLayer("springs, interrupted", font: settings.fonts.bold(size: 64 * unit), color: Palette.text)
    title.frame.origin = Point(margin, 64 * unit)
    root.addSublayer(title)
    let legend = TextLayer(
      "full: goes on with its velocity   outlined: begins at rest", font: settings.fonts.regular(size: 34 * unit),
      color: Palette.dim)
    legend.frame.origin = Point(margin, title.frame.maxY + 4 * unit)
    root.addSublayer(legend)

    let top = legend.frame.maxY + 40 * unit
    let lane = (size.height - top - 48 * unit) / 5
    target.anchorPoint = .zero
    target.bounds = Rect(x: 0, y: 0, width: settings.lineWidth(4 * unit), height: settings.edge(near: lane * 5))
    target.backgroundColor = Palette.line
    target.position.y = settings.edge(near: top)
    moveTarget(to: 0)
    root.addSublayer(target)
    for (index, bounce) in [0, 0.15, 0.3, 0.45, 0.6].enumerated() {
      let label = TextLayer(
        "bounce \(Int((bounce * 100).rounded())) %", font: settings.fonts.medium(size: 38 * unit),
        color: Palette.accents[index])
      let y = top + lane * (Double(index) + (isTall ? 0.6 : 0.5))
      label.frame.origin =
        isTall ? Point(margin, y - 84 * unit - label.bounds.height / 2) : Point(margin, y - label.bounds.height / 2)
      root.addSublayer(label)
      addLane(y: y, bounce: bounce, color: Palette.accents[index], unit: unit)
    }
  }

  public func update(at time: Double) {
    let round = Int(time / Self.period)
    let start = Self.period * Double(round)
    if round != self.round || count > 0 && start + Self.script[count - 1].time > time { begin(round) }
    while count < Self.script.count && start + Self.script[count].time <= time {
      take(Self.script[count], at: start + Self.script[count].time)
      count += 1
    }
    root.timeOffset = .seconds(time)
  }

  /// A spring swings beyond the outermost places too.
  private func x(of place: Double) -> Double { left + width * (0.2 + 0.6 * place) }

  private func moveTarget(to place: Double) {
    target.position.x = settings.edge(near: x(of: place) - target.bounds.width / 2)
  }

  private func begin(_ round: Int) {
    (self.round, count) = (round, 0)
    moveTarget(to: 0)
    for ball in balls {
      ball.layer.removeAllAnimations()
      ball.layer.position.x = x(of: 0)
    }
  }

  private func take(_ step: Step, at time: Double) {
    // The interrupted movement is seen as it is at the step's own time, whatever frame shows it first.
    root.timeOffset = .seconds(time)
    moveTarget(to: step.place)
    let end = x(of: step.place)
    for ball in balls {
      let shown = ball.layer.presentation.position.x
      var pull = SpringAnimation(
        .positionX, from: ball.keepsVelocity ? nil : shown, to: end, spring: ball.spring)
      pull.keepsVelocity = ball.keepsVelocity
      pull.beginTime = .zero + .seconds(time)
      ball.layer.add(pull, forKey: "pull")
      ball.layer.position.x = end
    }
  }

  private func addLane(y: Double, bounce: Double, color: Color, unit: Double) {
    let thickness = settings.lineWidth(2 * unit)
    let track = Layer(
      frame: Rect(
        x: settings.edge(near: left - radius), y: settings.edge(near: y - thickness / 2),
        width: settings.edge(near: width + 2 * radius), height: thickness))
    track.backgroundColor = Palette.panel
    root.addSublayer(track)
    let spring = Spring(perceptualDuration: .milliseconds(500), bounce: bounce)
    for keepsVelocity in [false, true] {
      // The outlined ball is seen around the full one where both are at the same place.
      let side = keepsVelocity ? 84 * unit : 2 * radius
      let layer = Layer()
      layer.bounds = Rect(x: 0, y: 0, width: side, height: side)
      layer.position = Point(x(of: 0), track.frame.midY)
      layer.cornerRadius = side / 2
      layer.backgroundColor = color.withAlpha(keepsVelocity ? 1 : 0.7)
      if !keepsVelocity {
        let hole = Layer(frame: layer.bounds.insetBy(dx: 6 * unit, dy: 6 * unit))
        hole.cornerRadius = hole.bounds.width / 2
        hole.backgroundColor = Palette.night
        layer.addSublayer(hole)
      }
      root.addSublayer(layer)
      balls.append(Ball(layer: layer, spring: spring, keepsVelocity: keepsVelocity))
    }
  }
}
