public import FrameTiming
public import LinuxSystem

/// Measures how regular a row of vblanks is, and how fast the display's clock runs. T is the interval that the mode gives; or the
/// usual distance of stamps, their median, where that is no multiple of the mode's interval by more than a tenth, as in the window
/// of a compositor that tells another rate than its own.
///
/// Vblanks are counted by the source's sequence where it agrees with the stamps, else by the stamps alone. Through stamps
/// over counts the best straight line is laid (least squares): its slope is the display's own interval, and the points of it
/// are the even grid that stamps are compared with.
public struct VBlankReport: Sendable {
  /// A vblank as it came.
  public struct Sample: Hashable, BitwiseCopyable, Sendable {
    /// The source's stamp and sequence.
    public var vblank: VBlank
    /// When it was delivered.
    public var arrival: MonotonicTime

    public init(vblank: VBlank, arrival: MonotonicTime) {
      self.vblank = vblank
      self.arrival = arrival
    }
  }

  /// The rate that the display's mode or the clock gives.
  public let nominalRate: RefreshRate
  /// Vblanks that count.
  public let count: Int
  /// Intervals that passed without a vblank being delivered.
  public let missed: Int
  /// Deliveries that are no new vblank: the stamp is not half an interval after the last one, or more than an
  /// interval ahead of its arrival.
  public let rejected: Int
  /// From the first stamp to the last.
  public let duration: Nanoseconds
  /// The display's own rate in hertz; nil below two vblanks.
  public let rate: Double?
  /// How much faster the display is than its mode says, in millionths; both run against CLOCK_MONOTONIC. Nil below two
  /// vblanks.
  public let drift: Double?
  /// Two standard errors of the drift, in millionths: what the stamps' own scatter leaves open, taken as independent from
  /// one vblank to the next. Nil below three vblanks.
  public let driftUncertainty: Double?
  /// How far each stamp lies from the even grid: earlier is negative.
  public let deviations: [Nanoseconds]
  /// From each stamp to its delivery; negative where a driver stamps ahead.
  public let delays: [Nanoseconds]
  /// The difference from the prediction of a `VBlankModel`, which knew the vblanks before it, to each stamp; negative when it
  /// came earlier. There is none after a missed interval.
  public let surprises: [Nanoseconds]

  /// - Parameter hasArrivals: false if the samples' arrivals are guesses: then `delays` is empty.
  public init(_ samples: [Sample], nominalRate: RefreshRate, hasArrivals: Bool = true) {
    self.nominalRate = nominalRate
    let countedRate = Counting.rate(of: samples, nominal: nominalRate)
    var counting = Counting(rate: countedRate)
    for sample in samples { counting.add(sample) }
    count = counting.points.count
    rejected = counting.rejected
    missed = count == 0 ? 0 : Int(clamping: counting.lastNumber) - (count - 1)
    delays = hasArrivals ? counting.delays : []
    surprises = counting.surprises
    guard let first = counting.first, let last = counting.last else {
      (duration, rate, drift, driftUncertainty, deviations) = (.zero, nil, nil, nil, [])
      return
    }
    duration = last.timestamp - first.timestamp

    let line = Line(counting.points)
    deviations = counting.points.map { .seconds(($0.offset - line.value(at: $0.number)) / 1e9) }
    // The offsets are from the grid of T: their slope is the difference of the intervals, free of large numbers.
    let nominal = nominalRate.exactInterval
    let interval = line.slope.map { countedRate.exactInterval + $0 }
    rate = interval.map { 1e9 / $0 }
    drift = interval.map { (nominal / $0 - 1) * 1e6 }
    driftUncertainty = line.standardError.map { 2 * $0 / nominal * 1e6 }
  }

  /// How far stamps lie from the even grid, in either direction.
  public var jitter: FrameStatistics { FrameStatistics(deviations.map { max($0, -$0) }) }
  /// How long after their stamps vblanks were delivered.
  public var arrival: FrameStatistics { FrameStatistics(delays) }
  /// By how much the next vblank was predicted wrongly, in either direction.
  public var predictionError: FrameStatistics { FrameStatistics(surprises.map { max($0, -$0) }) }
}

