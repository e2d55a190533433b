public import Geometry
public import Input
public import LinuxSystem

/// Something that people did on a screen: an event of a device whose points are those of the screen's picture.
public struct ScreenEvent: Hashable, Sendable {
  /// When the device had it.
  public var time: MonotonicTime
  /// The index of the screen.
  public var screen: Int
  public var device: InputDevice.ID
  public var action: Action

  public enum Action: Hashable, Sendable {
    /// A finger, a pen, or a pointer whose button is held.
    case contact(Contact, by: ContactKind, pressure: Double?)
    /// The pointer, or a pen above its tablet, is here, without a button or contact.
    case hover(Point)
    /// The pointer went to another screen or is hidden, or the pen is out of reach.
    case hoverEnded
    /// Scrolling, and gestures of a touchpad, concern the layer below the pointer.
    case scroll(InputEvent.Scroll, at: Point)
    case gesture(InputEvent.TouchpadGesture, at: Point)
    case key(InputCode, isDown: Bool)
    /// The keyboard's modifiers, from a desktop that keeps them.
    case modifiers(ModifierState)
    /// The keyboard is gone, or another program has it: all its keys are up.
    case keysReleased
    /// The keys that follow are those of another keyboard.
    case keyboardChanged
  }
}

/// A means by which people touch layers.
public enum ContactKind: Hashable, Sendable {
  case finger
  case pen(InputEvent.Pen.Tool)
  /// A pointer, from the press of this button until it is released. Other buttons meanwhile have no contact of their own.
  case pointer(InputCode)
}
