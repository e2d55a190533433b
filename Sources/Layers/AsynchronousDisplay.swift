import LinuxSystem
import Raster

/// What is being drawn for one layer, and what becomes of it when newer contents are asked for.
///
/// A newer drawing cancels the one before it. But where drawings are asked for faster than they are finished nothing would
/// ever be shown: after `patience` of them the one under way is kept, and shown when it is finished.
struct AsynchronousDisplay: Sendable {
  static let patience = 8

  private var latest: DrawingJob?
  /// Superseded, but not cancelled.
  private var kept: DrawingJob?
  private var requestsSinceShown = 0

  /// Whether something is under way.
  var isDrawing: Bool { latest != nil }

  mutating func request(_ job: DrawingJob) {
    requestsSinceShown += 1
    if let latest {
      if kept == nil && requestsSinceShown > Self.patience { kept = latest } else { latest.cancel() }
    }
    latest = job
  }

  /// Whether a finished job is to be shown; it is then no longer under way.
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
