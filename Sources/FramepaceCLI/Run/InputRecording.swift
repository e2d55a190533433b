import Framepace
import Glibc
import Input

/// The file of `framepace input --record`: an event script that grows with each event.
///
/// A line is written when its event comes, so that nothing is lost in whatever way the process ends.
@MainActor
final class InputRecording {
  private let path: String
  private let output: AtomicFile.Output

  /// Replaces the file at `path`.
  init(path: String) throws {
    self.path = path
    do throws(SystemError) { output = try AtomicFile.begin(path) } catch { throw Refusal(path, error) }
    try write(InputScript.heading)
  }

  /// - Parameter start: when the script began.
  func add(_ event: InputEvent, since start: MonotonicTime) throws { try write(event.scriptLine(since: start) + "\n") }

  private func write(_ text: String) throws {
    do throws(SystemError) {
      try output.write(Array(text.utf8))
    } catch {
      // The end of a pipe's reader is no error.
      throw error.errno == EPIPE ? ReaderGone() : Refusal(path, error)
    }
  }
}
