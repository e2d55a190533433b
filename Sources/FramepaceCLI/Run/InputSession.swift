import Framepace
import Input
import Metering
import Seats

/// The devices of this machine, and what people do at them.
@MainActor
final class InputSession {
  private let loop: FrameLoop
  private let start: MonotonicTime
  private var seat: SeatSession
  private var input: InputDevices?
  private var observer: SeatSession.Observer?
  private var keys = ConsoleKeys()
  private var tally = InputTally()
  private var recording: InputRecording?
  /// The events from before `run`.
  private var early: [InputEvent] = []
  private var isRunning = false
  private var failure: (any Error)?

  /// Opens the devices: with the user's own rights, so that the console goes on as it is; where none may be opened so, as the session
  /// of the console in front.
  ///
  /// - Parameter loop: a loop of the main thread.
  init(loop: FrameLoop = .main) throws {
    self.loop = loop
    start = loop.clock.now
    seat = .direct(why: "a session would take the console")
    input = try devices(of: seat)
    guard case .refused? = input?.absence, let session = try? SeatSession.libseat() else { return }
    _ = session.waitUntilActive(for: .seconds(1))
    seat = session
    input = try devices(of: session)
  }

  private func devices(of session: SeatSession) throws -> InputDevices {
    try InputDevices(session: session, clock: loop.clock) { [weak self] in self?.take($0) }
  }

  var absence: InputDevices.Absence? { input?.absence }

  /// The table of devices, or why there are none, for people.
  var devicesText: String {
    let width = Terminal.output.textWidth
    if let absence { return Text.paragraph("\(absence)", width: width) }
    let table = InputText.table(input?.devices ?? [], width: width)
    let refusals = (input?.refusals ?? []).map { Text.paragraph("not opened: \($0)", width: width) }
    return ([table] + refusals).joined(separator: "\n\n")
  }

  /// Prints events until a signal, Ctrl-C at a keyboard that the session has taken, or the end of the time.
  ///
  /// - Parameter record: the path of the script to write.
  func run(for duration: Nanoseconds?, record: String?) throws {
    if let absence, !absence.mayPass { throw Refusal("\(absence)") }
    let signals = try EndSignals()
    defer { signals.invalidate() }
    signals.add(to: loop) { [loop] in loop.stop() }
    recording = try record.map { try InputRecording(path: $0) }
    for event in early { try recording?.add(event, since: start) }
    try Terminal.output.line("\(devicesText)\n\(seat.isDirect ? "" : "\n\(takenText)\n")")
    isRunning = true
    listen(until: duration.map { loop.clock.now + $0 })
    let time = loop.clock.now - start
    let overflows = input?.overflows ?? 0
    isRunning = false
    input?.invalidate()
    seat.close()
    if let failure { throw failure }
    let summary = InputText.summary(tally, time: time, overflows: overflows, width: Terminal.output.textWidth)
    try Terminal.output.line((tally.isEmpty ? "" : "\n") + summary)
    if let record { try Terminal.output.line("\nwrote \(record)") }
  }

  private var takenText: String {
    Text.paragraph(
      "\(seat.reason). Until the end the console shows no text, and its keyboard types nothing; Ctrl-C at it ends this.",
      width: Terminal.output.textWidth)
  }

  private func listen(until end: MonotonicTime?) {
    let observer = SeatSession.Observer { [weak self] seat in
      if seat.state == .gone, let error = seat.error { self?.fail(error) }
    }
    self.observer = observer
    seat.add(observer)
    seat.add(to: loop, mode: .common)
    input?.add(to: loop, mode: .common)
    let watch = ReaderWatch { [weak self] in self?.fail(ReaderGone()) }
    watch?.add(to: loop)
    let timer = end.map { FrameLoop.Timer(fireTime: $0, .onMain { [loop] _ in loop.stop() }) }
    if let timer { loop.add(timer, to: .common) }
    QuietTerminal.begin()
    // The seat may have been lost before.
    if failure == nil { loop.run(mode: .default) }
    QuietTerminal.restore()
    timer?.invalidate()
    watch?.invalidate()
    seat.remove(observer)
  }

  private func take(_ event: InputEvent) {
    tally.add(event)
    guard isRunning else { return early.append(event) }
    do {
      try recording?.add(event, since: start)
      try Terminal.output.line(InputText.line(event, since: start, width: Terminal.output.textWidth))
      if !seat.isDirect, let chord = keys.chord(with: event) { try follow(chord) }
    } catch {
      fail(error)
    }
  }

  /// The kernel does not follow the keys of a console whose keyboard the session has taken.
  private func follow(_ chord: ConsoleChord) throws {
    switch chord {
    case .interrupt: loop.stop()
    case .session(let number): try seat.switchSession(to: number)
    }
  }

  private func fail(_ error: any Error) {
    if failure == nil { failure = error }
    loop.stop()
  }
}
