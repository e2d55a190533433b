import FrameTiming
import LinuxSystem
import Metering
import Testing

/// Prometheus' text format.
@Suite struct MetricsPageTests {
  @Test func familiesAreTextLines() {
    var page = MetricsPage()
    page.add(.counter, "orders_total", help: "Orders taken.", [.init(12)])
    page.add(.gauge, "queue_seconds", help: "Waiting.", [.init(0.25, [("door", "1"), ("side", "left")]), .init(-1)])
    page.add(.gauge, "none", help: "Left out.", [])
    #expect(
      page.text == """
        # HELP orders_total Orders taken.
        # TYPE orders_total counter
        orders_total 12
        # HELP queue_seconds Waiting.
        # TYPE queue_seconds gauge
        queue_seconds{door="1",side="left"} 0.25
        queue_seconds -1

        """)
  }

  @Test func whatTheFormatForbidsIsEscaped() {
    var page = MetricsPage()
    page.add(.gauge, "a", help: "one \"two\"\\\nthree\rfour", [.init(1, [("b", "C:\\\n\"x\"\r\u{1F600}")])])
    #expect(
      page.text == "# HELP a one \"two\"\\\\\\nthree four\n# TYPE a gauge\na{b=\"C:\\\\\\n\\\"x\\\" \u{1F600}\"} 1\n")
  }

  @Test func numbersAreThoseOfTheFormat() {
    var page = MetricsPage()
    page.add(
      .gauge, "a", help: "h",
      [.init(.nan), .init(.infinity), .init(-.infinity), .init(1e300), .init(1e-9), .init(0.1), .init(9e15)])
    let values = page.text.split(separator: "\n").dropFirst(2).map { $0.dropFirst(2) }
    #expect(values == ["NaN", "+Inf", "-Inf", "1e+300", "1e-09", "0.1", "9000000000000000"])
  }

  @Test func aHistogramHasBucketsSumAndCount() throws {
    let feed = try Feed()
    for number in 0..<4 as Range<UInt64> {
      feed.tick(number)
      var frame = feed.frame(number, work: .milliseconds(2))
      if number == 2 { frame.input = frame.presented - .milliseconds(14) }
      feed.show(frame)
    }
    let page = MetricsPage(frames: [
      feed.meter.takeMetrics(of: "left", info: [("clock", "fallback")], at: feed.at(4)),
      feed.meter.takeMetrics(of: "right", at: feed.at(4)),
    ])
    let lines = page.text.split(separator: "\n").map(String.init)
    #expect(lines.contains("framepace_frame_work_seconds_bucket{display=\"left\",le=\"0.001\"} 0"))
    #expect(lines.contains("framepace_frame_work_seconds_bucket{display=\"left\",le=\"0.002\"} 4"))
    #expect(lines.contains("framepace_frame_work_seconds_bucket{display=\"left\",le=\"0.016666667\"} 4"))
    #expect(lines.contains("framepace_frame_work_seconds_bucket{display=\"left\",le=\"+Inf\"} 4"))
    #expect(lines.contains("framepace_frame_work_seconds_sum{display=\"right\"} 0.008"))
    #expect(lines.contains("framepace_frame_work_seconds_count{display=\"right\"} 4"))
    #expect(lines.contains("framepace_frame_interval_seconds_count{display=\"left\"} 3"))
    #expect(lines.contains("framepace_input_latency_seconds_bucket{display=\"left\",le=\"0.01\"} 0"))
    #expect(lines.contains("framepace_input_latency_seconds_bucket{display=\"left\",le=\"0.015\"} 1"))
    #expect(lines.contains("framepace_input_latency_seconds_sum{display=\"left\"} 0.014"))
    #expect(lines.contains("framepace_frame_budget_seconds{display=\"left\"} 0.01"))
    #expect(lines.contains("framepace_display_info{display=\"left\",clock=\"fallback\"} 1"))
    #expect(lines.contains("framepace_frames_late_total{display=\"left\",cause=\"commit missed\"} 0"))
    #expect(lines.contains("framepace_phase_seconds_total{display=\"left\",phase=\"composite\"} 0.008"))
    // A family begins once, and its samples follow it.
    var seen: Set<Substring> = []
    var family: Substring = ""
    for line in lines {
      let words = line.split(separator: " ", maxSplits: 3)
      if line.hasPrefix("# HELP") {
        family = words[2]
        #expect(seen.insert(family).inserted)
      } else if line.hasPrefix("# TYPE") {
        #expect(words[2] == family)
      } else {
        #expect(line.hasPrefix(family))
      }
    }
  }

  @Test func theProcessHasItsFigures() throws {
    let before = try ProcessFigures.read()
    #expect(before.residentMemory > 1 << 20)
    #expect(before.threads >= 1)
    #expect(before.descriptorLimit > before.descriptors)
    // The standard streams at least.
    #expect(before.descriptors >= 3)
    var page = MetricsPage()
    page.add(before)
    #expect(page.text.contains("\nprocess_resident_memory_bytes \(before.residentMemory)\n"))
    #expect(page.text.contains("\nprocess_open_fds \(before.descriptors)\n"))
  }
}
