/// An event of an output, passed to its observers: a tick, a step in the life of a frame, or idleness.
///
/// The order is that of time. A frame is committed once, and presented later or never: a display that goes away, or refuses
/// the frame, shows none of the frames that were pending.
///
/// Work that changes nothing of what is seen makes no frame: no event tells of it.
public enum FrameEvent: Sendable {
  /// The output ticked. It ticks from the first frame that is wanted to the first tick without one.
  case tick(DisplayLink.Tick)
  /// A frame was handed to the presenter.
  case committed(FrameRecord)
  /// A committed frame is on the screen; its `presented` is known.
  case presented(FrameRecord)
  /// A frame that was wanted is never seen: the display was away, went, or refused it. It was handed over before or not.
  case lost(FrameRecord)
  /// A frame whose work was done is never shown: no buffer was free for it, and newer work took its place.
  case discarded(FrameRecord)
  /// No frame is wanted any more: the time until the next tick or frame is idle, not missed.
  case idle
  /// The presenter refused a frame, at once or late: it is `lost` before this. The next tick paints the whole screen and tries again.
  case refused(any Error)
}
