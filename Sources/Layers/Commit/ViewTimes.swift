import LinuxSystem

/// The times for which a tree was requested, and until when all who show it have seen it.
@MainActor
struct ViewTimes {
  private var viewers: [TreeViewer] = []
  /// The last time for which code other than the viewers requested the tree since the last commit.
  private var ownRequest: MonotonicTime?
  /// The last time for which anyone did; nil before the first.
  private var lastRequest: MonotonicTime?
  private(set) var lastCommit = MonotonicTime.zero

  /// The time of the shown tree; the last one that is known.
  var current: MonotonicTime { lastRequest ?? lastCommit }

  /// The time up to which all viewers have shown the tree, by what was known at the last commit.
  var shown: MonotonicTime {
    var time = ownRequest
    for viewer in viewers { time = min(time ?? .distantFuture, viewer.time ?? lastCommit) }
    return time ?? lastCommit
  }

  mutating func add(_ viewer: TreeViewer) { viewers.append(viewer) }

  mutating func remove(_ viewer: TreeViewer) { viewers.removeAll { $0 === viewer } }

  /// Takes note that the tree was requested.
  ///
  /// - Parameter isOwn: true if no viewer did it.
  mutating func request(_ time: MonotonicTime, isOwn: Bool) {
    if isOwn { ownRequest = time }
    lastRequest = time
  }

  /// Begins a commit.
  ///
  /// - Returns: the time that all have seen.
  mutating func commit(at now: MonotonicTime) -> MonotonicTime {
    lastCommit = now
    return max(now, shown)
  }

  /// Forgets what was requested before a commit.
  mutating func forgetRequests() {
    ownRequest = nil
    for viewer in viewers { viewer.time = nil }
  }
}
