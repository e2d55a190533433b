import Framepace
import Glibc

/// The signals that end a run, as events of the loop: Ctrl-C, `kill`, Ctrl-\ and a closed terminal.
///
/// Create it before any thread, so that all threads inherit the blocked signals and leave them to the loop. The end's action
/// is set later, by `add(to:end:)`.
@MainActor
final class EndSignals {
  private let source: SignalSource
  private let ending = Ending()

  private final class Ending {
    var end: (() -> Void)?
  }

  init() throws {
    let ending = ending
    source = try SignalSource(signals: Self.numbers, .onMain { _ in ending.end?() })
  }

  /// Calls `end` when a signal arrives, in every mode.
  func add(to loop: FrameLoop, end: @escaping () -> Void) {
    ending.end = end
    loop.add(source, to: .common)
  }

  /// Restores the signals' usual effect.
  func invalidate() { source.invalidate() }

  /// The signals to handle. Signals that the process was told to ignore, as `nohup` does with SIGHUP, stay ignored.
  private static var numbers: [Int32] {
    [SIGINT, SIGTERM, SIGHUP, SIGQUIT].filter { signal in
      var action = sigaction()
      guard sigaction(signal, nil, &action) == 0 else { return false }
      // SIG_IGN is the address 1, and Swift cannot compare functions.
      return withUnsafeBytes(of: action.__sigaction_handler) { $0.load(as: Int.self) } != 1
    }
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
