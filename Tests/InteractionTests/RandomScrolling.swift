import Glibc
import Interaction
import LinuxSystem

/// Random content, and a finger that flings it.
struct RandomScrolling {
  var random: SplitMix64

  init(seed: Int) { random = SplitMix64(seed: UInt64(seed)) }

  mutating func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }

  mutating func extent() -> ScrollExtent {
    ScrollExtent(
      content: random.chance(0.1) ? 0 : number(0...5000), viewport: random.chance(0.1) ? number(0...20) : number(20...800),
      leadingInset: random.chance(0.2) ? number(0...100) : 0, trailingInset: random.chance(0.2) ? number(0...100) : 0)
  }

  mutating func physics() -> ScrollPhysics {
    var physics = ScrollPhysics()
    physics.edges = ScrollPhysics.Edges.allCases.randomElement(using: &random) ?? .bounce
    physics.decelerationRate =
      random.chance(0.6) ? .normal : random.chance(0.5) ? .fast : .init(perMillisecond: number(0.9...0.9995))
    return physics
  }

  /// Slow ones as often as fast ones.
  mutating func velocity() -> Double { exp(number(0...10)) * (random.chance(0.5) ? 1 : -1) }

  /// Content that was dragged, also beyond an edge, and left to itself at the time.
  mutating func flung(_ extent: ScrollExtent, _ physics: ScrollPhysics, at time: MonotonicTime) -> ScrollMotion {
    var motion = ScrollMotion(extent, physics: physics, position: number(-100...6000))
    motion.beginDrag(at: time)
    motion.drag(translation: random.chance(0.3) ? 0 : number(-3000...3000))
    motion.release(velocity: velocity(), at: time)
    return motion
  }
}

/// The movement of released content by its differential equations in small steps: v′ = −λ·v between the edges, and beyond one
/// v′ = −ω²·y − 2ω·v, with y the way beyond it.
struct IntegratedScrolling {
  let extent: ScrollExtent
  let bounces: Bool
  let rate: Double
  private(set) var position: Double
  private(set) var velocity: Double
  private var seconds = 0.0
  /// The edge beyond which it is, and the spring's frequency.
  private var spring: (edge: Double, frequency: Double)?

  init(_ motion: ScrollMotion, at time: MonotonicTime) {
    extent = motion.extent
    bounces = motion.physics.edges == .alwaysBounce || motion.physics.edges == .bounce && motion.extent.isScrollable
    rate = -1000 * log(motion.physics.decelerationRate.perMillisecond)
    (position, velocity) = (motion.position(at: time), motion.velocity(at: time))
    let excess = extent.excess(of: position)
    if excess != 0 { enter(position - excess, room: max((extent.viewport - abs(excess)) / 2, extent.viewport / 20)) }
  }

  /// The spring is so strong that the content goes no further than the room.
  private mutating func enter(_ edge: Double, room: Double) {
    let goesOn = (position - edge) * velocity >= 0
    spring = (edge, goesOn ? max(10, abs(velocity) / (M_E * room)) : 10)
  }

  private func acceleration(_ x: Double, _ v: Double) -> Double {
    guard let (edge, frequency) = spring else { return -rate * v }
    return -frequency * frequency * (x - edge) - 2 * frequency * v
  }

  /// One step of Runge and Kutta's.
  private func stepped(by h: Double) -> (Double, Double) {
    let (x, v) = (position, velocity)
    let (v1, a1) = (v, acceleration(x, v))
    let (v2, a2) = (v + h / 2 * a1, acceleration(x + h / 2 * v1, v + h / 2 * a1))
    let (v3, a3) = (v + h / 2 * a2, acceleration(x + h / 2 * v2, v + h / 2 * a2))
    let (v4, a4) = (v + h * a3, acceleration(x + h * v3, v + h * a3))
    return (x + h / 6 * (v1 + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4))
  }

  /// True if the step leads over an edge, inwards from beyond it or outwards from between them.
  private func crosses(_ x: Double) -> Bool {
    guard let (edge, _) = spring else { return extent.excess(of: x) != 0 }
    return (x - edge) * (position - edge) < 0 || position == edge && extent.excess(of: x) == 0
  }

  mutating func advance(to end: Double) {
    while seconds < end {
      let h = min(1e-3, end - seconds, 0.01 / (spring?.frequency ?? 10))
      seconds += h
      var (x, v) = stepped(by: h)
      if crosses(x) {
        // The time of the crossing, by halving.
        var (low, high) = (0.0, h)
        for _ in 0..<50 {
          if crosses(stepped(by: (low + high) / 2).0) { high = (low + high) / 2 } else { low = (low + high) / 2 }
        }
        seconds += high - h
        (x, v) = stepped(by: high)
        let edge = spring?.edge ?? extent.clamp(x)
        (position, velocity) = (edge, v)
        if spring != nil { spring = nil } else if bounces { enter(edge, room: extent.viewport / 2) } else { velocity = 0 }
      } else {
        (position, velocity) = (x, v)
      }
    }
  }
}
