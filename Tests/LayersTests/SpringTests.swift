import Geometry
import Glibc
import LinuxSystem
import Testing

@testable import Layers

@Suite struct SpringTests {
  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func followsTheLawOfMotion(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var spring = Spring()
    spring.mass = .random(in: 0.3...4, using: &random)
    spring.stiffness = .random(in: 5...300, using: &random)
    spring.damping = .random(in: 0...60, using: &random)
    spring.initialVelocity = .random(in: -20...20, using: &random)
    spring.allowsOverdamping = seed.isMultiple(of: 2)
    for seconds in [0, 0.01, 0.2, 1.1] {
      let expected = Movement.swing(
        spring, from: 0, to: 1, velocity: spring.initialVelocity, for: seconds, steps: 20_000)
      #expect(abs(spring.position(at: seconds) - expected) < 1e-4, "seed \(seed), \(seconds) s")
    }
    guard spring.damping > 0.5 else { return }
    let settled = spring.settlingDuration.seconds
    for part in 10...30 {
      // A spring that does not swing may cross the target before it settles.
      guard spring.damping < 2 * (spring.stiffness * spring.mass).squareRoot() else { return }
      #expect(abs(spring.position(at: settled * Double(part) / 10) - 1) <= 0.0011, "seed \(seed)")
    }
  }

  @Test func valuesWithoutMeaningAreRefused() {
    var spring = Spring()
    for value in [0, -1, Double.nan, .infinity] {
      spring.mass = value
      spring.stiffness = value
      if value != 0 { spring.damping = value }
    }
    spring.initialVelocity = .nan
    #expect(spring == Spring())
    for bounce in [-7, 9, Double.nan] {
      let spring = Spring(perceptualDuration: .zero, bounce: bounce)
      #expect(spring.stiffness.isFinite && spring.damping.isFinite && spring.position(at: 1).isFinite, "\(bounce)")
    }
  }

  /// The push is what one unit of velocity adds, for a spring that swings, one that just does not, and one that creeps.
  @Test(arguments: [3, 20, 60])
  func pushIsWhatVelocityAdds(damping: Double) {
    var spring = Spring()
    (spring.damping, spring.allowsOverdamping) = (damping, true)
    var pushed = spring
    pushed.initialVelocity = 1
    for seconds in [0, 0.05, 0.3, 2] {
      let push = Spring.Motion(spring).push(at: seconds)
      #expect(abs(push - (pushed.position(at: seconds) - spring.position(at: seconds))) < 1e-12, "\(seconds) s")
    }
  }

  /// The slow one of two rates that are far apart is not lost in their difference.
  @Test func aSpringThatHardlyMovesArrives() {
    var spring = Spring()
    (spring.stiffness, spring.damping, spring.allowsOverdamping) = (1, 1e9, true)
    #expect(abs(spring.position(at: 1e9) - (1 - exp(-1))) < 1e-6)
  }

  @Test func slowestSpringIsSettledInNoTime() {
    var spring = Spring()
    (spring.mass, spring.stiffness, spring.damping) = (1e9, 1e-9, 1e9)
    spring.allowsOverdamping = true
    #expect(spring.settlingDuration > .seconds(1e9))
  }

  @Test func takesTheTimeThatItNeeds() {
    var animation = SpringAnimation(.opacity, from: 0, to: 1)
    let defaults = TimedAnimation.Defaults(duration: .milliseconds(250), timingFunction: .easeIn)
    let timed = TimedAnimation(animation, defaults)
    #expect(timed.timing.duration == Spring().settlingDuration && timed.timingFunction == .linear)
    animation.duration = .milliseconds(100)
    animation.timingFunction = .easeOut
    let cut = TimedAnimation(animation, defaults).begun(at: .zero)
    #expect(cut.timing.duration == .milliseconds(100) && cut.timingFunction == .easeOut)
    var values = AnimatableValues()
    cut.apply(to: &values, at: milliseconds(50))
    #expect(values.opacity == Spring().position(at: 0.1 * TimingFunction.easeOut.progress(at: 0.5)))
  }
}
