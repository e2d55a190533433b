import Framepace
import Glibc

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
