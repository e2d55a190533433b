import Interaction
import LinuxSystem
import TestLength
import Testing

private let begin = MonotonicTime(nanoseconds: 1_000_000_000)

/// Content of which anything is asked at any time, in any order.
private struct ScrollProgram {
  private var scrolling: RandomScrolling
  private(set) var motion: ScrollMotion
  private var time = begin
  /// True if numbers that mean nothing are among those that it is given.
  private let isMad: Bool

  init(seed: Int, isMad: Bool) {
    scrolling = RandomScrolling(seed: seed)
    self.isMad = isMad
    var physics = scrolling.physics()
    // Without a rubber band content jumps to its edge.
    if !isMad { physics.edges = .alwaysBounce }
    motion = ScrollMotion(scrolling.extent(), physics: physics)
  }

  private mutating func number(_ range: ClosedRange<Double>) -> Double {
    if isMad, scrolling.random.chance(0.2) {
      return [.nan, .infinity, -.infinity, -1, 0, 1e300, -1e300, .leastNonzeroMagnitude].randomElement(
        using: &scrolling.random) ?? 0
    }
    return scrolling.number(range)
  }

  private mutating func extent() -> ScrollExtent {
    ScrollExtent(
      content: number(0...5000), viewport: number(0...800), leadingInset: number(0...50), trailingInset: number(0...50))
  }

  /// Does something, and says what is wrong after it.
  mutating func act() -> String? {
    let back = isMad && scrolling.random.chance(0.1)
    time +=
      back
      ? .seconds(-scrolling.number(0...3))
      : .seconds(scrolling.random.chance(0.5) ? scrolling.number(0...0.2) : scrolling.number(0...2))
    let before = motion
    var shift: Double? = 0
    switch Int.random(in: 0..<9, using: &scrolling.random) {
    case 0: motion.hold(at: time)
    case 1: motion.beginDrag(at: time)
    case 2:
      motion.drag(translation: number(-3000...3000))
      shift = nil
    case 3: motion.release(velocity: number(-5000...5000), at: time)
    case 4:
      motion.scroll(to: number(-100...6000), duration: .milliseconds(300), at: time)
    case 5:
      motion.scroll(by: number(-100...100), at: time)
      shift = nil
    case 6:
      shift = number(-500...500)
      motion.setExtent(extent(), shiftedBy: shift ?? 0, at: time)
    case 7:
      var physics = scrolling.physics()
      if scrolling.random.chance(0.3) { physics.pageLength = number(0...900) }
      if !isMad { physics.edges = .alwaysBounce }
      motion.setPhysics(physics, at: time)
    default: motion.setExtent(motion.extent, at: time)
    }
    let position = motion.position(at: time)
    if !position.isFinite || !motion.velocity(at: time).isFinite { return "\(position) in \(motion.state(at: time))" }
    if !isMad, let shift {
      // A finger's way of many viewports has less exact places; content that is let go so near to its target is there.
      let jump = position - before.position(at: time) - shift
      let nearest = motion.isAtRest(at: time) ? ScrollPhysics.restDistance : 0
      if abs(jump) > nearest + 1e-6 * (1 + abs(position)) {
        return "jumps by \(jump) from \(before.state(at: time)) to \(motion.state(at: time))"
      }
    }
    return motion.isMoving(at: time) ? unrest() : nil
  }

  private func unrest() -> String? {
    guard let rest = motion.restTime(after: time) else { return "moves without end" }
    let position = motion.position(at: rest)
    // Time that goes back is before the movement.
    if (rest - time).seconds > 200 { return "rests after \(rest - time)" }
    // A target that an extent moves by less than a millionth of a point stays.
    if abs(motion.extent.excess(of: position)) > 1e-6 { return "rests outside" }
    return motion.isAtRest(at: rest) ? nil : "does not rest"
  }
}

@Suite struct ScrollInterruptionTests {
  @Test func nothingMakesContentJump() {
    for seed in some(300, of: 0..<20_000) {
      var program = ScrollProgram(seed: seed, isMad: false)
      for step in 0..<40 {
        if let failure = program.act() {
          Issue.record("seed \(seed), step \(step): \(failure)")
          return
        }
      }
    }
  }

