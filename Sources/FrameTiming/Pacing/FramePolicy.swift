/// When a display's ticks are delivered, and with them when its frames are begun.
public enum FramePolicy: String, CaseIterable, Sendable, BitwiseCopyable {
  /// As soon as the vblank's event comes, as CADisplayLink does: a frame has the whole interval.
  case vblank
  /// As late as the frame can still be ready for the next vblank: what it shows, such as the place of a pointer, is newer by as
  /// much. See `FramePacer`. At a variable rate, where the next vblank is not known beforehand, the same as `vblank`.
  case lateStart = "late"
}
