import LinuxSystem
import Raster

/// The drawings of one layer that are under way.
///
/// A newer drawing cancels the one before it. If drawings are requested faster than they are finished, nothing would ever be
/// shown. So after `patience` cancellations the current drawing is kept, and shown when it is finished.
struct AsynchronousDisplay: Sendable {
  static let patience = 8

  private var latest: DrawingJob?
  /// A superseded job that is not cancelled.
  private var kept: DrawingJob?
  private var requestsSinceShown = 0

  /// True while a drawing is under way.
  var isDrawing: Bool { latest != nil }

  /// True while the newest drawing is requested and no worker has taken it.
  var isWaiting: Bool { latest?.isWaiting ?? false }

  mutating func request(_ job: DrawingJob) {
    requestsSinceShown += 1
    if let latest {
      if kept == nil && requestsSinceShown > Self.patience { kept = latest } else { latest.cancel() }
    }
    latest = job
  }

  /// Returns true if a finished job is still wanted. It is no longer under way then.
  mutating func accept(_ job: DrawingJob) -> Bool {
    if job === latest {
      kept?.cancel()
      kept = nil
      latest = nil
    } else if job === kept {
      kept = nil
    } else {
      return false
    }
    requestsSinceShown = 0
    return true
  }

  mutating func cancel() {
    latest?.cancel()
    kept?.cancel()
    latest = nil
    kept = nil
    requestsSinceShown = 0
  }
}
