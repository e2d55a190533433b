import Framepace
import Input
import Metering
import Seats
import Wayland

/// The devices of this machine, of a window or of a script, and what people do at them.
@MainActor
final class InputSession {
  /// The origin of events.
  private enum Source {
    case devices(InputDevices, SeatSession)
    case window(WaylandInput)
    case script(InputPlayer)
  }

  private let loop: FrameLoop
  /// When the seconds of the events begin.
  private var start: MonotonicTime
  private var source: Source?
  /// The display with the crosses; nil to print alone.
  private var stage: InputStage?
  private var observer: SeatSession.Observer?
  private var keys = ConsoleKeys()
  private var tally = InputTally()
  private var recording: InputRecording?
  /// The events from before `run`.
  private var early: [InputEvent] = []
  private var isRunning = false
  private var failure: (any Error)?

  /// How long the last event of a script is seen.
  private static let rest = Nanoseconds.seconds(1)

  /// Opens the display if one is asked for, and then the devices.
  ///
  /// A window and a screen have devices of their own: those of the desktop, and those of the session that shows the picture. Without them devices
  /// are opened with the user's own rights, so that the console goes on as it is; where none may be opened so, as the session of the console
  /// in front.
  ///
  /// - Parameters:
  ///   - script: is played in the place of devices; nil for these.
  ///   - loop: a loop of the main thread.
  init(_ options: CrosshairOptions? = nil, script: InputScript? = nil, loop: FrameLoop = .main) throws {
    self.loop = loop
    start = loop.clock.now
    if let options, options.display != nil {
      stage = try InputStage(options, loop: loop) { [weak self] in self?.fail($0) }
    }
    if let script {
      source = .script(InputPlayer(script, clock: loop.clock) { [weak self] in self?.take($0) })
    } else if let window = stage?.window {
      let input = WaylandInput(connection: window.connection) { [weak self] in self?.take($0) }
      source = .window(input)
    } else if let seat = stage?.seat {
      source = .devices(try devices(of: seat), seat)
    } else {
      try openSeat()
    }
    if case .devices(let input, _) = source {
      stage?.engine.inputRouter.onLEDs = { [weak input] in input?.leds = $0 }
      stage?.engine.inputRouter.readWaiting = { [weak input] in input?.read() }
    }
  }

  private func openSeat() throws {
    let direct = SeatSession.direct(why: "a session would take the console")
    let input = try devices(of: direct)
    source = .devices(input, direct)
    guard case .refused? = input.absence, let session = try? SeatSession.libseat() else { return }
    _ = session.waitUntilActive(for: .seconds(1))
    source = .devices(try devices(of: session), session)
  }

  private func devices(of session: SeatSession) throws -> InputDevices {
    try InputDevices(session: session, clock: loop.clock) { [weak self] in self?.take($0) }
  }

  private var input: InputDevices? { if case .devices(let input, _) = source { input } else { nil } }
  /// The session whose keyboard the kernel does not follow any more; nil for none.
  private var takenSeat: SeatSession? {
    if case .devices(_, let seat) = source, !seat.isDirect { seat } else { nil }
  }

  /// The table of devices, or why there are none, for people.
  ///
  /// Nil for a window, whose devices are events, and for a script.
  var devicesText: String? {
    let width = Terminal.output.textWidth
    guard let input else { return nil }
    if let absence = input.absence { return Text.paragraph("\(absence)", width: width) }
    let table = InputText.table(input.devices, width: width)
    let refusals = input.refusals.map { Text.paragraph("not opened: \($0)", width: width) }
    return ([table] + refusals).joined(separator: "\n\n")
  }

