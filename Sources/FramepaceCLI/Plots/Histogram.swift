import Framepace
import Metering

/// The number of durations in each of several equal ranges. Outliers are counted apart, so that a single stall does not
/// press all other durations into one range.
struct Histogram: Equatable {
  /// The lower bound of the first range.
  private(set) var start = Nanoseconds.zero
  /// The width of a range: 1, 2 or 5 times a power of ten, at least `leastWidth`.
  private(set) var width = Self.leastWidth
  private(set) var counts: [Int] = []
  /// The number of values before the first range.
  private(set) var below = 0
  /// The number of values after the last range.
  private(set) var above = 0

  static let leastWidth = Nanoseconds(100)

  /// - Parameter ranges: the largest number of ranges; above 0.
  init(_ values: [Nanoseconds], ranges: Int) {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return }
    // The ranges hold the middle 80 %, and values on either side that are at most as far away as these are apart. A busy
    // machine delays more than 5 % of the arrivals, by so much that all others would share a few ranges.
    let tail = (sorted.count - 1) / 10
    let (innerLow, innerHigh) = (sorted[tail], sorted[sorted.count - 1 - tail])
    let reach = max(innerHigh - innerLow, Self.leastWidth)
    let low = sorted.first { $0 >= innerLow - reach } ?? innerLow
    let high = sorted.last { $0 <= innerHigh + reach } ?? innerHigh

    while Self.index(of: high, width) - Self.index(of: low, width) >= Int64(ranges), let next = Self.wider(width) {
      width = next
    }
    let first = Self.index(of: low, width)
    start = width * first
    counts = Array(repeating: 0, count: Int(Self.index(of: high, width) - first) + 1)
    for value in sorted {
      let index = Self.index(of: value, width) - first
      if index < 0 {
        below += 1
      } else if index >= counts.count {
        above += 1
      } else {
        counts[Int(index)] += 1
      }
    }
  }

  /// The lower bound of range `index`, which is the upper bound of the range before.
  func bound(_ index: Int) -> Nanoseconds { start + width * Int64(index) }

  var end: Nanoseconds { bound(counts.count) }

  /// The index of the range that holds `value`; it is rounded down and may be negative.
  private static func index(of value: Nanoseconds, _ width: Nanoseconds) -> Int64 {
    let quotient = value.count / width.count
    return value.count % width.count < 0 ? quotient - 1 : quotient
  }

  /// The next width after 100, 200, 500, 1000 …; nil if it does not fit.
  private static func wider(_ width: Nanoseconds) -> Nanoseconds? {
    var leading = width.count
    while leading >= 10 { leading /= 10 }
    let (count, overflow) =
      leading == 2 ? (width.count / 2).multipliedReportingOverflow(by: 5) : width.count.multipliedReportingOverflow(by: 2)
    return overflow ? nil : Nanoseconds(count)
  }
}

extension Histogram {
  /// Prints durations with as many decimals as the histogram's ranges need.
  struct Scale: Equatable {
    let unit: String
    private let nanoseconds: Double
    let decimals: Int

    /// - Parameter isInMilliseconds: true beside figures that are in milliseconds; else the unit is the one that suits the ranges.
    init(_ histogram: Histogram, isInMilliseconds: Bool = false) {
      (unit, nanoseconds) = isInMilliseconds || histogram.width >= .microseconds(100) ? ("ms", 1e6) : ("µs", 1e3)
      var (step, decimals) = (nanoseconds, 0)
      while step > Double(histogram.width.count) { (step, decimals) = (step / 10, decimals + 1) }
      self.decimals = decimals
    }

    /// The duration in `unit`.
    func value(of duration: Nanoseconds) -> Double { Double(duration.count) / nanoseconds }

    func text(_ duration: Nanoseconds) -> String { Text.decimal(value(of: duration), decimals) }
  }

  /// One line for each range, with its bounds, a bar and the count.
  ///
  /// - Parameters:
  ///   - width: the longest line, in characters.
  ///   - name: that of the values, such as "frames", for a line above with it and the unit; nil for none.
  ///   - isInMilliseconds: see `Scale`.
  func lines(width: Int, counting name: String? = nil, isInMilliseconds: Bool = false) -> [String] {
    let scale = Scale(self, isInMilliseconds: isInMilliseconds)
    var rows: [(label: String, count: Int)] = []
    if below > 0 { rows.append(("below \(scale.text(start))", below)) }
    let ends = (0...counts.count).map { scale.text(bound($0)) }
    let (fromWidth, toWidth) = (ends.dropLast().map(\.count).max() ?? 0, ends.dropFirst().map(\.count).max() ?? 0)
    for (index, count) in counts.enumerated() {
      rows.append(("\(Text.right(ends[index], fromWidth)) – \(Text.right(ends[index + 1], toWidth))", count))
    }
    if above > 0 { rows.append(("from \(scale.text(end))", above)) }

    let labels = rows.map(\.label.count).max() ?? 0
    let numbers = max(rows.map { String($0.count).count }.max() ?? 0, name?.count ?? 0)
    let most = rows.map(\.count).max() ?? 0
    let room = max(1, min(width, 100) - labels - numbers - 6)
    func line(_ label: String, _ bar: String, _ number: String) -> String {
      "  \(Text.right(label, labels))  \(Text.left(bar, room))  \(Text.right(number, numbers))"
    }
    return (name.map { [line(scale.unit, "", $0)] } ?? [])
      + rows.map { line($0.label, Self.bar($0.count, of: most, length: room), "\($0.count)") }
  }

  /// A bar with a resolution of an eighth of a character. A count above 0 is always visible.
  private static func bar(_ count: Int, of most: Int, length: Int) -> String {
    guard count > 0, most > 0 else { return "" }
    return bar(of: Double(count) / Double(most), length: length)
  }

  /// A bar that is `length` characters long for a part of 1.
  static func bar(of part: Double, length: Int) -> String {
    guard part > 0 else { return "" }
    let eighths = max(1, Int((part * Double(length) * 8).rounded()))
    let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    return String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
  }
}
