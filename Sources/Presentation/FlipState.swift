/// Tells which of a presenter's buffers is on the screen and which are on their way there: a pure value.
///
/// One frame is pending at a time: the display has it, and shows it at a coming vblank. With three buffers one more may be
/// painted meanwhile; it waits for that vblank, and is pending then.
package struct FlipState: Hashable, Sendable {
  /// The number of buffers; at least 2.
  package let count: Int
  /// The buffer that is seen; nil before the first.
  package private(set) var shown: Int?
  /// The buffer that the display has and that is not seen yet.
  package private(set) var pending: Int?
  /// The buffer that the display gets next.
  package private(set) var waiting: Int?

  package init(count: Int) {
    precondition(count >= 2, "painting a frame while another one is seen takes two buffers")
    self.count = count
  }

  /// A buffer that may be painted; nil while there is none. The answer stays the same until one is submitted or seen.
  package var free: Int? {
    guard waiting == nil, pending == nil || count > 2 else { return nil }
    return (0..<count).first { $0 != shown && $0 != pending }
  }

  /// Hands a painted buffer over. It must be the free one: any other would be seen half painted.
  ///
  /// - Returns: true if the display gets it now; otherwise it does when the pending one is seen.
  package mutating func submit(_ index: Int) -> Bool {
    precondition(waiting == nil && (pending == nil || count > 2), "a frame was presented while no buffer was free")
    precondition(
      (0..<count).contains(index) && index != shown && index != pending, "buffer \(index) is not one that may be painted")
    if pending == nil {
      pending = index
      return true
    }
    waiting = index
    return false
  }

  /// The pending buffer is on the screen now. The one that waited is pending: hand it to the display.
  ///
  /// - Returns: false if none was pending: the event belongs to nothing.
  package mutating func complete() -> Bool {
    guard let pending else { return false }
    shown = pending
    self.pending = waiting
    waiting = nil
    return true
  }

  /// Forgets the buffers that were handed over: the screen goes on showing what it showed.
  package mutating func cancel() {
    pending = nil
    waiting = nil
  }
}

/// The number of buffers that a display's frames are painted in.
public enum Buffering: Hashable, Sendable {
  /// Two: one is seen while the other is painted; the next frame is begun when the last one is on the screen.
  ///
  /// The choice for most programs: a frame is seen at the vblank after it was painted and never later, and a frame that does
  /// not differ much costs little, because a buffer lacks no more than the frame before.
  case double
  /// Three: the next frame may be painted while one waits for its vblank, and is shown at the vblank after that. It is painted only
  /// if frames as long as the last ones would miss their vblanks otherwise: a single long one leaves no queue.
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
