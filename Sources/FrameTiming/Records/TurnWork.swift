public import LinuxSystem

/// The work of one turn of the loop for a frame, before the frame is rendered.
public struct TurnWork: BitwiseCopyable, Sendable {
  /// Input, callbacks, layout, display and the wait for drawings.
  public var phases = FrameRecord.PhaseDurations()
  /// See `FrameRecord.dirtyLayers`.
  public var dirtyLayers = 0
  /// See `FrameRecord.laidOutLayers`.
  public var laidOutLayers = 0
  /// See `FrameRecord.drawnLayers`.
  public var drawnLayers = 0
  /// When the earliest of the input events arrived that the turn handled. It is the next frame's, also where a later turn makes that.
  public var input: MonotonicTime?
  /// See `FrameRecord.layerTimes`.
  public var layerTimes = FrameRecord.LayerTimes()
  /// When the turn began, for a meter of the main thread; nil where nobody measures it.
  package var mark: ThreadMeter.Mark?

  public init(phases: FrameRecord.PhaseDurations = FrameRecord.PhaseDurations()) {
    self.phases = phases
  }
}

extension FrameRecord {
  /// Adds the work of a turn to that of the frame.
  package mutating func add(_ turn: TurnWork) {
    for phase in Phase.allCases { phases[phase] += turn.phases[phase] }
    dirtyLayers += turn.dirtyLayers
    laidOutLayers += turn.laidOutLayers
    drawnLayers += turn.drawnLayers
    for layer in turn.layerTimes { layerTimes.add(layer) }
  }

  /// Adds what a thread did for the frame. The first stretch begins the frame; what delayed the beginning of a later one, as that of a
  /// thread that composites, delayed the work.
  package mutating func add(_ usage: ThreadUsage) {
    runDelay += usage.runDelay
    if processorTime == nil { startDelay = usage.startDelay } else { runDelay += usage.startDelay }
    processorTime = (processorTime ?? .zero) + usage.processor
  }
}
