import Glibc

/// A movement that loses the same part of its velocity in each millisecond.
///
/// v(t) = v₀·e^(−λt), x(t) = x₀ + v₀/λ·(1 − e^(−λt)), with λ = −1000·ln(rate): UIScrollView's deceleration, as in "Scrolling mechanics of
/// UIScrollView" (I. Lobanov, 2019) and the projection of WWDC 2018, session 803.
public struct ScrollDecay: Hashable, BitwiseCopyable, Sendable {
  /// The position at the beginning, in points.
  public let origin: Double
  /// The velocity at the beginning, in points per second.
  public let initialVelocity: Double
  /// The λ above, per second.
  public let rate: Double

  init(origin: Double, velocity: Double, rate: ScrollPhysics.DecelerationRate) {
    (self.origin, initialVelocity, self.rate) = (origin, velocity, rate.perSecond)
  }

  public func position(at seconds: Double) -> Double { origin - initialVelocity / rate * expm1(-rate * seconds) }
  public func velocity(at seconds: Double) -> Double { initialVelocity * exp(-rate * seconds) }

  /// The position that it approaches for ever.
  public var limit: Double { origin + initialVelocity / rate }

  /// The seconds until it is as slow as content that stands still.
  public var duration: Double { max(0, log(abs(initialVelocity) / ScrollPhysics.restVelocity)) / rate }

  /// The seconds until it is at a position that lies ahead, and its velocity there; nil for one that it does not reach.
  func arrival(at position: Double) -> (seconds: Double, velocity: Double)? {
    let velocity = initialVelocity - rate * (position - origin)
    // The part of the velocity that is left: it has not changed its sign, and is not greater than at first.
    let part = velocity / initialVelocity
    guard part > 0, part <= 1 else { return nil }
    return (-log(part) / rate, velocity)
  }
}

/// A movement to a target by a critically damped spring, the fastest that does not swing: x(t) = target + (y₀ + b·t)·e^(−ωt) with
/// b = v₀ + ω·y₀.
public struct ScrollSpring: Hashable, BitwiseCopyable, Sendable {
  public let target: Double
  /// The position at the beginning, less the target.
  let offset: Double
  /// The b above, in points per second.
  let push: Double
  /// The ω above, per second.
  public let frequency: Double

  /// The places that a spring must not reach.
  enum Limit {
    /// It goes at most so many points further away from the target than it is.
    case awayFromTarget(Double)
    /// It does not pass its target either.
    case sameSide(away: Double)
  }

  /// A spring that is as much stronger as keeps it within its limit: fast content would go far otherwise.
  init(
    target: Double, position: Double, velocity: Double, limit: Limit, frequency least: Double = ScrollPhysics.springFrequency
  ) {
    let offset = position - target
    var frequency = least
    let goesAway = offset * velocity > 0 || offset == 0
    switch limit {
    case .awayFromTarget(let points) where goesAway, .sameSide(away: let points) where goesAway:
      // A spring without offset goes v / (e·ω) far, one with it that much further at most.
      frequency = max(frequency, abs(velocity) / (M_E * points))
    case .sameSide: frequency = max(frequency, abs(velocity / offset))
    case .awayFromTarget: break
    }
    // Without any room it may go a twentieth of a point too far.
    frequency = min(frequency, 1e6)
    (self.target, self.offset, self.frequency) = (target, offset, frequency)
    push = velocity + frequency * offset
  }

  public func position(at seconds: Double) -> Double { target + (offset + push * seconds) * exp(-frequency * seconds) }
  public func velocity(at seconds: Double) -> Double {
    (push - frequency * (offset + push * seconds)) * exp(-frequency * seconds)
  }

  /// The seconds until it passes its target, and its velocity there; nil if it only approaches it.
  var passage: (seconds: Double, velocity: Double)? {
    guard offset * push < 0 else { return nil }
    let seconds = -offset / push
    return (seconds, push * exp(-frequency * seconds))
  }

  /// The seconds after which it stays within `ScrollPhysics.restDistance` of its target.
  public var duration: Double {
    // The solution of (|y₀| + |b|·t)·e^(−ωt) = distance, from above: each step is nearer, and none goes below it.
    let distance = ScrollPhysics.restDistance
    let (y, b) = (abs(offset) / distance, abs(push) / distance)
    var seconds = (2 * log(max(y, b / frequency, 1)) + 10) / frequency
    for _ in 0..<8 { seconds = log(max(y + b * seconds, 1)) / frequency }
    return seconds
  }
}

/// A movement of a given duration to a target, which begins with a velocity and ends without: the cubic curve through them.
public struct ScrollEase: Hashable, BitwiseCopyable, Sendable {
  public let origin: Double
  public let target: Double
  /// In seconds, above 0.
  public let duration: Double
  /// The way of the velocity at the beginning in all of the duration, as a part of the way to the target.
  let push: Double

  /// Takes up the velocity, in points per second, as far as it leads to the target and not beyond it.
  init(from origin: Double, to target: Double, velocity: Double, duration: Double) {
    (self.origin, self.target, self.duration) = (origin, target, duration)
    let part = velocity * duration / (target - origin)
    // The curve is monotone up to three times the way (Fritsch and Carlson, 1980).
    push = part > 0 ? min(part, 3) : 0
  }

  /// The same curve elsewhere.
  init(_ ease: ScrollEase, from origin: Double, to target: Double) {
    (self.origin, self.target, duration, push) = (origin, target, ease.duration, ease.push)
  }

  public func position(at seconds: Double) -> Double {
    let t = min(max(seconds / duration, 0), 1)
    return origin + (target - origin) * t * (push + t * (3 - 2 * push + t * (push - 2)))
  }

  public func velocity(at seconds: Double) -> Double {
    let t = min(max(seconds / duration, 0), 1)
    return (target - origin) / duration * (push + t * (6 - 4 * push + 3 * t * (push - 2)))
  }
}
