import Framepace
import Glibc
import Synchronization

/// The signals that end a run, as events of the loop: Ctrl-C, `kill`, Ctrl-\ and a closed terminal.
///
/// They are heard on a thread of their own: a callback may keep the loop busy for long. Then the loop does not hear the first
/// signal, which a line on the standard error output says, and a second SIGINT or SIGTERM ends the process. `exit` gives screens
/// back, and a loop that returns changes none.
///
/// Create it before any other thread, so that all threads inherit the blocked signals and leave them to this one.
@MainActor
final class EndSignals {
  private let source: SignalSource
  private let thread: LoopThread
  private let request: EndRequest

  init() throws {
    let request = EndRequest()
    self.request = request
    source = try SignalSource(signals: Self.numbers, .onLoop { request.heard($0) })
    thread = try LoopThread(name: "end signals")
    thread.loop.add(source, to: .common)
  }

  /// Calls `end` on `loop`, in every mode, when a signal has arrived.
  func add(to loop: FrameLoop, end: @escaping @MainActor () -> Void) { request.add(loop, end) }

  /// The signal that asked for the end; nil as long as none did. For work that runs no loop, and looks between its steps.
  var heard: Int32? { request.first }

  /// The name of that signal.
  var heardName: String? { heard.flatMap { signal in Self.names.first { $0.number == signal }?.name } }

  /// Restores the signals' usual effect.
  func invalidate() {
    source.invalidate()
    thread.stop()
  }

  private static let names: [(number: Int32, name: String)] = [
    (SIGINT, "SIGINT"), (SIGTERM, "SIGTERM"), (SIGHUP, "SIGHUP"), (SIGQUIT, "SIGQUIT"),
  ]

  /// The signals to handle. Signals that were ignored when the process was started stay ignored, such as SIGHUP under `nohup`.
  private static var numbers: [Int32] {
    names.map(\.number).filter { signal in
      var action = sigaction()
      guard sigaction(signal, nil, &action) == 0 else { return false }
      // SIG_IGN is the address 1, and Swift cannot compare functions.
      return withUnsafeBytes(of: action.__sigaction_handler) { $0.load(as: Int.self) } != 1
    }
  }
}

/// The signals that were heard so far, and the end that they ask for.
private final class EndRequest: Sendable {
  private struct State {
    var first: (signal: Int32, time: MonotonicTime)?
    var end: (@Sendable () -> Void)?
    /// True once a signal has ended the loop.
    var isLoopTold = false
  }

  private let state = Mutex(State())

  /// `timeout` sends its signal to the process and to its group: in this time it is one signal.
  private static let sameSignal = Nanoseconds.milliseconds(300)

  /// A loop that has not reacted in this time is stuck.
  private static let patience = Nanoseconds.seconds(1)

  var first: Int32? { state.withLock { $0.first?.signal } }

  func add(_ loop: FrameLoop, _ end: @escaping @MainActor () -> Void) {
    let end: @Sendable () -> Void = { [weak self] in
      loop.perform(onMain: {
        self?.state.withLock { $0.isLoopTold = true }
        end()
      })
      loop.wakeUp()
    }
    let isAsked = state.withLock { state in
      state.end = end
      return state.first != nil
    }
    if isAsked { end() }
  }

  func heard(_ signal: Int32) {
    let now = SystemClock.monotonic.now
    let (first, end) = state.withLock { state in
      defer { state.first = state.first ?? (signal, now) }
      return (state.first, state.end)
    }
    guard let first else {
      end?()
      // On the signals' own loop.
      try? FrameLoop.current.perform(after: Self.patience) { [weak self] in self?.reportStuckLoop() }
      return
    }
    if [SIGINT, SIGTERM].contains(signal), now - first.time > Self.sameSignal { exit(128 + signal) }
  }

  private func reportStuckLoop() {
    guard !state.withLock({ $0.isLoopTold }) else { return }
    // A terminal has echoed the key, maybe after a line of figures.
    let lineBreak = isatty(STDERR_FILENO) == 1 ? "\n" : ""
    StandardError.print(
      sentence: "\(lineBreak)framepace: a callback or a picture is still running; to end the process, signal again")
  }
}

/// Notices that the reader of the standard output is gone while nothing is written, for example `head` during a run that
/// prints its summary last.
///
/// Only a pipe reports this. A closed terminal sends a signal, and the target of a service's output may be opened again.
@MainActor
final class ReaderWatch {
  private let source: FrameLoop.DescriptorSource

  /// Returns nil unless the standard output is a pipe.
  init?(end: @escaping @MainActor () -> Void) {
    var status = stat()
    guard fstat(STDOUT_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return nil }
    source = FrameLoop.DescriptorSource(
      descriptor: STDOUT_FILENO, events: [],
      .onMain { source, _ in
        source.invalidate()
        end()
      })
  }

  func add(to loop: FrameLoop) { loop.add(source, to: .common) }

  func invalidate() { source.invalidate() }
}
