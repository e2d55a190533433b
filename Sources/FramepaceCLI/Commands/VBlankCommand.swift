import ArgumentParser
import Framepace
import Simulation

struct VBlankCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vblank",
    abstract: "Measures how regular a display's vblanks are, without drawing.",
    usage: "framepace vblank [<options>]",
    discussion: """
      Collects the kernel's stamps of a number of vblanks and prints the display's \
      rate, how even its stamps are, and how soon after them a program is woken. \
      Ctrl-C ends it early. The command needs no rights beyond opening the card. \
      Another program may go on using the screen, except with --mode, which shows a \
      black picture meanwhile. If no screen can be measured, a clock is, with a note; \
      with --display kms that is an error. Only --display wayland opens a window, and \
      measures what the desktop tells of its frames: when each was seen.

        framepace vblank --display kms:HDMI-A-1 --count 3600
        framepace vblank --mode 1920x1080@59.94 --plot vblanks.png
        framepace vblank --count 3600 --record hdmi.vblanks
        framepace vblank --replay hdmi.vblanks

      With --replay the vblanks of a recording are measured instead, in the same way, \
      as fast as the machine can. A recording of an older version has no arrivals, \
      or does not say that it is a clock's.

      Figures: the stamps are fitted by a straight line, the display's own even grid. \
      Its slope is the rate. Drift is the difference from the mode's rate in \
      millionths, ± two standard errors, or in percent if that is 1 or more. Jitter is the distance of a stamp from the \
      grid, arrival the time from a stamp to its delivery, and the prediction error \
      the difference between a predicted vblank and the real one. An interval without \
      a vblank event is missed, and a repeated event is rejected. Ticks are those of a \
      display link on these vblanks, played in simulated time: some make none (they \
      are swallowed), and the target error is how far a vblank is from the one that \
      the tick before it promised. The line that begins with 'percentile' says how \
      percentiles are computed.

      JSON: one object. Jitter, arrival, prediction, target and histograms are in
      microseconds; unknown values are null.
        display, clock       connector, mode and driver; the source of the
                             vblanks, with the reason
        isFallback           true if a clock replaced a display: the figures
                             then describe the machine only
        requested, count     the numbers of requested and of counted vblanks
        missed, rejected     the numbers of intervals and of events
        time                 from the first stamp to the last, in seconds
        nominalRate, rate    the mode's and the measured rate, in Hz
        nominalRateFraction  the mode's rate: "60000/1001"
        drift, driftUncertainty
        ticks, missedTicks, swallowed
                             the numbers of ticks of a display link, of
                             intervals without one, of vblanks without one
        jitterP50 P95 P99 Max, arrivalP50 …, predictionP50 …, targetP50 …
        deviationHistogram, arrivalHistogram
                             start, width of each range, counts, below, above
                             for the stamps' distances from the grid (negative
                             if early) and for the arrivals
      """)

  @OptionGroup var options: DisplayOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How many vblanks to measure, from 2 to 1000000. (default: 600)", valueName: "count"),
    transform: Accepted.count(2...1_000_000))
  var count: Int?

  /// Other commands have it.
  @Option(parsing: .unconditional, help: .hidden)
  var duration: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Also draw the histograms, as a PNG.", valueName: "file.png"), completion: .file(extensions: ["png"]))
  var plot: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Also write all stamps to this file, as text.", valueName: "file"), completion: .file())
  var record: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Measure the vblanks of this recording instead of a display's.", valueName: "file"),
    completion: .file())
  var replay: String?

  @Flag(help: "Print a JSON object instead of text.")
  var json = false

  func validate() throws {
    try options.validate()
    if let duration {
      throw ValidationError("--duration '\(duration)': a measurement takes a number of vblanks. Did you mean '--count'?")
    }
    if let plot { try OutputPath.requirePicture(plot, option: "--plot") }
    if record == "" || record == "-" {
      throw ValidationError("--record '\(record ?? "")' is not accepted: use a file's name.")
    }
    if let plot, let record, AtomicFile.isSame(plot, record) {
      throw ValidationError("--plot '\(plot)' and --record '\(record)' are one file: use two.")
    }
    try validateReplay()
  }

  private func validateReplay() throws {
    guard let replay else { return }
    if replay == "" { throw ValidationError("--replay needs a value: use the name of a recording.") }
    if options.display != .auto || options.mode != nil || options.rate != nil {
      throw ValidationError("--replay needs no display: leave out --display, --mode and --rate.")
    }
    if count != nil { throw ValidationError("--replay plays the whole recording: leave out --count.") }
    if record != nil { throw ValidationError("--replay plays a recording and makes none: leave out --record.") }
    if let plot, AtomicFile.isSame(plot, replay) {
      throw ValidationError("--plot '\(plot)' and --replay '\(replay)' are one file: use two.")
    }
  }

  func run() throws {
    try onMainActor {
      for file in [plot, record].compactMap(\.self) { try OutputPath.requireWritable(files: [file]) }
      let picture = try plot.map { _ in try VBlankPlot() }
      if let replay {
        let recording = try VBlankRecording(file: replay)
        try requireFigures(recording, "cannot replay '\(replay)'")
        if !json {
          try Terminal.output.line(VBlankText.heading(of: recording, file: replay, width: Terminal.output.textWidth) + "\n")
        }
        return try write(VBlankMeasurement(replaying: replay, recording), picture: picture)
      }
      let session = try VBlankSession(options: options, count: count ?? 600)
      if !json { try Terminal.output.line(session.heading + "\n") }
      session.run()
      let recording = session.recording
      // The figures of many vblanks take memory and time: the stamps are safe before.
      if let record { try AtomicFile.write(Array(recording.description.utf8), to: record) }
      if recording.vblanks.count < Self.fewest { try session.requireSuccess() }
      try requireFigures(recording, "ended early")
      try write(session.measurement(recording), picture: picture)
      try session.requireSuccess()
    }
  }

  /// An interval is the least that has figures.
  private static let fewest = 2

  private func requireFigures(_ recording: VBlankRecording, _ what: String) throws(Refusal) {
    let count = recording.vblanks.count
    guard count < Self.fewest else { return }
    throw Refusal("\(what): figures take \(Self.fewest) vblanks or more, and there \(count == 1 ? "is 1" : "are \(count)")")
  }

  @MainActor
  private func write(_ measurement: VBlankMeasurement, picture: VBlankPlot?) throws {
    if let plot, let picture { try PNG.write(try picture.image(measurement), to: plot) }
    let width = Terminal.output.textWidth
    if json { return try Terminal.output.line(VBlankText.json(measurement).line) }
    try Terminal.output.line(VBlankText.summary(measurement, width: width))
    let written = [plot, record].compactMap(\.self)
    if !written.isEmpty { try Terminal.output.line("\nwrote \(written.joined(separator: " and "))") }
  }
}
