import AllocationCounter
import Glibc
import Interaction
import LinuxSystem
import TestLength
import Testing

private let begin = MonotonicTime(nanoseconds: 5_000_000_000)
private func after(_ seconds: Double) -> MonotonicTime { begin + .seconds(seconds) }

@Suite struct ScrollMotionTests {
  /// The closed forms against the differential equations.
  @Test func movementsSolveTheirEquations() {
    for seed in some(60, of: 0..<6000) {
      var random = RandomScrolling(seed: seed)
      var extent = random.extent()
      // Springs that stop content within some points are too stiff for steps of a reasonable size.
      if extent.viewport < 20 { extent = ScrollExtent(content: extent.content, viewport: 20) }
      let motion = random.flung(extent, random.physics(), at: begin)
      var reference = IntegratedScrolling(motion, at: begin)
      let end = motion.restTime(after: begin) ?? begin
      for frame in 0..<240 {
        let time = begin + Nanoseconds(16_666_667) * Int64(frame)
        if time >= end { break }
        reference.advance(to: (time - begin).seconds)
        let difference = motion.position(at: time) - reference.position
        #expect(abs(difference) < 1e-3, "seed \(seed), frame \(frame): \(motion.state(at: time))")
        if abs(difference) >= 1e-3 { return }
      }
    }
  }

  @Test func positionAndVelocityGoOnFromStateToState() {
    for seed in some(400, of: 0..<20_000) {
      var random = RandomScrolling(seed: seed)
      let motion = random.flung(random.extent(), random.physics(), at: begin)
      var time = begin
      var changes = 0
      while changes <= 4, let change = motion.nextChange(after: time) {
        // Both are rounded up to the nanosecond.
        let before = MonotonicTime(nanoseconds: change.nanoseconds - 3)
        let (old, new) = (motion.state(at: before), motion.state(at: change))
        let position = motion.position(at: change) - motion.position(at: before)
        let velocity = motion.velocity(at: change) - motion.velocity(at: before)
        var (step, jolt) = (1e-3, 1e-3 + abs(motion.velocity(at: before)) * 1e-4)
        if case .bouncing(let spring, _) = old {
          // It ends near its target, or is as slow as content at rest when it passes it.
          (step, jolt) = (0.05 + 1e-6, max(jolt + 0.1 * spring.frequency, 5.01))
        }
        if case .bouncing(let spring, _) = new { jolt += spring.frequency * abs(motion.velocity(at: before)) * 1e-8 }
        if case .decelerating = old, case .resting = new {
          // It either was slow, or ran against an edge that lets nothing through.
          let atEdge = motion.position(at: change) == extentEdge(motion, motion.position(at: change))
          jolt = motion.physics.edges != .alwaysBounce && atEdge ? .infinity : 5.01
        }
        #expect(abs(position) <= step && abs(velocity) <= jolt, "seed \(seed): \(old) to \(new)")
        (time, changes) = (change, changes + 1)
      }
      // Back from an edge, to the other one, back from it, rest.
      #expect(changes <= 4 && motion.isAtRest(at: time), "seed \(seed)")
    }
  }

  private func extentEdge(_ motion: ScrollMotion, _ position: Double) -> Double {
    position > (motion.extent.minimum + motion.extent.maximum) / 2 ? motion.extent.maximum : motion.extent.minimum
  }

  @Test func everythingComesToRestInside() {
    for seed in some(1000, of: 0..<50_000) {
      var random = RandomScrolling(seed: seed)
      var physics = random.physics()
      if random.random.chance(0.3) { physics.pageLength = random.number(0...900) }
      let motion = random.flung(random.extent(), physics, at: begin)
      let rest = motion.restTime(after: begin) ?? begin
      let (position, extent) = (motion.position(at: rest), motion.extent)
      #expect(position >= extent.minimum && position <= extent.maximum, "seed \(seed)")
      #expect(
        position == motion.restPosition(after: begin) && motion.position(at: .distantFuture) == position, "seed \(seed)")
      #expect(motion.isAtRest(at: rest) && !motion.isMoving(at: rest) && motion.nextChange(after: rest) == nil)
      // From the greatest velocity, ln(10⁵/5) / λ seconds, and some for two springs.
      let longest = log(2e4) / physics.decelerationRate.perSecond + 5
      #expect((rest - begin).seconds < longest, "seed \(seed)")
      // Content never goes further out than its viewport is long, or much further than it was.
      let start = abs(extent.excess(of: motion.position(at: begin)))
      for frame in 0..<60 {
        let excess = abs(extent.excess(of: motion.position(at: after(Double(frame) / 60))))
        #expect(excess <= max(start + max(extent.viewport / 20, 1), extent.viewport) + 0.05, "seed \(seed)")
        if physics.edges == .stop { #expect(excess <= 1e-9, "seed \(seed)") }
      }
    }
  }

  @Test func energyIsOnlyLost() {
    for seed in some(200, of: 0..<20_000) {
      var random = RandomScrolling(seed: seed)
      let motion = random.flung(random.extent(), random.physics(), at: begin)
      var last: (name: Int, energy: Double) = (-1, .infinity)
      for step in 0..<500 {
        let time = after(Double(step) / 100)
        let velocity = motion.velocity(at: time)
        let now: (name: Int, energy: Double)
        switch motion.state(at: time) {
        case .bouncing(let spring, _):
          let way = spring.frequency * (motion.position(at: time) - spring.target)
          now = (0, velocity * velocity + way * way)
        default: now = (1, velocity * velocity)
        }
        if now.name == last.name { #expect(now.energy <= last.energy * (1 + 1e-9) + 1e-12, "seed \(seed), step \(step)") }
        last = now
      }
    }
  }

  /// A movement that begins anew at each frame, from the position and the velocity that it has, is the same at any frame rate.
  @Test(arguments: [24, 60, 1000]) func movementsDoNotDependOnFrames(rate: Int) {
    for seed in some(rate > 100 ? 5 : 30, of: 0..<3000) {
      var random = RandomScrolling(seed: seed)
      var physics = random.physics()
      if random.random.chance(0.3) { physics.pageLength = random.number(100...900) }
      let motion = random.flung(random.extent(), physics, at: begin)
      var disturbed = motion
      for frame in 1...rate * 3 {
        let time = after(Double(frame) / Double(rate))
        disturbed.setExtent(motion.extent, at: time)
        let difference = disturbed.position(at: time) - motion.position(at: time)
        let hasRest = motion.isAtRest(at: time) || disturbed.isAtRest(at: time)
        #expect(abs(difference) < (hasRest ? 0.051 : 1e-6), "seed \(seed), frame \(frame)")
        if abs(difference) > 0.051 { return }
      }
    }
  }

  @Test func askingAllocatesNothing() {
    guard allocation_counter_is_available() else { return }
    var random = RandomScrolling(seed: 3)
    let motion = random.flung(ScrollExtent(content: 4000, viewport: 400), ScrollPhysics(), at: begin)
    func ask() -> Double {
      var sum = 0.0
      for frame in 0..<1000 {
        let time = after(Double(frame) / 100)
        sum += motion.position(at: time) + motion.velocity(at: time) + motion.restPosition(after: time)
        if motion.nextChange(after: time) != nil { sum += 1 }
      }
      return sum
    }
    // The runtime's first use of a type allocates.
    let first = ask()
    allocation_counter_begin()
    let second = ask()
    #expect(allocation_counter_end().allocations == 0)
    #expect(first == second)
  }
}
