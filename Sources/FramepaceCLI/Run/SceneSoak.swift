import ArgumentParser
import Framepace
import Metering

/// A long run of a scene, whose end says what has grown.
@MainActor
final class SceneSoak {
  private let session: SceneSession
  private let meter: FPSMeter
  private let hangs: RunHangs?
  private let length: Nanoseconds
  private let every: Nanoseconds
  private let start: MonotonicTime
  private var samples: [SoakSample] = []
  /// The counts at the last line, and its time.
  private var told: FrameReport
  private var toldTime = Nanoseconds.zero
  /// The summary of a simulation waits for its reader.
  private let isPatient: Bool
  private var failure: (any Error)?

  /// How many samples a run has that is not ended before its time.
  private static let sampleCount: Int64 = 600

  /// - Parameter every: the time from line to line.
  init(
    _ scene: SceneChoice, options: SceneOptions, watch: WatchOptions, simulation: SimulatedRun?, length: Nanoseconds,
    every: Nanoseconds
  ) throws {
    hangs = try simulation == nil ? RunHangs(folder: watch.hangReports) : nil
    let metrics = try watch.metrics.map { try RunMetrics($0, loop: simulation?.loop ?? .main) }
    session = try SceneSession(scene, options: options, simulation: simulation)
    (self.length, self.every) = (length, every)
    isPatient = simulation?.isFast ?? false
    meter = FPSMeter(refreshRate: session.display.ticker.refreshRate)
    meter.follow(session.display)
    told = FrameReport(nominalRefreshRate: meter.refreshRate)
    start = session.engine.loop.clock.now
    samples.reserveCapacity(Int(Self.sampleCount) + 1)
    session.measure(with: meter)
    hangs?.session = session
    if let metrics { session.serve(metrics, of: meter, hangs: hangs) }
    session.onNote = { [unowned session, meter] note in
      meter.follow(session.display)
      session.say { try Terminal.output.offer(Text.paragraph(note.sentence, width: Terminal.output.textWidth) + "\n") }
    }
  }

  func run() throws {
    defer { hangs?.stop() }
    let loop = session.engine.loop
    session.endWithReader()
    let width = Terminal.output.textWidth
    session.say { try Terminal.output.offer(session.heading(width: width) + "\n" + SoakText.header(width: width) + "\n") }
    add(every: max(.milliseconds(10), length / Self.sampleCount)) { $0.sample() }
    add(every: every) { $0.say() }
    let end = FrameLoop.Timer(fireTime: start + length, .onMain { [session] _ in session.engine.finish() })
    loop.add(end, to: .common)
    let ended = session.run()
    // The summary comes last.
    hangs?.stop()
    let judgement = SoakJudgement(samples)
    do {
      try session.requireSuccess()
      if let failure { throw failure }
      try Terminal.output.line(
        "\n"
          + SoakText.summary(
            judgement, of: meter.report(at: ended), hangs: hangs?.counts, time: ended - start, width: width))
    } catch is ReaderGone {
      // The status says it all the same.
    }
    guard let judgement else { throw ExitCode.notJudged }
    if !judgement.findings.isEmpty { throw ExitCode.found }
  }

  private func add(every interval: Nanoseconds, _ body: @escaping @MainActor (SceneSoak) -> Void) {
    let timer = FrameLoop.Timer(
      fireTime: start + interval, interval: interval, .onMain { [unowned self] _ in body(self) })
    session.engine.loop.add(timer, to: .common)
  }

  private func sample() {
    do {
      samples.append(try reading())
    } catch {
      failure = error
      session.engine.finish()
    }
  }

  private func reading() throws -> SoakSample {
    let now = session.engine.loop.clock.now
    let frames = meter.takeMetrics(of: "", at: now)
    return SoakSample(
      time: now - start, process: try ProcessFigures.read(), presented: frames.presented,
      late: frames.late.reduce(0) { $0 + $1.frames }, wanted: frames.ticks + frames.missed)
  }

  private func say() {
    session.say {
      let sample = try reading()
      let counts = meter.report(at: start + sample.time).counts(since: told)
      let line = SoakText.line(sample, counts: counts, over: sample.time - toldTime, width: Terminal.output.textWidth) + "\n"
      if isPatient { try Terminal.output.write(line) } else if try !Terminal.output.offer(line) { return }
      told.add(counts: counts)
      toldTime = sample.time
    }
  }
}
