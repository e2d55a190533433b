public import LinuxSystem
public import Raster
public import RenderTree

/// When a frame was seen.
public struct PresentationFeedback: Hashable, BitwiseCopyable, Sendable {
  /// The vblank at which the display began to show the frame. On a display that cannot tell, the first tick after the
  /// frame was handed over and taken.
  public var timestamp: MonotonicTime
  /// That vblank's number, counted as the display's `VBlankSource` counts.
  public var sequence: UInt64

  public init(timestamp: MonotonicTime, sequence: UInt64) {
    self.timestamp = timestamp
    self.sequence = sequence
  }
}

/// A buffer to composite a frame into.
@MainActor
public struct PresentationBuffer {
  /// The pixels, in ordinary cached memory. They are what this buffer held when it was last presented; clear at first.
  public let bitmap: Bitmap
  /// The buffer's identity, from 0 and below the number of buffers; the same until the presenter is reset. What a buffer
  /// still lacks is remembered by it, not by its age.
  public let index: Int

  public init(bitmap: Bitmap, index: Int) {
    self.bitmap = bitmap
    self.index = index
  }
}

/// Takes finished frames to where they are seen: a screen, memory, a sequence of pictures.
///
/// Asynchronous for every kind: a frame that is handed over counts as pending until `onPresented` says at which vblank it
/// was shown. Frames are shown in the order in which they were handed over; how many may pend is told by
/// `acquireBuffer()`: one with two buffers, two with three.
@MainActor
public protocol Presenter: AnyObject {
  /// Pixels in a row. Another number after `onReset` only.
  var width: Int { get }
  /// Rows. As `width`.
  var height: Int { get }
  /// A buffer that may be painted now, nil while there is none (frames pend). Acquiring a buffer without presenting it
  /// costs nothing and changes nothing.
  func acquireBuffer() -> PresentationBuffer?
  /// Hands a painted buffer over and returns at once.
  ///
  /// A call without a free buffer is a programmer's error. When it throws, the screen shows what it showed before, no
  /// `onPresented` follows, and the buffer is free again with what was painted in it.
  ///
  /// - Parameters:
  ///   - buffer: from the newest `acquireBuffer()`.
  ///   - damage: every pixel that was painted in *this* buffer since it was last presented. It contains what differs from
  ///     the frame before.
  func present(_ buffer: PresentationBuffer, damage: DamageRegion) throws
  /// Called once for every frame that was handed over, when it is on the screen and the next buffer is free.
  var onPresented: (@MainActor (PresentationFeedback) -> Void)? { get set }
  /// Whether frames can be shown. While not, no buffer is to be had, and it does not help to ask before `onReset`.
  var isReady: Bool { get }
  /// Called when `isReady` has changed, and when the buffers were replaced by others, perhaps of another size. A frame that
  /// pended is never seen, and what was painted is gone.
  var onReset: (@MainActor () -> Void)? { get set }
  /// Called when what was handed over will not be shown after all: the display refused it late, or has not said for too
  /// long that it shows it. All frames that pend are forgotten, no `onPresented` follows for them, and their buffers are
  /// free. What the screen shows is not known: the next frame must paint all of it.
  var onRefused: (@MainActor (any Error) -> Void)? { get set }
  /// Gives everything back, the screen as it was found. Pending frames are forgotten, nothing is called again.
  func invalidate()
}

/// A presenter that is always there and takes every frame, or refuses it at once.
extension Presenter {
  public var isReady: Bool { true }
  public var onReset: (@MainActor () -> Void)? {
    get { nil }
    // There is nothing to tell.
    set {}
  }
  public var onRefused: (@MainActor (any Error) -> Void)? {
    get { nil }
    set {}
  }
}