  /// Prints events until a signal, the end of the script or of the time, the closing of the window, or Ctrl-C at a keyboard that the session
  /// has taken.
  ///
  /// - Parameter record: the path of the script to write.
  func run(for duration: Nanoseconds?, record: String?, signals: EndSignals) throws {
    defer { signals.invalidate() }
    if let absence = input?.absence, !absence.mayPass {
      close()
      throw Refusal("\(absence)")
    }
    signals.add(to: loop) { [weak self] in self?.end() }
    recording = try record.map { try InputRecording(path: $0) }
    for event in early {
      try recording?.add(event, since: start)
      stage?.take(event)
    }
    let width = Terminal.output.textWidth
    let heading = [stage.map { Text.paragraph($0.note, width: width) }, devicesText, takenText].compactMap(\.self)
    if !heading.isEmpty { try Terminal.output.line(heading.joined(separator: "\n\n") + "\n") }
    isRunning = true
    listen(for: duration)
    let time = loop.clock.now - start
    let overflows = input?.overflows ?? 0
    isRunning = false
    close()
    if let failure { throw failure }
    let summary = InputText.summary(tally, time: time, overflows: overflows, width: Terminal.output.textWidth)
    try Terminal.output.line((tally.isEmpty ? "" : "\n") + summary)
    if let record { try Terminal.output.line("\nwrote \(record)") }
  }

  private var takenText: String? {
    takenSeat.map { seat in
      let console = stage == nil ? "the console shows no text, and its keyboard" : "the keyboard of the console"
      return Text.paragraph(
        "\(seat.reason). Until the end \(console) types nothing; Ctrl-C at it ends this.", width: Terminal.output.textWidth)
    }
  }

  private func listen(for duration: Nanoseconds?) {
    let observer = SeatSession.Observer { [weak self] seat in
      if seat.state == .gone, let error = seat.error { self?.fail(error) }
    }
    self.observer = observer
    var timers: [FrameLoop.Timer] = []
    func end(in time: Nanoseconds) {
      let timer = FrameLoop.Timer(fireTime: loop.clock.now + time, .onMain { [weak self] _ in self?.end() })
      timers.append(timer)
      loop.add(timer, to: .common)
    }
    if let duration { end(in: duration) }
    switch source {
    case .devices(let input, let seat):
      seat.add(observer)
      // A display adds its own.
      if stage?.seat == nil { seat.add(to: loop, mode: .common) }
      input.add(to: loop, mode: .common)
    case .script(let player):
      player.onEnd = { if duration == nil { end(in: Self.rest) } }
      player.add(to: loop, mode: .common)
      // Opening a display takes its time.
      start = loop.clock.now
      player.start(at: start)
    case .window, nil: break
    }
    let watch = ReaderWatch { [weak self] in self?.fail(ReaderGone()) }
    watch?.add(to: loop)
    QuietTerminal.begin()
    // The seat may have been lost before.
    if failure == nil { if let stage { stage.engine.run() } else { loop.run(mode: .default) } }
    QuietTerminal.restore()
    for timer in timers { timer.invalidate() }
    watch?.invalidate()
    if case .devices(_, let seat) = source { seat.remove(observer) }
  }

  private func close() {
    switch source {
    case .devices(let input, let seat):
      input.invalidate()
      if stage?.seat == nil { seat.close() }
    case .window(let input): input.invalidate()
    case .script(let player): player.stop()
    case nil: break
    }
    do { try stage?.close() } catch { fail(error) }
  }

  private func take(_ event: InputEvent) {
    tally.add(event)
    guard isRunning else { return early.append(event) }
    stage?.take(event)
    do {
      try recording?.add(event, since: start)
      try Terminal.output.line(InputText.line(event, since: start, width: Terminal.output.textWidth))
      if let takenSeat, let chord = keys.chord(with: event) { try follow(chord, takenSeat) }
    } catch {
      fail(error)
    }
  }

  /// The kernel does not follow the keys of a console whose keyboard the session has taken.
  private func follow(_ chord: ConsoleChord, _ seat: SeatSession) throws {
    switch chord {
    case .interrupt: end()
    case .session(let number): try seat.switchSession(to: number)
    }
  }

  private func end() { if let stage { stage.engine.finish() } else { loop.stop() } }

  private func fail(_ error: any Error) {
    if failure == nil { failure = error }
    end()
  }
}
