import Glibc
import Interaction
import LinuxSystem
import TestLength
import Testing

private let begin = MonotonicTime(nanoseconds: 1_000_000_000)
private func after(_ seconds: Double) -> MonotonicTime { begin + .seconds(seconds) }
private func isNear(_ a: Double, _ b: Double, _ tolerance: Double = 1e-6) -> Bool { abs(a - b) <= tolerance }

private func motion(
  content: Double = 1000, viewport: Double = 200, edges: ScrollPhysics.Edges = .bounce, pageLength: Double? = nil,
  position: Double = 0
) -> ScrollMotion {
  var physics = ScrollPhysics()
  (physics.edges, physics.pageLength) = (edges, pageLength)
  return ScrollMotion(ScrollExtent(content: content, viewport: viewport), physics: physics, position: position)
}

/// Content that a finger of a velocity has let go.
private func fling(_ motion: ScrollMotion, _ velocity: Double, translation: Double = 0) -> ScrollMotion {
  var motion = motion
  motion.beginDrag(at: begin)
  motion.drag(translation: translation)
  motion.release(velocity: velocity, at: begin)
  return motion
}

/// Values that were computed by hand from the formulas.
@Suite struct ScrollTableTests {
  // MARK: The rubber band

  /// The values of "Analysis of Apple's rubber band scrolling", for a screen of 960 points.
  @Test(arguments: [(5, 2.74), (10, 5.47), (100, 52.02), (400, 178.98), (960, 340.65)])
  func theRubberBandIsUIScrollViews(way: Double, stretch: Double) {
    #expect(isNear(RubberBand(length: 960).stretch(way), stretch, 0.005))
    #expect(isNear(RubberBand(length: 960).stretch(-way), -stretch, 0.005))
  }

  @Test func everyPlaceOfTheRubberBandHasOneOfTheFinger() {
    var random = SplitMix64(seed: UInt64(runSeed))
    for _ in 0..<2000 {
      let length = Double.random(in: 0...1000, using: &random)
      let band = RubberBand(length: length, coefficient: Double.random(in: 0.1...1, using: &random))
      let way = Double.random(in: -40...40, using: &random) * band.length
      let stretch = band.stretch(way)
      #expect(isNear(band.way(ofStretch: stretch), way, 1e-9 * band.length), "seed \(runSeed)")
      #expect(abs(stretch) <= abs(way))
      // The slope is that of the curve.
      let step = band.length * 1e-5
      let rise = (band.stretch(way + step) - band.stretch(way - step)) / (2 * step)
      #expect(isNear(band.slope(atStretch: stretch), rise, 1e-4), "seed \(runSeed)")
    }
    #expect(RubberBand(length: .nan, coefficient: .nan) == RubberBand(length: 1))
    #expect(RubberBand(length: 100).stretch(.infinity) == .infinity && RubberBand(length: 100).stretch(0) == 0)
  }

  @Test func contentIsUnderTheFingerAndResistsBeyondTheEdge() {
    var dragged = motion(position: 500)
    dragged.beginDrag(at: begin)
    for translation in [-10.0, 3, 120.25, -300, 500] {
      dragged.drag(translation: translation)
      #expect(dragged.position(at: after(1)) == 500 - translation)
    }
    // 100 beyond the beginning: 100·0.55·200 / (200 + 55) = 43.137; 200 beyond the end: 200·0.55·200 / (200 + 110) = 70.968.
    dragged.drag(translation: 600)
    #expect(isNear(dragged.position(at: begin), -43.137_255, 1e-5))
    dragged.drag(translation: -500)
    #expect(isNear(dragged.position(at: begin), 870.967_742, 1e-5))
    dragged.drag(translation: .nan)
    #expect(isNear(dragged.position(at: begin), 870.967_742, 1e-5))
    #expect(dragged.nextChange(after: begin) == nil && dragged.restTime(after: begin) == nil && !dragged.isAtRest(at: begin))
    // Without anything to scroll only `alwaysBounce` resists, and content that stops stays.
    for (edges, length, position) in [
      (ScrollPhysics.Edges.bounce, 100.0, 0.0), (.alwaysBounce, 100, -43.137_255), (.stop, 1000, 0),
    ] {
      var dragged = motion(content: length, edges: edges)
      dragged.beginDrag(at: begin)
      dragged.drag(translation: 100)
      #expect(isNear(dragged.position(at: begin), position, 1e-5))
      // The finger comes back to where the content is under it.
      dragged.drag(translation: 0)
      #expect(dragged.position(at: begin) == 0)
    }
  }

  /// Edges that begin to let content through, and cease to, under a finger that is 100 beyond them.
  @Test func edgesMayChangeUnderTheFinger() {
    for (before, now, position) in [(ScrollPhysics.Edges.stop, ScrollPhysics.Edges.bounce, 0.0), (.bounce, .stop, 0)] {
      var dragged = motion(edges: before)
      dragged.beginDrag(at: begin)
      dragged.drag(translation: 100)
      var physics = dragged.physics
      physics.edges = now
      dragged.setPhysics(physics, at: begin)
      #expect(dragged.position(at: begin) == position)
      dragged.drag(translation: 40)
      // The finger has content where it was: from the edge, or from the 43 points that it was pulled.
      #expect(isNear(dragged.position(at: begin), before == .stop ? 60 : 60 - 43.137_255, 1e-5))
    }
  }

