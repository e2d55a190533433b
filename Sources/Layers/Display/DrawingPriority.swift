import LinuxSystem

/// How soon workers take the drawing of a layer, among those that wait. See <doc:DrawingOnOtherThreads>.
public enum DrawingPriority: String, CaseIterable, Hashable, Sendable {
  /// Before all others: what the user looks at, or what a frame waits for.
  case high
  case normal
  /// After all others, and not waited for: what is not on the screen yet.
  case low

  var ofWorkers: WorkerPool.Priority {
    switch self {
    case .high: .highDrawing
    case .normal: .drawing
    case .low: .lowDrawing
    }
  }
}
