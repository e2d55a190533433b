/// How many buffers a display's frames are painted in.
public enum Buffering: Hashable, Sendable {
  /// Two: one is seen while the other is painted; the next frame is begun when the last one is on the screen.
  ///
  /// The choice for most: a frame is seen at the vblank after it was painted and never later, and a frame that does not
  /// differ much costs little, because a buffer lacks no more than the frame before.
  case double
  /// Three: the next frame may be painted while one waits for its vblank, and is shown at the vblank after that.
  ///
  /// For scenes whose frames take about as long as a refresh interval: with two buffers a frame that comes a little late
  /// is seen one interval later, and keeps the next one from being begun until then; that is half the rate. The price is
  /// the memory of one more screen, up to one interval more from an input to what is seen of it, and that a buffer lacks
  /// the changes of two frames.
  case triple

  /// The number of buffers.
  public var count: Int {
    switch self {
    case .double: 2
    case .triple: 3
    }
  }
}