  // MARK: Deceleration

  @Test func flungContentSlowsDown() {
    // λ = 2.002003 for 0.998; ln(1000 / 5) / λ = 2.646509 s and (1000 − 5) / λ = 497.002334 points to the rest.
    let flung = fling(motion(content: 10_000, position: 1000), -1000)
    #expect(isNear(flung.position(at: begin), 1000) && isNear(flung.velocity(at: begin), 1000))
    // After a second 0.998¹⁰⁰⁰ = 0.135065 of the velocity is left.
    #expect(isNear(flung.velocity(at: after(1)), 135.064_522) && isNear(flung.position(at: after(1)), 1432.035_127))
    let rest = flung.restTime(after: begin)
    #expect(rest.map { isNear(($0 - begin).seconds, 2.646_509) } == true)
    #expect(isNear(flung.restPosition(after: begin), 1497.002_334))
    #expect(flung.state(at: after(3)) == .resting(at: flung.restPosition(after: begin), since: rest))
    // Before it was let go it was where it was let go.
    #expect(flung.position(at: .zero) == 1000 && flung.velocity(at: MonotonicTime(nanoseconds: .min)) == 1000)
    // λ = 10.050336 for 0.99.
    var fast = motion(content: 10_000, position: 1000)
    var physics = fast.physics
    physics.decelerationRate = .fast
    fast.setPhysics(physics, at: begin)
    #expect(isNear(fling(fast, -1000).restPosition(after: begin), 1099.001_667))
    // Also from the middle of the way: with 0.135065 of the velocity 13.438813 points, less 5 / λ.
    var changed = flung
    changed.setPhysics(physics, at: after(1))
    #expect(isNear(changed.restPosition(after: after(1)), 1432.035_127 + 13.438_807 - 0.497_496, 1e-4))
    #expect(ScrollPhysics.DecelerationRate(perMillisecond: .nan) == .normal)
    #expect(ScrollPhysics.DecelerationRate(perMillisecond: 2).perMillisecond == 0.9999)
  }

  @Test func flungContentRunsIntoTheEdge() {
    // The end is 100 ahead: there after −ln(1 − 100·λ/1000) / λ = 0.111585 s with 1000 − 100·λ = 799.799733 points per second.
    let flung = fling(motion(position: 700), -1000)
    guard let arrival = flung.nextChange(after: begin), case .bouncing(let spring, _) = flung.state(at: arrival) else {
      Issue.record("does not bounce")
      return
    }
    #expect(isNear((arrival - begin).seconds, 0.111_585))
    #expect(isNear(flung.position(at: arrival), 800, 1e-5) && isNear(flung.velocity(at: arrival), 799.799_733, 1e-3))
    // It goes v / (e·ω) = 29.422988 beyond it in 1/ω = 0.1 s.
    #expect(spring.frequency == 10)
    let farthest = arrival + .milliseconds(100)
    #expect(isNear(flung.position(at: farthest), 829.422_988, 1e-5) && isNear(flung.velocity(at: farthest), 0, 1e-3))
    #expect(flung.restPosition(after: begin) == 800)
    // At 20,000 points per second the spring is as strong as keeps it within half the viewport.
    let fast = fling(motion(position: 700), -20_000)
    #expect(isNear((0..<2000).map { fast.position(at: after(Double($0) / 2000)) }.max() ?? 0, 900, 0.1))
    // Content that stops at its edge does so.
    let stopping = fling(motion(edges: .stop, position: 700), -1000)
    #expect(isNear(stopping.position(at: after(0.111)), 799.53, 0.01))
    #expect(stopping.position(at: after(0.112)) == 800 && stopping.isAtRest(at: after(0.112)))
  }

