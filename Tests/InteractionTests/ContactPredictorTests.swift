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
        let found = try #require(predictor.location(at: asked))
        let way = found - place(min(asked, time + reach))
        #expect(way.squaredLength < 1e-6, "seed \(seed), \(rate) Hz")
      }
    }
  }

  /// Whatever a finger does, it is expected within half of its last way beyond its last place, never more than 8 ms ahead, and at its last place
  /// for a time that is not later. Places that are no numbers, and times that go back, do no harm.
  @Test(arguments: 0..<100 as Range<UInt64>) func noPlaceIsFarBeyondTheLast(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var predictor = ContactPredictor()
    #expect(predictor.location(at: Self.start) == nil)
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
      #expect(predictor.location(at: time) == place && predictor.location(at: time - .seconds(1)) == place)
      let found = try #require(predictor.location(at: time + .microseconds(Int64.random(in: 0...100_000, using: &random))))
      let before = samples.last { time - $0.time >= .milliseconds(2) }
      let way = before.map { place - $0.place } ?? .zero
      #expect((found - place).squaredLength <= way.squaredLength / 4 + 1e-9, "seed \(seed)")
      if before.map({ time - $0.time > .milliseconds(20) }) ?? true { #expect(found == place, "seed \(seed)") }
      // A millisecond ahead is nearer than two.
      let near = try #require(predictor.location(at: time + .milliseconds(1)))
      #expect(
        (near - place).squaredLength <= (try #require(predictor.location(at: time + .milliseconds(2))) - place).squaredLength
          + 1e-9)
    }
  }

  @Test func byHand() {
    var predictor = ContactPredictor()
    predictor.add(Point(0, 0), at: Self.start)
    predictor.add(Point(10, 0), at: Self.start + .milliseconds(10))
    func x(_ milliseconds: Int64) -> Double? { predictor.location(at: Self.start + .milliseconds(milliseconds))?.x }
    // A point a millisecond, up to half of the ten.
    #expect([x(10), x(13), x(15), x(30)] == [10, 13, 15, 15])
    // It turns back at once.
    predictor.add(Point(8, 0), at: Self.start + .milliseconds(14))
    #expect([x(14), x(15), x(30)] == [8, 7.5, 7])
    // Far apart: it may have rested.
    predictor.add(Point(30, 0), at: Self.start + .milliseconds(40))
    #expect(x(48) == 30)
  }
}
