import Geometry
import Input
import Interaction
import LinuxSystem
import TestLength
import Testing

private let begin = MonotonicTime(nanoseconds: 1_000_000_000)
private func after(_ milliseconds: Int64) -> MonotonicTime { begin + .milliseconds(milliseconds) }

private func content(at position: Point = Point(500, 500)) -> ScrollMachine {
  ScrollMachine(content: Size(2000, 3000), viewport: Size(400, 450), position: position)
}

@Suite struct ScrollMachineTests {
  @Test func bothAxesFollowTheFinger() {
    var machine = content()
    machine.beginDrag(at: begin)
    machine.drag(translation: Point(30, -40))
    #expect(machine.position(at: begin) == Point(470, 540))
    machine.release(velocity: Point(0, -1000), at: after(10))
    #expect(machine.velocity(at: after(10)) == Point(0, 1000) && machine.position(at: after(10)) == Point(470, 540))
    // Each axis comes to rest by itself: the first thing that changes is that x stands still.
    #expect(machine.x.isAtRest(at: after(11)) && !machine.isAtRest(at: after(11)))
    #expect(machine.nextChange(after: after(11)) == machine.y.restTime(after: after(11)))
    // 0.75 s after it rests there is nothing to draw any more.
    let rest = machine.y.restTime(after: after(11)) ?? begin
    #expect(machine.endOfMovement(after: after(11)) == rest + .milliseconds(750))
    #expect(machine.isAtRest(at: rest) && machine.nextChange(after: rest) == nil)
    #expect(machine.endOfMovement(after: rest + .milliseconds(750)) == nil)
    #expect(self.machineAtRest.endOfMovement(after: begin) == nil && machineAtRest.isAtRest(at: begin))
  }

  private var machineAtRest: ScrollMachine { content() }

  @Test(arguments: [
    (Point(10, 0), ScrollAxes.horizontal), (Point(-10, 5), .horizontal), (Point(10, 6), .both), (Point(6, -10), .both),
    (Point(5, -10), .vertical), (Point(0, 1), .vertical), (.zero, .both), (Point(.nan, .infinity), .both),
  ])
  func aDragKeepsToTheAxisOnWhichItBegan(way: Point, axes: ScrollAxes) {
    #expect(ScrollAxes(lockedBy: way) == axes)
    var machine = content()
    machine.isDirectionLocked = true
    machine.beginDrag(along: way, at: begin)
    machine.drag(translation: Point(-20, -30))
    let moves = Point(axes.contains(.horizontal) ? 20 : 0, axes.contains(.vertical) ? 30 : 0)
    #expect(machine.position(at: begin) == Point(500, 500) + moves)
    machine.release(velocity: Point(-900, -900), at: begin)
    #expect(machine.x.isMoving(at: begin) == axes.contains(.horizontal))
    #expect(machine.y.isMoving(at: begin) == axes.contains(.vertical))
  }

  // MARK: Wheels and touchpads

  /// 450^(2/3) = 58.72 points a click; clicks add up, parts of clicks too, and the edge ends them.
  @Test func clicksOfAWheelAddUp() {
    var machine = content()
    machine.scroll(.wheel(Point(0, 1)), at: begin)
    machine.scroll(.wheel(Point(0, 0.5)), at: after(20))
    #expect(abs(machine.y.restPosition(after: after(20)) - 500 - 1.5 * 58.7230) < 1e-3)
    #expect(machine.isAtRest(at: after(20 + 151)) && machine.x.state(at: after(20)) == self.machineAtRest.x.state(at: begin))
    machine.scroll(.wheel(Point(0, -100)), at: after(200))
    #expect(machine.position(at: after(351)) == Point(500, 0))
    // In 2 points of viewport a click is half of it.
    var small = ScrollMachine(content: Size(2, 100), viewport: Size(2, 2))
    small.scroll(.wheel(Point(0, 1)), at: begin)
    #expect(small.position(at: after(200)) == Point(0, 1))
    // A finger keeps its content.
    machine.beginDrag(at: after(400))
    machine.scroll(.wheel(Point(0, 1)), at: after(400))
    machine.scroll(.fingers(Point(0, 10)), at: after(400))
    machine.scroll(.continuous(Point(0, 10)), at: after(400))
    machine.drag(translation: Point(0, -5))
    #expect(machine.position(at: after(500)) == Point(500, 5))
  }

