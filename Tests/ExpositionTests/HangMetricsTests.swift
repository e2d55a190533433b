import LinuxSystem
import Metering
import Testing

@testable import Exposition
@testable import Hangs

@Suite struct HangMetricsTests {
  @Test func hangsAreCounters() {
    var counts = HangMonitor.Counts()
    (counts.slowTurns, counts.slowTime, counts.hangs) = (3, .milliseconds(2900), 1)
    var page = MetricsPage()
    page.add(hangs: counts)
    #expect(
      page.text.split(separator: "\n").filter { !$0.hasPrefix("# HELP") } == [
        "# TYPE framepace_slow_turns_total counter", "framepace_slow_turns_total 3",
        "# TYPE framepace_slow_turn_seconds_total counter", "framepace_slow_turn_seconds_total 2.9",
        "# TYPE framepace_hangs_total counter", "framepace_hangs_total 1",
      ])
  }
}
