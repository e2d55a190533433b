package import LinuxSystem
package import RenderTree

/// A viewer shows a context's tree at its own times. Each display has one.
///
/// An animation has ended when every viewer has shown its end, or when that time has passed. So no viewer jumps because
/// another one looks further ahead, and a viewer that stands still delays no other.
@MainActor
package final class TreeViewer {
  /// The last requested time since the last commit.
  var time: MonotonicTime?
  private weak var context: LayerContext?

  init(_ context: LayerContext) { self.context = context }

  /// The tree at a time, as from `LayerContext.renderTree(at:)`. An empty tree once the context is gone.
  package func renderTree(at time: MonotonicTime) -> TreeSnapshot {
    self.time = time
    return context?.evaluate(at: time, isOwn: false) ?? TreeSnapshot()
  }

  /// Removes the viewer.
  package func invalidate() {
    context?.times.remove(self)
    context = nil
  }
}

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

extension LayerContext {
  /// Adds a viewer. It stays until its `invalidate()`.
  package func makeViewer() -> TreeViewer {
    let viewer = TreeViewer(self)
    times.add(viewer)
    return viewer
  }
}
