import Exposition
import Framepace
import Hangs
import KMS
import Wayland

/// Serves the figures of a run to Prometheus.
@MainActor
final class RunMetrics {
  /// The figures that the main thread is asked for.
  struct Figures: Sendable {
    /// The frames of all displays.
    var frames: [FrameMetrics] = []
    /// Nil where hangs are not watched.
    var hangs: HangMonitor.Counts?
  }

  /// Takes the figures. Nil until the run begins.
  var figures: (@MainActor () -> Figures)?
  private var server: MetricsServer?
  /// The address of the page, for a browser or Prometheus.
  private(set) var location = ""

  /// - Parameter loop: the run's loop.
  /// - Throws: `MetricsServerError` if the address cannot be used.
  init(_ address: MetricsAddress, loop: FrameLoop) throws {
    let environment = RunEnvironment.current
    let server = try MetricsServer(address: address, loop: loop) { [weak self] in
      self?.figures?() ?? Figures()
    } page: { figures in
      var page = MetricsPage(frames: figures.frames)
      if let hangs = figures.hangs { page.add(hangs: hangs) }
      if let process = try? ProcessFigures.read() { page.add(process) }
      page.add(
        .gauge, "framepace_build_info", help: "The version of the command and the machine that it runs on; always 1.",
        [
          MetricsPage.Sample(
            1,
            [
              ("version", environment.version), ("build", environment.build), ("processor", environment.processor),
              ("kernel", environment.kernel),
            ])
        ])
      return page
    }
    self.server = server
    location = "http://\(server.address)/metrics"
  }

  /// Ends the server.
  func invalidate() {
    server?.invalidate()
    server = nil
  }
}

extension Display {
  /// The figures of a meter of this display.
  func metrics(of meter: FPSMeter, scene: String, at time: MonotonicTime) -> FrameMetrics {
    // The name of a screen has its mode in it, which changes.
    let label = (self as? KMSDisplay)?.connectorName ?? (self is WaylandDisplay ? "window" : "virtual")
    return meter.takeMetrics(of: label, info: [("name", name), ("clock", ticker.name), ("scene", scene)], at: time)
  }
}

extension SceneMirrors {
  func metrics(scene: String, at time: MonotonicTime) -> [FrameMetrics] {
    mirrors.map { $0.display.metrics(of: $0.meter, scene: scene, at: time) }
  }
}
