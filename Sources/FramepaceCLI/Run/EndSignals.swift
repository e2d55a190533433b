import Framepace
import Glibc

/// The signals that end a run, as events of the loop: Ctrl-C, `kill`, a terminal that is closed, Ctrl-\.
///
/// To be made before any thread is, so that all of them leave these signals to the loop; what they end is known later.
@MainActor
final class EndSignals {
  private let source: SignalSource
  private let ending = Ending()

  private final class Ending {
    var end: (() -> Void)?
  }

  init() throws {
    let ending = ending
    source = try SignalSource(signals: Self.numbers, onMain: { _ in ending.end?() })
  }

  /// Lets the signals call `end`, in every mode.
  func add(to loop: FrameLoop, end: @escaping () -> Void) {
    ending.end = end
    loop.add(source, to: .common)
  }

  /// Gives the signals their usual effect.
  func invalidate() { source.invalidate() }

  /// Those that the process was told to ignore, as `nohup` does with SIGHUP, stay ignored.
  private static var numbers: [Int32] {
    [SIGINT, SIGTERM, SIGHUP, SIGQUIT].filter { signal in
      var action = sigaction()
      guard sigaction(signal, nil, &action) == 0 else { return false }
      // SIG_IGN is the address 1, which Swift does not compare functions with.
      return withUnsafeBytes(of: action.__sigaction_handler) { $0.load(as: Int.self) } != 1
    }
  }
}

/// Notices that nobody reads the standard output any more while nothing is written to it, as when `head` has seen enough of a
/// run whose summary comes last.
///
/// A pipe alone tells. A terminal that is closed sends a signal, and what a service writes to may be opened again.
@MainActor
final class ReaderWatch {
  private let source: FrameLoop.DescriptorSource

  /// Nil unless the standard output is a pipe.
  init?(end: @escaping @MainActor () -> Void) {
    var status = stat()
    guard fstat(STDOUT_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return nil }
    source = FrameLoop.DescriptorSource(
      descriptor: STDOUT_FILENO, events: [],
      onMain: { source, _ in
        source.invalidate()
        end()
      })
  }

  func add(to loop: FrameLoop) { loop.add(source, to: .common) }

  func invalidate() { source.invalidate() }
}
