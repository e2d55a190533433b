import Glibc
import Synchronization

/// Keeps what is typed at the terminal of the process off the screen, and afterwards away from the shell, until `restore()` or the end
/// of the process. Keys still end and stop the process, such as Ctrl-C and Ctrl-Z.
enum QuietTerminal {
  /// The settings that the terminal had.
  private static let before = Mutex<termios?>(nil)

  /// Does nothing if the standard input is no terminal, or is another program's now.
  static func begin() {
    var settings = termios()
    guard tcgetpgrp(STDIN_FILENO) == getpgrp(), tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
    before.withLock { $0 = settings }
    atexit { QuietTerminal.restore() }
    settings.c_lflag &= ~tcflag_t(ECHO | ICANON)
    tcsetattr(STDIN_FILENO, TCSANOW, &settings)
  }

  /// Throws away what was typed, and gives the terminal its settings.
  static func restore() {
    guard var settings = before.withLock({ $0.take() }), tcgetpgrp(STDIN_FILENO) == getpgrp() else { return }
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
  }
}
