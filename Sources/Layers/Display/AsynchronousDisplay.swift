import LinuxSystem
import Raster

/// The drawings of one layer that are under way.
///
/// A newer drawing cancels the one before it. If drawings are requested faster than they are finished, nothing would ever be
/// shown. So after `patience` requests the current drawing is kept, and shown when it is finished.
enum AsynchronousDisplay: Sendable {
  case idle
  /// The newest drawing, and how many were requested since one was shown.
  case drawing(DrawingJob, requests: Int)
  /// Beside the newest drawing an older one, which is not cancelled.
  case keeping(DrawingJob, latest: DrawingJob)

  static let patience = 8

  private var latest: DrawingJob? {
    switch self {
    case .idle: nil
    case .drawing(let latest, _), .keeping(_, let latest): latest
    }
  }

  /// True while a drawing is under way.
  var isDrawing: Bool { latest != nil }

  /// True while the newest drawing is requested and no worker has taken it.
  var isWaiting: Bool { latest?.isWaiting ?? false }

  /// True for the newest drawing, while no worker has finished it.
  func isNewest(_ job: DrawingJob) -> Bool { job === latest }

  mutating func request(_ job: DrawingJob) {
    switch self {
    case .idle: self = .drawing(job, requests: 1)
    case .drawing(let last, Self.patience...): self = .keeping(last, latest: job)
    case .drawing(let last, let requests):
      last.cancel()
      self = .drawing(job, requests: requests + 1)
    case .keeping(let kept, let last):
      last.cancel()
      self = .keeping(kept, latest: job)
    }
  }

  /// Returns true if a finished job is still wanted. It is no longer under way then.
  mutating func accept(_ job: DrawingJob) -> Bool {
    if job === latest {
      if case .keeping(let kept, _) = self { kept.cancel() }
      self = .idle
    } else if case .keeping(let kept, let latest) = self, job === kept {
      self = .drawing(latest, requests: 0)
    } else {
      return false
    }
    return true
  }

  mutating func cancel() {
    if case .keeping(let kept, _) = self { kept.cancel() }
    latest?.cancel()
    self = .idle
  }
}
