import FrameTiming
import LinuxSystem

extension MetricsPage {
  /// The frames of some displays.
  public init(frames displays: [FrameMetrics]) {
    self.init()
    add(frames: displays)
  }

  /// Adds the frames of displays whose names differ.
  public mutating func add(frames displays: [FrameMetrics]) {
    func samples(_ value: (FrameMetrics) -> Int) -> [Sample] { displays.map { Sample(Double(value($0)), $0.labels) } }
    func seconds(_ value: (FrameMetrics) -> Nanoseconds) -> [Sample] {
      displays.map { Sample(value($0).seconds, $0.labels) }
    }

    add(
      .gauge, "framepace_display_info", help: "The display, and more about it; always 1.",
      displays.map { Sample(1, $0.labels + $0.info) })
    add(
      .gauge, "framepace_refresh_rate_hertz",
      help: "How often the display refreshes, by the stamps of its vblanks; missing before the second tick.",
      displays.compactMap { display in display.refreshRate.map { Sample($0, display.labels) } })
    add(
      .gauge, "framepace_frame_budget_seconds",
      help: "The time that a frame may take: to the next tick at the rate at which the last frame was asked for.",
      seconds(\.budget))
    add(
      .counter, "framepace_ticks_total", help: "Refresh intervals in which the application was asked for a frame.",
      samples(\.ticks))
    add(.counter, "framepace_frames_total", help: "Frames that were made.", samples(\.frames))
    add(.counter, "framepace_frames_presented_total", help: "Frames that were seen.", samples(\.presented))
    add(
      .counter, "framepace_frames_late_total",
      help: "Frames that were seen more than half a refresh interval after the vblank that was promised, by main cause.",
      displays.flatMap { display in
        display.late.map { Sample(Double($0.frames), display.labels + [("cause", $0.cause.name)]) }
      })
    add(
      .counter, "framepace_frames_early_total",
      help: "Frames that were seen more than half a refresh interval before the vblank that they were made for.",
      samples(\.early))
    add(
      .counter, "framepace_frames_lost_total",
      help: "Frames that are never seen: the display was away, or refused them.", samples(\.lost))
    add(
      .counter, "framepace_frames_discarded_total",
      help: "Frames that are never seen: newer ones took their place before a buffer was free.", samples(\.discarded))
    add(
      .counter, "framepace_intervals_missed_total",
      help: "Refresh intervals without a tick although frames were wanted.", samples(\.missed))
    add(
      .counter, "framepace_intervals_idle_total", help: "Refresh intervals in which no frame was wanted.", samples(\.idle))
    add(
      .counter, "framepace_hitch_seconds_total", help: "How long pictures stood that should have been replaced.",
      seconds(\.hitchTime))
    add(
      .counter, "framepace_discarded_work_seconds_total",
      help: "The work of the discarded frames.", seconds(\.discardedWork))
    add(
      .counter, "framepace_phase_seconds_total", help: "The time of all frames that were handed over, by phase.",
      displays.flatMap { display in
        FrameRecord.Phase.allCases.map {
          Sample(display.phaseTimes[$0].seconds, display.labels + [("phase", $0.name)])
        }
      })
    add(
      "framepace_frame_interval_seconds",
      help: "From one frame seen to the next one seen, not across idle intervals. Bounds are exact to 1/512.",
      displays.map { ($0.labels, $0.frameIntervals) })
    add(
      "framepace_frame_work_seconds",
      help: "The work of a frame in all its phases; of frames that were seen. Bounds are exact to 1/512.",
      displays.map { ($0.labels, $0.work) })
    add(
      "framepace_input_latency_seconds",
      help: "From the arrival of input, as the program told it, to the vblank that showed the first frame after it.",
      displays.map { ($0.labels, $0.inputLatency) })
  }
}

extension FrameMetrics {
  fileprivate var labels: [(name: String, value: String)] { [("display", display)] }
}
