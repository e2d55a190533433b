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
  package static func print(_ line: String) { write(line + "\n", to: STDERR_FILENO) }

  /// Prints a sentence, in lines that fit the terminal; in one line where there is none, as for a journal.
  ///
  /// - Parameter command: a command at the sentence's end, which is not broken.
  package static func print(sentence: String, command: String? = nil) {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1 else {
      return print([sentence, command].compactMap(\.self).joined(separator: " "))
    }
    // Some terminals break the line in their last column.
    let width = Int(size.ws_col) - 1
    let text = sentence.paragraph(width: width)
    guard let command else { return print(text) }
    let last = text.split(separator: "\n").last?.count ?? 0
    print(text + (last + 1 + command.count <= width ? " " : "\n") + command)
  }

  /// Writes a text, without the signal that a pipe without a reader sends: it would end a program for a line that nobody reads.
  static func write(_ text: String, to descriptor: Int32) {
    var (pipe, pending, before) = (sigset_t(), sigset_t(), sigset_t())
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    sigpending(&pending)
    pthread_sigmask(SIG_BLOCK, &pipe, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var text = text
    let count = text.withUTF8 { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    guard count < 0, sigismember(&pending, SIGPIPE) == 0 else { return }
    var none = timespec()
    sigtimedwait(&pipe, nil, &none)
  }
}

extension String {
  /// The sentence, broken between words.
  ///
  /// - Parameter width: the longest line, in characters; longer words are not broken.
  package func paragraph(width: Int) -> String {
    Self.lines(of: split(separator: " ").map(String.init), title: "", width: width)
  }

  /// A title followed by words, in lines that are indented to the title's end.
  package static func lines(of words: [String], title: String, width: Int) -> String {
    var lines: [String] = []
    for word in words {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append((lines.isEmpty ? title : String(repeating: " ", count: title.count)) + word)
      }
    }
    return lines.joined(separator: "\n")
  }

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
