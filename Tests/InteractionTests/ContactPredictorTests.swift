import Geometry
import LinuxSystem
import Testing

@testable import Interaction

/// The place at which a contact is expected.
struct ContactPredictorTests {
  private static let start = MonotonicTime.zero + .seconds(50)

  /// A finger of constant velocity, at any rate and with uneven reports, is exactly where it will be, up to half the way back to the sample it
  /// is told by, and 8 ms.
  @Test(arguments: 0..<100 as Range<UInt64>) func aSteadyFingerIsExact(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let rate = Double.random(in: 60...1000, using: &random)
    let velocity = Point(Double.random(in: -3000...3000, using: &random), Double.random(in: -3000...3000, using: &random))
    func place(_ time: MonotonicTime) -> Point { Point(100, 200) + velocity * (time - Self.start).seconds }
    var predictor = ContactPredictor()
    var (time, times) = (Self.start, [MonotonicTime]())
    for _ in 0..<30 {
      time += .seconds(Double.random(in: 0.8...1.2, using: &random) / rate)
      times.append(time)
      predictor.add(place(time), at: time)
      guard let before = times.last(where: { time - $0 >= .milliseconds(2) }), time - before <= .milliseconds(20) else {
        continue
      }
      let reach = min((time - before) / 2, .milliseconds(8))
      for part in [0, 0.3, 1, 4] {
        let asked = time + .seconds(reach.seconds * part)
        let found = try #require(predictor.location(at: asked, now: time))
        let way = found - place(min(asked, time + reach))
        #expect(way.squaredLength < 1e-6, "seed \(seed), \(rate) Hz")
      }
    }
  }