  @Test func everyNumberIsHarmless() {
    for seed in some(300, of: 0..<20_000) {
      var program = ScrollProgram(seed: seed, isMad: true)
      for step in 0..<40 {
        if let failure = program.act() {
          Issue.record("seed \(seed), step \(step): \(failure)")
          return
        }
      }
    }
  }

  @Test func aTouchStopsWhatMoves() {
    var physics = ScrollPhysics()
    physics.edges = .bounce
    var motion = ScrollMotion(ScrollExtent(content: 1000, viewport: 200), physics: physics, position: 780)
    motion.beginDrag(at: begin)
    motion.release(velocity: -3000, at: begin)
    // Beyond the edge.
    let touched = begin + .milliseconds(60)
    let place = motion.position(at: touched)
    #expect(place > 820)
    motion.hold(at: touched)
    #expect(motion.state(at: touched) == .held(at: place) && motion.position(at: touched + .seconds(9)) == place)
    #expect(motion.nextChange(after: touched) == nil && !motion.isAtRest(at: touched))
    // A drag takes it up there, and a way back of the finger is one of the content.
    motion.drag(translation: 50)
    #expect(motion.position(at: touched) == place)
    motion.beginDrag(at: touched)
    #expect(abs(motion.position(at: touched) - place) < 1e-9)
    let band = RubberBand(length: 200)
    motion.drag(translation: 10)
    #expect(abs(motion.position(at: touched) - 800 - band.stretch(band.way(ofStretch: place - 800) - 10)) < 1e-9)
    motion.hold(at: touched)
    motion.release(velocity: 500, at: touched)
    #expect(motion.velocity(at: touched) == 0 && motion.restPosition(after: touched) == 800)
    motion.release(velocity: 500, at: touched)
    #expect(motion.restPosition(after: touched) == 800)
  }

  /// Rows that are inserted above what is seen move nothing, and the movement goes on as it would have.
  @Test func rowsAboveChangeNothingOfTheMovement() {
    for seed in some(200, of: 0..<20_000) {
      var random = RandomScrolling(seed: seed)
      let extent = ScrollExtent(content: random.number(1000...5000), viewport: 400)
      var motion = random.flung(extent, ScrollPhysics(), at: begin)
      if random.random.chance(0.2) { motion.scroll(to: random.number(0...5000), duration: .milliseconds(700), at: begin) }
      let time = begin + .seconds(random.number(0...1))
      let shift = (random.number(0...3000) * 8).rounded() / 8
      var grown = motion
      grown.setExtent(ScrollExtent(content: extent.content + shift, viewport: 400), shiftedBy: shift, at: time)
      let jump = grown.position(at: time) - motion.position(at: time) - shift
      #expect(abs(jump) < (grown.isAtRest(at: time) ? 0.051 : 1e-6), "seed \(seed)")
      // Until it is at the beginning, which lies further up now.
      for frame in 0...120 {
        let later = time + Nanoseconds(16_666_667) * Int64(frame)
        let excess = motion.extent.excess(of: motion.position(at: later))
        if excess < 0 || motion.position(at: later) == 0 { break }
        let difference = grown.position(at: later) - motion.position(at: later) - shift
        #expect(abs(difference) < 0.051, "seed \(seed), frame \(frame)")
        if abs(difference) >= 0.051 { return }
      }
    }
  }

  @Test func contentThatShrinksComesBack() {
    var motion = ScrollMotion(ScrollExtent(content: 1000, viewport: 200), position: 800)
    motion.setExtent(ScrollExtent(content: 950, viewport: 200), at: begin)
    #expect(motion.position(at: begin) == 800 && motion.restPosition(after: begin) == 750 && motion.isMoving(at: begin))
    var physics = ScrollPhysics()
    physics.edges = .stop
    motion = ScrollMotion(ScrollExtent(content: 1000, viewport: 200), physics: physics, position: 800)
    motion.setExtent(ScrollExtent(content: 950, viewport: 200), at: begin)
    #expect(motion.position(at: begin) == 750)
    // One that is told where to go goes to the end that there is.
    motion.scroll(to: 0, duration: .seconds(1), at: begin)
    motion.scroll(to: 700, duration: .seconds(1), at: begin + .milliseconds(500))
    motion.setExtent(ScrollExtent(content: 600, viewport: 200), at: begin + .milliseconds(700))
    #expect(motion.restPosition(after: begin + .milliseconds(700)) == 400)
  }
}
