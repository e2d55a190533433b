public import LinuxSystem
public import Raster
public import RenderTree

/// The vblank at which a frame was seen.
public struct PresentationFeedback: Hashable, BitwiseCopyable, Sendable {
  /// The time at which the display began to show the frame, on the loop's clock: a display's own stamp plus its ticker's
  /// `stampOffset`.
  public var timestamp: MonotonicTime
  /// The vblank's number, counted as the display's `VBlankSource` counts.
  public var sequence: UInt64
  /// False if the display did not tell `timestamp`, and it is assumed.
  public var isKnown: Bool

  public init(timestamp: MonotonicTime, sequence: UInt64, isKnown: Bool = true) {
    self.timestamp = timestamp
    self.sequence = sequence
    self.isKnown = isKnown
  }

  /// This feedback, or now as an assumption: until the clock of its stamps is known, a display may tell of the future or of long ago.
  ///
  /// - Parameters:
  ///   - submitted: when the frame was handed over.
  ///   - interval: the refresh interval; a stamp may be half of it in the future or before the frame was handed over.
  func plausible(at now: MonotonicTime, submitted: MonotonicTime, interval: Nanoseconds) -> PresentationFeedback {
    let slack = interval / 2
    if timestamp - now <= slack, submitted - timestamp <= slack { return self }
    return PresentationFeedback(timestamp: now, sequence: sequence, isKnown: false)
  }
}

/// A buffer to composite a frame into.
@MainActor
public struct PresentationBuffer {
  /// The renderer paints in it. It holds what it held when this buffer was last presented, clear at first.
  public let target: any RenderTarget
  /// The buffer's identity: from 0, below the number of buffers, and the same until the presenter is reset. The damage that a
  /// buffer still lacks is remembered by its identity, not by its age.
  public let index: Int

  public init(target: any RenderTarget, index: Int) {
    self.target = target
    self.index = index
  }
}

/// Takes finished frames to where they are seen: a screen, memory, a sequence of pictures.
///
/// Presenting is asynchronous for every kind: a frame that was handed over is pending until `.presented` tells at which vblank
/// it was shown. Frames are shown in the order in which they were handed over. With two buffers one frame may be pending, with
/// three two: then `acquireBuffer()` returns nil.
@MainActor
public protocol Presenter: AnyObject {
  /// Pixels in a row. It changes only with a `.reset`.
  var width: Int { get }
  /// Rows. They change only with a `.reset`.
  var height: Int { get }
  /// Returns a buffer that may be painted now, or nil while there is none because frames are pending. Acquiring a buffer
  /// without presenting it costs nothing and changes nothing.
  func acquireBuffer() -> PresentationBuffer?
  /// Hands a painted buffer over and returns at once.
  ///
  /// A call without a free buffer is a programmer's error. When it throws, the screen shows what it showed before, no
  /// `.presented` follows, and the buffer is free again with what was painted in it.
  ///
  /// - Parameters:
  ///   - buffer: the result of the newest `acquireBuffer()`.
  ///   - damage: every pixel that was copied or painted in *this* buffer since it was last presented. It contains all that
  ///     differs from the frame before.
  ///   - target: the vblank that it was made for, a hint: a presenter that can show the frame then and no sooner does so, and
  ///     others need not look at it; nil if that was a guess.
  func present(_ buffer: PresentationBuffer, damage: DamageRegion, target: MonotonicTime?) throws
  /// The number of pending frames that take a vblank before a frame that is made now: all of them, unless the display tells only later that
  /// one was seen.
  ///
  /// - Parameter pending: the frames of which nothing is told yet.
  func queuedFrames(pending: Int, at now: MonotonicTime) -> Int
  /// True while frames can be shown. While it is false there is no free buffer before the next `.reset`.
  var isReady: Bool { get }
  /// The bitmap of the frame that is on the screen; nil before the first, or if the presenter does not keep it. It is
  /// overwritten from the frame after the next one on.
  var shownBitmap: Bitmap? { get }
  /// Tells the one owner, the output, what became of its frames; not before `present` has returned.
  var onEvent: (@MainActor (PresenterEvent) -> Void)? { get set }
  /// Gives everything back, the screen as it was found. Pending frames are forgotten, and `onEvent` is not called again.
  func invalidate()
}

/// A presenter that is always there, shows a frame after the other, and keeps none.
extension Presenter {
  public func queuedFrames(pending: Int, at now: MonotonicTime) -> Int { pending }
  public var isReady: Bool { true }
  public var shownBitmap: Bitmap? { nil }
}

/// An event of a presenter, passed to its owner.
public enum PresenterEvent {
  /// The oldest pending frame is on the screen, and the next buffer is free. A display that does not tell since when shows it
  /// from the first vblank after it was handed over: its presenter waits for that.
  case presented(PresentationFeedback)
  /// The oldest pending frame is never seen: the display took a newer one in its place, or had no time for it.
  case dropped
  /// `isReady` has changed, or the buffers were replaced by others, perhaps of another size. Frames that were pending are
  /// never seen, and what was painted is gone.
  case reset
  /// The pending frames will not be shown: the display refused one late, or has not said for too long that it shows it. Their
  /// buffers are free. What the screen shows is not known: the next frame must paint all of it.
  case refused(any Error)
}
