/// Which of a presenter's buffers is on the screen and which is on its way there: a pure value.
public struct FlipState: Hashable, Sendable {
  /// How many buffers there are; at least 2.
  public let count: Int
  /// The buffer that is seen; nil before the first.
  public private(set) var shown: Int?
  /// The buffer that was handed over and is not seen yet.
  public private(set) var pending: Int?

  public init(count: Int) {
    precondition(count >= 2, "painting a frame while another one is seen takes two buffers")
    self.count = count
  }

  /// A buffer that may be painted; nil while a flip pends. The answer stays the same until one is submitted.
  public var free: Int? {
    guard pending == nil else { return nil }
    return (0..<count).first { $0 != shown }
  }

  /// A buffer is handed over. That it is the free one is the caller's duty: anything else would be seen half painted.
  public mutating func submit(_ index: Int) {
    precondition(pending == nil, "a frame was presented while another one pends")
    precondition((0..<count).contains(index) && index != shown, "buffer \(index) is not one that may be painted")
    pending = index
  }

  /// The handed over buffer is seen now. False when none was: an event that belongs to nothing.
  public mutating func complete() -> Bool {
    guard let pending else { return false }
    shown = pending
    self.pending = nil
    return true
  }

  /// The handed over buffer was refused: the screen shows what it showed.
  public mutating func cancel() {
    pending = nil
  }
}
