import Glibc
package import LinuxSystem
import Metering

extension SystemError {
  /// The reason why a file could not be written, with a way out where there is one: a clause after "cannot write to 'path': ".
  package func reasonNotToWrite(_ path: String) -> String {
    var status = stat()
    let isLink = lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    let kind = stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    return switch (call, errno) {
    case (_, EISDIR): "it is a folder; name a file"
    case (_, ENOENT) where isLink: "it is a link to a file whose folder does not exist"
    case (_, ENOENT) where !path.isEmpty: AtomicFile.missingFolder(of: path)?.sentence ?? "its folder takes no new files"
    case (_, ENXIO) where kind == S_IFIFO: "nobody reads from it; start its reader first"
    case (_, ENXIO) where kind == S_IFSOCK: "it is a socket; name a file"
    case ("rename", _): "\(reason): the file that is there belongs to somebody else, or is protected"
    default: reason
    }
  }
}

extension StandardError {
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
    let text = Text.paragraph(sentence, width: width)
    guard let command else { return print(text) }
    let last = text.split(separator: "\n").last?.count ?? 0
    print(text + (last + 1 + command.count <= width ? " " : "\n") + command)
  }
}
