import Glibc
public import LinuxSystem

/// A mass on a spring with a damper, pulled towards 1 from 0.
///
/// ```swift
/// let spring = Spring(perceptualDuration: .milliseconds(400), bounce: 0.3)
/// let position = spring.position(at: 0.1)
/// ```
///
/// A property that is set to a value without meaning keeps its old one.
public struct Spring: Hashable, BitwiseCopyable, Sendable {
  /// Above 0.
  public var mass = 1.0 {
    didSet { if !(mass > 0 && mass.isFinite) { mass = oldValue } }
  }
  /// The spring's force per unit of distance, above 0.
  public var stiffness = 100.0 {
    didSet { if !(stiffness > 0 && stiffness.isFinite) { stiffness = oldValue } }
  }
  /// The damper's force per unit of velocity, at least 0. At 0 the spring swings for ever.
  public var damping = 10.0 {
    didSet { if !(damping >= 0 && damping.isFinite) { damping = oldValue } }
  }
  /// The velocity at the beginning: whole ways in a second, positive towards the target.
  public var initialVelocity = 0.0 {
    didSet { if !initialVelocity.isFinite { initialVelocity = oldValue } }
  }
  /// True if a damper that is stronger than needed slows the spring down. False, at first: it is taken for one that lets the
  /// spring arrive as soon as can be without going beyond the target.
  public var allowsOverdamping = false

  /// Mass 1, stiffness 100, damping 10.
  public init() {}

  /// A spring by how it feels.
  ///
  /// - Parameters:
  ///   - duration: the time in which the eye sees it arrive, above 0.
  ///   - bounce: how far it goes beyond the target: 1 for ever, 0 not at all; below 0, and above −1, it creeps to the target.
  public init(perceptualDuration duration: Nanoseconds, bounce: Double = 0) {
    let seconds = max(duration, Nanoseconds(1)).seconds
    let bounce = bounce.isNaN ? 0 : min(max(bounce, -0.999), 1)
    let frequency = 2 * Double.pi / seconds
    stiffness = frequency * frequency
    damping = 2 * frequency * (bounce < 0 ? 1 / (1 + bounce) : 1 - bounce)
    allowsOverdamping = true
  }

  /// The position `seconds` after the beginning: 0 there, and towards 1.
  public func position(at seconds: Double) -> Double { Motion(self).position(at: seconds) }

  /// The time after which the spring is so close to the target, a thousandth of the way, that it may stand still; the longest
  /// there is without a damper. A spring that does not swing takes whole tenths of a second, as in Core Animation.
  public var settlingDuration: Nanoseconds {
    guard damping > 0 else { return .forever }
    let motion = Motion(self)
    if case .swinging(let decay, _, let share) = motion { return .seconds((log(1000) + log(1 + abs(share))) / decay) }
    var tenths = 1.0
    // Beyond a quarter of an hour in larger steps, so that no spring takes long to ask.
    while abs(1 - motion.position(at: tenths / 10)) >= 0.001, tenths < 1e12 { tenths += max(1, (tenths / 10_000).rounded()) }
    return .seconds(tenths / 10)
  }

  /// A spring under way, by the numbers that are the same at all times.
  enum Motion: BitwiseCopyable, Sendable {
    // Each `share` comes from the initial velocity.
    case swinging(decay: Double, frequency: Double, share: Double)
    case critical(decay: Double, share: Double)
    case creeping(slow: Double, fast: Double, share: Double)

    init(_ spring: Spring) {
      let v = spring.initialVelocity
      let frequency = (spring.stiffness / spring.mass).squareRoot()
      let ratio = spring.damping / (2 * (spring.stiffness * spring.mass).squareRoot())
      if ratio < 1 {
        let (decay, damped) = (ratio * frequency, frequency * (1 - ratio * ratio).squareRoot())
        self = .swinging(decay: decay, frequency: damped, share: (v - decay) / damped)
      } else if ratio > 1, spring.allowsOverdamping {
        let spread = frequency * (ratio * ratio - 1).squareRoot()
        // Their product is the square of the frequency. The difference would lose the slow one where they are far apart.
        let fast = ratio * frequency + spread
        let slow = frequency * frequency / fast
        self = .creeping(slow: slow, fast: fast, share: (v - fast) / (fast - slow))
      } else {
        self = .critical(decay: frequency, share: v - frequency)
      }
    }

    /// See `Spring.position(at:)`.
    func position(at seconds: Double) -> Double {
      switch self {
      case .swinging(let decay, let frequency, let share):
        let angle = frequency * seconds
        return 1 + exp(-decay * seconds) * (share * sin(angle) - cos(angle))
      case .critical(let decay, let share):
        return 1 + exp(-decay * seconds) * (share * seconds - 1)
      case .creeping(let slow, let fast, let share):
        return 1 + share * exp(-slow * seconds) - (1 + share) * exp(-fast * seconds)
      }
    }

    /// The way that one unit of initial velocity has added to the position `seconds` after the beginning.
    func push(at seconds: Double) -> Double {
      switch self {
      case .swinging(let decay, let frequency, _): exp(-decay * seconds) * sin(frequency * seconds) / frequency
      case .critical(let decay, _): exp(-decay * seconds) * seconds
      case .creeping(let slow, let fast, _): (exp(-slow * seconds) - exp(-fast * seconds)) / (fast - slow)
      }
    }
  }
}
