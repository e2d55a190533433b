public import FrameTiming
import Glibc
public import Raster
public import RunLoops

/// Something that shows frames at a rate of its own: a screen, or what stands in for one.
@MainActor
public protocol Display: AnyObject {
  /// The display's name: "KMS HDMI-A-1 1920x1080@60.00 (vc4)", "virtual display 1280x720@60.00".
  var name: String { get }
  /// Why this display and how it is paced, for people: "no DRM device", "vblank events of vkms".
  var reason: String { get }
  /// Tells when frames are due.
  var ticker: DisplayTicker { get }
  /// Takes the frames.
  var presenter: any Presenter { get }
  /// Showing, or waiting with the reason. The display is the same however often its state changes, and so are its
  /// links and outputs; its size and rate may be others afterwards.
  var state: DisplayState { get }
  /// The display's size and how it is turned. It changes only with a `.reset` of the presenter.
  var geometry: DisplayGeometry { get }
  /// The screen's hardware; nil for a display that is no screen.
  var panel: DisplayPanel? { get }
  /// The name by which input devices say that they lie on this display; empty for one that has none.
  var inputName: String { get }
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

  public var panel: DisplayPanel? { nil }

  /// The name of the panel's connector.
  public var inputName: String { panel?.connector ?? "" }

  /// The presenter's size, not turned.
  public var geometry: DisplayGeometry { DisplayGeometry(width: presenter.width, height: presenter.height) }

  /// Follows the display's state. Any number may.
  ///
  /// ```swift
  /// display.observe { event in
  ///   switch event {
  ///   case .stateChanged(let state): print("\(display.name): \(state)")
  ///   case .geometryChanged, .closeRequested: break
  ///   case .lost(let error): fail(error)
  ///   }
  /// }.keep()
  /// ```
  ///
  /// - Returns: the token: the observer listens until it is let go of or invalidated.
  public func observe(_ handler: @escaping @MainActor (DisplayEvent) -> Void) -> Observation {
    observers.add(handler)
  }

  /// A copy of the frame that is on the display now, as its panel has it; all clear before the first one.
  public func capture() throws(BitmapError) -> Image {
    let copy = try Bitmap(width: presenter.width, height: presenter.height)
    if let shown = presenter.shownBitmap {
      for y in 0..<min(copy.height, shown.height) { memcpy(copy.row(y), shown.row(y), min(copy.width, shown.width) * 4) }
    }
    let (image, geometry) = (copy.freeze(), geometry)
    return geometry.rotatedBy == .plane ? try image.turned(geometry.rotation) : image
  }
}

/// An event of a display, passed to its observers.
public enum DisplayEvent {
  /// The display's `state` is another one, or it shows again after a change of its mode.
  case stateChanged(DisplayState)
  /// The display has another size, or is turned another way. Outputs have taken it over: the root layer has its new size.
  case geometryChanged(DisplayGeometry)
  /// Somebody wants to close the window. An engine ends its run, see `Engine.closesWithDisplay`.
  case closeRequested
  /// The display cannot come back by itself, such as after the end of the session that it belongs to: no tick and no feedback come any
  /// more, and no buffer is to be had. Invalidate it and make another one. Told once, on stderr while nobody observes.
  case lost(any Error)
}
