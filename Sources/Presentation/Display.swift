public import FrameTiming
public import RunLoops

/// Something that shows frames at a rate of its own: a screen, or what stands in for one.
@MainActor
public protocol Display: AnyObject {
  /// What it is: "KMS HDMI-A-1 1920x1080@60.00 (vc4)", "virtual display 1280x720@60.00".
  var name: String { get }
  /// Why this display and how it is paced, for people: "no DRM device", "vblank events of vkms".
  var reason: String { get }
  /// Tells when frames are due.
  var ticker: DisplayTicker { get }
  /// Takes the frames.
  var presenter: any Presenter { get }
  /// Whether it shows what it is given. The display is the same however often that changes, and so are its links and
  /// outputs; its size and rate may be others afterwards.
  var state: DisplayState { get }
  /// Called when `state` has changed, and when the display shows again after a change of its mode.
  var onStateChange: (@MainActor (DisplayState) -> Void)? { get set }
  /// Called once when the display cannot come back, such as after the end of the session that it belongs to: no tick and
  /// no feedback come any more, and no buffer is to be had. `invalidate()` it and make another one. While nobody sets this,
  /// the loss is told on stderr.
  var onLost: (@MainActor (any Error) -> Void)? { get set }
  /// Lets `loop` serve the display's events in `mode`. To be called before the first frame, for each mode in which frames
  /// are to be shown.
  func add(to loop: FrameLoop, mode: FrameLoop.Mode)
  /// Stops ticking and presenting, and gives everything back, the screen as it was found.
  func invalidate()
}

/// A display that is always there.
extension Display {
  public var state: DisplayState { .showing }
  public var onStateChange: (@MainActor (DisplayState) -> Void)? {
    get { nil }
    // There is nothing to tell.
    set {}
  }
}
