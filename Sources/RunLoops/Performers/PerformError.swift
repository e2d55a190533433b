/// Why work was not performed.
public enum PerformError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The loop's thread has ended or was stopped, before the work was given to it or before its turn came.
  case threadEnded(name: String)
  /// The work was cancelled before its turn came.
  case cancelled

  public var description: String {
    switch self {
    case .threadEnded(let name):
      "nothing was performed: the thread of the loop, \"\(name)\", has ended or was stopped; use one that runs"
    case .cancelled: "nothing was performed: the work was cancelled before its turn came"
    }
  }
}
