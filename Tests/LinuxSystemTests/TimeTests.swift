import LinuxSystem
import Testing

@Suite struct TimeTests {
  @Test(arguments: [
    (0, "0 ns"), (1, "1 ns"), (999, "999 ns"), (1_000, "1 us"), (-250, "-250 ns"), (2_500, "2.5 us"), (20_000_000, "20 ms"),
    (16_666_667, "16.666667 ms"), (1_500_000_000, "1.5 s"), (-3_000_000_001, "-3.000000001 s"),
    (Int64.min, "-9223372036.854775808 s"),
  ])
  func aTimeIsPrintedInItsLargestUnit(count: Int64, text: String) {
    #expect(Nanoseconds(count).description == text)
  }

  @Test func aPointInTimeIsPrintedInSeconds() {
    #expect(MonotonicTime(nanoseconds: 1_234_500_000_000).description == "1234.5 s")
    #expect(MonotonicTime(nanoseconds: 7).description == "0.000000007 s")
  }

  @Test func durationsConvertBothWays() {
    #expect(Nanoseconds(Duration.seconds(1) + .nanoseconds(5)) == Nanoseconds(1_000_000_005))
    #expect(Nanoseconds(Duration.milliseconds(-3)) == .milliseconds(-3))
    #expect(Nanoseconds(Duration(secondsComponent: .max, attosecondsComponent: 0)) == Nanoseconds(.max))
    #expect(Duration(Nanoseconds.microseconds(2_500)) == .microseconds(2_500))
  }

  @Test func eventsArePrintedByName() {
    #expect(EpollSet.Events([.readable, .hangUp]).description == "readable, hangUp")
  }
}
