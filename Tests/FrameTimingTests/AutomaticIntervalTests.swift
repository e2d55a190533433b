import LinuxSystem
import TestLength
import Testing

@testable import FrameTiming

@Suite struct AutomaticIntervalTests {
  /// An application on a display: each frame begins at its tick, takes its work, and is seen at the next vblank after that.
  private struct Application {
    let rate: RefreshRate
    var automatic = AutomaticInterval()
    var now = MonotonicTime.zero + .seconds(100)
    var changes: [(time: MonotonicTime, intervals: Int)] = []
    var most = Int.max
    private var tick: Int64 = 0
    private let start = MonotonicTime.zero + .seconds(100)

    init(_ rate: RefreshRate) { self.rate = rate }

    /// One frame whose work takes so many intervals.
    mutating func frame(_ work: Double, isLateAnyway: Bool = false) {
      let intervals = Int64(automatic.intervals)
      let duration = Nanoseconds.seconds(work / rate.hertz)
      // A display takes a frame over so long before its vblank.
      let takeOver = min(.milliseconds(1), rate.interval / 4)
      let ready = rate.intervals(in: rate.offset(ofInterval: tick) + duration + takeOver) + 1
      let target = tick + intervals
      let seen = max(ready, target) + (isLateAnyway ? 1 : 0)
      now = start + rate.offset(ofInterval: seen)
      let before = automatic.intervals
      automatic.observe(work: duration, isLate: seen > target, at: now, interval: rate.interval, most: most)
      if automatic.intervals != before { changes.append((now, automatic.intervals)) }
      // The tick of the interval in which the buffer is free.
      tick += intervals
      while tick < seen { tick += Int64(automatic.intervals) }
    }

    mutating func run(_ seconds: Double, _ work: () -> Double) {
      let end = now + .seconds(seconds)
      while now < end { frame(work()) }
    }
  }

  static let rates: [RefreshRate] = [
    .hertz(24), .hertz(30), .hertz(60000, over: 1001), .hertz(60), .hertz(144), .hertz(500),
  ]

  /// Slower about half a second after an overload's beginning, back half a second after its end.
  @Test(arguments: rates) func itFollowsALoad(_ rate: RefreshRate) throws {
    let seed = UInt64.random(in: 0...999_999)
    print("automatic interval at \(rate), seed \(seed)")
    var random = SplitMix64(seed: seed)
    for _ in 0..<20 {
      var application = Application(rate)
      let light = Double.random(in: 0.1...0.5, using: &random)
      let heavy = Double.random(in: 1.15...1.65, using: &random)
      func noisy(_ work: Double) -> Double { work * Double.random(in: 0.95...1.05, using: &random) }
      application.run(Double.random(in: 3...6, using: &random)) { noisy(light) }
      #expect(application.changes.isEmpty)
      let overloaded = application.now
      application.run(6) { noisy(heavy) }
      #expect(application.changes.map(\.intervals) == [2], "seed \(seed), heavy \(heavy)")
      let down = try #require(application.changes.first).time - overloaded
      #expect(abs(down.seconds - 0.65) <= 0.3, "seed \(seed): \(down.seconds) s")
      let relieved = application.now
      application.run(6) { noisy(light) }
      #expect(application.changes.map(\.intervals) == [2, 1], "seed \(seed), light \(light)")
      let up = try #require(application.changes.last).time - relieved
      #expect(up.seconds <= 0.5, "seed \(seed): \(up.seconds) s")
    }
  }

  /// Frames that need three intervals get them at once, and not two first.
  @Test func itGoesToTheIntervalThatIsNeeded() {
    var application = Application(.hertz60)
    application.run(4) { 0.5 }
    application.run(5) { 2.4 }
    #expect(application.changes.map(\.intervals) == [3])
    application.run(5) { 1.4 }
    #expect(application.changes.map(\.intervals) == [3, 2])
    application.run(5) { 0.4 }
    #expect(application.changes.map(\.intervals) == [3, 2, 1])
    application.run(5) { 9 }
    #expect(application.changes.last?.intervals == 4, "no slower than it may be")
  }

  @Test(arguments: rates) func oneMissChangesNothing(_ rate: RefreshRate) {
    var application = Application(rate)
    for work in [1.5, 3.0, 30.0, 2 * rate.hertz] {
      application.run(3) { 0.5 }
      application.frame(work)
      application.run(3) { 0.5 }
      #expect(application.changes.isEmpty, "a frame of \(work) intervals")
    }
  }

