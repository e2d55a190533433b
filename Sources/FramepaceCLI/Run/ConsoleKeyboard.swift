import Glibc

/// The keyboard of the console that the command runs on.
///
/// A seat takes the keyboard from the kernel, for programs that read it themselves. This command does not read it, so Ctrl-C
/// must keep ending it, and Ctrl-Alt-F2 must switch consoles.
enum ConsoleKeyboard {
  /// Gives the keyboard back to the kernel. Call it each time the seat becomes active. It does nothing if the command does
  /// not run on a console.
  static func giveBack() {
    let console = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard console >= 0 else { return }
    defer { close(console) }
    var mode: Int32 = 0
    guard ioctl(console, getMode, &mode) == 0, mode == off else { return }
    _ = ioctl(console, setMode, unicode)
  }

  // KDGKBMODE, KDSKBMODE, K_OFF and K_UNICODE of <linux/kd.h>, which Swift does not import.
  private static let getMode: UInt = 0x4B44
  private static let setMode: UInt = 0x4B45
  private static let off: Int32 = 4
  private static let unicode: Int32 = 3
}
