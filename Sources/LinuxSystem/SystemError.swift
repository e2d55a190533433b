import CLinux
import Glibc

/// An error of a system call or C library call, with the call, its subject and the error number.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The call, such as `open` or `drmModeSetCrtc`.
  public let call: String
  /// The subject of the call, such as a path; empty if there is none.
  public let subject: String
  /// The error number.
  public let errno: Int32

  public init(call: String, subject: String = "", errno: Int32) {
    self.call = call
    self.subject = subject
    self.errno = errno
  }

  /// The error of the call that just failed on this thread. Read it before any other call.
  public static func last(call: String, subject: String = "") -> SystemError {
    SystemError(call: call, subject: subject, errno: clinux_errno())
  }

  /// The system's text for the error number, such as "Permission denied".
  public var reason: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let base = buffer.baseAddress, strerror_r(errno, base, buffer.count) == 0 else { return "error \(errno)" }
      return String(cString: base)
    }
  }

  public var description: String {
    subject.isEmpty ? "\(call): \(reason) (\(errno))" : "\(call) \(subject): \(reason) (\(errno))"
  }
}

/// The process's standard error output, for the few messages without any other receiver.
package enum StandardError {
  /// Writes a line. A failure is ignored.
  package static func print(_ line: String) {
    var line = line + "\n"
    line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}

extension String {
  /// With spaces for control characters: those of a file or of its name must not reach a terminal.
  package var withoutControlCharacters: String {
    let scalars = unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
    return String(String.UnicodeScalarView(scalars))
  }

  /// As a word of a command for a shell: in quotes if it needs them.
  package var shellWord: String {
    let isPlain =
      !isEmpty
      && utf8.allSatisfy { byte in
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || "0123456789/._-+,:@".utf8.contains(byte)
      }
    return isPlain ? self : "'\(replacing("'", with: #"'\''"#))'"
  }
}
