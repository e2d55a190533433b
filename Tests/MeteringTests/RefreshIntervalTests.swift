import FrameTiming
import LinuxSystem
import Testing

@testable import Metering

/// The budget of a profile where the display has another refresh rate than it tells.
@Suite struct RefreshIntervalTests {
  private let told = RefreshRate.hertz60

  /// A frame in time, asked for by a tick of a display with this interval.
  private func frame(_ milliseconds: Double, work: Double, every intervals: Int = 1, isGuess: Bool = false) -> FrameRecord {
    var frame = FrameRecord()
    frame.tickTimestamp = .zero + .seconds(1)
    frame.intervalsPerTick = intervals
    frame.target = frame.tickTimestamp + .seconds(milliseconds / 1000) * Int64(intervals)
    (frame.promised, frame.isTargetKnown) = (frame.target, !isGuess)
    (frame.start, frame.delivered, frame.presented) = (frame.tickTimestamp, frame.tickTimestamp, frame.target)
    frame.phases[.composite] = .seconds(work / 1000)
    frame.submitted = frame.start + frame.work
    return frame
  }

  private func profile(_ frames: [FrameRecord], budget: Nanoseconds? = nil) -> PhaseProfile {
    var profile = PhaseProfile(refreshRate: told, budget: budget)
    for frame in frames { profile.add(frame) }
    return profile
  }

  private func many(_ count: Int, _ frame: FrameRecord) -> [FrameRecord] { Array(repeating: frame, count: count) }

  /// 20 ms fit the 40 Hz that a desktop has, though it tells 60, and 14 ms do not fit its 80.
  @Test func theRealIntervalIsTheBudget() {
    let slow = profile(many(200, frame(25, work: 20)))
    #expect(slow.budget == .milliseconds(25) && slow.budgetSource == .measured && slow.framesOverBudget == 0)
    #expect(slow.verdict() == "fits the measured 40 Hz with 20 % to spare; no frame late")
    #expect(slow.budgetReason == "measured; the display tells 60 Hz")
    let fast = profile(many(200, frame(12.5, work: 14)))
    #expect(fast.framesOverBudget == 200)
    #expect(fast.verdict() == "does not fit the measured 80 Hz: the median frame takes 14.00 of 12.50 ms; no frame late")
    let half = profile(many(200, frame(25, work: 30, every: 2)))
    #expect(half.verdict() == "fits the measured 20 Hz with 40 % to spare; no frame late")
    #expect(half.framesOverBudget == 0)
  }

  /// Vblanks of a mode that is called 60 Hz are those of that; so are frames of which no vblank was known.
  @Test func theToldRateStays() {
    let near = profile(many(100, frame(16.4, work: 10)) + many(99, frame(16.9, work: 10)))
    #expect(near.budget == told.interval && near.budgetSource == .told && near.rates.map(\.frames) == [199])
    #expect(near.verdict() == "fits 60 Hz with 40 % to spare; no frame late")
    // Predictions that wander around it are not another rate where they are further away for a moment.
    let wandering = profile(
      many(120, frame(16.67, work: 10)) + many(40, frame(16, work: 10)) + many(40, frame(17.3, work: 10)))
    #expect(wandering.budget == told.interval && wandering.rates.count == 1 && wandering.rateChange == nil)
    // 48 Hz is not 50.
    let other = profile(many(200, frame(15.98, work: 10)))
    #expect(other.budgetSource == .measured && abs(other.budget.milliseconds - 15.98) < 0.01)
    let guessed = profile(many(100, frame(25, work: 10, isGuess: true)))
    #expect(guessed.budget == told.interval && guessed.rates.isEmpty)
    // Those of a window before its desktop tells of a vblank.
    let first = profile(many(9, frame(16.67, work: 1)) + many(191, frame(25, work: 20)))
    #expect(first.budgetSource == .measured && first.rateChange == nil)
    #expect(first.verdict() == "fits the measured 40 Hz with 20 % to spare; no frame late")
  }

  @Test func aGivenBudgetStays() {
    let given = profile(many(100, frame(25, work: 4)) + many(100, frame(16.67, work: 4)), budget: .milliseconds(5))
    #expect(given.budget == .milliseconds(5) && given.budgetSource == .given && given.rateChange == nil)
    #expect(given.verdict() == "fits 5.00 ms with 20 % to spare; no frame late")
  }