  /// Whatever the load is, as long as it stays what it is: it settles, and does not go to and fro.
  @Test func nothingGoesToAndFroAtTheBoundary() {
    let seed = UInt64.random(in: 0...999_999)
    print("automatic interval at the boundary, seed \(seed)")
    var random = SplitMix64(seed: seed)
    for step in some(6, of: 0...40) {
      let mean = 0.7 + Double(step) * 0.015
      for spread in [0.0, 0.02, 0.1, 0.3] {
        var application = Application(.hertz60)
        application.run(120) {
          // Nearly normal.
          let normal = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0...1, using: &random) }
          return max(0.05, mean + spread * mean * normal)
        }
        // One in eight seconds: each return that was taken back makes the next one wait longer.
        #expect(application.changes.count <= 15, "seed \(seed): \(mean) ± \(spread): \(application.changes.count) changes")
        let settled = application.changes.count
        application.run(60) { mean }
        #expect(application.changes.count <= settled + 1, "seed \(seed): \(mean) ± \(spread), then steady")
      }
    }
  }

  /// Frames that are late although their work fitted, as on a display that loses vblanks, would be late at any rate.
  @Test func whatIsNotTheWorksFaultChangesNothing() {
    var application = Application(.hertz60)
    for _ in 0..<2000 { application.frame(0.5, isLateAnyway: true) }
    #expect(application.changes.isEmpty)
  }

  /// Two loads in turn, each shorter than it takes to believe it.
  @Test func shortOverloadsChangeNothing() {
    var application = Application(.hertz60)
    for _ in 0..<20 {
      application.run(0.3) { 1.4 }
      application.run(1.5) { 0.5 }
    }
    #expect(application.changes.isEmpty)
  }

  /// Spikes are misses, but too few to slow all the others for.
  @Test func rareSpikesDoNotKeepItSlow() {
    let seed = UInt64.random(in: 0...999_999)
    print("automatic interval with spikes, seed \(seed)")
    var random = SplitMix64(seed: seed)
    var application = Application(.hertz60)
    application.run(60) { random.chance(0.02) ? 1.6 : 0.3 }
    #expect(application.changes.isEmpty, "seed \(seed)")
    application.run(5) { 1.5 }
    application.run(20) { random.chance(0.01) ? 1.6 : 0.3 }
    #expect(application.automatic.intervals == 1, "seed \(seed)")
  }

  /// A link whose range has a minimum, whatever the load: its output is never slower, and obeys at once when the minimum rises.
  @Test func itIsNeverSlowerThanItMay() {
    let seed = UInt64.random(in: 0...999_999)
    print("automatic interval with a minimum, seed \(seed)")
    var random = SplitMix64(seed: seed)
    var reached = Set<Int>()
    for _ in 0..<some(40, of: 0...399).count {
      var application = Application(Self.rates.randomElement(using: &random) ?? .hertz60)
      for _ in 0..<6 {
        application.most = Int.random(in: 1...5, using: &random)
        let load = Double.random(in: 0.2...4.5, using: &random)
        let end = application.now + .seconds(Double.random(in: 0.2...4, using: &random))
        while application.now < end {
          application.frame(load * Double.random(in: 0.9...1.1, using: &random))
          #expect(application.automatic.intervals <= min(application.most, 4), "seed \(seed)")
        }
        if application.automatic.intervals == application.most { reached.insert(application.most) }
      }
    }
    #expect(reached == [1, 2, 3, 4], "seed \(seed)")
  }

  /// The frames of a link that is slow by its range, of which some take longer than one interval and all less than two: they are in time for
  /// the link's next tick, and made for it, once enough are longer; and for the next vblank again when all are short.
  @Test(arguments: rates, [2, 10]) func theFramesOfASlowLinkAreMadeForItsTicks(_ rate: RefreshRate, _ step: Int) {
    let interval = rate.interval
    var automatic = AutomaticInterval()
    var number: Int64 = 0
    /// - Returns: how many seconds it took until frames were made for so many vblanks later; nil if they never were.
    func time(to intervals: Int, in seconds: Int64, _ work: (Int64) -> Nanoseconds) -> Double? {
      let begin = number
      while interval * Int64(number - begin) < .seconds(Double(seconds)) {
        var frame = FrameRecord()
        frame.tickTimestamp = .zero + .seconds(100) + rate.offset(ofInterval: number)
        frame.promised = frame.tickTimestamp + interval * Int64(step)
        frame.target = frame.tickTimestamp + interval * Int64(automatic.intervals)
        frame.intervalsPerTick = step
        frame.phases[.callbacks] = work(number / Int64(step))
        let needed: Int64 = frame.work > interval * 3 / 4 ? 2 : 1
        frame.presented = frame.tickTimestamp + interval * max(needed, Int64(automatic.intervals))
        automatic.observe(frame, interval: interval, most: step)
        number += Int64(step)
        if automatic.intervals == intervals { return (interval * Int64(number - begin)).seconds }
      }
      return nil
    }
    let (short, long) = (interval / 4, interval * 5 / 4)
    #expect(time(to: 2, in: 10) { _ in short } == nil)
    let down = time(to: 2, in: 10) { $0 % 5 < 2 ? long : short }
    #expect(down.map { $0 < 2.5 } ?? false, "\(down ?? .nan) s")
    // Three short frames in a row are no proof for long.
    var returns = 0
    while returns < 10, time(to: 1, in: 20, { $0 % 5 < 2 ? long : short }) != nil {
      returns += 1
      #expect(time(to: 2, in: 10) { $0 % 5 < 2 ? long : short } != nil)
    }
    #expect(returns < 5)
    let up = time(to: 1, in: 10) { _ in short }
    #expect(up.map { $0 < 0.5 + (interval * Int64(4 * step)).seconds } ?? false, "\(up ?? .nan) s")
  }

  /// Time in which nothing was shown is no overload.
  @Test func aPauseIsNotCounted() {
    var application = Application(.hertz60)
    for _ in 0..<30 {
      for _ in 0..<3 { application.frame(1.5) }
      application.now += .seconds(10)
      for _ in 0..<40 { application.frame(0.2) }
    }
    #expect(application.changes.isEmpty)
  }
}
