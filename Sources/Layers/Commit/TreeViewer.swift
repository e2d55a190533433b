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

extension LayerContext {
  /// Adds a viewer. It stays until its `invalidate()`.
  package func makeViewer() -> TreeViewer {
    let viewer = TreeViewer(self)
    times.add(viewer)
    return viewer
  }
}
