import Framepace
import Glibc
import Metering

/// A file that the command reads.
enum InputFile {
  /// Reads a whole file. Waits for the writer of a pipe, such as that of `<(…)` in a shell.
  ///
  /// - Parameters:
  ///   - path: "-" for the standard input.
  ///   - limit: the largest number of bytes.
  /// - Throws: a sentence; about a file that is missing, with one whose name is nearly the same.
  static func contents(of path: String, limit: Int) throws(Refusal) -> [UInt8] {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes =
        path == "-"
        ? try OwnedDescriptor.standardInput().contents(of: path, limit: limit, waits: true)
        : try OwnedDescriptor.contents(of: path, limit: limit, waits: true)
    } catch {
      throw refusal(of: path, error)
    }
    guard !bytes.isEmpty else { throw Refusal("cannot read '\(path)': it is empty") }
    return bytes
  }

  /// The first bytes of a file, which tell its kind; none of anything else, such as a pipe, whose bytes can be read once.
  static func head(of path: String) throws(Refusal) -> [UInt8] {
    do throws(SystemError) {
      var status = stat()
      guard stat(path, &status) == 0 else { throw .last(call: "open", subject: path) }
      guard status.st_mode & S_IFMT == S_IFREG else { return [] }
      let file = try OwnedDescriptor.open(path, flags: O_RDONLY)
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = read(file.number, &bytes, bytes.count)
      guard count >= 0 else { throw .last(call: "read", subject: path) }
      return Array(bytes.prefix(count))
    } catch {
      throw refusal(of: path, error)
    }
  }

  /// Says that the last line of a file is cut, or may be.
  ///
  /// - Parameter read: a clause without its last word: "120 frames are".
  @MainActor
  static func tellCut(_ path: String, at end: CutText.End, read: String) {
    let place = "line \(end.line), column \(end.column)"
    let what =
      end.isLeftOut
      ? "is cut at \(place): its last line is left out, and \(read) read"
      : "ends within a line, at \(place): the last number may be cut"
    Terminal.error.note("'\(path.withoutControlCharacters)' \(what)")
  }

  @MainActor
  static func tellCut(_ path: String, at end: CutText.End, frames: Int) {
    tellCut(path, at: end, read: frames == 1 ? "1 frame is" : "\(frames) frames are")
  }

  /// Throws if there is no file at `path`.
  static func require(_ path: String) throws(Refusal) {
    guard access(path, F_OK) != 0, errno == ENOENT else { return }
    throw refusal(of: path, SystemError(call: "open", subject: path, errno: ENOENT))
  }

  /// The paths of the files beside that of `path`; none if they are very many.
  static func neighbours(of path: String) -> [String] {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let names = (try? OwnedDescriptor.names(in: folder.isEmpty ? "." : folder)) ?? []
    return names.count > 1000 ? [] : names.map { folder + $0 }
  }

  private static func refusal(of path: String, _ error: SystemError) -> Refusal {
    let reason =
      switch error.errno {
      case EISDIR: "it is a folder; name a file in it"
      case EFBIG: "it is larger than any that the command reads"
      case ENOENT: error.reason + (Text.suggestion(for: path, among: neighbours(of: path)).map { ". \($0)" } ?? "")
      default: error.reason
      }
    return Refusal("cannot read '\(path)': \(reason)")
  }
}
