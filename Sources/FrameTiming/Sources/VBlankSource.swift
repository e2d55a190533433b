public import LinuxSystem
public import RunLoops

/// A source of vblanks: a display's hardware, a clock that replaces it, or a simulation.
///
/// A source delivers one vblank for each request and none without, so that nothing wakes while no frame is wanted. Implement it
/// to drive a `DisplayTicker` from hardware of your own; a `FallbackClock` is one without hardware. The loop serves it by its
/// `loopItem`: a request stays while the loop runs in none of the source's modes.
@MainActor
public protocol VBlankSource: FrameLoop.ItemOwner {
  /// The source's name for people, with the reason for using it: "DRM vblank of HDMI-A-1", "fallback clock 60.00 Hz: no DRM
  /// device".
  var name: String { get }
  /// The nominal rate.
  var refreshRate: RefreshRate { get }
  /// True if intervals last as long as the application likes, but not less than one at `refreshRate`.
  var isVariable: Bool { get }
  /// True if the stamps are a display's own, false if they are those of a clock that replaces one.
  var isDisplay: Bool { get }
  /// True if each vblank comes some time after the frame before it was handed over, as that of a compositor without a screen, so that one
  /// that is begun late moves all that come after it. Frames are begun at once then, whatever the policy.
  var followsFrames: Bool { get }
  /// Called on the loop for each vblank that was requested. Set by the `DisplayTicker` that owns the source.
  var onVBlank: (@MainActor (VBlank) -> Void)? { get set }
  /// Requests the next vblank after now. A second request before it came changes nothing.
  func requestVBlank()
  /// The newest vblank that has happened, whether it was requested or not; nil if the source cannot tell. The ticker asks for
  /// it after a pause, and after a turn in which a vblank passed that a frame waited for; never while frames are in time.
  func newestVBlank() -> VBlank?
  /// Stops serving the source in every mode, and forgets a request.
  func invalidate()
}

extension VBlankSource {
  /// All intervals are the same.
  public var isVariable: Bool { false }
  /// The stamps are a display's.
  public var isDisplay: Bool { true }
  /// Vblanks come by themselves.
  public var followsFrames: Bool { false }
  /// Unknown: after a pause targets are guesses.
  public func newestVBlank() -> VBlank? { nil }
}

/// A vertical blank: the moment at which a display begins to show the next frame.
public struct VBlank: Hashable, BitwiseCopyable, Sendable {
  /// When it happened by the source's own stamp, never the time at which the event was read.
  public var timestamp: MonotonicTime
  /// The number of the source's refresh interval. Intervals without a request are counted too.
  public var sequence: UInt64

  public init(timestamp: MonotonicTime, sequence: UInt64) {
    self.timestamp = timestamp
    self.sequence = sequence
  }
}

/// A fault in the vblanks of a source that its ticker has noticed. The ticker continues all the same.
///
///     if let fault = display.ticker.sourceFault { print("the display's vblanks:", fault) }
public enum SourceFault: Hashable, Sendable {
  /// Stamps are this far ahead of the loop's clock, as in a time namespace. The distance is taken off them.
  case stampsAhead(Nanoseconds)
  /// Stamps are this far behind the loop's clock, as those of a driver that stamps the vblank before. The distance is added.
  case stampsBehind(Nanoseconds)
  /// Requests are answered at once by vblanks that were delivered before. They are repeated twice an interval at most.
  case oldVBlanks
}

extension SourceFault: CustomStringConvertible {
  public var description: String {
    switch self {
    case .stampsAhead(let distance): return "its stamps are \(Self.text(distance)) ahead of the clock, which is corrected"
    case .stampsBehind(let distance): return "its stamps are \(Self.text(distance)) behind the clock, which is corrected"
    case .oldVBlanks: return "it answers requests with vblanks that were before"
    }
  }
  private static func text(_ distance: Nanoseconds) -> String {
    let isLong = distance >= .seconds(1)
    let tenths = (distance.seconds * (isLong ? 10 : 10_000)).rounded() / 10
    return isLong ? "\(tenths) s" : "\(tenths) ms"
  }
}
