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
  /// Whether the display shows what it is given. The display is the same however often its state changes, and so are its
  /// links and outputs; its size and rate may be others afterwards.
  var state: DisplayState { get }
  /// All who follow the display. A type that conforms makes one and notifies it; to listen, call `observe(_:)`.
  var observers: Observers<DisplayEvent> { get }
  /// Lets `loop` serve the display's events in `mode`. To be called before the first frame, for each mode in which frames
  /// are to be shown.
  func add(to loop: FrameLoop, mode: FrameLoop.Mode)
  /// Stops ticking and presenting, and gives everything back, the screen as it was found.
  func invalidate()
}

extension Display {
  /// A display that is always there.
  public var state: DisplayState { .showing }

  /// Follows the display's state. Any number may.
  ///
  /// ```swift
  /// display.observe { event in
  ///   switch event {
  ///   case .stateChanged(let state): print("\(display.name): \(state)")
  ///   case .lost(let error): fail(error)
  ///   }
  /// }.keep()
  /// ```
  ///
  /// - Returns: the token: the observer listens until it is let go of or invalidated.
  public func observe(_ handler: @escaping @MainActor (DisplayEvent) -> Void) -> Observation {
    observers.add(handler)
  }
}

/// What the observers of a display are told.
public enum DisplayEvent {
  /// The display's `state` is another one, or it shows again after a change of its mode.
  case stateChanged(DisplayState)
  /// The display cannot come back, such as after the end of the session that it belongs to: no tick and no feedback come any
  /// more, and no buffer is to be had. Invalidate it and make another one. Told once, on stderr while nobody observes.
  case lost(any Error)
}