  @Test func pulledContentComesBack() {
    // 100 of the finger are 43.137255 of the content; let go there: y·(1 + ω·t)·e^(−ω·t).
    let pulled = fling(motion(), 0, translation: 100)
    #expect(isNear(pulled.position(at: after(0.1)), -31.738_618) && isNear(pulled.position(at: after(0.3)), -8.590_710))
    #expect(pulled.restPosition(after: begin) == 0)
    // The content goes there at 0.55·(1 − 43.137/200)² = 0.338331 of the finger's velocity.
    let thrown = fling(motion(), -2000, translation: 100)
    #expect(isNear(thrown.velocity(at: begin), 676.662_822, 1e-4))
    // b = 676.662822 − 431.372549 is inwards: it passes the edge after y/b = 0.175863 s, and goes on from there.
    guard let passage = thrown.nextChange(after: begin) else { return #expect(Bool(false)) }
    #expect(isNear((passage - begin).seconds, 0.175_863) && isNear(thrown.position(at: passage), 0, 1e-5))
    guard case .decelerating(let decay, _) = thrown.state(at: passage) else { return #expect(Bool(false)) }
    #expect(isNear(decay.initialVelocity, 42.264, 0.01) && thrown.restPosition(after: begin) > 15)
  }

  /// Flung back so that it all but passes the edge: it is there long before it would pass it, in 43,000 seconds.
  @Test func contentThatHardlyPassesItsEdgeRests() {
    let band = RubberBand(length: 200)
    let velocity = (10 * band.stretch(100) + 1e-3) / band.slope(atStretch: band.stretch(100))
    let thrown = fling(motion(), -velocity, translation: 100)
    #expect(thrown.restTime(after: begin).map { ($0 - begin).seconds < 2 } == true && thrown.restPosition(after: begin) == 0)
  }

  // MARK: Pages

  /// From a position, with the content's velocity, to a page of 200 in content of 870, whose last one is short. 100 points per second go
  /// 50 further.
  @Test(arguments: [
    (230.0, 0.0, 200.0), (310, 0, 400), (230, 120, 200), (230, 150, 400), (230, 5000, 400), (370, -100, 400),
    (370, -150, 200),
    (370, -5000, 200), (400, 300, 600), (400, -300, 200), (400, 0, 400), (620, 0, 600), (640, 0, 670), (670, -500, 600),
    (670, 900, 670),
    (0, -900, 0),
  ])
  func contentRestsAtPages(position: Double, velocity: Double, page: Double) {
    for edges in [ScrollPhysics.Edges.stop, .bounce] {
      let paging = fling(motion(content: 870, edges: edges, pageLength: 200, position: position), -velocity)
      #expect(paging.restPosition(after: begin) == page)
      // It goes there without passing it, unless it is pulled beyond the end.
      var last = position
      for step in 1...300 where velocity * (page - position) > 0 {
        let next = paging.position(at: after(Double(step) / 100))
        #expect((next - last) * velocity >= -1e-9 && (page - next) * velocity >= -1e-9)
        last = next
      }
    }
  }

  @Test func pulledPagesComeBack() {
    #expect(fling(motion(content: 870, pageLength: 200), 0, translation: 120).restPosition(after: begin) == 0)
    #expect(
      fling(motion(content: 870, pageLength: 200, position: 670), 0, translation: -120).restPosition(after: begin) == 670)
    // Rows that are inserted before them move pages on the way with them.
    var paging = fling(motion(pageLength: 200, position: 330), 0)
    paging.setExtent(ScrollExtent(content: 1300, viewport: 200), shiftedBy: 300, at: after(0.05))
    #expect(paging.restPosition(after: after(0.05)) == 700)
    // Pages that have no length are none.
    for length in [0, -5, .nan, .infinity] {
      #expect(fling(motion(pageLength: length, position: 330), 0).restPosition(after: begin) == 330)
    }
  }

  // MARK: By a program

  @Test func programsScrollToAPosition() {
    var told = motion()
    told.scroll(to: 400, duration: .milliseconds(400), at: begin)
    // 3t² − 2t³: 0.15625 at a quarter, a half at the middle.
    #expect(
      told.position(at: after(0.1)) == 62.5 && told.position(at: after(0.2)) == 200 && told.position(at: after(0.4)) == 400)
    #expect(told.velocity(at: after(0.2)) == 1500 && told.velocity(at: after(0.4)) == 0)
    #expect(told.restTime(after: begin).map { isNear(($0 - begin).seconds, 0.4) } == true)
    // Told again on the way it keeps its velocity, where that leads to the new place.
    told.scroll(to: 800, duration: .milliseconds(400), at: after(0.2))
    #expect(
      told.position(at: after(0.2)) == 200 && told.velocity(at: after(0.2)) == 1500 && told.position(at: after(0.6)) == 800)
    told.scroll(to: 0, duration: .milliseconds(400), at: after(0.3))
    #expect(told.velocity(at: after(0.3)) == 0 && told.restPosition(after: after(0.3)) == 0)
    told.scroll(to: 9000, at: after(0.35))
    #expect(told.state(at: after(0.35)) == .resting(at: 800, since: after(0.35)))
    told.scroll(to: .nan, at: after(0.35))
    #expect(told.position(at: after(0.4)) == 800)
    told.scroll(to: -.infinity, duration: .seconds(-1), at: after(0.35))
    #expect(told.position(at: after(0.4)) == 0)
  }

  @Test func waysAddUp() {
    var wheel = motion()
    wheel.scroll(by: 60, duration: .milliseconds(100), at: begin)
    wheel.scroll(by: 60, duration: .milliseconds(100), at: after(0.05))
    #expect(wheel.restPosition(after: after(0.05)) == 120)
    wheel.scroll(by: -500, duration: .milliseconds(100), at: after(0.06))
    #expect(wheel.restPosition(after: after(0.06)) == 0)
  }
}