  @Test func fingersOnATouchpadMoveContentAndFlingIt() {
    var machine = content()
    // 8 points in 8 ms: 1000 points per second.
    for step in 0..<20 { machine.scroll(.fingers(Point(0, 8)), at: after(Int64(step) * 8)) }
    #expect(machine.position(at: after(152)) == Point(500, 660))
    var lifted = machine
    lifted.scroll(.fingersEnded, at: after(152))
    #expect(abs(lifted.velocity(at: after(152)).y - 1000) < 1e-6)
    // Fingers that rest before they are lifted: after 100 ms a 30th is left.
    machine.scroll(.fingersEnded, at: after(252))
    #expect(machine.velocity(at: after(252)).y > 0 && machine.velocity(at: after(252)).y < 40)
    machine.scroll(.fingersEnded, at: after(260))
    // Beyond the edge there is the rubber band, and none for a trackpoint.
    var edge = content(at: Point(500, 0))
    edge.scroll(.fingers(Point(0, -100)), at: begin)
    #expect(abs(edge.position(at: begin).y + RubberBand(length: 450).stretch(100)) < 1e-9)
    edge.scroll(.fingersEnded, at: begin)
    #expect(edge.y.restPosition(after: begin) == 0)
    edge.scroll(.continuous(Point(7, -100)), at: after(2000))
    #expect(edge.position(at: after(2000)) == Point(507, 0) && edge.isAtRest(at: after(2000)))
    edge.scroll(.fingers(Point(.nan, 4)), at: after(2100))
    #expect(edge.position(at: after(2100)) == Point(507, 0))
  }

