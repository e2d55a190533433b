import Foundation

/// A terminal without a screen. The test reads the output of a program from it.
final class PseudoTerminal {
  /// The program's end of the terminal.
  let handle: FileHandle
  /// The value of TERM.
  let kind: String
  private let reader: Int32

  init(columns: Int, kind: String = "xterm") throws {
    self.kind = kind
    reader = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var isLocked: Int32 = 0
    // TIOCSPTLCK and TIOCGPTPEER of <linux/tty.h>: Swift does not import posix_openpt.
    guard reader >= 0, ioctl(reader, 0x4004_5431, &isLocked) == 0 else { throw CocoaError(.fileReadUnknown) }
    let writer = ioctl(reader, 0x5441, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard writer >= 0 else { throw CocoaError(.fileReadUnknown) }
    handle = FileHandle(fileDescriptor: writer, closeOnDealloc: true)
    resize(columns: columns)
  }

  deinit { close(reader) }

  func resize(columns: Int) {
    var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(reader, UInt(TIOCSWINSZ), &size)
  }

  /// Stops the output, as Ctrl-S does.
  func stop() { tcflow(handle.fileDescriptor, TCOOFF) }

  /// The output up to and including `text`, or up to the end.
  func read(upTo text: String? = nil) -> String {
    // After this only the program has the terminal open, so reading ends with the program.
    if text == nil { try? handle.close() }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while text.map({ !String(decoding: bytes, as: UTF8.self).contains($0) }) ?? true {
      let count = Glibc.read(reader, &chunk, chunk.count)
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
