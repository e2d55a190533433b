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
    let capture = presentMonMegabyte()
    return [
      Harness.time("a frame recorded", repeats: 100_000) { frames.next(into: meter) },
      Harness.allocations("allocations in that", frames: 10_000) { frames.next(into: meter) },
      Harness.time("figures of the last two seconds", repeats: 200) {
        Harness.blackHole(meter.recentReport(at: frames.time))
      },
      Harness.time("figures of the whole run for a scrape", repeats: 200) {
        Harness.blackHole(meter.takeMetrics(of: "a", at: frames.time))
      },
      Harness.time("the page of them, on the server's thread", repeats: 200) {
        Harness.blackHole(MetricsPage(frames: [meter.takeMetrics(of: "a", at: frames.time)]))
      },
      try Harness.time("what the process holds, there too", repeats: 200) { Harness.blackHole(try ProcessFigures.read()) },
      // 100 MB/s are 10 ms.
      try Harness.time("a megabyte of PresentMon read", repeats: 20) { Harness.blackHole(try FrameCapture(capture)) },
    ]
  }

  /// A capture of PresentMon 2 with the frames of two programs in turns.
  private static func presentMonMegabyte() -> [UInt8] {
    var text =
      "Application,ProcessID,SwapChainAddress,PresentRuntime,SyncInterval,PresentFlags,AllowsTearing,PresentMode,FrameType,"
      + "CPUStartQPC,FrameTime,CPUBusy,CPUWait,GPULatency,GPUTime,GPUBusy,GPUWait,VideoBusy,DisplayLatency,DisplayedTime,"
      + "AnimationError,AnimationTime,MsFlipDelay,AllInputToPhotonLatency,ClickToPhotonLatency,InstrumentedLatency\n"
    for row in 0..<4700 {
      let name = row % 2 == 0 ? "dwm.exe,1300,0x296989CD030" : "Presenter.exe,10016,0x1BA6DC82C58"
      text +=
        "\(name),DXGI,1,0,0,Hardware: Legacy Flip,Application,\(8_086_364_705 + row),16.\(1000 + row),16.6329,0.1522,2.5541,"
        + "14.2582,0.3531,13.9051,0.0000,32.\(1000 + row),16.6\(100 + row % 900),-0.\(1000 + row),421.9730,NA,NA,NA,NA\n"
    }
    return Array(text.utf8)
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
      record.promised = record.target
      record.submitted = delivered + .milliseconds(2)
      record.presented = number % 53 == 0 ? record.target + rate.interval : record.target
      record.phases[.layout] = .microseconds(300)
      record.phases[.composite] = .microseconds(Int64(500 + number % 700))
      meter.record(.committed(record))
      meter.record(.presented(record))
    }
  }
}
