import Framepace

/// What `framepace vblank` has measured, and on what.
struct VBlankMeasurement {
  /// Connector, mode and driver; nil where no display was measured.
  var display: String?
  /// What ticked, and why.
  var clock: String
  /// Whether a clock stood in for a display's vblanks. Its stamps are computed: the figures are about the machine.
  var isFallback: Bool
  /// How many vblanks were asked for.
  var requested: Int
  var report: VBlankReport

  /// What the figures are not.
  static let fallbackNote = """
    The stamps are a clock's, computed from its rate: these figures say how this machine wakes a program, and nothing about \
    a display.
    """

  /// Rows of the table of durations.
  var rows: [(name: String, key: String, statistics: FrameStatistics)] {
    [
      ("jitter of stamps", "jitter", report.jitter), ("arrival", "arrival", report.arrival),
      ("prediction error", "prediction", report.predictionError),
    ]
  }

  /// Whether there is anything to see in how the stamps are distributed.
  var hasJitter: Bool { (report.jitter.maximum ?? .zero) >= .microseconds(1) }
}
