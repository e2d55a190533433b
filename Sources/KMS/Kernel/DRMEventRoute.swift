import LinuxSystem
import RunLoops

/// The share of a card's events that one presenter or one source of vblanks gets: a token has the route's number in its
/// upper half. The lower half tells the requests apart.
@MainActor
final class DRMEventRoute: FrameLoop.ItemOwner {
  var onFlip: (@MainActor (_ token: UInt32, _ time: MonotonicTime, _ sequence: UInt32) -> Void)?
  // Read at each vblank, for an instant: a check at run time would only take time.
  @exclusivity(unchecked) var onSequence: (@MainActor (_ token: UInt32, _ time: MonotonicTime, _ sequence: UInt64) -> Void)?
  /// A vblank that was requested by the older call.
  var onVBlank: (@MainActor (_ token: UInt32, _ time: MonotonicTime, _ sequence: UInt32) -> Void)?
  /// The card cannot be read any more; no event comes.
  var onError: (@MainActor (SystemError) -> Void)?
  let number: UInt32
  /// Lets the card's events be read in the modes that it is in, and dispatched for all routes.
  let loopItem: any FrameLoop.Item

  private let queue: DRMEventQueue

  /// The queue makes its routes.
  init(number: UInt32, queue: DRMEventQueue) {
    self.number = number
    self.queue = queue
    loopItem = FrameLoop.Source(
      scheduled: { [weak queue] _, loop, mode in MainActor.assumeIsolated { queue?.enter(mode, of: loop) } },
      cancelled: { [weak queue] _, loop, mode in MainActor.assumeIsolated { queue?.leave(mode, of: loop) } },
      .onMain { _ in })
  }

  /// The token to give to the kernel with a request.
  func token(_ counter: UInt32) -> UInt64 { UInt64(number) << 32 | UInt64(counter) }

  /// True if the card has events that were not dispatched yet, for whichever display.
  var hasUnread: Bool { queue.hasUnread }

  /// No event comes any more.
  func invalidate() {
    loopItem.invalidate()
    queue.remove(number)
    onFlip = nil
    onSequence = nil
    onVBlank = nil
    onError = nil
  }
}
