import FrameTiming
import LinuxSystem
import Metering

/// Measures the meter's own cost. Its design allows a microsecond for each frame.
@MainActor
enum MeteringBenchmarks {
  static let all = Benchmark(name: "metering") {
    guard let rate = RefreshRate(hertz: 60) else { throw BenchmarkError("60 Hz is a refresh rate") }
    let meter = FPSMeter(refreshRate: rate)
    var frames = FrameFeed(rate: rate)
    return [
      Harness.time("a frame recorded", repeats: 100_000) { frames.next(into: meter) },
      Harness.allocations("allocations in that", frames: 10_000) { frames.next(into: meter) },
      Harness.time("figures of the last two seconds", repeats: 200) {
        Harness.blackHole(meter.recentReport(at: frames.time))
      },
    ]
  }

  /// Frames at the display's rate. Some are a little late or early, and some are missed.
  private struct FrameFeed {
    let rate: RefreshRate
    private var number: UInt64 = 0

    init(rate: RefreshRate) {
      self.rate = rate
    }

    var time: MonotonicTime { .zero + rate.offset(ofInterval: Int64(number)) }

    mutating func next(into meter: FPSMeter) {
      let missed: UInt64 = number % 97 == 96 ? 1 : 0
      number += 1 + missed
      let stamp = time
      let delivered = stamp + Nanoseconds(Int64(number &* 2_654_435_761 % 200_000))
      meter.record(
        .tick(
          DisplayLink.Tick(
            timestamp: stamp, targetTimestamp: stamp + rate.interval, duration: rate.interval, frameNumber: number,
            delivered: delivered, missed: missed)))
      var record = FrameRecord()
      record.frameNumber = number
      record.tickTimestamp = stamp
      record.target = stamp + rate.interval
      record.submitted = delivered + .milliseconds(2)
      record.presented = number % 53 == 0 ? record.target + rate.interval : record.target
      record.phases[.layout] = .microseconds(300)
      record.phases[.composite] = .microseconds(Int64(500 + number % 700))
      meter.record(.committed(record))
      meter.record(.presented(record))
    }
  }
}
