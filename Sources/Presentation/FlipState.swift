/// Which of a presenter's buffers is on the screen and which are on their way there: a pure value.
///
/// One frame pends at a time: the display has it, and shows it at a vblank to come. With three buffers one more may be
/// painted meanwhile; it waits until that vblank has been, and pends then.
public struct FlipState: Hashable, Sendable {
  /// How many buffers there are; at least 2.
  public let count: Int
  /// The buffer that is seen; nil before the first.
  public private(set) var shown: Int?
  /// The buffer that the display has and that is not seen yet.
  public private(set) var pending: Int?
  /// The buffer that the display gets next.
  public private(set) var waiting: Int?

  public init(count: Int) {
    precondition(count >= 2, "painting a frame while another one is seen takes two buffers")
    self.count = count
  }

  /// A buffer that may be painted; nil while there is none. The answer stays the same until one is submitted or seen.
  public var free: Int? {
    guard waiting == nil, pending == nil || count > 2 else { return nil }
    return (0..<count).first { $0 != shown && $0 != pending }
  }

  /// A painted buffer is handed over. That it is the free one is the caller's duty: anything else would be seen half
  /// painted.
  ///
  /// - Returns: whether the display gets it now; otherwise it does when the pending one is seen.
  public mutating func submit(_ index: Int) -> Bool {
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

  /// The pending buffer is seen now, and the one that waited pends: the display is to get it. False when none pended: an
  /// event that belongs to nothing.
  public mutating func complete() -> Bool {
    guard let pending else { return false }
    shown = pending
    self.pending = waiting
    waiting = nil
    return true
  }

  /// What was handed over will not be seen: the screen shows what it showed.
  public mutating func cancel() {
    pending = nil
    waiting = nil
  }
}
