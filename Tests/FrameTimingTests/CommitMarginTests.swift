import FrameTiming
import LinuxSystem
import Testing

@Suite struct CommitMarginTests {
  private let interval = Nanoseconds.milliseconds(16)

  @Test func oneMissSaysNothing() {
    var margin = CommitMargin()
    margin.observe(lead: .milliseconds(3), isMissed: true, interval: interval)
    for _ in 0..<600 { margin.observe(lead: .milliseconds(2), isMissed: false, interval: interval) }
    margin.observe(lead: .milliseconds(3), isMissed: true, interval: interval)
    #expect(margin.value == .milliseconds(1))
  }

  @Test func twoSayThatTheSmallerLeadIsTooSmall() {
    var margin = CommitMargin()
    margin.observe(lead: .milliseconds(3), isMissed: true, interval: interval)
    for _ in 0..<599 { margin.observe(lead: .milliseconds(4), isMissed: false, interval: interval) }
    margin.observe(lead: .milliseconds(2), isMissed: true, interval: interval)
    #expect(margin.value == .microseconds(2_100))
    margin.observe(lead: .microseconds(2_500), isMissed: true, interval: interval)
    // One that has faded a little.
    #expect(margin.value > .microseconds(2_099) && margin.value <= .microseconds(2_100))
    margin.observe(lead: .microseconds(2_600), isMissed: true, interval: interval)
    #expect(margin.value == .microseconds(2_600))
  }

  @Test func halfAnIntervalIsEnoughForAnyDisplay() {
    var margin = CommitMargin()
    for lead in [interval / 2, interval, Nanoseconds(-1)] {
      for _ in 0..<3 { margin.observe(lead: lead, isMissed: true, interval: interval) }
    }
    #expect(margin.value == .milliseconds(1))
    for _ in 0..<2 { margin.observe(lead: interval / 2 - Nanoseconds(1), isMissed: true, interval: interval) }
    #expect(margin.value == .microseconds(8_100) - Nanoseconds(1))
  }

  @Test func whatWasLearnedFades() {
    var margin = CommitMargin()
    for _ in 0..<2 { margin.observe(lead: .microseconds(2_900), isMissed: true, interval: interval) }
    #expect(margin.value == .milliseconds(3))
    for _ in 0..<5_000 { margin.observe(lead: .milliseconds(3), isMissed: false, interval: interval) }
    #expect(margin.value > .milliseconds(2))
    for _ in 0..<1_000 { margin.observe(lead: .milliseconds(3), isMissed: false, interval: interval) }
    #expect(margin.value < .milliseconds(2))
  }
}
