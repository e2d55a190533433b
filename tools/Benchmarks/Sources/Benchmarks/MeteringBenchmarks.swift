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
    func record() { frames.next { meter.record($0) } }
    let capture = presentMonMegabyte()
    return [
      Harness.time("a frame recorded", repeats: 100_000) { record() },
      Harness.allocations("allocations in that", frames: 10_000) { record() },
    ] + log(FrameFeed(rate: rate), rate: rate) + [
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

  /// A frame that a log has too: the meter and the ledger, and the text, which a thread of its own makes.
  private static func log(_ feed: FrameFeed, rate: RefreshRate) -> [Result] {
    let meter = FPSMeter(refreshRate: rate)
    var (frames, ledger) = (feed, FrameLedger())
    var last = LoggedFrame(record: FrameRecord(), outcome: .pending)
    func record() {
      frames.next { event in
        let causes = meter.record(event)
        ledger.handle(event, of: meter, causes: causes) { last = $0 }
      }
    }
    var bytes: [UInt8] = []
    return [
      Harness.time("a frame recorded, and found out by a log's ledger", repeats: 100_000) { record() },
      Harness.allocations("allocations in that", frames: 10_000) { record() },
      Harness.time("its line of text, on the log's thread", repeats: 20_000) {
        bytes.removeAll(keepingCapacity: true)
        FrameLogFormat.csv.append(last, to: &bytes)
      },
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

    mutating func next(_ record: (FrameEvent) -> Void) {
      let missed: UInt64 = number % 97 == 96 ? 1 : 0
      number += 1 + missed
      let stamp = time
      let delivered = stamp + Nanoseconds(Int64(number &* 2_654_435_761 % 200_000))
      record(
        .tick(
          DisplayLink.Tick(
            timestamp: stamp, targetTimestamp: stamp + rate.interval, duration: rate.interval, frameNumber: number,
            delivered: delivered, missed: missed)))
      var frame = FrameRecord()
      frame.frameNumber = number
      frame.tickTimestamp = stamp
      frame.target = stamp + rate.interval
      frame.promised = frame.target
      frame.submitted = delivered + .milliseconds(2)
      frame.presented = number % 53 == 0 ? frame.target + rate.interval : frame.target
      frame.phases[.layout] = .microseconds(300)
      frame.phases[.composite] = .microseconds(Int64(500 + number % 700))
      record(.committed(frame))
      record(.presented(frame))
    }
  }
}