  @Test func programsAndSizesGoBeforeFingers() {
    var machine = content()
    machine.beginDrag(at: begin)
    machine.scroll(to: Point(100, 200), duration: .milliseconds(100), at: begin)
    machine.drag(translation: Point(50, 50))
    machine.release(at: after(50))
    #expect(machine.position(at: after(100)) == Point(100, 200))
    machine.resize(
      content: Size(2000, 3500), viewport: Size(400, 450), insets: Insets(top: 20, left: 0, bottom: 0, right: 0),
      shiftedBy: Point(0, 500), at: after(200))
    #expect(
      machine.position(at: after(200)) == Point(100, 700) && machine.y.extent.minimum == -20
        && machine.y.extent.maximum == 3050)
    machine.hold(at: after(210))
    #expect(machine.nextChange(after: after(210)) == nil && machine.endOfMovement(after: after(210)) == nil)
    machine.release(at: after(220))
    #expect(machine.isAtRest(at: after(221)))
  }

  /// Every order of calls with every number leaves a position.
  @Test func everyCallIsHarmless() {
    for seed in some(200, of: 0..<20_000) {
      var random = SplitMix64(seed: UInt64(seed))
      var machine = content()
      machine.isDirectionLocked = random.chance(0.5)
      var time = begin
      func number() -> Double {
        random.chance(0.1)
          ? [.nan, .infinity, -1e300].randomElement(using: &random) ?? 0 : Double.random(in: -900...900, using: &random)
      }
      for step in 0..<50 {
        time += .seconds(Double.random(in: -0.1...0.3, using: &random))
        let point = Point(number(), number())
        switch Int.random(in: 0..<10, using: &random) {
        case 0: machine.hold(at: time)
        case 1: machine.beginDrag(along: point, at: time)
        case 2: machine.drag(translation: point)
        case 3: machine.release(velocity: point, at: time)
        case 4: machine.scroll(.wheel(point), at: time)
        case 5: machine.scroll(.fingers(point), at: time)
        case 6: machine.scroll(.fingersEnded, at: time)
        case 7: machine.scroll(.continuous(point), at: time)
        case 8: machine.scroll(to: point, duration: .milliseconds(100), at: time)
        default:
          machine.resize(content: Size(point.x, number() * 4), viewport: Size(400, number()), shiftedBy: point, at: time)
        }
        let position = machine.position(at: time)
        let hasEnd = machine.endOfMovement(after: time).map { machine.isAtRest(at: $0) } ?? true
        if !position.x.isFinite || !position.y.isFinite || !hasEnd {
          Issue.record("seed \(seed), step \(step): \(machine)")
          return
        }
      }
    }
  }

  // MARK: Content in content

  @Test func aDragBelongsToContentThatCanGo() {
    // Rows in pages: the inner one scrolls down only, the outer one to the right.
    let rows = ScrollMachine(content: Size(400, 3000), viewport: Size(400, 450))
    let pages = ScrollMachine(content: Size(1200, 450), viewport: Size(400, 450))
    func innerTakes(_ x: Double, _ y: Double) -> Bool {
      ScrollNesting.innerTakes(Point(x, y), inner: rows, outer: pages, at: begin)
    }
    #expect(innerTakes(0, 10) && innerTakes(9, 10) && !innerTakes(10, 9))
    // Up, where it has its beginning, only the inner one has a rubber band; to the left only the outer one.
    #expect(innerTakes(0, -10) && !innerTakes(-10, 0))
    // Rows in rows: at the inner one's end the outer one takes it.
    let inner = ScrollMachine(content: Size(400, 500), viewport: Size(400, 200), position: Point(0, 300))
    #expect(!ScrollNesting.innerTakes(Point(0, 5), inner: inner, outer: rows, at: begin))
    #expect(ScrollNesting.innerTakes(Point(0, -5), inner: inner, outer: rows, at: begin))
    let inset = ScrollMotion(ScrollExtent(content: 1000, viewport: 200, leadingInset: 30, trailingInset: 40), position: 10)
    #expect(inset.reach(at: begin) == -40...830)
    #expect(inner.y.reach(at: begin) == -300...0 && rows.y.reach(at: begin) == 0...2550)
  }

  // MARK: Indicators

  @Test func indicatorsShowThePlace() {
    // A viewport of 200 in content of 1000: a fifth of the track.
    let extent = ScrollExtent(content: 1000, viewport: 200)
    func indicator(_ position: Double, track: Double = 200) -> ScrollIndicator {
      ScrollIndicator(track: track, extent: extent, position: position)
    }
    #expect(indicator(0).length == 40 && indicator(0).offset == 0 && indicator(0).opacity == 1)
    #expect(indicator(800).length == 40 && indicator(800).offset == 160 && indicator(400).offset == 80)
    // Pulled by 10 it is shorter by that, and stays at its edge.
    #expect(indicator(-10).length == 30 && indicator(-10).offset == 0)
    #expect(indicator(810).length == 30 && indicator(810).offset == 170)
    #expect(indicator(-500).length == 7 && indicator(.nan).length == 40)
    // It is never too short to be seen, and never longer than the track.
    #expect(
      indicator(400, track: 100).length == 36 && indicator(400, track: 20).length == 20
        && indicator(400, track: -1).length == 0)
    // Content that is all seen has none.
    #expect(ScrollIndicator(track: 200, extent: ScrollExtent(content: 100, viewport: 200), position: 0).opacity == 0)
    #expect(ScrollIndicator(track: 200, extent: ScrollExtent(content: 0, viewport: 0), position: 0).length == 36)
  }

  @Test func indicatorsFadeOutAtRest() {
    #expect(
      ScrollIndicator.opacity(since: nil, at: begin) == 0 && ScrollIndicator.opacity(since: begin, at: after(500)) == 1)
    #expect(
      ScrollIndicator.opacity(since: begin, at: after(625)) == 0.5
        && ScrollIndicator.opacity(since: begin, at: after(750)) == 0)
    var motion = ScrollMotion(ScrollExtent(content: 1000, viewport: 200))
    #expect(motion.indicator(track: 200, at: begin).opacity == 0 && motion.indicatorEnd(after: begin) == nil)
    motion.beginDrag(at: begin)
    motion.drag(translation: -100)
    #expect(motion.indicator(track: 200, at: after(9000)).opacity == 1 && motion.indicatorEnd(after: after(9000)) == nil)
    motion.release(at: after(9000))
    let end = motion.indicatorEnd(after: after(9001)) ?? begin
    #expect(motion.indicator(track: 200, at: end - .milliseconds(125)).opacity == 0.5)
    #expect(motion.indicator(track: 200, at: end).opacity == 0 && motion.indicatorEnd(after: end) == nil)
  }
}
