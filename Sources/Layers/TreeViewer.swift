public import LinuxSystem
public import RenderTree

/// One of those who show a context's tree, each at times of its own: one for each display.
///
/// An animation is over when every viewer has shown its end, or when that time has come: none of them jumps because another
/// one looks further ahead, and one that stands still keeps nobody waiting.
@MainActor
public final class TreeViewer {
  /// The last time for which it asked since the last commit.
  var time: MonotonicTime?
  private weak var context: LayerContext?

  init(_ context: LayerContext) { self.context = context }

  /// As `LayerContext.renderTree(at:)`. An empty tree once the context is gone.
  public func renderTree(at time: MonotonicTime) -> TreeSnapshot {
    context?.renderTree(at: time, for: self) ?? TreeSnapshot()
  }

  /// Shows the tree no more.
  public func invalidate() {
    context?.viewers.removeAll { $0 === self }
    context = nil
  }
}

extension LayerContext {
  /// Somebody more who shows the tree. Stays until its `invalidate()`.
  public func makeViewer() -> TreeViewer {
    let viewer = TreeViewer(self)
    viewers.append(viewer)
    return viewer
  }

  /// Up to which time everybody has shown the tree, as far as is known since the last commit.
  var shownTime: MonotonicTime {
    var time = ownViewTime
    for viewer in viewers { time = min(time ?? .distantFuture, viewer.time ?? lastCommit) }
    return time ?? lastCommit
  }

  func forgetViewTimes() {
    ownViewTime = nil
    for viewer in viewers { viewer.time = nil }
  }
}
