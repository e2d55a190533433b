public import RunLoops

/// Where vblanks come from: a display's hardware, a clock that stands in for it, or a simulation.
///
/// A source delivers one vblank for each request and none unasked, so that nothing wakes while nobody wants frames.
@MainActor
public protocol VBlankSource: AnyObject {
  /// What ticks and why, for people: "DRM vblank of HDMI-A-1", "fallback clock 60.00 Hz: no DRM device".
  var name: String { get }
  /// The nominal rate.
  var refreshRate: RefreshRate { get }
  /// Whether intervals last as long as the application likes, but not less than one at `refreshRate`.
  var isVariable: Bool { get }
  /// Whether the stamps are a display's own, and not those of a clock that stands in for one.
  var isDisplay: Bool { get }
  /// Called on the loop for each vblank that was asked for. Set by the `DisplayTicker` that owns the source.
  var onVBlank: (@MainActor (VBlank) -> Void)? { get set }
  /// Asks for the next vblank after now. Asking again before it came changes nothing.
  func requestVBlank()
  /// The newest vblank that has happened, whether it was asked for or not; nil if the source cannot tell. For who wants
  /// frames again after a pause: not asked every frame.
  func newestVBlank() -> VBlank?
  /// Lets the loop serve the source in `mode`.
  func add(to loop: FrameLoop, mode: FrameLoop.Mode)
  /// Stops serving the source in `mode`. A request stays until the loop runs in another of the source's modes.
  func remove(from loop: FrameLoop, mode: FrameLoop.Mode)
  /// Stops serving the source in every mode, and forgets a request.
  func invalidate()
}

extension VBlankSource {
  /// All intervals are the same.
  public var isVariable: Bool { false }
  /// Stamps are a display's.
  public var isDisplay: Bool { true }
  /// Nothing is told; after a pause targets are guesses.
  public func newestVBlank() -> VBlank? { nil }
}
