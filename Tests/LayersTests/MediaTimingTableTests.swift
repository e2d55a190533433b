import LinuxSystem
import Testing

@testable import Layers

/// The edges of animations: from 0 to 1 in a second, over the model's 5.
///
/// By hand. On its own clock an animation takes `repeatCount` times a second, twice that if it comes back; on the layer's clock that
/// divided by the speed. Its own time s begins at the offset and goes up, or down where the speed is below 0. Each whole second of s is a
/// way; the rest of s is what is shown, and 1 − rest on an odd way of one that comes back. Only the end of one that goes up belongs to
/// the way before: a whole s shows 1 there, and 0 everywhere else. The facts of Core Animation have each of these rules by itself.
@Suite struct MediaTimingTableTests {
  /// Comes back, repetitions, speeds that show the same, length in seconds at speed 1, and for the offsets 0, 0.3 and 1.5 s what is
  /// shown first and last.
  private static let rows: [(Bool, Double, [Double], Double, [Double])] = [
    (false, 1, [1, 2, 0.5], 1, [0, 1, 0.3, 0.3, 0.5, 0.5]),
    (false, 1, [-1, 0], 1, [0, 0, 0.3, 0.3, 0.5, 0.5]),
    (false, 2.5, [1, 2, 0.5], 2.5, [0, 0.5, 0.3, 0.8, 0.5, 1]),
    (false, 2.5, [-1], 2.5, [0, 0.5, 0.3, 0.8, 0.5, 0]),
    (false, 2.5, [0], 2.5, [0, 0, 0.3, 0.3, 0.5, 0.5]),
    (false, 0.25, [1, 2, 0.5], 0.25, [0, 0.25, 0.3, 0.55, 0.5, 0.75]),
    (false, 0.25, [-1], 0.25, [0, 0.75, 0.3, 0.05, 0.5, 0.25]),
    (false, 0.25, [0], 0.25, [0, 0, 0.3, 0.3, 0.5, 0.5]),
    (true, 1, [1, 2, 0.5, -1, 0], 2, [0, 0, 0.3, 0.3, 0.5, 0.5]),
    (true, 2.5, [1, 2, 0.5, -1], 5, [0, 1, 0.3, 0.7, 0.5, 0.5]),
    (true, 2.5, [0], 5, [0, 0, 0.3, 0.3, 0.5, 0.5]),
    (true, 0.25, [1, 2, 0.5], 0.5, [0, 0.5, 0.3, 0.8, 0.5, 0]),
    (true, 0.25, [-1], 0.5, [0, 0.5, 0.3, 0.2, 0.5, 1]),
    (true, 0.25, [0], 0.5, [0, 0, 0.3, 0.3, 0.5, 0.5]),
  ]

  @Test func edges() {
    var combinations = 0
    let offsets = Array(([0, 300, 1500] as [Int64]).enumerated())
    for (autoreverses, repeats, speeds, wholeLength, values) in Self.rows {
      for (speed, (index, offset)) in speeds.flatMap({ speed in offsets.map { (speed, $0) } }) {
        let length = speed == 0 ? nil : wholeLength / abs(speed)
        for mode in MediaTiming.FillMode.allCases {
          var timing = MediaTiming()
          (timing.beginTime, timing.duration, timing.timeOffset) = (milliseconds(10_000), .seconds(1), .milliseconds(offset))
          (timing.autoreverses, timing.repeatCount, timing.speed) = (autoreverses, repeats, speed)
          timing.fillMode = mode
          let (first, last) = (values[index * 2], values[index * 2 + 1])
          let fillsBefore = mode == .backwards || mode == .both
          let fillsAfter = mode == .forwards || mode == .both
          let begin = milliseconds(10_000)
          var expected = [(begin - Nanoseconds(1), fillsBefore ? first : 5), (begin, first)]
          if let length {
            let end = begin + .seconds(length)
            expected += [
              (end, last), (end + Nanoseconds(1), fillsAfter ? last : 5), (end + .seconds(9), fillsAfter ? last : 5),
            ]
          } else {
            expected.append((begin + .seconds(1000), last))
          }
          for (time, value) in expected {
            let shown = timing.moment(at: time)?.progress ?? 5
            #expect(abs(shown - value) < 1e-9, "\(timing) at \(time): \(shown) instead of \(value)")
          }
          #expect(timing.endTime == length.map { begin + .seconds($0) } ?? .distantFuture)
          combinations += 1
        }
      }
    }
    #expect(combinations == 360)
  }

  /// One that stands at its whole length stands at its end, and at any other whole repetition at a beginning.
  @Test(arguments: [(1, 1000, 1), (2, 2000, 1), (2, 1000, 0), (1, 0, 0)] as [(Double, Int64, Double)])
  func standingAtTheEnd(repeats: Double, offset: Int64, progress: Double) {
    var timing = MediaTiming()
    (timing.beginTime, timing.duration, timing.timeOffset) = (.zero, .seconds(1), .milliseconds(offset))
    (timing.repeatCount, timing.speed) = (repeats, 0)
    #expect(timing.moment(at: milliseconds(5))?.progress == progress)
  }

  /// The number of the repetition: both ways of one that comes back are one, the end belongs to the last, and a clock that runs
  /// backwards goes below 0.
  @Test func iterations() {
    let rows: [(back: Bool, speed: Double, offset: Int64, [(Int64, Int)])] = [
      (false, 1, 0, [(0, 0), (999, 0), (1000, 1), (1500, 1), (2000, 2), (2999, 2), (3000, 2)]),
      (true, 1, 0, [(0, 0), (1500, 0), (1999, 0), (2000, 1), (3500, 1), (4000, 2), (6000, 2)]),
      (false, 2, 0, [(499, 0), (500, 1), (1500, 2)]),
      (false, 1, 2500, [(0, 2), (500, 3), (3000, 5)]),
      (false, -1, 500, [(0, 0), (500, 0), (501, -1), (1500, -1), (1501, -2)]),
      (true, -1, 500, [(500, 0), (501, -1), (2500, -1), (2501, -2)]),
    ]
    for row in rows {
      var timing = MediaTiming()
      (timing.beginTime, timing.duration, timing.timeOffset) = (.zero, .seconds(1), .milliseconds(row.offset))
      (timing.autoreverses, timing.repeatCount, timing.speed) = (row.back, 3, row.speed)
      for (time, iteration) in row.3 {
        #expect(timing.moment(at: milliseconds(time))?.iteration == iteration, "\(timing) at \(time) ms")
      }
    }
  }
}
