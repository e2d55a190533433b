// A spring is pulled back before it has come to rest. It begins at the place where it is seen, and with `keepsVelocity` with the
// velocity that it has there: it swings on a little before it turns round.
import Framepace

@main
struct Program {
  @MainActor
  static func main() throws {
    let root = Layer()
    let (ball, other) = (Layer(), Layer())
    for layer in [ball, other] { root.addSublayer(layer) }
    // The clock stands and is moved by hand, so that the places do not depend on frames.
    root.speed = 0
    let display = try VirtualDisplay(width: 320, height: 72, refreshRate: .hertz60, reason: "a sample without a screen")
    let engine = Engine(display: display, root: root)

    func pull(to x: Double, at milliseconds: Int64) {
      root.timeOffset = .milliseconds(milliseconds)
      for layer in [ball, other] {
        let shown = layer.presentation.position.x
        var pull = SpringAnimation(
          .positionX, from: layer === ball ? nil : shown, to: x,
          spring: Spring(perceptualDuration: .milliseconds(500), bounce: 0.3))
        pull.keepsVelocity = layer === ball
        pull.beginTime = .zero + root.timeOffset
        layer.add(pull, forKey: "pull")
        Transaction.withoutActions { layer.position.x = x }
      }
    }
    pull(to: 200, at: 0)
    for time in stride(from: 0, through: 600, by: 60) as StrideThrough<Int64> {
      if time == 120 { pull(to: 0, at: time) }
      root.timeOffset = .milliseconds(time)
      let places = [ball, other].map { Int($0.presentation.position.x.rounded()) }
      print("\(time) ms: with its velocity at \(places[0]), without it at \(places[1])")
    }
    engine.invalidate()
  }
}
