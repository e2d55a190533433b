import Layers
package import Metering

/// The last drawings that layers handed to workers.
@MainActor
package final class DrawingLog {
  private var drawings: RecentValues<(layer: String, times: DrawingTimes)>

  fileprivate init(capacity: Int) {
    drawings = RecentValues(capacity: capacity)
  }

  /// Those that a worker has ended.
  package var ended: [FrameTimeline.Drawing] {
    drawings.compactMap { layer, times in
      let now = times.now
      guard let begun = now.begun, let ended = now.ended else { return nil }
      return FrameTimeline.Drawing(
        layer: layer, requested: times.requested, begun: begun, ended: ended, shown: now.shown)
    }
  }

  fileprivate func add(_ layer: Layer, _ times: DrawingTimes) { drawings.append((LayerNames.name(of: layer), times)) }
}

extension Engine {
  /// Measures from now on when the drawings of the first display's layers are requested, drawn by workers and shown.
  ///
  /// - Parameter capacity: the number of drawings that are kept, the last ones.
  package func measureDrawings(capacity: Int) -> DrawingLog {
    let log = DrawingLog(capacity: capacity)
    context.onDrawing = { layer, times in log.add(layer, times) }
    return log
  }
}