  /// Predictions of an unsteady display wander: that is one rate, the mean.
  @Test func intervalsThatWanderAreOne() {
    let wandering = profile((0..<200).map { frame(25 + Double($0 % 5 - 2) * 0.3, work: 10) })
    #expect(wandering.rates.map(\.frames) == [200])
    #expect(abs((wandering.budget - .milliseconds(25)).count) < 100_000)
  }

  /// A window that moves from a display of 60 Hz to one of 144: 8 ms fit the one and not the other, and no mean of the two says so.
  @Test func aRateThatChangesIsTold() {
    let text = "; the refresh rate changed: 120 frames at 60 Hz, 80 frames at 143.99 Hz; no frame late"
    let moved = profile(many(120, frame(16.667, work: 8)) + many(80, frame(6.945, work: 8)))
    #expect(moved.budget == told.interval && moved.framesOverBudget == 80)
    #expect(
      moved.verdict()
        == "does not always fit the rates that the display had: 80 of 200 frames take more than their own budget" + text)
    let light = profile(many(120, frame(16.667, work: 8)) + many(80, frame(6.945, work: 4)))
    #expect(light.framesOverBudget == 0)
    #expect(light.verdict() == "fits the rates that the display had with 42 % to spare" + text)
    let heavy = profile(many(120, frame(16.667, work: 20)) + many(80, frame(6.945, work: 5)))
    #expect(
      heavy.verdict()
        == "does not fit the rates that the display had: the median frame takes 120 % of its own budget" + text)
    // All frames have a place: no tick asked for three of them.
    var first = frame(16.667, work: 4)
    first.promised = nil
    let unasked = profile(many(120, frame(16.667, work: 8)) + many(80, frame(6.945, work: 4)) + many(3, first))
    #expect(unasked.framesAtUnknownRates == 3 && light.framesAtUnknownRates == 0)
    #expect(
      unasked.verdict() == light.verdict().replacing("143.99 Hz", with: "143.99 Hz, 3 at an unknown rate"))
  }

  /// There is room for eight rates: those of most frames are kept.
  @Test func manyRates() {
    var frames = many(300, frame(25, work: 10))
    for index in 0..<40 { frames.append(frame(2 + Double(index) * 1.5, work: 10)) }
    let profile = profile(frames)
    #expect(profile.rates.count == 8 && profile.rates[0].frames >= 300)
    #expect(profile.rates.reduce(profile.framesAtOtherRates) { $0 + $1.frames } == 340 && profile.framesAtOtherRates > 0)
    #expect(profile.budgetSource == .measured && abs(profile.budget.milliseconds - 25) < 0.1)
    #expect(profile.rateChange?.hasSuffix(" at others") == true)
  }

  /// A recording has the rate at its beginning, and ticks.
  @Test func aTickTellsTheRate() {
    func tick(_ milliseconds: Double) -> DisplayLink.Tick {
      let (time, interval) = (MonotonicTime.zero + .seconds(1), Nanoseconds.seconds(milliseconds / 1000))
      return DisplayLink.Tick(
        timestamp: time, targetTimestamp: time + interval, duration: interval, frameNumber: 1, delivered: time, missed: 0)
    }
    func rate(_ milliseconds: Double, after last: RefreshRate? = nil) -> RefreshRate? {
      told.followed(by: tick(milliseconds), after: last ?? told)
    }
    #expect(rate(16.9) == told && rate(0) == told)
    #expect(rate(25)?.interval == .milliseconds(25))
    // A measured interval wanders: that is no other rate.
    let measured = rate(25)
    #expect(measured != told && rate(25.0004, after: measured) == measured && rate(24.5, after: measured) == measured)
    #expect(rate(16.7, after: measured) == told && rate(20, after: measured)?.interval == .milliseconds(20))
    // Nobody can see the window.
    #expect(rate(1000, after: measured) == nil && rate(500, after: measured)?.interval == .milliseconds(500))
    let second = RefreshRate(numerator: 1, denominator: 1)
    #expect(second?.followed(by: tick(1000), after: told) == second)
  }
}