  /// Whatever a finger does, it is expected within half of its last way beyond its last place, never more than 8 ms ahead, and before that between
  /// its samples. Places that are no numbers, and times that go back, do no harm.
  @Test(arguments: 0..<100 as Range<UInt64>) func noPlaceIsFarBeyondTheLast(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var predictor = ContactPredictor()
    #expect(predictor.location(at: Self.start, now: Self.start) == nil)
    var samples: [(time: MonotonicTime, place: Point)] = []
    var time = Self.start
    for _ in 0..<200 {
      time += .microseconds(Int64.random(in: -500...12_000, using: &random))
      let place = Point(Double.random(in: 0...1000, using: &random), Double.random(in: 0...1000, using: &random))
      if Bool.random(using: &random) { predictor.add(Point(.nan, place.y), at: time) }
      if let last = samples.last, time < last.time { samples = [] }
      if samples.last?.time == time { samples.removeLast() }
      predictor.add(place, at: time)
      samples.append((time, place))
      func location(_ ahead: Nanoseconds) throws -> Point { try #require(predictor.location(at: time + ahead, now: time)) }
      #expect(try location(.zero) == place)
      let back = -Nanoseconds.microseconds(Int64.random(in: 0...200_000, using: &random))
      let way = try location(back) - Self.place(at: time + back, among: samples.suffix(ContactPredictor.capacity))
      #expect(way.squaredLength < 1e-9, "seed \(seed)")
      let found = try location(.microseconds(Int64.random(in: 0...100_000, using: &random)))
      let before = samples.last { time - $0.time >= .milliseconds(2) }
      let last = before.map { place - $0.place } ?? .zero
      #expect((found - place).squaredLength <= last.squaredLength / 4 + 1e-9, "seed \(seed)")
      if before.map({ time - $0.time > .milliseconds(20) }) ?? true { #expect(found == place, "seed \(seed)") }
      // A millisecond ahead is nearer than two.
      let (near, far) = (try location(.milliseconds(1)), try location(.milliseconds(2)))
      #expect((near - place).squaredLength <= (far - place).squaredLength + 1e-9)
    }
  }

  /// The place between samples, found the slow way.
  private static func place(
    at time: MonotonicTime, among samples: ArraySlice<(time: MonotonicTime, place: Point)>
  ) -> Point {
    guard let before = samples.last(where: { $0.time <= time }) else { return samples.first?.place ?? .zero }
    guard let after = samples.first(where: { $0.time > time }), after.time - before.time <= .milliseconds(20) else {
      return before.place
    }
    let part = Double((time - before.time).count) / Double((after.time - before.time).count)
    return before.place * (1 - part) + after.place * part
  }

  /// However a finger came to rest, from 20 ms after its last report on it is where it is, in whatever frame that is asked.
  @Test(arguments: 0..<100 as Range<UInt64>) func aFingerThatRestsIsWhereItIs(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var predictor = ContactPredictor()
    let (report, frame) = (1 / Double.random(in: 60...1000, using: &random), 1 / Double.random(in: 30...240, using: &random))
    var (time, place) = (Self.start, Point(100, 100))
    for _ in 0..<Int.random(in: 1...40, using: &random) {
      predictor.add(place, at: time)
      time += .seconds(report)
      place = place + Point(Double.random(in: -9...9, using: &random), Double.random(in: -9...9, using: &random))
    }
    predictor.add(place, at: time)
    var now = time + .milliseconds(20) + Nanoseconds(1)
    for _ in 0..<50 {
      for ahead in [.zero, .seconds(frame), .seconds(2 * frame)] as [Nanoseconds] {
        #expect(predictor.location(at: now + ahead, now: now) == place, "seed \(seed)")
      }
      now += .seconds(frame)
    }
    // It goes on: before it did it was where it rested.
    predictor.add(place + Point(50, 0), at: now)
    #expect(predictor.location(at: now - .milliseconds(1), now: now) == place, "seed \(seed)")
  }

  /// A finger of constant velocity, asked for 5 ms before each frame, is as far behind in each of them: the way between two frames is the same.
  /// By the last report alone it differs by what the finger moves between two reports.
  @Test(arguments: 0..<50 as Range<UInt64>) func anEvenMovementIsShownEvenly(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let report = 1 / Double.random(in: 101...1000, using: &random)
    let frame = 1 / Double.random(in: 30...144, using: &random)
    let (velocity, first) = (1000.0, Double.random(in: 0..<report, using: &random))
    func place(_ seconds: Double) -> Double { velocity * seconds }
    var predictor = ContactPredictor()
    var (reports, ways) = (0, [Double]())
    var last: Double?
    for number in 3..<200 {
      let tick = Double(number) * frame
      while first + Double(reports) * report <= tick {
        let time = first + Double(reports) * report
        predictor.add(Point(place(time), 0), at: Self.start + .seconds(time))
        reports += 1
      }
      let found = try #require(
        predictor.location(at: Self.start + .seconds(tick) - .milliseconds(5), now: Self.start + .seconds(tick)))
      #expect(abs(found.x - place(tick - 0.005)) < 1e-3, "seed \(seed)")
      if let last { ways.append(found.x - last) }
      last = found.x
    }
    #expect(ways.allSatisfy { abs($0 - velocity * frame) < 2e-3 }, "seed \(seed)")
  }

  @Test func byHand() {
    var predictor = ContactPredictor()
    predictor.add(Point(0, 0), at: Self.start)
    predictor.add(Point(10, 0), at: Self.start + .milliseconds(10))
    func x(_ milliseconds: Int64, now: Int64) -> Double? {
      predictor.location(at: Self.start + .milliseconds(milliseconds), now: Self.start + .milliseconds(now))?.x
    }
    // A point a millisecond, before the last sample and behind it, up to half of the ten.
    #expect([-5, 0, 4, 10, 13, 15, 30].map { x($0, now: 12) } == [0, 0, 4, 10, 13, 15, 15])
    // It says no more, and so it rests.
    #expect([x(47, now: 30), x(47, now: 31)] == [15, 10])
    // It turns back at once.
    predictor.add(Point(8, 0), at: Self.start + .milliseconds(14))
    #expect([12, 14, 15, 30].map { x($0, now: 14) } == [9, 8, 7.5, 7])
    // Far apart: it may have rested.
    predictor.add(Point(30, 0), at: Self.start + .milliseconds(40))
    #expect([14, 39, 40, 48].map { x($0, now: 40) } == [8, 8, 30, 30])
  }
}
