import ArgumentParser
import Framepace
import Simulation

struct VBlankCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vblank",
    abstract: "Measures how regular a display's vblanks are, without drawing.",
    usage: "framepace vblank [<options>]",
    discussion: """
      Takes the stamps of so many vblanks as the kernel gives them, and prints how \
      fast the display is, how even its stamps are and how soon after them a program \
      is told. Ctrl-C ends it early. No rights beyond opening the card are needed, \
      and another program may go on using the screen, except with --mode, which \
      shows a black picture meanwhile. Where no screen can be measured, a clock is, \
      which is said; with --display kms it is an error.

        framepace vblank --display kms:HDMI-A-1 --count 3600
        framepace vblank --mode 1920x1080@59.94 --plot vblanks.png

      Figures: through the stamps a straight line is laid, the display's own even \
      grid. Its slope is the rate; drift is how much faster that is than the mode \
      says, in millionths, ± two standard errors. Jitter is how far a stamp lies \
      from the grid, arrival how long after its stamp a vblank is delivered, the \
      prediction error by how much the next vblank was foretold wrongly. An interval \
      that nobody was told of is missed; what repeats an interval is rejected. The \
      line that begins with 'percentile' says how percentiles are computed.

      JSON: one object. Jitter, arrival, prediction and histograms are in
      microseconds; what is not known is null.
        display, clock       connector, mode and driver; what ticked, and why
        isFallback           whether a clock stood in for a display: then the
                             figures are about the machine
        requested, count     how many vblanks were asked for and counted
        missed, rejected     how many
        time                 from the first stamp to the last, in seconds
        nominalRate, rate    by the mode and as measured, in Hz
        nominalRateFraction  as the mode has it: "60000/1001"
        drift, driftUncertainty
        jitterP50 P95 P99 Max, arrivalP50 …, predictionP50 …
        deviationHistogram, arrivalHistogram
                             start, width of each range, counts, below, above:
                             of the stamps' distance from the grid, negative
                             when early, and of the arrival
      """)

  @OptionGroup var options: DisplayOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How many vblanks to measure, from 2 to 1000000. (default: 600)", valueName: "count"),
    transform: Accepted.count(2...1_000_000))
  var count = 600

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Also draw the histograms, as a PNG.", valueName: "file.png"), completion: .file(extensions: ["png"]))
  var plot: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Also write all stamps to this file, as text.", valueName: "file"), completion: .file())
  var record: String?

  @Flag(help: "Print a JSON object instead of text.")
  var json = false

  func validate() throws {
    try options.validate()
    if let plot { try OutputPath.requirePicture(plot, option: "--plot") }
    if record == "" || record == "-" {
      throw ValidationError("--record '\(record ?? "")' is not accepted: use a file's name.")
    }
  }

  func run() throws {
    try onMainActor {
      for file in [plot, record].compactMap(\.self) { try OutputPath.requireWritable(file: file) }
      let picture = try plot.map { _ in try VBlankPlot() }
      let session = try VBlankSession(options: options, count: count)
      if !json { try Terminal.output.line(session.heading + "\n") }
      let measurement = session.run()
      try write(measurement, stamps: session.recording, picture: picture)
      try session.requireSuccess()
    }
  }

  @MainActor
  private func write(_ measurement: VBlankMeasurement, stamps: VBlankRecording, picture: VBlankPlot?) throws {
    if let record { try AtomicFile.write(Array(stamps.description.utf8), to: record) }
    if let plot, let picture { try PNG.write(try picture.image(measurement), to: plot) }
    let width = Terminal.output.textWidth
    if json { return try Terminal.output.line(VBlankText.json(measurement).line) }
    try Terminal.output.line(VBlankText.summary(measurement, width: width))
    let written = [plot, record].compactMap(\.self)
    if !written.isEmpty { try Terminal.output.line("\nwrote \(written.joined(separator: " and "))") }
  }
}