/// Numbers vblanks by intervals, from 0 on, and finds how far each is from the nominal grid that begins with the first.
private struct Counting {
  let rate: RefreshRate
  private(set) var first: VBlank?
  private(set) var last: VBlank?
  private(set) var lastNumber: Int64 = 0
  private(set) var points: [Line.Point] = []
  private(set) var delays: [Nanoseconds] = []
  private(set) var surprises: [Nanoseconds] = []
  private(set) var rejected = 0
  private var model: VBlankModel

  init(rate: RefreshRate) {
    self.rate = rate
    model = VBlankModel(refreshRate: rate)
  }

  mutating func add(_ sample: VBlankReport.Sample) {
    let vblank = sample.vblank
    guard vblank.timestamp - sample.arrival <= rate.interval else { return rejected += 1 }
    if let last {
      guard vblank.timestamp - last.timestamp > rate.interval / 2 else { return rejected += 1 }
      let intervals = intervals(from: last, to: vblank)
      lastNumber += intervals
      if intervals == 1, let expected = model.prediction(after: last.timestamp) {
        surprises.append(vblank.timestamp - expected.timestamp)
      }
    }
    model.observe(vblank)
    let start = first ?? vblank
    first = start
    last = vblank
    let offset = vblank.timestamp - (start.timestamp + rate.offset(ofInterval: lastNumber))
    points.append(Line.Point(number: Double(lastNumber), offset: Double(offset.count)))
    delays.append(sample.arrival - vblank.timestamp)
  }
}

extension Counting {
  /// The rate whose intervals are counted: the nominal one, or that of the usual distance of stamps if that is no multiple of its interval.
  static func rate(of samples: [VBlankReport.Sample], nominal: RefreshRate) -> RefreshRate {
    let gaps = zip(samples, samples.dropFirst()).map { Double(($1.vblank.timestamp - $0.vblank.timestamp).count) }.sorted()
    guard gaps.count >= fewestGaps else { return nominal }
    let usual = gaps[gaps.count / 2]
    let whole = max((usual / nominal.exactInterval).rounded(), 1)
    guard abs(usual - whole * nominal.exactInterval) > usual * otherGap else { return nominal }
    return RefreshRate(hertz: 1e9 / usual) ?? nominal
  }

  /// Fewer have no usual distance.
  private static let fewestGaps = 15
  private static let otherGap = 0.1

  /// At least 1: the difference of the sequences, if it agrees with the stamps to T/2, and to 1/32 over long gaps, where a
  /// display's rate is off by up to a few per cent. A sequence that stands still or jumps does not agree.
  private func intervals(from last: VBlank, to next: VBlank) -> Int64 {
    let elapsed = next.timestamp - last.timestamp
    let counted = Int64(bitPattern: next.sequence &- last.sequence)
    if counted > 0, counted < 1 << 40 {
      let error = elapsed - rate.offset(ofInterval: counted)
      let tolerance = rate.interval / 2 + elapsed / 32
      if error <= tolerance, -error <= tolerance { return counted }
    }
    return max(1, rate.intervals(in: elapsed + rate.interval / 2))
  }
}

/// The straight line through points that leaves the least squares.
private struct Line {
  struct Point {
    var number: Double
    var offset: Double
  }

  /// Nil below two points.
  private(set) var slope: Double?
  /// The standard error of the slope, if the points' distances from the line are independent; nil below three points.
  private(set) var standardError: Double?
  private var center = Point(number: 0, offset: 0)

  init(_ points: [Point]) {
    guard !points.isEmpty else { return }
    let count = Double(points.count)
    center.number = points.reduce(0) { $0 + $1.number } / count
    center.offset = points.reduce(0) { $0 + $1.offset } / count
    var (spread, common) = (0.0, 0.0)
    for point in points {
      let distance = point.number - center.number
      spread += distance * distance
      common += distance * (point.offset - center.offset)
    }
    guard spread > 0 else { return }
    slope = common / spread
    guard points.count > 2 else { return }
    let squares = points.reduce(0) { sum, point in
      let residual = point.offset - value(at: point.number)
      return sum + residual * residual
    }
    standardError = (squares / (count - 2) / spread).squareRoot()
  }

  func value(at number: Double) -> Double { center.offset + (slope ?? 0) * (number - center.number) }
}
