public import Hangs
import LinuxSystem
public import Metering

extension MetricsPage {
  /// Adds the turns of loops that took too long, by a monitor's `counts`.
  ///
  /// A turn counts as slow when it is over, and as a hang from the moment at which it has taken so long.
  public mutating func add(hangs counts: HangMonitor.Counts) {
    add(
      .counter, "framepace_slow_turns_total",
      help: "Turns of a loop that took long, by default 250 ms or more, those that became hangs included.",
      [Sample(Double(counts.slowTurns))])
    add(
      .counter, "framepace_slow_turn_seconds_total", help: "The time of those turns.",
      [Sample(counts.slowTime.seconds)])
    add(
      .counter, "framepace_hangs_total", help: "Turns of a loop that took too long, by default 2 s or more.",
      [Sample(Double(counts.hangs))])
  }
}
