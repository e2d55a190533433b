import Framepace
import Testing

@testable import FramepaceCLI

struct HistogramTests {
  private func microseconds(_ values: some Sequence<Int>) -> [Nanoseconds] { values.map { .microseconds(Int64($0)) } }

  @Test func everyValueIsCountedOnce() {
    let histogram = Histogram(microseconds(0..<100), ranges: 10)
    #expect(histogram.width == .microseconds(10))
    #expect(histogram.start == .zero)
    #expect(histogram.counts == Array(repeating: 10, count: 10))
    #expect(histogram.below == 0 && histogram.above == 0)
    #expect(histogram.end == .microseconds(100))
  }

  /// Ranges have round widths and begin at multiples of them, also below zero.
  @Test func rangesAreRound() {
    let histogram = Histogram(microseconds(-7...7), ranges: 4)
    #expect(histogram.width == .microseconds(5))
    #expect(histogram.start == .microseconds(-10))
    #expect(histogram.counts == [2, 5, 5, 3])
    #expect(Histogram(microseconds(1000...1400), ranges: 3).width == .microseconds(200))
    #expect(Histogram(microseconds(1000...2000), ranges: 2).width == .microseconds(1000))
  }

  @Test func outliersAreCountedApart() {
    let histogram = Histogram(microseconds(Array(100..<200) + [9000, 9001] + [-5000]), ranges: 12)
    #expect(histogram.below == 1 && histogram.above == 2)
    #expect(histogram.counts.reduce(0, +) == 100)
    #expect(histogram.width == .microseconds(10))
    let busy = Histogram(microseconds(Array(100..<192) + Array(repeating: 9000, count: 8)), ranges: 12)
    #expect(busy.above == 8 && busy.width == .microseconds(10))
  }

  @Test func equalValuesAreOneRange() {
    let histogram = Histogram(Array(repeating: Nanoseconds(16_665), count: 50), ranges: 10)
    #expect(histogram.counts == [50])
    #expect(histogram.start == Nanoseconds(16_600) && histogram.width == Nanoseconds(100))
    #expect(Histogram([], ranges: 10).counts.isEmpty)
    #expect(Histogram([], ranges: 10).lines(width: 80).isEmpty)
  }

  @Test(arguments: [1, 2] as [UInt64])
  func anyValuesAreCounted(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<500 {
      let range = [Int64.min ... .max, -1000...1000, 0...20_000_000].randomElement(using: &random) ?? 0...1
      let values = (0..<Int.random(in: 1...300, using: &random)).map { _ in
        Nanoseconds(.random(in: range, using: &random))
      }
      let ranges = Int.random(in: 1...60, using: &random)
      let histogram = Histogram(values, ranges: ranges)
      #expect(histogram.below + histogram.counts.reduce(0, +) + histogram.above == values.count, "seed \(seed)")
      #expect(histogram.counts.count <= max(4, ranges), "seed \(seed)")
    }
  }

  @Test func linesAreAlignedAndBarsAreInProportion() {
    let histogram = Histogram(microseconds([0, 0, 0, 0, 10, 10, 20] + Array(repeating: 30, count: 8)), ranges: 4)
    #expect(
      histogram.lines(width: 40) == [
        "   0 – 10  █████████████               4",
        "  10 – 20  ██████▌                     2",
        "  20 – 30  ███▎                        1",
        "  30 – 40  ██████████████████████████  8",
      ])
    #expect(
      histogram.lines(width: 40, counting: "frames").prefix(2) == [
        "       µs                         frames",
        "   0 – 10  ██████████▌                 4",
      ])
  }

  @Test func smallCountsAreVisible() {
    let lines = Histogram(microseconds(Array(repeating: 0, count: 5000) + [30]), ranges: 4).lines(width: 80)
    #expect(lines.last?.contains("▏") == true, "\(lines)")
    for width in [20, 40, 59, 79, 199] {
      for line in Histogram(microseconds(0..<300), ranges: 12).lines(width: width) {
        #expect(line.count <= max(width, 22), "\(line)")
      }
    }
  }

  @Test func theUnitSuitsTheRanges() {
    func first(_ values: [Nanoseconds]) -> String? {
      let histogram = Histogram(values, ranges: 4)
      return histogram.lines(width: 60).first.map { $0.prefix { $0 != "█" } + Histogram.Scale(histogram).unit }
    }
    #expect(first(Array(repeating: Nanoseconds(150), count: 9)) == "  0.1 – 0.2  µs")
    #expect(first(microseconds(1...9)) == "  0 –  5  µs")
    #expect(first(microseconds([1000, 9000])) == "  0 –  5  ms")
    #expect(first(microseconds([400, 900])) == "  0.4 – 0.6  ms")
  }

  /// Beside a table in milliseconds there is no other unit, however narrow the ranges are.
  @Test func milliseconds() {
    let histogram = Histogram(microseconds(1...9), ranges: 4)
    let scale = Histogram.Scale(histogram, isInMilliseconds: true)
    #expect(scale.unit == "ms" && scale.text(.microseconds(5)) == "0.005" && scale.value(of: .microseconds(5)) == 0.005)
    let lines = histogram.lines(width: 60, counting: "frames", isInMilliseconds: true)
    #expect(lines.first?.contains("ms") == true && lines.last?.contains("0.005 – 0.010") == true, "\(lines)")
  }
}
