import ArgumentParser
import Framepace
import Glibc
import Hangs
import Metering

struct ViewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "view",
    abstract: "Reports the figures of a capture or a frame log, or prints a report of a hang.",
    usage: "framepace view <file> [<options>]",
    discussion: """
      Reads captures of PresentMon (CSV, versions 1 and 2) and MangoHud (CSV), and \
      frame logs of framepace run, and reports their frames by the definitions of a \
      run's own figures, the verdict in one sentence first; those of a frame log are the \
      verdict and the figures of framepace profile about the same frames. The kind of file \
      is found by its first line.

        framepace view PresentMon-2026-11-24.csv --process game.exe
        framepace view game_2026-11-24.csv --json | jq .frameIntervalP99
        framepace view frames.csv

      A file of PresentMon may have the frames of several programs and swap chains: \
      where there are more than one, they are listed, and --process and --swap-chain \
      choose one. A last line that is cut, as by the end of the writer, is left out, \
      which is said on the standard error output.

      Figures: frame interval is the time from one frame seen to the next: \
      msBetweenDisplayChange or DisplayedTime of PresentMon, frameInterval of a frame \
      log. Where the file does not have it (MangoHud, PresentMon without display \
      tracking) it is the time between two calls that present a frame, and the report \
      says so. Work is CPUBusy or MsCPUBusy of PresentMon, latency DisplayLatency, or \
      MsCPUBusy + MsUntilDisplayed, input latency the time from an input event to the vblank that \
      showed the first frame after it, and animation error its size. \
      Late frames, missed intervals and input are known from frame logs only. A 1 % low is the rate of the \
      interval at which the longest, added up, reach 1 % of the time. (MangoHud's own \
      is another.) The parts of intervals over 16.7, 33.3 and 50 ms are of those longer \
      by more than a twentieth: stamps scatter. The line that begins with 'percentile' says how percentiles are \
      computed.

      JSON: one object, times in milliseconds; unknown values are null.
        verdict            the first sentence
        file, format       the file, and the kind of file
        application, processID, swapChain
        intervalKind       "displayed" or "presentCalls": what intervals lie between
        frames, neverSeen, pending, late, lateCauses, missed, missedCauses
        time               all intervals together, in seconds
        coverage           the part of the file's time that they fill (MangoHud)
        presentedRate      frames seen a second; null where the file has calls alone
        frameRate          calls a second; null where it tells when frames were seen
        onePercentLow, tenthPercentLow
                           in frames a second
        statistics, budget, ownBudget
                           as framepace profile --json has them; of frame logs
        frameIntervalP50 P95 P99 P999 Max StandardDeviation, workP50 …, latencyP50 …,
        inputLatencyP50 …, animationErrorP50 …
        frameIntervalOver16, frameIntervalOver33, frameIntervalOver50
                           the parts over 16.7, 33.3 and 50 ms; 1 is all

      Reads the reports of hangs too that framepace run --hang-reports writes: how long \
      the loop hung, whether it computed or waited, in which part of its turn, what the \
      application knew, and the stack in which it spent most of the time, with the \
      share of each frame. A frame without a name has its file and the offset in it, \
      for addr2line -e FILE OFFSET.

        framepace run --hang-reports hangs
        framepace view hangs/001790000000-77-0001.hang
      """)

  @Argument(help: ArgumentHelp("The file.", valueName: "file"), completion: .file())
  var file: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only the frames of this program: its name or process ID.", valueName: "name|id"))
  var process: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only the frames of the swap chain with this address.", valueName: "address"))
  var swapChain: String?

  @Option(
    defaultAsFlag: "-", parsing: .next,
    help: ArgumentHelp(
      "Print the figures as JSON in the place of the table; with the name of a file, write them there and print the table.",
      valueName: "file"),
    completion: .file())
  var json: String?

  func validate() throws {
    if file.isEmpty { throw ValidationError("<file> has no name: use the name of a capture.") }
    if process == "" { throw ValidationError("--process needs a value: use a program's name or process ID.") }
    if swapChain == "" { throw ValidationError("--swap-chain has no address: use one that the capture has.") }
    if json == "" { throw ValidationError("--json has an empty name: use a file's, or none for the standard output.") }
    if let json, json != "-", AtomicFile.isSame(json, file) {
      throw ValidationError("--json '\(json)' is the file itself: use another one.")
    }
  }

  func run() throws {
    try onMainActor {
      let printsJSON = json == "-" || json == "/dev/stdout"
      if let json, !printsJSON { try OutputPath.requireWritable(files: [json]) }
      let bytes = try InputFile.contents(of: file, limit: Self.largestFile)
      if HangReport.isReport(bytes) { return try printHang(bytes) }
      if let kind = FileKind(bytes), ![.frameLog, .capture].contains(kind) { throw Refusal(kind.sentence(of: file)) }
      guard !bytes.prefix(4096).contains(0) else {
        throw Refusal("'\(file)' is no text: name a capture of PresentMon or MangoHud, a frame log, or a report of a hang")
      }
      let capture: FrameCapture
      do throws(CaptureError) {
        capture = try FrameCapture(bytes)
      } catch {
        throw Refusal("cannot read '\(file)': \(error)")
      }
      if let cut = capture.cut { InputFile.tellCut(file, at: cut, frames: capture.streams.reduce(0) { $0 + $1.frames }) }
      let stream = try chosen(of: capture)
      let report = CaptureReport(stream)
      let object = CaptureText.json(report, of: stream, file: file, format: capture.format).line + "\n"
      if printsJSON { return try Terminal.output.write(object) }
      if let json { try AtomicFile.write(Array(object.utf8), to: json) }
      try Terminal.output.line(
        CaptureText.text(report, of: stream, file: file, format: capture.format, width: Terminal.output.textWidth))
    }
  }

  /// The one stream that the options choose. Where they leave several, lists them and throws.
  @MainActor
  private func chosen(of capture: FrameCapture) throws -> FrameCapture.Stream {
    let fitting = capture.streams.filter { stream in
      (process.map { $0 == stream.name || $0 == stream.processID } ?? true)
        && (swapChain.map { $0.lowercased() == stream.swapChain.lowercased() } ?? true)
    }
    if fitting.count == 1 { return fitting[0] }
    if capture.streams.allSatisfy(\.title.isEmpty) {
      throw Refusal(
        "'\(file)' is a file of \(capture.format.rawValue), which names no process: leave out --process and --swap-chain")
    }
    let listed = fitting.isEmpty ? capture.streams : fitting
    try Terminal.error.line(CaptureText.list(listed))
    throw Refusal(
      fitting.isEmpty
        ? "'\(file)' has no frames of what --process and --swap-chain name"
        : "'\(file)' has frames of \(fitting.count) swap chains: choose one with --process NAME|ID or --swap-chain ADDRESS")
  }

  /// Some hours of frames.
  private static let largestFile = 1 << 30

  @MainActor
  private func printHang(_ bytes: [UInt8]) throws {
    if process != nil || swapChain != nil || json != nil {
      throw Refusal("'\(file)' is the report of a hang: leave out --process, --swap-chain and --json")
    }
    let report: HangReport
    do throws(HangReportError) {
      report = try HangReport(fileText: String(decoding: bytes, as: UTF8.self))
    } catch {
      throw Refusal("cannot read '\(file)': \(error)")
    }
    try Terminal.output.line(report.text(width: Terminal.output.textWidth))
  }
}
