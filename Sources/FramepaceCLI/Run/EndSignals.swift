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
